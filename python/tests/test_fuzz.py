"""Random models and random, mostly wrong input: exceptions are fine, crashes are not.

ESPALIER_FUZZ_MODELS is the number of models; 1000 takes minutes.
"""

import os
import random

import numpy as np
import pytest

import espalier as es

VALUES = [None, True, False, 0, 1, -1, 0.5, -0.0, 1e30, -1e38, 1e300, 10 ** 400, float("nan"), float("inf"), "", "x", "é",
          "\ud800", "\x00", "a:b", b"", b"\xff\xfe", (), ("a",), [], ["a", "b"], {"s"}, frozenset("ab"), {}, {"n": 1},
          {"n": {"m": ["deep", {"x"}]}}, {"n": None}, object(), np.float32(2), np.array([1.0]), np.array([1.0, 2.0]), 1j,
          range(3), "word" * 200]
KEYS = ["a", "b", "", "é", "\ud800", "\x00", "long" * 50, b"bytes", b"\xff", 1, None, ("t",), True]
ANYTHING = [None, 5, "text", b"bytes", [], [[]], [None], [[None]], {}, {"a": 1}, np.zeros((2, 2)), np.zeros((0, 3)),
            np.array([["a", "b"]]), np.array([[None]]), np.full((1, 2), np.nan), iter([]), (x for x in ["a"])]
ALLOWED = (TypeError, ValueError, OverflowError, KeyError, RuntimeError, UnicodeError)


def token(rng, wild):
    kind = rng.random()
    if kind < 0.6:
        keys = KEYS if wild else KEYS[:4]
        values = VALUES if wild else [True, 0.5, "x", "é", ["a", "b"], {"n": 1}]
        return {rng.choice(keys): rng.choice(values) for _ in range(rng.randrange(4))}
    if kind < 0.8:
        return [rng.choice(["p", "q", "r", "é"]) for _ in range(rng.randrange(3))]
    return rng.choice(VALUES) if wild else {}


def sequence(rng, wild):
    return [token(rng, wild) for _ in range(rng.randrange(5))]


@pytest.mark.parametrize("seed", range(int(os.environ.get("ESPALIER_FUZZ_MODELS", "40"))))
def test_nothing_crashes(seed):
    rng = random.Random(seed)
    learner = rng.choice(["crf", "perceptron", "memm", "local", "svm", "cascade", "searn", "laso-br"])
    made = es.LEARNERS[learner]
    X, y = [], []
    for _ in range(rng.randrange(1, 8)):
        wild = rng.random() < 0.1
        items = sequence(rng, wild)
        X.append(items)
        y.append([rng.choice(["A", "B", "C", "é", None]) for _ in items])
        if wild and rng.random() < 0.3:
            y[-1] = rng.choice(ANYTHING)
    try:
        tagger = es.train(X, y, threads=1, learner=made(**({"passes": 2} if "passes" in made.parameters else {})))
    except ALLOWED:
        return
    options = [{}, {"confidence": True}, {"nbest": 3}, {"marginals": True}, {"forced": ["A", None]},
               {"constraints": "c: at most 1 of A\n", "why": True}, {"decoder": "posterior"}, {"beam": 2}]
    for _ in range(20):
        given = sequence(rng, rng.random() < 0.5) if rng.random() < 0.8 else rng.choice(ANYTHING)
        for call in (lambda: tagger.tag(given, **rng.choice(options)), lambda: tagger.tag_batch([given, given]),
                     lambda: tagger.explain(given), lambda: tagger.probability(given, ["A", "B"]),
                     lambda: tagger.marginals(given), lambda: es.evaluate(tagger, [given], [["A"]])):
            try:
                call()
            except ALLOWED:
                pass
    again = es.Tagger.from_bytes(tagger.to_bytes())
    assert again.tag([{"a": True}]) == tagger.tag([{"a": True}])
