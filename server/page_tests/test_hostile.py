"""Text that tries to be more than text, and text in every script: it is shown as it is and never run."""

import time

ARABIC = "زارت ليلى حداد مكتبة الإسكندرية يوم الجمعة."
FAMILY = "👩‍👩‍👧‍👦"


def shown(page):
    return page.run("return [...document.querySelectorAll('#sentences .line')].map(l => "
                    "{ const c = l.cloneNode(true); c.querySelectorAll('.type').forEach(t => t.remove()); return c.textContent })")


def test_markup_is_shown_and_not_run(page):
    attack = "<script>window.hacked=1</script> <img src=x onerror=window.hacked=2> <b>bold</b> javascript:alert(1) & &amp;"
    page.paste(attack)
    page.wait(lambda: page.words()[-1:] == [";"], "the words")
    assert "".join(shown(page)).replace(" ", "") == attack.replace(" ", "")
    assert page.run("return window.hacked === undefined")
    assert page.count("#sentences script, #sentences img, #sentences b") == 0
    page.explain("script")
    assert page.text("#panel h2") == "script"
    assert page.run("return window.hacked === undefined")


def test_markup_in_columns_reaches_the_panel_as_text(page):
    page.find("#kind [value='columns']").click()
    page.choose_option("#target", "model:chunks")
    token = "<img/src=x/onerror=window.hacked=1>"
    page.paste(f"{token}\nfell\n")
    page.wait(lambda: page.words() == [token, "fell"], "the words")
    page.explain(token)
    assert page.text("#panel h2") == token
    assert page.count("#panel img, #sentences img") == 0 and page.run("return window.hacked === undefined")


def test_a_hundred_kilobytes_are_labelled_and_the_page_stays_usable(page):
    sentence = "Heavy rain flooded dozens of cellars in the north of Dayton on Friday night. "
    text = sentence * (100_000 // len(sentence) + 1)
    began = time.monotonic()
    page.run("document.querySelector('#input').value = arguments[0];"
             "document.querySelector('#input').dispatchEvent(new Event('input'))", text)
    sentences = text.count(".")
    page.wait(lambda: page.count("#sentences > li") == sentences, "all sentences", 20)
    assert time.monotonic() - began < 20
    assert page.count(".token") == sentences * 15
    # The next keystroke is answered, and the page answers while it draws.
    slowest = page.run("""return new Promise(done => {
        let last = performance.now(), slowest = 0;
        const tick = setInterval(() => { const now = performance.now(); slowest = Math.max(slowest, now - last); last = now; }, 10);
        const input = document.querySelector("#input");
        input.value = "Ruth won. " + input.value; input.dispatchEvent(new Event("input"));
        const wait = setInterval(() => {
          if (document.querySelectorAll("#sentences > li").length !== arguments[0] + 1) return;
          clearInterval(tick); clearInterval(wait); done(slowest); }, 20) })""", sentences)
    assert slowest < 3000
    page.explain("Ruth")


def test_one_word_of_a_hundred_kilobytes_does_not_widen_the_page(page):
    page.run("document.querySelector('#input').value = 'x'.repeat(100000);"
             "document.querySelector('#input').dispatchEvent(new Event('input'))")
    page.wait(lambda: page.count(".token") == 1, "the word", 20)
    assert page.run("return document.documentElement.scrollWidth <= innerWidth")


def test_emoji_and_combining_characters_are_never_cut(page):
    text = f"Anna {FAMILY} 👍🏽 flew to क्षत्रिय Zoë nai\u0308ve 🇰🇪 in Dayton."
    page.paste(text)
    page.wait(lambda: "Dayton" in page.words() and not page.busy(), "the words")
    assert shown(page) == [text]
    cut = page.run("""const text = arguments[0], ends = new Set([0]);
        for (const {segment, index} of new Intl.Segmenter("en", {granularity: "grapheme"}).segment(text)) ends.add(index + segment.length);
        let at = 0; const cut = [];
        for (const token of document.querySelectorAll("#sentences .token")) {
          at = text.indexOf(token.textContent, at);
          if (!ends.has(at) || !ends.has(at + token.textContent.length)) cut.push(token.textContent);
          at += token.textContent.length; }
        return cut""", text)
    assert cut == []
    assert ("LOC", "Dayton") in page.spans()


def test_halves_of_characters_do_not_break_anything(page):
    page.run("document.querySelector('#input').value = 'Anna \\ud83d flew \\udc00.';"
             "document.querySelector('#input').dispatchEvent(new Event('input'))")
    page.wait(lambda: "flew" in page.words(), "the words")
    assert not page.visible("#error")


def test_each_sentence_has_its_own_direction(page):
    page.paste(f"{ARABIC} Heavy rain fell in Dayton.")
    page.wait(lambda: "Dayton" in page.words() and not page.busy(), "the words")
    directions = page.run("return [...document.querySelectorAll('.line')].map(l => getComputedStyle(l).direction)")
    assert directions == ["rtl", "ltr"]
    first, second = page.run("""return [...document.querySelectorAll(".line")[0].querySelectorAll(".token")].slice(0, 2)
        .map(t => t.getBoundingClientRect().right)""")
    assert first > second


def test_latin_names_in_arabic_read_from_left_to_right(page):
    page.paste("قالت شركة Norwood Institute إن المطر توقف.")
    page.wait(lambda: "Institute" in page.words() and not page.busy(), "the words")
    left = page.run("return arguments.length && [...document.querySelectorAll('.token')].filter(t => /Norwood|Institute/.test(t.textContent))"
                    ".map(t => t.getBoundingClientRect().left)", 1)
    assert left[0] < left[1]
