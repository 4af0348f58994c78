"""Models: tagging one sequence, batches and files; probabilities, constraints, reasons, pickles."""

import ctypes
import gc
import inspect
import itertools
import os
import pickle
import sys

import numpy as np
import pytest

import espalier as es


def test_labels_alone_or_with_what_is_asked_for(word_tagger):
    words = ["Anna", "slept", "in", "London"]
    labels = word_tagger.tag(words)
    assert labels == word_tagger.tag_batch([words])[0]
    tagged = word_tagger.tag(words, confidence=True, nbest=3, marginals=True)
    assert tagged.labels == labels
    assert tagged.probabilities.shape == (4,) and (tagged.probabilities > 0).all()
    assert len(tagged.alternatives) == 3 and tagged.alternatives[0].labels == labels
    assert tagged.marginals.shape == (4, len(word_tagger.labels))
    assert tagged.marginals.dtype == np.float32
    assert np.allclose(tagged.marginals.sum(axis=1), 1, atol=1e-4)
    column = [word_tagger.labels.index(label) for label in labels]
    assert np.allclose(tagged.marginals[np.arange(4), column], tagged.probabilities, atol=1e-4)
    assert list(tagged)[0] == (labels[0], tagged.probabilities[0])
    assert np.allclose(word_tagger.marginals(words), tagged.marginals)


def test_tag_is_one_method_however_it_is_called(word_tagger):
    words = ["Anna", "slept", "in", "London"]
    labels = word_tagger.tag(words)
    assert labels == word_tagger.tag(tokens=words) == es.Tagger.tag(word_tagger, words) == word_tagger.tag(words, nbest=1)
    assert es.Tagger.tag.__name__ == "tag" and "Tags one sequence" in word_tagger.tag.__doc__
    assert list(inspect.signature(word_tagger.tag).parameters)[:2] == ["tokens", "confidence"]
    for wrong in (lambda: word_tagger.tag(), lambda: word_tagger.tag(words, True), lambda: word_tagger.tag(5),
                  lambda: es.Tagger.tag("no tagger", words), lambda: word_tagger.tag(words, colour="red")):
        with pytest.raises((TypeError, AttributeError)):
            wrong()

    class Louder(es.Tagger):
        def tag(self, tokens, **options):
            return [label.lower() for label in super().tag(tokens, **options)]

    assert Louder(word_tagger._native).tag(words) == [label.lower() for label in labels]


def test_the_model_of_a_tagger_does_not_change(word_tagger, dict_tagger):
    with pytest.raises(TypeError, match="it has a model already"):
        word_tagger.__init__(dict_tagger._native)
    with pytest.raises(TypeError, match="it has no model"):
        es.Tagger.__new__(es.Tagger).tag(["Anna"])
    words = ["Anna", "slept"]
    assert word_tagger.tag(words) == word_tagger.tag(words, nbest=2).labels == word_tagger.tag_batch([words])[0]


def test_batches_with_everything(word_tagger, sentences):
    words = sentences[0][:10] + [[]]
    tagged = word_tagger.tag_batch(words, confidence=True, marginals=True, threads=2)
    assert [t.labels for t in tagged] == word_tagger.tag_batch(words) == [word_tagger.tag(w) for w in words]
    assert tagged[-1].labels == [] and len(tagged[-1]) == 0
    assert word_tagger.tag([], confidence=True).labels == []


def test_streams_are_in_order_and_lazy(word_tagger, sentences):
    asked = []

    def source():
        for i, words in enumerate(sentences[0][:50]):
            asked.append(i)
            yield words

    stream = word_tagger.tag_stream(source(), block=10)
    first = next(stream)
    assert len(asked) == 10
    assert [first, *stream] == word_tagger.tag_batch(sentences[0][:50])


def test_files(corpus_files, tmp_path):
    tagger = es.train(corpus_files[0], learner=es.Crf(passes=2))
    report = tagger.tag_file(corpus_files[1], tmp_path / "out.txt")
    assert report["tokens"] == 1916
    lines = (tmp_path / "out.txt").read_text().split("\n")
    corpus = es.Corpus.read(corpus_files[1])
    assert lines[0].split("\t")[-1] == tagger.tag(corpus[0][0])[0]


def test_forced_labels_are_kept(word_tagger):
    assert word_tagger.tag(["Anna", "slept"], forced=["B-ORG", None])[0] == "B-ORG"
    with pytest.raises(es.Error, match="no label 'X' to force"):
        word_tagger.tag(["Anna"], forced=["X"])
    with pytest.raises(es.Error, match="1 forced label for 2 tokens"):
        word_tagger.tag(["Anna", "slept"], forced=["O"])


def test_probability_of_a_labelling(dict_tagger):
    X = [[{"w": w} for w in "ab"], [{"w": w} for w in "ba"]] * 10
    tagger = es.train(X, [["A", "B"], ["B", "A"]] * 10)
    total = sum(tagger.probability(X[0], list(labels)) for labels in itertools.product("AB", repeat=2))
    assert total == pytest.approx(1, abs=1e-4)
    best = tagger.tag(X[0], confidence=True)
    assert tagger.probability(X[0], best.labels) == pytest.approx(best.probability, rel=1e-4)


def test_constraints_with_reasons(word_tagger):
    words = ["Anna", "Smith", "slept"]
    plain = word_tagger.tag(words)
    assert plain[0] == "B-PER"
    tagged = word_tagger.tag(words, constraints="quiet: at most 0 of B-PER\n", why=True)
    assert "B-PER" not in tagged.labels
    assert tagged.changes[0].before == "B-PER" and tagged.changes[0].rules[0][0] == "quiet"
    rules = es.Constraints("quiet: at most 0 of B-PER\n")
    assert word_tagger.tag(words, constraints=rules) == tagged.labels
    with pytest.raises(es.Error):
        es.Constraints("nonsense")


def test_constraints_from_a_file(word_tagger, tmp_path):
    (tmp_path / "rules.txt").write_text("quiet: at most 0 of B-PER\n")
    assert "B-PER" not in word_tagger.tag(["Anna"], constraints=tmp_path / "rules.txt")


def test_explanations_and_weights(dict_tagger, dicts):
    reasons = dict_tagger.explain(dicts[0][0])
    assert [r.label for r in reasons] == dict_tagger.tag(dicts[0][0])
    assert reasons[0].reasons[0].feature
    top = dict_tagger.inspect(top=5, label="B-PER")
    assert len(top.strongest) == 5 and {w.label for w in top.strongest} == {"B-PER"}
    with pytest.raises(es.Error):
        dict_tagger.inspect(label="no such label")


def test_models_are_saved_opened_and_pickled(word_tagger, tmp_path):
    path = tmp_path / "a.model"
    word_tagger.save(path)
    words = ["Anna", "slept"]
    opened = es.Tagger.open(path)
    assert opened.to_bytes() == path.read_bytes() == word_tagger.to_bytes()
    assert opened.training is None and opened.tag(words) == word_tagger.tag(words)
    again = pickle.loads(pickle.dumps(word_tagger))
    assert again.tag(words) == word_tagger.tag(words) and again.training == word_tagger.training
    assert len(word_tagger.without_names().to_bytes()) < len(word_tagger.to_bytes())
    assert "crf" in repr(opened) and opened.info.columns == 2


def test_damaged_models_are_errors(word_tagger, tmp_path):
    data = bytearray(word_tagger.to_bytes())
    with pytest.raises(FileNotFoundError):
        es.Tagger.open(tmp_path / "none.model")
    for position in (0, 10, len(data) // 2, len(data) - 1):
        broken = bytes(data[:position]) + bytes([data[position] ^ 0x55]) + bytes(data[position + 1:])
        with pytest.raises(es.Error):
            es.Tagger.from_bytes(broken)
    for length in (0, 1, 100, len(data) - 1):
        with pytest.raises(es.Error):
            es.Tagger.from_bytes(bytes(data[:length]))


def test_wrong_options_are_errors(word_tagger):
    with pytest.raises(es.Error):
        word_tagger.tag(["a"], decoder="magic")
    with pytest.raises(ValueError):
        word_tagger.tag(["a"], nbest=0)
    with pytest.raises(TypeError):
        word_tagger.tag(["a"], confidenec=True)


def test_batches_are_the_same_on_one_thread_and_on_many(word_tagger, dict_tagger, sentences, dicts):
    words = sentences[0] + [[]] + sentences[0][:70]  # several blocks, and a sequence without tokens
    assert word_tagger.tag_batch(words, threads=1) == word_tagger.tag_batch(words, threads=2)
    assert word_tagger.tag_batch(iter(words), threads=1) == [word_tagger.tag(w) for w in words]
    assert dict_tagger.tag_batch(dicts[0], threads=1) == dict_tagger.tag_batch(dicts[0], threads=2)
    assert word_tagger.tag_batch([], threads=1) == []
    for threads in (1, 2):
        with pytest.raises(es.Error, match="sequence 66: "):
            word_tagger.tag_batch([["a"]] * 65 + [[("a", "b", "c")]], threads=threads)
        for wrong in (5, (5,)):
            with pytest.raises(TypeError, match="sequence 66: token 1: .* not int"):
                word_tagger.tag_batch([["a"]] * 65 + [[wrong]], threads=threads)


class MallocUse(ctypes.Structure):
    """What mallinfo2() of the C library returns."""
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks",
                                                     "uordblks", "fordblks", "keepcost")]


def bytes_in_use():
    """Of the C library's memory, in all its arenas. Not the resident pages: these also change when the system joins
    pages into large ones or takes cold ones away. Whether that was why this test once failed by 10 MB is not known."""
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = MallocUse
    used = mallinfo2()
    return used.uordblks + used.hblkhd


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer keeps what is freed")
def test_nothing_leaks_over_many_calls(dict_tagger, dicts, word_tagger, sentences):
    sequence, words = dicts[0][0][:4], sentences[0][0]
    bad = [{"a": None}]
    calls = int(os.environ.get("ESPALIER_LEAK_CALLS", "4000"))

    def use(times):
        for _ in range(times):
            dict_tagger.tag(sequence)
            dict_tagger.tag(sequence, marginals=True)
            word_tagger.tag(words)
            try:
                dict_tagger.tag(bad)
            except TypeError:
                pass

    use(2000)
    gc.collect()
    before, objects = bytes_in_use(), sys.getallocatedblocks()
    use(calls)
    gc.collect()
    assert bytes_in_use() - before < 8 * calls  # 16 bytes are the least that malloc gives
    assert sys.getallocatedblocks() - objects < calls / 2
