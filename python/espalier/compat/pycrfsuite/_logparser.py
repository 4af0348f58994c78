"""Reads the messages of a training run, one after the other, and says what each means."""

from __future__ import annotations

import fractions
import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

__all__ = ["LabelScore", "TrainLogParser"]


class LabelScore(NamedTuple):
    """Scores of a label on held-out data; None where there is nothing to divide by.

    >>> LabelScore(match=3, model=4, ref=6, precision=0.75, recall=0.5, f1=0.6).recall
    0.5
    """

    match: int
    model: int
    ref: int
    precision: Optional[float]
    recall: Optional[float]
    f1: Optional[float]


_NUMBERS = (
    ("loss", re.compile(r"Loss: (\d+\.\d+)"), float),
    ("feature_norm", re.compile(r"Feature norm: (\d+\.\d+)"), float),
    ("error_norm", re.compile(r"Error norm: (\d+\.\d+)"), float),
    ("active_features", re.compile(r"Active features: (\d+)"), int),
    ("linesearch_trials", re.compile(r"Line search trials: (\d+)"), int),
    ("linesearch_step", re.compile(r"Line search step: (\d+\.\d+)"), float),
    ("time", re.compile(r"Seconds required for this iteration: (\d+\.\d+)"), float),
)
_HEAD = re.compile(r"\*{5} (?:Iteration|Epoch) #(\d+) \*{5}\n")
_SECONDS = re.compile(r"Seconds required: (\d+\.\d+)")
_TOTAL = re.compile(r"Total seconds required for training: (\d+\.\d+)")
_FEATURES = re.compile(r"Number of features: (\d+)")
_MACRO = re.compile(r"Macro-average precision, recall, F1: \((\d\.\d+), (\d\.\d+), (\d\.\d+)\)")
_ACCURACY = re.compile(r"(Item|Instance) accuracy: (\d+) / (\d+)")
_LABEL = re.compile(r"\s{4}(.+): \((\d+), (\d+), (\d+)\) \((\S+), (\S+), (\S+)\)")


class TrainLogParser:
    """Feed it every message. Attributes tell what is known so far; feed() names the event that a message completes:
    start, featgen_progress, featgen_end, prepared, prepare_error, iteration, optimization_end or end.

    >>> len(trainer.logparser.iterations) == trainer.logparser.last_iteration["num"]
    True
    >>> trainer.logparser.events[0][0], trainer.logparser.events[-1][0]
    ('start', 'end')
    """

    def __init__(self) -> None:
        self.state: Optional[str] = None
        self.featgen_percent = -2
        self.featgen_num_features: Optional[int] = None
        self.featgen_seconds: Optional[float] = None
        self.training_seconds: Optional[float] = None
        self.storing_seconds: Optional[float] = None
        self.iterations: List[Dict[str, Any]] = []
        self.last_iteration: Optional[Dict[str, Any]] = None
        self.log: List[str] = []
        self.events: List[Tuple[str, int, int]] = []  #: name, first and last message (not included)

    @property
    def last_log(self) -> str:
        """The messages of the last event.

        >>> trainer.logparser.last_log.startswith("Storing the model")
        True
        """
        _, first, last = self.events[-1]
        return "".join(self.log[first:last])

    def feed(self, line: str) -> Optional[str]:
        """Takes the next message; returns the event it completes, or None.

        >>> parser = TrainLogParser()
        >>> parser.feed("Feature generation\\n"), parser.feed("type: CRF1d\\n"), parser.feed("0")
        ('start', None, 'featgen_progress')
        """
        self.log.append(line)
        if self.state is None:
            self.state = "STARTING"
            self._starting(line)
            self.events.append(("start", 0, 1))
            return "start"
        event = getattr(self, "_" + self.state.lower())(line)
        if event is not None:
            # The message that ends these two belongs to what follows.
            last = len(self.log) - (event in ("prepared", "optimization_end"))
            self.events.append((event, self.events[-1][2], last))
        return event

    def _starting(self, line: str) -> None:
        if line.startswith("Feature generation"):
            self.state = "FEATGEN"

    def _featgen(self, line: str) -> Optional[str]:
        if line in "0123456789.10":
            self.featgen_percent += 2
            return "featgen_progress"
        count, seconds = _FEATURES.match(line), _SECONDS.match(line)
        if count:
            self.featgen_num_features = int(count[1])
        elif seconds:
            self.featgen_seconds = float(seconds[1])
            self.state = "AFTER_FEATGEN"
            return "featgen_end"
        return None

    def _after_featgen(self, line: str) -> Optional[str]:
        if _HEAD.match(line):
            self._begin_iteration(line)
            return "prepared"
        if "terminated with error" in line:
            self.state = "AFTER_ITERATION"
            return "prepare_error"
        return None

    def _begin_iteration(self, line: str) -> None:
        self.state = "ITERATION"
        self.last_iteration = {"num": int(_HEAD.match(line)[1]), "scores": {}}  # type: ignore[index]
        self.iterations.append(self.last_iteration)

    def _iteration(self, line: str) -> Optional[str]:
        if _HEAD.match(line):
            self._begin_iteration(line)
            return None
        if line == "\n":
            self.state = "AFTER_ITERATION"
            return "iteration"
        known: Dict[str, Any] = self.last_iteration  # type: ignore[assignment]
        for key, pattern, kind in _NUMBERS:
            found = pattern.match(line)
            if found:
                known[key] = kind(found[1])
        macro, accuracy, label = _MACRO.match(line), _ACCURACY.match(line), _LABEL.match(line)
        if macro:
            known.update(zip(("avg_precision", "avg_recall", "avg_f1"), map(float, macro.groups())))
        if accuracy:
            share = fractions.Fraction(int(accuracy[2]), int(accuracy[3]))
            known[f"{accuracy[1].lower()}_accuracy"] = share
            known[f"{accuracy[1].lower()}_accuracy_float"] = float(share)
        if label:
            shares = [None if x.startswith("*") else float(x) for x in label.groups()[4:]]
            known["scores"][label[1]] = LabelScore(*map(int, label.groups()[1:4]), *shares)  # type: ignore[arg-type]
        return None

    def _after_iteration(self, line: str) -> Optional[str]:
        if _HEAD.match(line):
            self._begin_iteration(line)
            return None
        total = _TOTAL.match(line)
        if total:
            self.training_seconds = float(total[1])
        if line.startswith("Storing the model"):
            self.state = "STORING"
            return "optimization_end"
        return None

    def _storing(self, line: str) -> Optional[str]:
        if line == "\n":
            return "end"
        seconds = _SECONDS.match(line)
        if seconds:
            self.storing_seconds = float(seconds[1])
        return None
