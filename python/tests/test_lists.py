"""Lexicons, word classes, and the other options of training that the command has."""

import gzip

import pytest

import espalier as es

#: Words whose labels nothing but a list tells.
KNOWN, NEW = ["zog", "mip", "tef"], ["wub", "kax"]


def data(words):
    return [["in", w] for w in words], [["O", "LOC"] for _ in words]


def train(**lists):
    """A model that sees no letters of the words, only the lists."""
    X, y = data(KNOWN * 20)
    others = [["in", w] for w in ("red", "big") * 40]
    return es.train(X + others, y + [["O", "O"]] * 80, template="B\n", learner=es.Crf(passes=10), **lists)


@pytest.mark.parametrize("give", [lambda path: path, str, lambda path: [path]])
def test_a_lexicon_is_a_feature(tmp_path, give):
    path = tmp_path / "places.txt"
    path.write_text("".join(f"{w}\tplace\n" for w in KNOWN + NEW), encoding="utf-8")
    tagger = train(lexicons=give(path))
    path.unlink()  # the model has its own
    assert tagger.tag_batch(data(NEW)[0]) == data(NEW)[1]
    assert any("place" in w.feature for w in tagger.inspect(top=20).strongest)


def test_lists_in_memory_and_gzipped(tmp_path):
    places = dict.fromkeys(KNOWN + NEW, "place")
    path = tmp_path / "places.gz"
    path.write_bytes(gzip.compress("".join(f"{w}\tplace\r\n" for w in places).encode()))
    wanted = data(NEW)[1]
    for lists in ({"lexicons": places}, {"lexicons": [places, {"red": "colour"}]}, {"lexicons": path},
                  {"word_classes": dict.fromkeys(places, 7)}, {"word_classes": [dict.fromkeys(places, "c")]}):
        assert train(**lists).tag_batch(data(NEW)[0]) == wanted, lists
    assert train().tag_batch(data(NEW)[0]) != wanted


def test_classes_made_from_text_help(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("".join(f"we met in {w} today\nthe red box\na big box\n" for w in KNOWN + NEW) * 5, encoding="utf-8")
    classes = es.make_word_classes(path, 6)
    assert len({classes[w] for w in KNOWN + NEW}) == 1 and classes["zog"] != classes["box"]
    assert es.make_word_classes([path], 6, threads=1).text == classes.text
    assert train(word_classes=classes).tag_batch(data(NEW)[0]) == data(NEW)[1]
    classes.save(tmp_path / "classes.txt")
    assert train(word_classes=tmp_path / "classes.txt").to_bytes() != train(word_classes=classes).to_bytes()  # names differ
    assert dict(es.WordClasses((tmp_path / "classes.txt").read_text())) == dict(classes)


def test_wrong_lists_are_errors(tmp_path):
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "latin.txt").write_bytes("Berlin\nCórdoba\n".encode("latin1"))
    for lists, kind, message in (
            ({"lexicons": tmp_path / "empty.txt"}, es.Error, "empty.txt: there is nothing in this lexicon"),
            ({"lexicons": {}}, es.Error, "lexicon 1: there is nothing"),
            ({"lexicons": tmp_path / "latin.txt"}, ValueError, "latin.txt:2: this is not UTF-8"),
            ({"lexicons": {"a\tb": "x"}}, ValueError, "a tab or a line end"),
            ({"lexicons": {"a": None}}, TypeError, "expected a str"),
            ({"lexicons": [5]}, TypeError, "lexicon 1 must be a path or a dict, not int"),
            ({"word_classes": {}}, es.Error, "word classes 1"),
            ({"lexicons": "no such file"}, FileNotFoundError, "no such file")):
        with pytest.raises(kind, match=message):
            train(**lists)
    with pytest.raises(FileNotFoundError):
        es.make_word_classes("no such file")
    with pytest.raises(ValueError):
        es.make_word_classes([])
    with pytest.raises(es.Error, match="at least 2"):
        es.make_word_classes(tmp_path / "empty.txt", 1)


def test_lists_work_everywhere_that_trains():
    from espalier.sklearn import SequenceLabeler

    places = dict.fromkeys(KNOWN + NEW, "place")
    X, y = data(KNOWN * 20)
    labeler = SequenceLabeler("perceptron", template="B\n", lexicons=places).fit(X + [["in", "red"]] * 80, y + [["O", "O"]] * 80)
    assert list(labeler.predict(data(NEW)[0])) == data(NEW)[1]
    scores = es.cross_validate(X + [["in", "red"]] * 80, y + [["O", "O"]] * 80, folds=3, template="B\n", lexicons=places)
    assert scores.pooled.accuracy == 100


def test_how_files_are_read(tmp_path):
    path = tmp_path / "train.txt"
    path.write_text("% a comment\nAnna Smith;PER\nslept;O\n\nBen;PER\nran;O\n\n" * 10, encoding="utf-8")
    tagger = es.train(path, separator=";", comment="%")
    assert tagger.tag(["Anna Smith", "ran"]) == ["PER", "O"]
    assert len(es.Corpus.read(path, separator=";", comment="%")) == 20
    assert es.evaluate(tagger, path, separator=";", comment="%").accuracy == 100
    assert es.cross_validate(path, folds=2, separator=";", comment="%").pooled.accuracy == 100
    with pytest.raises(ValueError, match="separator says how files are read"):
        es.train([["a"]], [["A"]], separator=";")
    with pytest.raises(ValueError, match="without constraints"):
        es.train([["a"]], [["A"]], allow_contradictions=True)


def test_templates_from_files_are_named_in_errors(tmp_path):
    (tmp_path / "odd.template").write_text("U00:%x[0\n")
    with pytest.raises(es.Error, match="odd.template:1"):
        es.train([["a"]], [["A"]], template=tmp_path / "odd.template")


def test_folds_for_training_and_development(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text("".join('{"tokens": [{"w=%s": 1}], "labels": ["%s"], "fold": %d}\n' % (w, w.upper(), fold)
                            for fold in range(4) for w in "abab"), encoding="utf-8")
    tagger = es.train(path, folds="0-2", dev_folds="3")
    assert tagger.training.sequences == 12 and tagger.training.best_pass is not None
    with pytest.raises(ValueError, match="choose the folds"):
        es.train(path, dev_folds="3")
    with pytest.raises(ValueError, match="dev_folds says how files are read"):
        es.train(path, dev=([[{"w=a": 1}]], [["A"]]), dev_folds="3")


def test_decoders_for_scores(word_tagger, corpus_files):
    rules = "quiet: at most 0 of B-PER\n"
    tagger = es.train(corpus_files[0], constraints=rules, allow_contradictions=True, learner=es.Crf(passes=3))
    free = es.evaluate(tagger, corpus_files[1], unconstrained=True)
    bound = es.evaluate(tagger, corpus_files[1])
    assert free.f1 > bound.f1
    with pytest.raises(es.Error):
        es.evaluate(tagger, corpus_files[1], decoder="magic")
