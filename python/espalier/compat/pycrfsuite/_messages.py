"""The messages of a training run, as CRFsuite writes them, and its error."""

from __future__ import annotations

import time
from typing import Any, Dict, Optional

from ... import Corpus, Error, Progress
from ..._tagger import Tagger as Model

__all__ = ["CRFSuiteError", "Log", "describe_features", "say_empty", "say_scores", "store"]

_ERRORS = {-2147483648: "Unknown error occurred", -2147483647: "Insufficient memory",
           -2147483646: "Unsupported operation", -2147483645: "Incompatible data", -2147483644: "Internal error",
           -2147483643: "Overflow", -2147483642: "Not implemented"}


class CRFSuiteError(Exception):
    """Training failed.

    >>> pycrfsuite.CRFSuiteError(-2147483645).args
    ('Incompatible data',)
    """

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(_ERRORS.get(code, "Unexpected error"))


def describe_features(say: Any, values: Dict[str, str]) -> None:
    """How features are made."""
    say("Feature generation\n")
    say("type: CRF1d\n")
    for name in ("feature.minfreq", "feature.possible_states", "feature.possible_transitions"):
        say(f"{name}: {values[name]}\n")
    for step in range(51):
        say(str(step // 5) if step % 5 == 0 else ".")
    say("\n")


def say_empty(say: Any) -> None:
    """What there is to say about training on nothing."""
    for line in ("Number of features: 0", "Seconds required: 0.000", "", "L-BFGS terminated with error code (-1020)",
                 "Total seconds required for training: 0.000", "", "Storing the model", "Seconds required: 0.000", ""):
        say(line + "\n")


class Log:
    """Turns progress into messages: one part per iteration."""

    def __init__(self, say: Any, algorithm: str, values: Dict[str, str]) -> None:
        self.say = say
        self.algorithm = algorithm
        self.values = values
        self.began = self.last = time.perf_counter()
        self.round = 0
        self.prepared = False

    def __call__(self, p: Progress) -> None:
        if p.phase != "training" or not p.round_ended or p.round is None or p.round <= self.round:
            return
        self._prepare(None)
        self._iteration(p.round, p.objective)

    def _prepare(self, features: Optional[int]) -> None:
        if self.prepared:
            return
        self.prepared = True
        if features is not None:
            self.say(f"Number of features: {features}\n")
        self.say(f"Seconds required: {time.perf_counter() - self.began:.3f}\n")
        self.say("\n")
        self.say(f"{self.algorithm} optimization\n")
        for name, value in self.values.items():
            if not name.startswith("feature."):
                self.say(f"{name}: {value}\n")
        self.say("\n")

    def _iteration(self, number: int, objective: Optional[float]) -> None:
        if self.round:
            self.say("\n")
        self.round = number
        now = time.perf_counter()
        self.say(f"***** Iteration #{number} *****\n")
        self.say(f"Loss: {max(0.0, objective or 0.0):f}\n")
        self.say(f"Seconds required for this iteration: {now - self.last:.3f}\n")
        self.last = now

    def finish(self, training: Any) -> None:
        """Says what was not reported on the way."""
        self._prepare(training.features)
        for entry in training.log:
            if entry.number > self.round:
                self._iteration(entry.number, entry.objective)
        if self.round == 0:
            self._iteration(1, None)


def say_scores(say: Any, tagger: Model, corpus: Corpus) -> None:
    """Scores on held-out data."""
    sequences = [items for items, _ in corpus]
    gold = corpus.labels
    predicted = tagger.tag_batch(sequences)
    pairs = [(g, p) for gs, ps in zip(gold, predicted) for g, p in zip(gs or [], ps)]
    say("Performance by label (#match, #model, #ref) (precision, recall, F1):\n")
    shares = []
    for label in tagger.labels:
        match = sum(g == p == label for g, p in pairs)
        model, ref = sum(p == label for _, p in pairs), sum(g == label for g, _ in pairs)
        if not model and not ref:
            say(f"    {label}: (0, 0, 0) (******, ******, ******)\n")
            continue
        precision, recall = match / model if model else 0.0, match / ref if ref else 0.0
        f1 = 2 * precision * recall / (precision + recall) if match else 0.0
        shares.append((precision, recall, f1))
        say(f"    {label}: ({match}, {model}, {ref}) ({precision:.4f}, {recall:.4f}, {f1:.4f})\n")
    means = [sum(column) / len(tagger.labels) for column in zip(*shares)] or [0.0, 0.0, 0.0]
    say("Macro-average precision, recall, F1: ({:f}, {:f}, {:f})\n".format(*means))
    right = sum(g == p for g, p in pairs)
    whole = sum(g == p for g, p in zip(gold, predicted))
    say(f"Item accuracy: {right} / {len(pairs)} ({right / len(pairs):.4f})\n")
    say(f"Instance accuracy: {whole} / {len(gold)} ({whole / len(gold):.4f})\n")


def store(say: Any, tagger: Model, path: str) -> None:
    """Writes the model file."""
    started = time.perf_counter()
    say("Storing the model\n")
    if path:
        try:
            tagger.save(path)
        except Error:
            raise CRFSuiteError(-2147483645) from None
    assert tagger.training is not None
    say(f"Number of active features: {tagger.training.weights}\n")
    say(f"Number of active labels: {tagger.training.labels}\n")
    say(f"Seconds required: {time.perf_counter() - started:.3f}\n")
    say("\n")
