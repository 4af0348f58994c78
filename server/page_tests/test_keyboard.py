"""Everything works without a mouse."""

from webdriver import Key

SENTENCE = "Small Harbours by Tidewrack Press was worth the wait in Dayton."


def test_from_text_to_a_downloaded_correction_with_the_keyboard_alone(page):
    page.tab_to(lambda f: f[1] == "input")
    page.browser.press(*SENTENCE)
    page.wait(lambda: page.words()[-2:] == ["Dayton", "."] and not page.busy(), "the words")
    page.tab_to(lambda f: f[0] == "button" and f[2] == "Small")
    page.browser.press(Key.RIGHT)
    assert page.focused()[2] == "Harbours"
    page.browser.press(Key.LEFT, Key.ENTER)
    page.wait_for_panel()
    page.wait(lambda: page.focused()[0] == "listbox", "the focus on the labels")
    for _ in range(9):
        if page.run("return document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).dataset.label") == "B-MISC":
            break
        page.browser.press(Key.DOWN)
    page.browser.press(Key.ENTER)
    page.wait(lambda: page.labels()[:2] == ["B-MISC", "I-MISC"], "the corrected labels")
    page.wait(lambda: page.focused()[0] == "listbox", "the focus on the labels again")
    page.browser.press(Key.ESCAPE)
    assert not page.visible("#panel")
    assert page.focused()[2] == "Small"
    page.tab_to(lambda f: f[2] == "Download as training data")
    page.browser.press(Key.ENTER)
    name = "corrections-entities.txt"
    assert page.downloaded(name).startswith("Small\t")
    (page.browser.downloads / name).unlink()


def test_arrow_keys_move_between_words_and_sentences(page):
    page.show("Heavy rain fell. Ruth won the race.")
    page.token("Heavy").click()
    page.browser.press(Key.ESCAPE)
    steps = [(Key.END, "."), (Key.RIGHT, "Ruth"), (Key.END, "."), (Key.LEFT, "race"), (Key.HOME, "Ruth"),
             (Key.RIGHT, "won"), (Key.UP, "rain"), (Key.DOWN, "won"), (Key.DOWN, "won")]
    for key, word in steps:
        page.browser.press(key)
        assert page.focused()[2] == word
    assert page.count(".token[tabindex='0']") == 1


def test_arrow_keys_follow_the_direction_of_the_script(page):
    page.paste("زارت ليلى حداد مكتبة.")
    page.wait(lambda: "مكتبة" in page.words() and not page.busy(), "the words")
    page.token("زارت").click()
    page.browser.press(Key.ESCAPE)
    page.browser.press(Key.LEFT)
    assert page.focused()[2] == "ليلى"
    page.browser.press(Key.RIGHT)
    assert page.focused()[2] == "زارت"


def test_typing_in_the_list_of_labels_finds_one(page):
    page.show("Heavy rain fell.")
    page.find("#layers [value='0']").click()
    page.explain("rain")
    page.wait(lambda: page.focused()[0] == "listbox", "the focus on the labels")
    active = "return document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).dataset.label"
    page.browser.press("v", "e")
    assert page.run(active) == "VERB"
    page.browser.press(Key.HOME)
    assert page.run(active) == "NOUN"
    page.browser.press(Key.END, Key.UP)
    assert page.run(active) == page.run("return [...document.querySelectorAll('#panel [role=option]')].at(-2).dataset.label")


def test_the_skip_link_leads_to_the_result(page):
    page.browser.press(Key.TAB)
    assert page.focused()[2] == "Skip to the result"
    page.browser.press(Key.ENTER)
    assert page.focused()[1] == "result"


def test_what_has_the_focus_can_be_seen(page):
    page.show("Heavy rain fell.")
    page.run("document.querySelector('.skip').focus()")
    seen = set()
    for _ in range(25):
        page.browser.press(Key.TAB)
        outline = page.run("""const e = document.activeElement;
            if (e === document.body) return null;
            const shown = e.matches(".choice input") ? e.nextElementSibling : e;
            const style = getComputedStyle(shown);
            return [e.id || e.textContent.trim().slice(0, 20) || e.value, style.outlineStyle, parseFloat(style.outlineWidth)]""")
        if outline is None or outline[0] in seen:
            break
        seen.add(outline[0])
        assert outline[1] != "none" and outline[2] >= 2, outline
    assert len(seen) >= 8
