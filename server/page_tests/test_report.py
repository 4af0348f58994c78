"""The pages of `espalier report` and `espalier compare`, opened from disk: complete, readable, harmless."""

import pathlib

import pytest

from service import BUILD, CORPUS, ROOT, command, train_models

CHECK = (pathlib.Path(__file__).parent / "accessibility.js").read_text()
SECTIONS = ["scores", "differences", "labels", "errors", "confusions", "calibration", "coverage", "length", "rareness"]

# The texts of pictures that reach over their edge.
CUT_OFF = """const found = [];
for (const svg of document.querySelectorAll(arguments[0])) {
  const frame = svg.getBoundingClientRect();
  for (const text of svg.querySelectorAll("text")) {
    const box = text.getBoundingClientRect();
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
        box.bottom > frame.bottom + 1) found.push(text.textContent);
  }
}
return found"""


def faults(browser):
    """What the check finds. These pages never change, so they need no region that says what has changed."""
    return [fault for fault in browser.run(CHECK) if fault != "no live region"]


@pytest.fixture(scope="session")
def report():
    """Two models of chunks on the bundled test data, in which one word is made to look like markup."""
    models = train_models()
    test = BUILD / "report-test.txt"
    lines = (ROOT / "corpus" / "test.txt").read_text().split("\n")
    lines[0] = "\t".join(["<img/src=x/onerror=document.title='hit'>", *lines[0].split("\t")[1:]])
    test.write_text("\n".join(lines))
    page = BUILD / "report.html"
    command("report", test, "-m", models / "chunker.model", "-m", models / "chunks.model", "--train", CORPUS, "-o", page)
    return page


@pytest.fixture
def opened(browser, report):
    browser.console()
    browser.open(report.as_uri())
    yield browser
    browser.devtools("Emulation.setEmulatedMedia", features=[])
    assert [entry for entry in browser.console() if entry["level"] in ("SEVERE", "WARNING")] == []


def test_every_section_is_there_and_has_something_to_show(opened):
    shown = opened.run("return [...document.querySelectorAll('section')].map(s => [s.id, s.children.length])")
    assert [name for name, _ in shown] == SECTIONS
    assert all(children > 1 for _, children in shown)
    assert opened.run("return [...document.querySelectorAll('nav a')].every(a => document.querySelector(a.hash))")
    assert opened.run("return document.querySelectorAll('svg.plot').length") >= 7
    assert opened.run("return document.querySelectorAll('.error').length") > 20


def test_text_of_the_data_is_text(opened):
    assert opened.run("return document.images.length + document.scripts.length") == 0
    assert "hit" not in opened.run("return document.title")
    assert opened.run("return performance.getEntriesByType('resource').length") == 0


def test_no_text_of_a_plot_is_cut_off(opened):
    assert opened.run(CUT_OFF, "svg.plot") == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_contrast_and_headings(opened, dark):
    opened.devtools("Emulation.setEmulatedMedia",
                    features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
    assert faults(opened) == []


def test_a_report_of_fifty_thousand_tokens_is_small_and_opens_at_once(browser):
    models = train_models()
    tokens = (ROOT / "corpus" / "test.txt").read_text().strip("\n") + "\n\n"
    test, page = BUILD / "report-large.txt", BUILD / "report-large.html"
    test.write_text(tokens * (50_000 // len([line for line in tokens.split("\n") if line]) + 1))
    command("report", test, "-m", models / "chunker.model", "-m", models / "chunks.model", "--train", CORPUS, "-o", page, "-q")
    assert page.stat().st_size < 3_000_000
    loaded = []
    for _ in range(3):  # the best of three: other programs may be running
        browser.open("about:blank")
        browser.open(page.as_uri())
        loaded.append(browser.run("return performance.getEntriesByType('navigation')[0].loadEventEnd"))
    assert min(loaded) < 1000


@pytest.fixture(scope="session")
def structures():
    """Pages about a parser and a summariser, with words that look like markup."""
    def tree(noun, head):
        rows = [("the", 2, "det"), (noun, head, "nsubj"), ("slept", 0, "root"), ("in", 6, "case"), ("the", 6, "det"), ("house", 3, "obl")]
        return "".join(f"{i}\t{word}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_\n"
                       for i, (word, head, relation) in enumerate(rows, 1)) + "\n"

    train, test = BUILD / "trees.conllu", BUILD / "trees-test.conllu"
    train.write_text("".join(tree(noun, 3) for noun in ("cat", "dog") * 8))
    test.write_text(tree("<img/src=x/onerror=document.title='hit'>", 6) + tree("cat", 3))
    # A summariser learns what is special about a cluster from the words that others have, too.
    def cluster(word):
        return (f'{{"docs":[{{"sents":["The {word} hit the <script>north.","Nobody came."]}}],'
                f'"refs":[{{"sents":["The {word} hit the north."]}}]}}\n')

    clusters, one_cluster = BUILD / "clusters.jsonl", BUILD / "cluster.jsonl"
    clusters.write_text("".join(cluster(word) for word in ("rain", "snow", "hail")))
    one_cluster.write_text(cluster("storm"))
    pages = []
    for data, more, shown, name in [(train, ("--task", "parse"), test, "trees"),
                                    (clusters, ("--task", "summary", "-p", "limit=6"), one_cluster, "clusters")]:
        model, page = BUILD / f"{name}.model", BUILD / f"{name}.html"
        command("train", data, *more, "-m", model, "-q")
        command("report", shown, "-m", model, "-o", page, "-q")
        pages.append(page)
    return pages


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_trees_are_drawn_and_chosen_words_marked(browser, structures, dark):
    browser.console()
    browser.devtools("Emulation.setEmulatedMedia",
                     features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
    for page, sections in zip(structures, [["scores", "relations", "trees"], ["scores", "summaries"]]):
        browser.open(page.as_uri())
        assert browser.run("return [...document.querySelectorAll('section')].map(s => s.id)") == sections
        assert browser.run("return document.images.length + document.scripts.length") == 0
        assert faults(browser) == []
        if "trees" in sections:
            # One tree is wrong in one arc, which is drawn in both colours; no word or label is cut off or covers another.
            assert browser.run("return document.querySelectorAll('svg.arcs').length") == 1
            assert browser.run("return ['p', 'g'].map(c => document.querySelectorAll('.arcs path.' + c + ':not(.t)').length)") == [1, 1]
            assert browser.run(CUT_OFF, "svg.arcs") == []
            assert browser.run("""const boxes = [...document.querySelectorAll("svg.arcs text")].map(t => t.getBoundingClientRect());
                return boxes.filter((a, i) => boxes.some((b, j) => j < i && a.left < b.right && b.left < a.right && a.top + 3 < b.bottom &&
                                                                   b.top + 3 < a.bottom)).length""") == 0
        else:
            assert browser.run("return document.querySelector('#summaries .source .g').textContent") == "The storm hit the <script>north."
    browser.devtools("Emulation.setEmulatedMedia", features=[])
    assert [entry for entry in browser.console() if entry["level"] in ("SEVERE", "WARNING")] == []


def test_the_page_of_a_comparison(browser):
    data = BUILD / "compare-train.txt"
    rows = [" ".join(line.split("\t")[:3]) for line in CORPUS.read_text().split("\n")[:600]]
    data.write_text("\n".join(rows) + "\n\n")
    page = BUILD / "compare.html"
    command("compare", data, "--learners", "perceptron,crf", "-k", "2", "-q", "-o", page)
    browser.console()
    browser.open(page.as_uri())
    assert browser.run("return [...document.querySelectorAll('section')].map(s => s.id)") == ["advice", "candidates"]
    assert "espalier train" in browser.run("return document.querySelector('pre').textContent")
    assert browser.run("return document.querySelectorAll('tr.best').length") == 1
    assert faults(browser) == []
    assert browser.console() == []
