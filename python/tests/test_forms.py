"""Sequences in every form that people have them in."""

import collections

import numpy as np
import pytest

import espalier as es
from espalier import _native


def attributes(items):
    """What one sequence becomes."""
    corpus = _native.Corpus([])
    corpus.add(items, None, 1.0, _native.Form.ATTRIBUTES)
    return corpus.sequence(0)[0]


def test_words_and_rows():
    corpus = es.Corpus([["a", "b"], ["c"]], [["X", "Y"], ["X"]])
    assert corpus[0] == (["a", "b"], ["X", "Y"])
    corpus = es.Corpus([[("a", "N"), ("b", "V")]])
    assert corpus[0] == ([("a", "N"), ("b", "V")], None)
    corpus = es.Corpus([[["a", "N"], ["b", "V"]]], columns=["word", "tag"])
    assert corpus[0][0] == [("a", "N"), ("b", "V")]


def test_dictionaries_expand_as_for_crfsuite():
    got = attributes([{"foo": {"bar": "baz", "spam": 0.5, "egg": ["x", "y"], "ham": {"x": -0.5, "y": True}}},
                      {"flag": True, "off": False, "n": 3, "s": "v", "b": b"bytes", "none": {}},
                      ["p", "q"], {"r"}, {}])
    assert got[0] == {"foo:bar:baz": 1, "foo:spam": 0.5, "foo:egg:x": 1, "foo:egg:y": 1, "foo:ham:x": -0.5,
                      "foo:ham:y": 1}
    assert got[1] == {"flag": 1, "off": 0, "n": 3, "s:v": 1, "b:bytes": 1}
    assert got[2:] == [{"p": 1, "q": 1}, {"r": 1}, {}]


def test_rows_of_numbers_in_lists_are_an_error_that_says_what_to_do():
    with pytest.raises(TypeError, match="must be str, not float; rows of numbers must be a 2-d array"):
        es.Corpus([[[0.5, 1.5], [0.25, 2.0]]])


def test_numbers_of_numpy_and_other_types_are_values():
    import decimal
    import fractions
    got = attributes([{"a": np.float32(0.5), "b": np.int64(2), "c": np.bool_(True), "d": fractions.Fraction(1, 4),
                       "e": decimal.Decimal("0.125")}])
    assert got == [{"a": 0.5, "b": 2, "c": 1, "d": 0.25, "e": 0.125}]


def test_unicode_and_empty_names():
    got = attributes([{"ключ": "мир", "": "", "a": "", "\U0001f600": 2.0}])
    assert got == [{"ключ:мир": 1, ":": 1, "a:": 1, "\U0001f600": 2}]


@pytest.mark.parametrize("token, error, text", [
    ({"a": None}, TypeError, "token 1: the value of attribute 'a'"),
    ({"a": ("x",)}, TypeError, "tuple"),
    ({"a": object()}, TypeError, "object"),
    ({1: 2}, TypeError, "name of an attribute"),
    ([1], TypeError, "name of an attribute"),
    ([["a"]], TypeError, "name of an attribute"),
    (5, TypeError, "a token must be"),
    (None, TypeError, "a token must be"),
    ({"a": float("nan")}, ValueError, "nan"),
    ({"a": float("inf")}, ValueError, "inf"),
    ({"a": 1e300}, ValueError, "1e\\+300"),
    ({"a": 10 ** 400}, OverflowError, ""),
    ({"\ud800": 1}, UnicodeEncodeError, ""),
])
def test_wrong_tokens_are_errors(token, error, text):
    with pytest.raises(error, match=text):
        attributes([token])


def test_errors_name_sequence_and_token():
    with pytest.raises(TypeError, match="sequence 2: token 3: the value of attribute 'x'"):
        es.Corpus([[{"a": 1}], [{}, {}, {"x": None}]])
    with pytest.raises(ValueError, match="sequence 2: 2 tokens and 1 label$"):
        es.Corpus([["a"], ["b", "c"]], [["X"], ["Y"]])
    with pytest.raises(TypeError, match="label 1 must be str"):
        es.Corpus([["a"]], [[1]])
    with pytest.raises(ValueError, match="fewer lists of labels"):
        es.Corpus([["a"], ["b"]], [["X"]])
    with pytest.raises(ValueError, match="more lists of labels"):
        es.Corpus([["a"]], [["X"], ["Y"]])
    with pytest.raises(TypeError, match="split the text into words"):
        es.Corpus(["one sentence"])


def test_exceptions_of_values_pass_through():
    class Bad:
        def __float__(self):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        attributes([{"a": Bad()}])


def test_a_dictionary_that_changes_while_it_is_read_is_an_error():
    token = {}

    class Grows:
        def __float__(self):
            for i in range(100):
                token[f"new {i}"] = 1
            return 1.0

    token.update(a=Grows(), b=1)
    with pytest.raises(ValueError, match="changed"):
        attributes([token])


def test_values_that_remove_themselves_while_they_are_read():
    token = {}

    class Vanishes:
        def __float__(self):
            token.clear()
            raise TypeError("gone")

    token["inner"] = {"value": Vanishes(), "other": 1}
    with pytest.raises(TypeError, match="inner:value' must be .*, not Vanishes"):
        attributes([token])


@pytest.mark.parametrize("later", [{"word": "b"}, "b", ["b"]])
def test_tokens_that_are_removed_while_they_are_read(later):
    tokens = []

    class Removes:
        def __float__(self):
            tokens.clear()
            return 2.0

    tokens += [{"first": "x", "value": Removes(), **{f"n{i}": f"v{i}" for i in range(100)}}, later]
    assert attributes(tokens) == [{"first:x": 1, "value": 2, **{f"n{i}:v{i}": 1 for i in range(100)}}]


def test_large_dictionaries_of_all_kinds_of_values():
    values = ["text", "длинный текст, in two alphabets", b"bytes", True, False, 0.5, 7, np.float32(0.25), np.float64(0.125), {"in": "side"}]
    wanted = [":text", ":длинный текст, in two alphabets", ":bytes", "", "", "", "", "", "", ":in:side"]
    numbers = [1, 1, 1, 1, 0, 0.5, 7, 0.25, 0.125, 1]
    for size in (1, 31, 32, 33, 64, 65, 1000):
        got = attributes([{"name" * (i % 7) + str(i): values[i % 10] for i in range(size)}])
        assert got == [{"name" * (i % 7) + str(i) + wanted[i % 10]: numbers[i % 10] for i in range(size)}]


def test_texts_of_every_length():
    words = ["abcdefghijklmnopqrstuvwxyz"[:i] for i in range(1, 27)] + ["x" * 1000]
    assert next(iter(es.Corpus([words])))[0] == words
    assert attributes([{w: w for w in words}]) == [{f"{w}:{w}": 1 for w in words}]


def test_words_of_every_alphabet(word_tagger):
    words = ["ascii", "né", "\x80", "\xff", "\u0100", "слово", "\u07ff", "\u0800", "言葉", "\uffff", "\U00010000", "😀", "\U0010ffff", "aé言😀", ""]
    for count in (len(words), len(words) - 1, 5):
        assert es.Corpus([words[:count]])[0][0] == words[:count]
    assert word_tagger.tag(words) == word_tagger.tag(tuple(words)) == word_tagger.tag_batch([words], threads=2)[0]
    for half in ("\ud800", "a\udfff"):
        with pytest.raises(UnicodeEncodeError, match="surrogates"):
            word_tagger.tag(["a", half])


def test_deep_nesting_is_an_error():
    token = {"x": 1}
    for _ in range(1000):
        token = {"x": token}
    with pytest.raises(ValueError, match="deep"):
        attributes([token])


def test_unknown_labels_are_none():
    corpus = es.Corpus([["a", "b"]], [["X", None]])
    assert corpus[0][1] == ["X", "_"]


def test_matrices_of_numbers():
    rng = np.random.default_rng(1)
    X, y = [], []
    for _ in range(60):
        labels = rng.integers(0, 2, size=5)
        X.append(np.c_[labels + rng.normal(scale=0.1, size=5), rng.normal(size=5)])
        y.append(["AB"[k] for k in labels])
    tagger = es.train(X, y)
    assert es.evaluate(tagger, X, y).accuracy > 95
    assert tagger.tag(X[0]) == y[0]
    assert tagger.tag_batch(X[:2]) == y[:2]
    assert tagger.tag(X[0].astype(np.float32)) == y[0]
    assert tagger.tag(np.zeros((0, 2))) == []
    with pytest.raises(ValueError, match="nan"):
        tagger.tag(np.array([[1.0, float("nan")]]))


def test_matrices_are_as_wide_as_those_of_the_training(tmp_path):
    rng = np.random.default_rng(1)
    X, y = [rng.normal(size=(4, 3)) for _ in range(20)], [list("ABAB")] * 20
    X[0][:, 2] = 0
    trained = es.train(X, y)
    trained.save(tmp_path / "a.model")
    for tagger in (trained, es.Tagger.open(tmp_path / "a.model"), trained.without_names()):
        assert len(tagger.tag(X[0])) == 4
        for columns in (1, 2, 4):
            wrong = np.ones((4, columns))
            for call in (lambda: tagger.tag(wrong), lambda: tagger.tag(wrong, nbest=2), lambda: tagger.marginals(wrong),
                         lambda: tagger.explain(wrong), lambda: tagger.tag_batch([X[0], wrong], threads=1),
                         lambda: es.evaluate(tagger, [wrong], y[:1]), lambda: tagger.probability(wrong, y[0])):
                with pytest.raises(es.Error, match=f"a matrix of {columns} columns?; the model was trained on matrices of 3"):
                    call()
            for threads in (1, 2):
                with pytest.raises(es.Error, match="sequence 2: .*columns?"):
                    tagger.tag_batch([X[0], wrong], threads=threads)
        with pytest.raises(ValueError, match="the matrix has no columns"):
            tagger.tag(np.ones((4, 0)))
    with pytest.raises(es.Error, match="sequence 3: matrices of 2 columns, but those before are matrices of 3 columns"):
        es.train([X[0], X[1], X[2][:, :2]], y[:3])
    with pytest.raises(es.Error, match="development data: matrices of 2 columns, but the training data are matrices of 3"):
        es.train(X, y, dev=([x[:, :2] for x in X], y))
    with pytest.raises(es.Error, match="not trained on matrices"):
        es.train([[{"a": 1}, {"b": 1}]], [["A", "B"]]).tag(X[0])
    with pytest.raises(es.Error, match="sequence 2: a matrix of numbers"):
        es.train([[{"a": 1}], X[0]], [["A"], y[0]])


def test_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"sentence": [7, 7, 3, 7], "word": ["a", "b", "c", "d"], "tag": ["N", "V", "N", "N"],
                              "label": ["X", "Y", "X", None]})
    corpus = es.Corpus.from_frame(frame, "sentence", "label", ["word", "tag"])
    assert corpus[0] == ([("a", "N"), ("b", "V"), ("d", "N")], ["X", "Y", "_"])
    assert corpus[1] == ([("c", "N")], ["X"])
    assert es.Corpus.from_frame(frame, "sentence", "label")[0][0][0] == ("a", "N")
    for column, value in (("word", None), ("word", float("nan")), ("sentence", None)):
        with pytest.raises(ValueError, match=f"column '{column}' has no value in row 1"):
            es.Corpus.from_frame(frame.assign(**{column: [frame[column][0], value, *frame[column][2:]]}), "sentence", "label")
    with pytest.raises(ValueError, match="no column 'words'"):
        es.Corpus.from_frame(frame, "sentence", columns=["words"])


def test_conllu_text():
    line = "{}\t{}\t_\t{}\t_\t_\t_\t_\t_\t_\n"
    text = "".join(line.format(1, "dogs", "NOUN") + line.format(2, "bark", "VERB") + "\n" for _ in range(20))
    corpus = es.Corpus.parse(text, format="conllu")
    assert corpus.labels[0] == ["NOUN", "VERB"]
    tagger = es.train(corpus)
    assert tagger.tag(["bark", "dogs"]) == ["VERB", "NOUN"]
    assert tagger.tag_batch([["bark"], ["dogs"]]) == [["VERB"], ["NOUN"]]


def test_generators_are_read_once():
    X = (list("ab" if i % 2 else "ba") for i in range(20))
    y = (list("AB" if i % 2 else "BA") for i in range(20))
    tagger = es.train(X, y)
    assert tagger.tag(word for word in "b a".split()) == ["B", "A"]


def test_corpora_are_sliced_and_keep_nothing_of_an_error():
    corpus = es.Corpus([["a"], ["b"], ["c"]])
    assert [s[0] for s, _ in corpus[1:]] == ["b", "c"]
    assert corpus[-1][0] == ["c"]
    assert len(corpus.subset([2, 2])) == 2
    with pytest.raises(IndexError):
        corpus[3]
    with pytest.raises(ValueError):
        corpus.extend([["d"], ["e"]], [["X"], []])
    with pytest.raises(es.Error):
        corpus.add([{"attribute": 1}])
    assert len(corpus) == 3
    corpus.add(["d"])
    assert len(corpus) == 4


def test_what_is_no_sequence_is_refused_whatever_is_asked(word_tagger):
    frame = pytest.importorskip("pandas").DataFrame({"word": ["Anna", "slept"]})
    for wrong, message in (("Anna slept", "not one str"), ("", "not one str"), ({"Anna": 1}, "not one dict"), ({"Anna", "slept"}, "no order"),
                           (None, "not NoneType"), (5, "not int"), (frame, "from_frame"), ([["Anna", "slept"]], "token 1: .*tag_batch"),
                           ([["It"], ["Anna", "slept"]], "token 2: .*list of 2.*tag_batch")):
        for call in (lambda: word_tagger.tag(wrong), lambda: word_tagger.tag(wrong, nbest=2), lambda: word_tagger.marginals(wrong),
                     lambda: word_tagger.explain(wrong), lambda: word_tagger.tag(wrong, forced=["O"])):
            with pytest.raises(TypeError, match=message):
                call()
    for wrong in (frame, "Anna"):
        with pytest.raises(TypeError, match="from_frame|not one str"):
            word_tagger.tag_batch(wrong)
    with pytest.raises(TypeError, match="text must be str, not list"):
        word_tagger.tag_text(["Anna"])
    with pytest.raises(TypeError, match="not str"):
        es.Tagger.from_bytes("model")
    assert es.Tagger.from_bytes(bytearray(word_tagger.to_bytes())).labels == word_tagger.labels


def test_the_sequences_of_a_corpus_are_tagged_without_their_labels(word_tagger, sentences):
    corpus = es.Corpus(sentences[0][:9], sentences[1][:9])
    wanted = word_tagger.tag_batch(sentences[0][:9])
    assert word_tagger.tag_batch(corpus) == wanted == list(word_tagger.tag_stream(corpus, block=4))
    assert [t.labels for t in word_tagger.tag_batch(corpus, confidence=True)] == wanted
    assert [t.labels for t in es.Pipeline({"names": word_tagger}).tag_batch(corpus)] == wanted
    with pytest.raises(TypeError, match="tag_batch"):
        word_tagger.tag(corpus[0])  # words and labels
    with pytest.raises(ValueError, match="block=0"):
        list(word_tagger.tag_stream(corpus, block=0))
    assert repr(corpus[:1]) == f"Corpus of 1 sequence, {len(sentences[0][0])} tokens"


def test_sequences_without_labels_are_nothing_to_learn_from():
    X, y = [["a", "b"]] * 4, [["A", "B"]] * 4
    for call in (lambda: es.train(X), lambda: es.train(X, y, dev=X), lambda: es.cross_validate(X)):
        with pytest.raises(ValueError, match=r"no labels to learn from; give .*\(sequences, labels\)"):
            call()
    assert es.train((X, y), dev=(X, y)).labels == ["A", "B"]
    with pytest.raises(ValueError, match="sequence 1: 2 tokens and 1 label$"):
        es.train(X, [["A"]] * 4)


def test_any_mapping_of_a_row_model_is_refused(word_tagger):
    with pytest.raises(TypeError, match="rows of cells"):
        word_tagger.tag([{"a": 1}])
    with pytest.raises(TypeError):
        word_tagger.tag("one string")


def test_words_do_not_fit_a_model_of_attributes(dict_tagger):
    with pytest.raises(es.Error, match="not rows of cells"):
        dict_tagger.tag(["a"])
    assert isinstance(dict_tagger.tag([collections.OrderedDict(word="a")]), list)


def test_options_of_a_wrong_type_are_named(word_tagger):
    for options, message in (({"nbest": 1.5}, "nbest cannot be 1.5"), ({"beam": -1}, "beam cannot be -1"),
                             ({"time_limit": "long"}, "time_limit cannot be 'long'")):
        with pytest.raises(TypeError, match=message):
            word_tagger.tag(["a"], **options)


def test_options_that_the_module_does_not_know_are_refused():
    with pytest.raises(TypeError, match="unknown reading option 'colour'"):
        _native.Corpus.parse("a B\n", {"format": "columns", "colour": "red"}, "text")


def test_text_and_numbers_that_do_not_fit_are_named_with_their_type():
    X, y = [[{"w": "a"}], [{"w": "b"}]], [["A"], ["B"]]
    tagger = es.train(X, y)
    with pytest.raises(UnicodeEncodeError, match="sequence 2: token 1: surrogates not allowed"):
        tagger.tag_batch([X[0], [{"w": "\ud800"}]])
    with pytest.raises(OverflowError, match="token 2: int too large"):
        tagger.tag([{"w": "a"}, {"w": 10 ** 400}])
    with pytest.raises(OverflowError, match="sequence 1: token 1: int too large"):
        es.train([[{"w": 10 ** 400}]], [["A"]])


def test_wrong_arguments_are_errors_that_say_what_is_wrong():
    tagger = es.train([["a"], ["b"]], [["A"], ["B"]])
    with pytest.raises(ValueError, match="threads=-1: it must be at least 0"):
        es.train([["a"]], [["A"]], threads=-1)
    with pytest.raises(ValueError, match="top=-1: it must be at least 0"):
        tagger.inspect(top=-1)
    with pytest.raises(TypeError, match="sequence 2: predicted label 1 must be str, not NoneType"):
        es.evaluate_labels([["A"], ["A"]], [["A"], [None]])
