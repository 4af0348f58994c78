"""Trainers."""

from __future__ import annotations

import operator
import time
from typing import Any, Dict, List, Optional

from ... import Corpus, Error, Progress, _native
from ..._tagger import Tagger as Model
from ..._train import train
from ._logparser import TrainLogParser
from ._parameters import ALGORITHMS, algorithm_name, learner_for
from ._tagger import check_label, native_items

__all__ = ["BaseTrainer", "CRFSuiteError", "Trainer"]

_ERRORS = {-2147483648: "Unknown error occurred", -2147483647: "Insufficient memory",
           -2147483646: "Unsupported operation", -2147483645: "Incompatible data", -2147483644: "Internal error",
           -2147483643: "Overflow", -2147483642: "Not implemented"}


class CRFSuiteError(Exception):
    """Training failed."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(_ERRORS.get(code, "Unexpected error"))


class BaseTrainer:
    """Collects sequences and trains a model on them.

    Args:
        algorithm: lbfgs, l2sgd, ap, pa or arow, or a long name (averaged-perceptron, passive-aggressive).
        params: parameters of the algorithm by name.
        verbose: print messages of the training.
    """

    verbose = True

    def __new__(cls, *args: Any, **kwargs: Any) -> "BaseTrainer":
        # Here rather than in __init__, which subclasses may leave out.
        self = super().__new__(cls)
        self._groups = {}
        self._select("lbfgs")
        return self

    _groups: Dict[int, Corpus]

    def __init__(self, algorithm: Optional[str] = None, params: Optional[Dict[str, Any]] = None,
                 verbose: bool = True) -> None:
        if algorithm is not None:
            self.select(algorithm)
        if params is not None:
            self.set_params(params)
        self.verbose = verbose

    def _select(self, algorithm: str) -> None:
        self._algorithm = algorithm
        self._values = {name: p.default for name, p in ALGORITHMS[algorithm].items()}

    def select(self, algorithm: str, type: str = "crf1d") -> None:
        """Chooses the algorithm. Its parameters take their defaults."""
        name = algorithm_name(algorithm)
        if name not in ALGORITHMS or type != "crf1d":
            raise ValueError(f"Bad arguments: algorithm={name!r}, type={type!r}")
        self._select(name)

    def message(self, message: str) -> None:
        """Gets each message of the training. Override it to do something else than print."""
        if self.verbose:
            print(message, end="")

    def append(self, xseq: Any, yseq: Any, group: int = 0) -> None:
        """Adds a sequence of items and its labels. A group can be held out in train()."""
        items, labels = native_items(xseq), list(yseq)
        if len(items) != len(labels):
            raise ValueError(f"The numbers of items and labels differ: |x| = {len(items)}, |y| = {len(labels)}")
        for label in labels:
            check_label(label)
        corpus = self._groups.setdefault(operator.index(group), Corpus())
        if items:
            corpus._native.add(items, labels, 1.0, _native.Form.ATTRIBUTES, [])

    def clear(self) -> None:
        """Forgets all sequences."""
        self._groups = {}

    def params(self) -> List[str]:
        """The names of the algorithm's parameters."""
        return list(self._values)

    def _checked(self, name: str, shown: str) -> str:
        if name not in self._values:
            raise ValueError(f"Parameter not found: {shown}")
        return name

    def set_params(self, params: Dict[str, Any]) -> None:
        """Sets several parameters."""
        for name, value in params.items():
            self.set(name, value)

    def get_params(self) -> Dict[str, Any]:
        """All parameters with their values."""
        return {name: self.get(name) for name in self.params()}

    def set(self, name: str, value: Any) -> None:
        """Sets one parameter."""
        text = str(int(value) if isinstance(value, bool) else value)
        self._values[self._checked(name, f"{name} = {text}")] = text

    def get(self, name: str) -> Any:
        """The value of a parameter."""
        return ALGORITHMS[self._algorithm][self._checked(name, f"{name} = ")].kind(self._values[name])

    def help(self, name: str) -> str:
        """What a parameter means."""
        return ALGORITHMS[self._algorithm][self._checked(name, name)].help

    def _before_train(self) -> None:
        """Called before the first message."""

    def train(self, model: str, holdout: int = -1) -> None:
        """Trains on all sequences but those of the group `holdout`, which are scored, and writes the model file."""
        self._before_train()
        chosen = [group for group in self._groups if group != holdout]
        corpora = [self._groups[group] for group in sorted(chosen)]
        data = corpora[0] if len(corpora) == 1 else _joined(corpora)
        say = self.message
        if holdout >= 0:
            say(f"Holdout group: {holdout + 1}\n")
            say("\n")
        _describe_features(say, self._values)
        if len(data) == 0:
            _say_empty(say)
            return
        learner = learner_for(self._algorithm, self._values)
        started = time.perf_counter()
        log = _Log(say, self._algorithm, self._values)
        tagger = train(data, learner=learner, progress=log)
        assert tagger.training is not None
        log.finish(tagger.training)
        if holdout >= 0 and len(self._groups.get(holdout, Corpus())):
            _say_scores(say, tagger, self._groups[holdout])
        say("\n")
        say(f"Total seconds required for training: {time.perf_counter() - started:.3f}\n")
        say("\n")
        _store(say, tagger, model)


def _joined(corpora: List[Corpus]) -> Corpus:
    whole = Corpus()
    for corpus in corpora:
        for i in range(len(corpus)):
            items, labels, weight = corpus._native.sequence(i)
            whole._native.add(items, labels, weight, _native.Form.ATTRIBUTES, [])
    return whole


def _describe_features(say: Any, values: Dict[str, str]) -> None:
    say("Feature generation\n")
    say("type: CRF1d\n")
    for name in ("feature.minfreq", "feature.possible_states", "feature.possible_transitions"):
        say(f"{name}: {values[name]}\n")
    for step in range(51):
        say(str(step // 5) if step % 5 == 0 else ".")
    say("\n")


def _say_empty(say: Any) -> None:
    for line in ("Number of features: 0", "Seconds required: 0.000", "", "L-BFGS terminated with error code (-1020)",
                 "Total seconds required for training: 0.000", "", "Storing the model", "Seconds required: 0.000", ""):
        say(line + "\n")


class _Log:
    """Turns progress into messages."""

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


def _say_scores(say: Any, tagger: Model, corpus: Corpus) -> None:
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


def _store(say: Any, tagger: Model, path: str) -> None:
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


class Trainer(BaseTrainer):
    """A trainer that understands its messages: override on_iteration and the others to show them differently."""

    logparser: Optional[TrainLogParser] = None

    def _before_train(self) -> None:
        self.logparser = TrainLogParser()

    def message(self, message: str) -> None:
        """Calls the method of the event that the message completes."""
        parser: Any = self.logparser  # None before train(): an AttributeError, as there
        event = parser.feed(message)
        if event is None or not self.verbose:
            return
        log = parser.last_log
        if event == "featgen_progress":
            self.on_featgen_progress(log, parser.featgen_percent)
        elif event == "iteration":
            self.on_iteration(log, parser.last_iteration or {})
        else:
            getattr(self, f"on_{event}")(log)

    def on_start(self, log: str) -> None:
        """The first message."""
        print(log, end="")

    def on_featgen_progress(self, log: str, percent: int) -> None:
        """Features are being made."""
        print(log, end="")

    def on_featgen_end(self, log: str) -> None:
        """Features are made."""
        print(log, end="")

    def on_prepared(self, log: str) -> None:
        """Training begins."""
        print(log, end="")

    def on_prepare_error(self, log: str) -> None:
        """Training cannot begin."""
        print(log, end="")

    def on_iteration(self, log: str, info: Dict[str, Any]) -> None:
        """An iteration has ended; `info` is what is known about it."""
        print(log, end="")

    def on_optimization_end(self, log: str) -> None:
        """Training has ended."""
        print(log, end="")

    def on_end(self, log: str) -> None:
        """The model is stored."""
        print(log, end="")
