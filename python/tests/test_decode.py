"""Scores of any other model, decoded."""

import itertools

import numpy as np
import pytest

import espalier as es

LABELS = ["O", "B-PER", "I-PER"]


def best_by_hand(scores, transitions=None):
    def total(path):
        value = sum(scores[t][k] for t, k in enumerate(path))
        if transitions is not None:
            value += sum(transitions[a][b] for a, b in zip(path, path[1:]))
        return value

    paths = sorted(itertools.product(range(len(LABELS)), repeat=len(scores)), key=total, reverse=True)
    totals = np.array([total(p) for p in paths])
    return paths, np.exp(totals - np.logaddexp.reduce(totals))


def test_agrees_with_all_labellings_by_hand():
    rng = np.random.default_rng(3)
    for length in range(1, 6):
        scores, transitions = rng.normal(size=(length, 3)), rng.normal(size=(3, 3))
        paths, probabilities = best_by_hand(scores, transitions)
        got = es.decode(scores, transitions, labels=LABELS, nbest=3, marginals=True)
        assert got.labels == [LABELS[k] for k in paths[0]]
        assert [a.labels for a in got.alternatives] == [[LABELS[k] for k in p] for p in paths[:3]]
        assert got.probability == pytest.approx(probabilities[0], rel=1e-4)
        wanted = np.zeros((length, 3))
        for path, probability in zip(paths, probabilities):
            wanted[np.arange(length), path] += probability
        assert np.allclose(got.marginals, wanted, atol=1e-4)


def test_constraints_and_reasons():
    scores = [[0, 0, 5.0], [0, 0, 5.0]]
    got = es.decode(scores, labels=LABELS, constraints="scheme: valid iob2\n", why=True)
    assert got.labels[0] != "I-PER"
    assert got.changes[0].before == "I-PER"


def test_batches_ragged_masked_and_lists():
    rng = np.random.default_rng(4)
    ragged = [rng.normal(size=(n, 3)) for n in (2, 4, 1)]
    one_by_one = [es.decode(s, labels=LABELS).labels for s in ragged]
    assert [t.labels for t in es.decode(ragged, labels=LABELS)] == one_by_one
    assert [t.labels for t in es.decode([s.tolist() for s in ragged], labels=LABELS)] == one_by_one
    padded, mask = np.full((3, 4, 3), 9.0), np.zeros((3, 4), dtype=bool)
    for i, s in enumerate(ragged):
        padded[i, :len(s)], mask[i, :len(s)] = s, True
    assert [t.labels for t in es.decode(padded, labels=LABELS, mask=mask)] == one_by_one
    assert es.decode(np.zeros((0, 3)), labels=LABELS).labels == []
    assert es.decode([], labels=LABELS) == []


def test_mistakes():
    with pytest.raises(ValueError, match="tokens × 3 labels"):
        es.decode(np.zeros((2, 4)), labels=LABELS)
    with pytest.raises(ValueError, match="3 × 3"):
        es.decode(np.zeros((2, 3)), np.zeros((2, 2)), labels=LABELS)
    with pytest.raises(es.Error, match="nan"):
        es.decode([[0, float("nan"), 0]], labels=LABELS)
    with pytest.raises(es.Error, match="twice"):
        es.decode([[0, 0]], labels=["A", "A"])
    with pytest.raises(ValueError, match="mask"):
        es.decode(np.zeros((2, 3)), labels=LABELS, mask=[True])
    for scores in ([0.0, 1.0, 2.0], np.zeros(3)):
        with pytest.raises(ValueError, match="an array of tokens × 3 labels, or a batch"):
            es.decode(scores, labels=LABELS)


def test_scores_can_be_features_of_a_model():
    rng = np.random.default_rng(5)
    y = [[str(k) for k in rng.integers(0, 3, size=6)] for _ in range(80)]
    X = [np.eye(3)[[int(k) for k in labels]] + rng.normal(scale=0.3, size=(6, 3)) for labels in y]
    tagger = es.train(X[:60], y[:60])
    assert es.evaluate(tagger, X[60:], y[60:]).accuracy > 90


def test_labels_are_text():
    with pytest.raises(TypeError, match="label 2 must be str, not int"):
        es.decode(np.zeros((1, 2)), labels=["A", 1])
