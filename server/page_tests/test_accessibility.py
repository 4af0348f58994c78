"""Names, roles, contrast, sizes; light, dark and on a phone."""

import pathlib

import pytest

CHECK = (pathlib.Path(__file__).parent / "accessibility.js").read_text()
TEXT = "Small Harbours by Tidewrack Press was worth the wait. Heavy rain fell in Dayton."
CONTROLS = "button, select, textarea, input, summary, #sentences li:first-child .token, [role=listbox], [role=option]"


def furnish(page):
    """Every part of the page at once: a comparison, the panel with a correction, an error, constraints."""
    page.show(TEXT)
    page.choose_option("#compare", "model:chunks")
    page.wait(lambda: page.words(1), "the comparison")
    page.correct("Small", "B-MISC")
    page.find("#rules summary").click()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_contrast_roles_and_ids(page, dark):
    page.emulate(dark=dark)
    assert page.run(CHECK) == []
    furnish(page)
    assert page.run(CHECK) == []
    page.find("#layers [value='0']").click()
    page.wait(lambda: "PROPN" in page.labels(), "tags")
    assert page.run(CHECK) == []
    page.paste("nonsense", "#constraints")
    page.wait(lambda: page.visible("#error"), "an error")
    page.run("document.querySelector('#sentences').classList.remove('stale')")
    assert page.run(CHECK) == []


def test_the_check_finds_what_is_wrong(page):
    page.run("""const p = document.createElement("p"); p.textContent = "pale"; p.style.color = "#bbb"; document.body.append(p);
                const h = document.createElement("h3"); h.textContent = "lost"; document.querySelector("header").append(h);
                const t = document.createElement("textarea"); t.id = "input"; document.body.append(t);""")
    found = " ".join(page.run(CHECK))
    assert "contrast 1." in found and "heading 3 after 1" in found and "id input is used twice" in found


def test_every_control_has_a_name(page):
    furnish(page)
    page.run("""for (const e of document.querySelectorAll(arguments[0]))
        if (e.checkVisibility()) e.dataset.control = ""; """, CONTROLS)
    controls = page.browser.find_all("[data-control]")
    assert len(controls) > 30
    assert [e.text for e in controls if not e.accessible_name.strip()] == []


def test_what_a_screen_reader_hears(page):
    page.show(TEXT)
    assert page.find("#input").accessible_name == "Text to label"
    assert page.find("#target").accessible_name == "Model"
    token = page.token("Dayton")
    assert token.role == "button"
    assert token.accessible_name.startswith("Dayton, B-LOC, ") and token.accessible_name.endswith("%")
    assert page.token("Heavy").accessible_name.startswith("Heavy, no label, ")
    assert page.find(".line").accessible_name == "Sentence 1"
    assert page.find("#said").role == "status"
    page.wait(lambda: page.text("#said") == page.text("#summary") != "", "the summary to be said")
    page.explain("Dayton")
    assert page.find("#panel").role == "complementary"
    assert page.find("#panel").accessible_name == "Explanation of Dayton"
    assert page.find("#panel .chooser").accessible_name == "Label of this token"
    assert token.attribute("aria-pressed") == "true"


def test_a_phone_shows_everything_without_scrolling_sideways(page):
    page.emulate(phone=True)
    page.show(TEXT)
    fits = "return document.documentElement.scrollWidth <= innerWidth"
    assert page.run(fits)
    page.run("document.activeElement.blur()")
    page.explain("Dayton")
    assert page.run(fits)
    token, panel = page.run("""return [document.querySelector("[aria-pressed=true]"), document.querySelector("#panel")]
        .map(e => { const r = e.getBoundingClientRect(); return [r.top, r.bottom]; })""")
    assert 0 <= token[0] and token[1] <= panel[0], "the panel covers the word"
    small = page.run("""return [...document.querySelectorAll("button:not(.small), select, #panel [role=option]")].filter(e => e.checkVisibility())
        .filter(e => e.getBoundingClientRect().height < (e.role === "option" ? 28 : 36)).map(e => e.textContent)""")
    assert small == []
    page.find("#panel .close").click()
    page.choose_option("#compare", "model:chunks")
    page.wait(lambda: page.words(1), "the comparison")
    assert page.run(fits)
