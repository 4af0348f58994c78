"""From counts of chunks to precision, recall, F-score and reports: shared by both ways of finding chunks."""

from __future__ import annotations

import warnings
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple, Union

import numpy as np

from ..reporters import DictReporter, StringReporter

try:
    from sklearn.exceptions import UndefinedMetricWarning
except ImportError:

    class UndefinedMetricWarning(UserWarning):  # type: ignore[no-redef]
        """A score that has no value."""


#: Chunks by type.
Chunks = Dict[str, Set[Any]]


def check_consistent_length(y_true: List[List[str]], y_pred: List[List[str]]) -> None:
    """TypeError unless both are lists of lists; ValueError unless they have the same shape.

    >>> check_consistent_length([["O", "O"]], [["O"]])
    Traceback (most recent call last):
    ...
    ValueError: Found input variables with inconsistent numbers of samples:
    [2]
    [1]
    """
    true_lengths, pred_lengths = [len(s) for s in y_true], [len(s) for s in y_pred]
    if {type(s) for s in [*y_true, *y_pred]} != {list}:
        raise TypeError("Found input variables without list of list.")
    if true_lengths != pred_lengths:
        raise ValueError("Found input variables with inconsistent numbers of samples:\n"
                         f"{true_lengths}\n{pred_lengths}")


def _warn(start: str, modifier: str, size: int) -> None:
    where = "due to" if size == 1 else "in labels with"
    warnings.warn(f"{start} ill-defined and being set to 0.0 {where} no {modifier} samples. Use `zero_division` "
                  "parameter to control this behavior.", UndefinedMetricWarning, stacklevel=4)


def _divide(right: Any, counted: Any, name: str, modifier: str, warn_for: Sequence[str], zero_division: Any) -> Any:
    nothing = counted == 0
    ratio = right / np.where(nothing, 1, counted)
    if nothing.any():
        ratio[nothing] = 0.0 if zero_division in ("warn", 0) else 1.0
        if zero_division == "warn" and name in warn_for:
            both = "and F-score are" if "f-score" in warn_for else "is"
            _warn(f"{name.title()} {both}", modifier, len(ratio))
    return ratio


def scores(true: Chunks, pred: Chunks, *, average: Optional[str], warn_for: Sequence[str], beta: float,
           zero_division: Any) -> Tuple[Any, Any, Any, Any]:
    """Precision, recall, F-score and support: arrays over the types, or averages."""
    names = sorted(set(true) | set(pred))
    none: Set[Any] = set()
    right = np.array([len(true.get(n, none) & pred.get(n, none)) for n in names], dtype=np.int64)
    found = np.array([len(pred.get(n, none)) for n in names], dtype=np.int64)
    gold = np.array([len(true.get(n, none)) for n in names], dtype=np.int64)
    if average == "micro":
        right, found, gold = (np.array([counts.sum()]) for counts in (right, found, gold))
    precision = _divide(right, found, "precision", "predicted", warn_for, zero_division)
    recall = _divide(right, gold, "recall", "true", warn_for, zero_division)
    if zero_division == "warn" and tuple(warn_for) == ("f-score",) and (found[gold == 0] == 0).any():
        _warn("F-score is", "true nor predicted", len(gold))
    if np.isposinf(beta):
        f_score = recall
    else:
        weight = beta ** 2
        below = weight * precision + recall
        f_score = (1 + weight) * precision * recall / np.where(below == 0, 1, below)
    if average is None:
        return precision, recall, f_score, gold
    weights = None
    if average == "weighted":
        weights = gold
        if gold.sum() == 0:
            value = 0.0 if zero_division in ("warn", 0) else 1.0
            if found.sum() != 0:
                return 0.0, value, 0.0, sum(gold)
            return value, value, value, sum(gold)
    return (np.average(precision, weights=weights), np.average(recall, weights=weights),
            np.average(f_score, weights=weights), sum(gold))


def checked_scores(y_true: Any, y_pred: Any, find: Any, *, average: Optional[str], warn_for: Sequence[str], beta: float,
                   zero_division: Any) -> Tuple[Any, Any, Any, Any]:
    """The same from labels: `find` makes chunks by type of them."""
    if beta < 0:
        raise ValueError("beta should be >=0 in the F-beta score")
    options = (None, "micro", "macro", "weighted")
    if average not in options:
        raise ValueError(f"average has to be one of {options}")
    check_consistent_length(y_true, y_pred)
    return scores(find(y_true), find(y_pred), average=average, warn_for=warn_for, beta=beta,
                  zero_division=zero_division)


def report(true: Chunks, pred: Chunks, *, digits: int, output_dict: bool, zero_division: Any) -> Union[str, dict]:
    """A row per type and one per average."""
    names = sorted(set(true) | set(pred))
    reporter: Any
    if output_dict:
        reporter = DictReporter()
    else:
        reporter = StringReporter(width=max(max(map(len, names)), len("weighted avg"), digits), digits=digits)
    warn_for = ("precision", "recall", "f-score")
    rows = scores(true, pred, average=None, warn_for=warn_for, beta=1.0, zero_division=zero_division)
    for row in zip(names, *rows):
        reporter.write(*row)
    reporter.write_blank()
    for average in ("micro", "macro", "weighted"):
        reporter.write(f"{average} avg", *scores(true, pred, average=average, warn_for=warn_for, beta=1.0,
                                                 zero_division=zero_division))
    reporter.write_blank()
    return reporter.report()
