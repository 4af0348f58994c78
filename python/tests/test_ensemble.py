"""Annotators and programs combined."""

import pickle
import random

import numpy as np
import pytest

import espalier as es


@pytest.fixture(scope="module")
def annotators():
    """Three annotators who err on different labels, and who leave some questions unanswered."""
    rng = random.Random(7)
    gold = [[rng.choice("ABC") for _ in range(6)] for _ in range(150)]
    weak = {"anna": "A", "ben": "B", "cleo": "C"}
    answers = {}
    for name, label in weak.items():
        answers[name] = [[rng.choice("ABC") if x == label and rng.random() < 0.8 else x for x in s] for s in gold]
    answers["ben"][3] = None
    answers["cleo"][5] = [None] + answers["cleo"][5][1:]
    return gold, answers


def accuracy(gold, got):
    pairs = [(g, p) for gs, ps in zip(gold, got) for g, p in zip(gs, ps)]
    return sum(g == p for g, p in pairs) / len(pairs)


def test_learns_from_annotators_with_missing_answers(annotators):
    gold, answers = annotators
    ensemble = es.Ensemble.fit(gold, answers)
    assert ensemble.experts == ["anna", "ben", "cleo"]
    combined = ensemble.combine_batch(list(answers.values()))
    best = max(accuracy(gold, [a if a else ["?"] * 6 for a in x]) for x in answers.values())
    assert accuracy(gold, [c.labels for c in combined]) > best
    assert isinstance(combined[0].confidence, np.ndarray)
    assert 0 <= combined[0].sequence_confidence <= 1
    report = ensemble.report(gold, answers)
    assert report["ensemble"]["accuracy"] > 0 and len(report["experts"]) == 3


def test_ensembles_are_saved_and_pickled(annotators, tmp_path):
    gold, answers = annotators
    ensemble = es.Ensemble.fit(gold, answers, method="mvote", beta=0.5)
    ensemble.save(tmp_path / "a.ensemble")
    one = [a[0] for a in answers.values()]
    for same in (es.Ensemble.open(tmp_path / "a.ensemble"), pickle.loads(pickle.dumps(ensemble))):
        assert same.combine(one).labels == ensemble.combine(one).labels
        assert same.method == "mvote"


def test_models_can_be_experts(sentences, word_tagger):
    words, labels = sentences
    other = es.train(words[:200], labels[:200], learner=es.Perceptron(passes=2))
    gold = es.Corpus(words[:150], labels[:150])
    ensemble = es.Ensemble.fit(gold, [word_tagger, other], method="majority")
    assert len(ensemble.experts) == 2
    with pytest.raises(TypeError, match="needs the text"):
        es.Ensemble.fit(labels[:150], [word_tagger, other])


def test_sequences_without_tokens_are_left_out(annotators):
    gold, answers = annotators
    ensemble = es.Ensemble.fit([*gold[:50], [], *gold[50:]], {n: [*a[:50], [], *a[50:]] for n, a in answers.items()})
    assert ensemble.to_bytes() == es.Ensemble.fit(gold, answers).to_bytes()


def test_mistakes(annotators):
    gold, answers = annotators
    with pytest.raises(es.Error):
        es.Ensemble.fit(gold, answers, missing="error")
    with pytest.raises(es.Error, match="unknown method"):
        es.Ensemble.fit(gold, answers, method="magic")
    fewer = {**answers, "ben": answers["ben"][:-1]}
    with pytest.raises(ValueError, match=f"expert ben has {len(gold) - 1} sequences, expected {len(gold)}"):
        es.Ensemble.fit(gold, fewer)
    ensemble = es.Ensemble.fit(gold, answers)
    with pytest.raises(ValueError, match="expert ben has"):
        ensemble.report(gold, fewer)
    with pytest.raises(ValueError, match="None stands for one without an answer"):
        ensemble.combine_batch(list(fewer.values()))


def test_answers_of_wrong_types_are_named():
    gold = [["A", "B"]] * 10
    with pytest.raises(TypeError, match="expert x, sequence 2: label 1 must be str or None, not int"):
        es.Ensemble.fit(gold, {"x": [["A", "B"], [1, 2]] + gold[2:], "y": gold})
    with pytest.raises(TypeError, match="expert x, sequence 1: the answer must be a list of labels, not one str"):
        es.Ensemble.fit(gold, {"x": ["AB"] * 10, "y": gold})
    with pytest.raises(TypeError, match="expert 2: label 2 must be str or None, not float"):
        es.Ensemble.fit(gold, {"x": gold, "y": gold}).combine([["A", "B"], ["A", 1.0]])
