"""Modules with the interfaces of other packages. The originals' own suites are run against them by hand; these tests
pin down what a change here could break."""

import itertools
import pickle
import warnings

import pytest

import espalier as es
from espalier.compat import CRFPP, pycrfsuite

ITEMS = [{"walk": 1, "shop": 0.5}, {"walk": 1}, {"clean": 1, "wet": "yes"}, ["clean"], {}]
LABELS = ["sunny", "sunny", "rainy", "rainy", "sunny"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("crf") / "a.model")
    trainer = pycrfsuite.Trainer(verbose=False, params={"c2": 0.1})
    for _ in range(3):
        trainer.append(ITEMS, LABELS)
    trainer.train(path)
    return path


def test_crfsuite_tagger(model):
    tagger = pycrfsuite.Tagger()
    with pytest.raises(ValueError, match="not opened"):
        tagger.tag(ITEMS)
    with tagger.open(model):
        assert tagger.tag(ITEMS) == LABELS == tagger.tag(pycrfsuite.ItemSequence(ITEMS)) == tagger.tag()
        assert tagger.tag([]) == []
        tagger.set(ITEMS)
        assert sum(tagger.marginal(y, 0) for y in tagger.labels()) == pytest.approx(1)
        assert tagger.marginal("sunny", 0) > 0.5
        total = sum(tagger.probability(list(y)) for y in itertools.product(tagger.labels(), repeat=len(ITEMS)))
        assert total == pytest.approx(1, abs=1e-4)
        with pytest.raises(ValueError):
            tagger.marginal("sunny", 5)
        with pytest.raises(RuntimeError, match="label identifier: snowy"):
            tagger.marginal("snowy", 0)
        with pytest.raises(TypeError):
            tagger.marginal(1, 0)
        with pytest.raises(ValueError, match="differ"):
            tagger.probability(["sunny"])
        with pytest.raises(TypeError):
            tagger.set([{"a": None}])
    with pytest.raises(ValueError):
        tagger.labels()
    with pytest.raises(RuntimeError):
        tagger.info()


def test_crfsuite_models_are_espalier_models(model):
    assert es.Tagger.open(model).tag([dict(walk=1)]) == ["sunny"]
    with open(model, "rb") as file:
        data = file.read()
    with pycrfsuite.Tagger().open_inmemory(data) as tagger:
        assert tagger.tag(ITEMS) == LABELS
    for wrong in (b"", b"lCRFabc", data[:-1]):
        with pytest.raises(ValueError):
            pycrfsuite.Tagger().open_inmemory(wrong)
    with pytest.raises(TypeError):
        pycrfsuite.Tagger().open_inmemory("text")
    with pytest.raises(OSError):
        pycrfsuite.Tagger().open("no such file")


def test_crfsuite_dump_and_info(model, tmp_path, capsys):
    with pycrfsuite.Tagger().open(model) as tagger:
        info = tagger.info()
        tagger.dump(str(tmp_path / "dump.txt"))
        tagger.dump()
    assert capsys.readouterr().out == (tmp_path / "dump.txt").read_text(encoding="utf-8")
    assert info.header["num_labels"] == "2" and set(info.labels) == {"sunny", "rainy"}
    assert set(info.attributes) == {"walk", "shop", "clean", "wet:yes"}
    assert info.state_features[("walk", "sunny")] > 0
    assert ("sunny", "rainy") in info.transitions


def test_crfsuite_parameters():
    trainer = pycrfsuite.Trainer()
    for short, long in (("ap", "averaged-perceptron"), ("pa", "passive-aggressive")):
        trainer.select(short)
        names = trainer.params()
        trainer.select(long)
        assert trainer.params() == names and all(trainer.help(name) for name in names)
    trainer.select("lbfgs")
    assert trainer.get("c2") == 1.0 and trainer.get("linesearch") == "MoreThuente" and trainer.get("delta") == 1e-5
    trainer.select("l2sgd")
    assert trainer.get("delta") == 1e-6
    trainer.select("lbfgs")
    trainer.set("feature.possible_states", True)
    assert trainer.get_params()["feature.possible_states"] is True
    for wrong in (lambda: trainer.set("foo", 1), lambda: trainer.get("foo"), lambda: trainer.help("foo"),
                  lambda: trainer.select("foo"), lambda: trainer.append(ITEMS, LABELS[:-1])):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(ValueError, match="^Parameter not found: foo = 1$"):
        trainer.set_params({"foo": 1})


def test_crfsuite_wrong_types_are_type_errors():
    trainer = pycrfsuite.Trainer(verbose=False)
    for wrong in (None, 5, ["a"]):
        with pytest.raises(TypeError):
            trainer.append(ITEMS, [*LABELS[:-1], wrong])
    with pytest.raises(TypeError):
        trainer.append(ITEMS, LABELS, "group")
    with pytest.raises(AttributeError):
        trainer.message("before train() there is nothing that reads it")
    trainer.append(ITEMS, LABELS)
    with pytest.raises(TypeError):
        trainer.train(None)


def test_crfsuite_item_sequences_are_made_of_item_sequences():
    items = pycrfsuite.ItemSequence(ITEMS)
    assert pycrfsuite.ItemSequence(items).items() == items.items()


@pytest.mark.parametrize("algorithm", ["lbfgs", "l2sgd", "ap", "pa", "arow"])
def test_crfsuite_algorithms_train_and_say_what_they_are(algorithm, tmp_path):
    trainer = pycrfsuite.Trainer(algorithm, verbose=False)
    for _ in range(5):
        trainer.append(ITEMS, LABELS)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        trainer.train(str(tmp_path / "a.model"))
    assert any("nearest learner" in str(w.message) for w in caught) == (algorithm in ("l2sgd", "pa", "arow"))
    with pycrfsuite.Tagger().open(str(tmp_path / "a.model")) as tagger:
        assert len(tagger.tag(ITEMS)) == len(ITEMS)


def test_crfsuite_parameters_without_effect_are_warned_about(tmp_path):
    trainer = pycrfsuite.Trainer(params={"linesearch": "Backtracking"}, verbose=False)
    trainer.append(ITEMS, LABELS)
    with pytest.warns(UserWarning, match="linesearch has no effect"):
        trainer.train(str(tmp_path / "a.model"))


def test_crfsuite_messages_and_held_out_groups(tmp_path, capsys):
    trainer = pycrfsuite.Trainer("lbfgs", {"max_iterations": 3})
    trainer.append(ITEMS, LABELS)
    trainer.append(ITEMS, LABELS)
    trainer.append(ITEMS, LABELS, 1)
    trainer.train(str(tmp_path / "a.model"), holdout=1)
    log = trainer.logparser
    assert [i["num"] for i in log.iterations] == list(range(1, len(log.iterations) + 1))
    assert log.last_iteration["item_accuracy_float"] == 1.0
    assert set(log.last_iteration["scores"]) == {"sunny", "rainy"}
    assert log.training_seconds is not None and log.storing_seconds is not None and log.state == "STORING"
    said = capsys.readouterr().out
    assert said.startswith("Holdout group: 2\n") and "***** Iteration #1 *****" in said

    class Failing(pycrfsuite.BaseTrainer):
        def message(self, message):
            raise KeyError("mine")

    trainer = Failing()
    trainer.append(ITEMS, LABELS)
    with pytest.raises(KeyError):
        trainer.train(str(tmp_path / "b.model"))
    assert not (tmp_path / "b.model").exists()


def test_crfsuite_minimum_frequency(tmp_path):
    trainer = pycrfsuite.Trainer(params={"feature.minfreq": 2}, verbose=False)
    trainer.append([{"often": 1}, {"often": 1}, {"once": 1}], ["a", "a", "b"])
    trainer.train(str(tmp_path / "a.model"))
    with pycrfsuite.Tagger().open(str(tmp_path / "a.model")) as tagger:
        assert set(tagger.info().attributes) == {"often"}


def test_sklearn_crfsuite_estimator():
    pytest.importorskip("sklearn")
    from espalier.compat.sklearn_crfsuite import CRF, metrics, scorers, utils
    crf = CRF(c2=0.1, max_iterations=50)
    assert crf.classes_ is None and crf.tagger_ is None and crf.size_ is None
    with pytest.raises(AttributeError):
        crf.predict([ITEMS])
    assert crf.fit([ITEMS] * 3, [LABELS] * 3) is crf
    assert crf.predict([ITEMS, []]) == [LABELS, []] and crf.predict_single(ITEMS) == LABELS
    assert crf.score([ITEMS], [LABELS]) == 1.0
    assert pickle.loads(pickle.dumps(crf)).predict([ITEMS]) == [LABELS]
    assert crf.num_attributes_ == len(crf.attributes_) == 4
    marginals = crf.predict_marginals([ITEMS])[0]
    assert all(sum(m.values()) == pytest.approx(1) for m in marginals)
    assert crf.get_params()["c2"] == 0.1
    assert scorers.sequence_accuracy(crf, [ITEMS], [LABELS]) == 1.0
    assert utils.flatten([LABELS, ["x"]]) == LABELS + ["x"]
    assert metrics.flat_f1_score([LABELS], [LABELS], average="macro") == 1.0
    assert metrics.sequence_accuracy_score([], []) == 0
    with pytest.raises(ValueError):
        crf.fit([ITEMS], [LABELS], [ITEMS])


def test_seqeval_lenient_and_strict():
    from espalier.compat.seqeval import metrics, scheme
    gold = [["B-PER", "I-PER", "O", "B-LOC"], ["I-ORG", "I-ORG"]]
    got = [["I-PER", "I-PER", "O", "B-LOC"], ["B-ORG", "O"]]
    assert metrics.f1_score(gold, got) == pytest.approx(2 / 3)
    assert metrics.f1_score(gold, got, mode="strict", scheme=scheme.IOB2) == pytest.approx(0.5)
    assert metrics.accuracy_score(gold, got) == 3 / 6
    report = metrics.classification_report(gold, got, digits=3)
    assert report.splitlines()[0].split() == ["precision", "recall", "f1-score", "support"]
    assert "         PER      1.000     1.000     1.000         1\n" in report
    assert metrics.classification_report(gold, got, output_dict=True)["micro avg"]["support"] == 3
    assert metrics.performance_measure(["B", "O"], ["B", "B"]) == {"TP": 1, "FP": 1, "FN": 0, "TN": 0}
    with pytest.raises(ValueError):
        metrics.f1_score(gold, got[:1])
    with pytest.raises(TypeError):
        metrics.f1_score(gold[0], got[0])


def test_seqeval_agrees_with_the_scores_of_the_library(sentences, word_tagger):
    from espalier.compat.seqeval import metrics
    words, labels = sentences
    predicted = word_tagger.tag_batch(words)
    scores = es.evaluate_labels(labels, predicted)
    assert 100 * metrics.f1_score(labels, predicted) == pytest.approx(scores.f1)
    assert 100 * metrics.accuracy_score(labels, predicted) == pytest.approx(scores.accuracy)


@pytest.mark.parametrize("name, labels, chunks", [
    ("IOB1", ["I-A", "B-A", "O"], [(0, 1), (1, 2)]),
    ("IOB2", ["I-A", "B-A", "I-B"], [(1, 2)]),
    ("IOE1", ["I-A", "E-A", "I-A", "O"], [(0, 2), (2, 3)]),
    ("IOE2", ["I-A", "E-A", "E-A"], [(0, 2), (2, 3)]),
    ("IOBES", ["B-A", "E-A", "S-A", "I-A"], [(0, 2), (2, 3)]),
    ("BILOU", ["B-A", "L-A", "U-A", "I-A"], [(0, 2), (2, 3)]),
])
def test_seqeval_schemes(name, labels, chunks):
    from espalier.compat.seqeval import scheme
    found = scheme.Tokens(labels, getattr(scheme, name)).entities
    assert [(c.start, c.end) for c in found] == chunks
    with pytest.raises(ValueError, match="Invalid token"):
        scheme.Tokens(["X-A".replace("X", "U" if name != "BILOU" else "S")], getattr(scheme, name)).entities


def test_crfpp_tagger(tmp_path, corpus_files):
    path = tmp_path / "a.model"
    model = es.train(corpus_files[0], learner=es.Crf(passes=3), save_to=path)
    tagger = CRFPP.Tagger(f"-m {path} -v 1 -n 2")
    rows = [("Anna", "PROPN", "B-NP"), ("slept", "VERB", "B-VP")]
    for row in rows:
        assert tagger.add(" ".join(row))
    assert not tagger.add("one")
    assert tagger.parse() and tagger.size() == 2 and tagger.xsize() == 3
    assert [tagger.y2(i) for i in range(2)] == model.tag(rows)
    assert tagger.yname(tagger.y(0)) == tagger.y2(0) and tagger.x(1, 0) == "slept"
    assert tagger.prob(0) == pytest.approx(model.tag(rows, confidence=True).probabilities[0], abs=1e-5)
    first = tagger.prob()
    assert tagger.next() and tagger.prob() <= first and not tagger.next()
    assert tagger.toString().startswith(f"# 0 {first:f}\nAnna\tPROPN\tB-NP\t")
    assert tagger.clear() and tagger.empty()
    with pytest.raises(RuntimeError):
        CRFPP.Tagger("-m no-such-model")
    with pytest.raises(RuntimeError):
        CRFPP.Tagger("-x")
