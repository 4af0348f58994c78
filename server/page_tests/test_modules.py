"""Modules of the page by themselves, run in the browser."""

import json

import pytest

from page import Page


@pytest.fixture(scope="module")
def page(browser, address):
    return Page(browser, address).open()


def call(page, module, expression, *arguments):
    """The value of an expression in which m is the module and a the arguments."""
    return page.run(f"const a = [...arguments]; return import('./page/{module}').then(m => {expression})", *arguments)


@pytest.mark.parametrize("labels, spans", [
    ("B-NP I-NP O B-VP", [(0, 2, "NP"), (3, 4, "VP")]),
    ("B-NP B-NP", [(0, 1, "NP"), (1, 2, "NP")]),
    ("O I-NP I-NP I-VP", [(1, 3, "NP"), (3, 4, "VP")]),                              # IOB1, and labels that break IOB2
    ("I-NP E-NP I-NP E-NP", [(0, 2, "NP"), (2, 4, "NP")]),                            # IOE2
    ("S-X B-X E-X O", [(0, 1, "X"), (1, 3, "X")]),                                    # IOBES
    ("U-X B-X I-X L-X U-Y", [(0, 1, "X"), (1, 4, "X"), (4, 5, "Y")]),                 # BILOU
    ("W-X B-X M-X E-X", [(0, 1, "X"), (1, 4, "X")]),                                  # BMEWO
    ("I-A-B I-A-B", [(0, 2, "A-B")]),
    ("O NN O", []),
])
def test_spans_of_labels(page, labels, spans):
    found = call(page, "labels.js", "m.spansOf(a[0])", labels.split())
    assert [(s["first"], s["last"], s["type"]) for s in found] == spans


def test_only_labels_of_a_scheme_form_spans(page):
    assert call(page, "labels.js", "m.formSpans(['O', 'B-X', 'I-X'])") is True
    assert call(page, "labels.js", "m.formSpans(['NN', 'B-X'])") is False
    assert call(page, "labels.js", "m.formSpans(['O'])") is False


def test_offsets_count_code_points(page):
    text = "a😀b\u0301👍🏽."
    offsets = [text.index(c) for c in text]
    found = call(page, "text.js", "a[1].map(m.codePointOffsets(a[0])).map(o => a[0].slice(o).length)", text, offsets)
    assert found == [len(text[o:].encode("utf-16-le")) // 2 for o in offsets]


def test_columns_are_read_line_by_line(page):
    text = "a b\nc\td e\t\n\n\n  \nf\r\n"
    assert call(page, "text.js", "m.parseColumns(a[0])", text) == [[["a", "b"], ["c", "d e", ""]], [["f"]]]


def test_figures_are_easy_to_read(page):
    found = call(page, "dom.js", "[0.98, 0.998, 1, 0.9999, 0.05, 0.0002, 0, undefined].map(m.percent)"
                 ".concat(m.number(-1.234), m.counted(1, 'token'), m.counted(1200, 'token'))")
    assert found == ["98 %", "99.8 %", "100 %", "> 99.9 %", "5.0 %", "< 0.1 %", "0.0 %", "", "−1.23", "1 token", "1,200 tokens"]


def test_corrections_are_kept_per_model_and_sentence(page):
    steps = """(() => { const c = new m.Corrections(); const t = ["a", "b"];
        c.choose("x", t, 1, "B"); c.remember("x", t, [["a", "P", "A"], ["b", "Q", "B"]]);
        const out = [c.forced("x", t), c.forced("y", t), c.forced("x", ["a"]), [...c.counts()], c.unsaved, c.trainingData("x"), c.unsaved];
        c.choose("x", t, 1, null); return [...out, c.forced("x", t)]; })()"""
    assert call(page, "corrections.js", steps) == [
        [None, "B"], None, None, [["x", {"sentences": 1, "tokens": 1}]], True, "a\tP\tA\nb\tQ\tB\n\n", False, None]


def test_a_model_of_a_pipeline_reads_the_columns_of_its_training(page):
    sentence = """{tokens: ["a"], rows: null, piped: true, layers: [
        {model: {words_only: true}, labels: ["T"]}, {model: {words_only: false, feature_columns: [1, 2], label_columns: [3]}, labels: ["C"]},
        {model: {words_only: false, feature_columns: [1, 3, 4], label_columns: [2]}, labels: ["E"]}]}"""
    assert call(page, "labelling.js", f"[0, 1, 2].map(i => m.inputOf({sentence}, i))") == [
        {"tokens": ["a"]}, {"rows": [["a", "T"]]}, {"rows": [["a", "T", "C"]]}]


def test_colours_repeat_with_another_line(page):
    labels = json.dumps([f"B-T{i}" for i in range(10)] + ["O"])
    found = call(page, "labels.js", f"['T0', 'T8', 'T9', 'other'].map(m.colours({labels}))")
    assert found == ["hue-0 line-0", "hue-0 line-1", "hue-1 line-1", "hue-0 line-0"]
