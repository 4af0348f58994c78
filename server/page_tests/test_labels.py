"""Text in, labels out: typing, menus, columns, layers, comparison."""

import json
import time

SENTENCE = "Helen Ashdown moved from Dayton to Hamburg."
CHUNK_MODEL = "model:chunks"


def test_a_typed_sentence_shows_its_spans(page):
    page.type("Heavy rain flooded cellars in Dayton.")
    page.wait(lambda: ("LOC", "Dayton") in page.spans(), "the span of Dayton")
    assert page.words() == ["Heavy", "rain", "flooded", "cellars", "in", "Dayton", "."]
    assert page.text("#summary").startswith("1 sentence · 7 tokens · 1 span")
    assert page.text("#sentences .line").startswith("Heavy rain flooded cellars in Dayton")


def test_labels_follow_while_one_types(page):
    page.type("Dayton")
    page.wait(lambda: page.words() == ["Dayton"], "the first word")
    page.type(" flooded")
    page.wait(lambda: page.words() == ["Dayton", "flooded"], "the second word")
    page.run("document.querySelector('#input').select()")
    page.type("\ue003")
    page.wait(lambda: page.words() == [], "an empty result")
    assert page.visible("#empty") and not page.visible("#save")


def test_an_answer_that_comes_too_late_is_dropped(page):
    page.run("""const real = window.fetch; window.asked = 0;
        window.fetch = async (url, options) => {
          const slow = options.body && JSON.parse(options.body).text === "Slow words";
          window.asked += slow ? 1 : 0;
          const answer = await real(url, slow ? {...options, signal: undefined} : options);
          if (slow) await new Promise(done => setTimeout(done, 600));
          return answer; }""")
    page.paste("Slow words")
    page.wait(lambda: page.run("return window.asked") == 1, "the slow request")
    page.paste("Quick words")
    page.wait(lambda: page.words() == ["Quick", "words"], "the quick answer")
    time.sleep(0.8)
    assert page.words() == ["Quick", "words"]


def test_sentences_that_did_not_change_keep_their_elements(page):
    page.show("Heavy rain fell. Ruth won.", "won")
    page.run("window.kept = document.querySelector('#sentences li')")
    page.show("Heavy rain fell. Ruth won again.", "again")
    assert page.run("return window.kept === document.querySelector('#sentences li')")


def test_colour_grows_with_confidence_and_doubt_is_marked(page):
    page.show("Heavy rain flooded cellars in Dayton. Small Harbours by Tidewrack Press was worth the wait.", "wait")
    spans = page.run("""return [...document.querySelectorAll("#sentences .span")].map(s => {
        const [, lightness, chroma] = /oklch\\(([\\d.]+) ([\\d.]+)/.exec(getComputedStyle(s).backgroundColor);
        return [Number(s.style.getPropertyValue("--p")), Number(chroma), s.classList.contains("uncertain"), s.textContent]; })""")
    assert len(spans) >= 3
    for p, chroma, uncertain, text in spans:
        assert uncertain == (p < 0.7), text
        assert text.endswith("?") == uncertain
    by_confidence = sorted(spans)
    assert [s[1] for s in by_confidence] == sorted(s[1] for s in by_confidence)
    assert by_confidence[0][1] < by_confidence[-1][1]


def test_menu_offers_models_and_pipelines(page):
    options = page.run("return [...document.querySelectorAll('#target option')].map(o => o.value)")
    assert options[0] == "pipeline:all" and CHUNK_MODEL in options
    page.show(SENTENCE)
    page.choose_option("#target", CHUNK_MODEL)
    page.wait(lambda: ("NP", "Helen Ashdown") in page.spans(), "noun phrases")


def test_layers_of_a_pipeline(page):
    page.show(SENTENCE)
    assert ("LOC", "Dayton") in page.spans()
    page.find("#layers [value='0']").click()
    page.wait(lambda: "PROPN" in page.labels(), "tags")
    assert ("PROPN", "Helen") in page.spans()
    page.find("#layers [value='1']").click()
    page.wait(lambda: ("VP", "moved") in page.spans(), "chunks")
    page.find("#layers [value='2']").click()
    page.wait(lambda: ("LOC", "Dayton") in page.spans(), "names")


def test_columns_as_input(page):
    page.find("#kind [value='columns']").click()
    page.choose_option("#target", "model:chunker")
    page.paste("Heavy\tADJ\nrain\tNOUN\nfell\tVERB\n\nIt PRON\nstopped VERB\n")
    page.wait(lambda: page.count("#sentences li") == 2, "two sentences")
    assert page.spans() == [("NP", "Heavy rain"), ("VP", "fell"), ("NP", "It"), ("VP", "stopped")]


def test_a_refusal_is_shown_in_the_words_of_the_server(page):
    page.choose_option("#target", "model:chunker")
    page.paste("Only words here.")
    page.wait(lambda: page.visible("#error"), "the message")
    assert "column" in page.text("#error")
    assert page.words() == []
    page.choose_option("#target", CHUNK_MODEL)
    page.wait(lambda: not page.visible("#error") and page.words(), "labels")


def test_models_without_probabilities_are_shown_too(page):
    page.choose_option("#target", "model:greedy")
    page.show("Heavy rain flooded cellars.")
    assert ("NP", "Heavy rain") in page.spans()
    assert page.count(".uncertain") == page.count("#guide .uncertain")
    page.explain("rain")
    assert page.count("#panel .chooser [role=option]") > 5 and page.count("#panel .alternatives li") > 1


def test_comparison_marks_what_differs(page):
    page.show("Small Harbours by Tidewrack Press was worth the wait in Dayton.")
    page.choose_option("#compare", CHUNK_MODEL)
    page.wait(lambda: page.words(1), "the second model")
    assert page.words(0) == page.words(1)
    differing = [i for i, (a, b) in enumerate(zip(page.labels(0), page.labels(1))) if a != b]
    marked = page.run("return [...document.querySelectorAll('[data-side=\"0\"] .differs')].map(e => Number(e.dataset.token))")
    assert differing and marked == differing
    assert f"{len(differing)} of {len(page.words())} tokens differ" in page.text("#summary")
    first = page.find("[data-side='0'] .differs")
    assert f"the other says {page.labels(1)[differing[0]]}" in first.accessible_name
    page.find("#next-difference").click()
    page.find("#next-difference").click()
    assert page.focused()[2] == page.words()[differing[1]]
    page.choose_option("#compare", "")
    page.wait(lambda: page.words(1) == [] and page.count(".differs") == 0, "one model again")


def test_downloads_hold_what_is_shown(page):
    page.show(SENTENCE)
    words, labels = page.words(), page.labels()
    columns = page.download("[data-download=columns]", "all.txt")
    rows = [line.split("\t") for line in columns.strip().split("\n")]
    assert [row[0] for row in rows] == words and [row[3] for row in rows] == labels and len(rows[0]) == 4
    answer = json.loads(page.download("[data-download=json]", "all.json"))
    assert answer["pipeline"] == "all" and answer["sequences"][0]["labels"] == labels
    assert list(answer["sequences"][0]["stages"]) == ["tagger", "chunker", "entities"]
    conllu = page.download("[data-download=conllu]", "all.conllu")
    cells = [line.split("\t") for line in conllu.strip().split("\n")]
    assert all(len(row) == 10 for row in cells) and conllu.endswith("\n\n")
    assert [(row[1], row[3]) for row in cells] == list(zip(words, labels))
    assert cells[0][9] == f"Column2={rows[0][1]}|Column3={rows[0][2]}"
