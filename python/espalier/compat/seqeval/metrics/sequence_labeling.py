"""Scores of chunks as conlleval reads them, or strictly with mode="strict" and a scheme."""

from __future__ import annotations

import warnings
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple, Type, Union

from ..scheme import Token
from . import v1
from ._counts import Chunks, checked_scores, report

__all__ = ["accuracy_score", "classification_report", "end_of_chunk", "f1_score", "get_entities",
           "performance_measure", "precision_recall_fscore_support", "precision_score", "recall_score",
           "start_of_chunk"]


def _parts(label: str, suffix: bool) -> Tuple[str, str]:
    """The prefix and the type of a label; a label that is not one of a chunk is warned about."""
    marks = ("-B", "-I", "-E", "-S") if suffix else ("B-", "I-", "E-", "S-")
    if label not in ("O", "B", "I", "E", "S"):
        if not (label.endswith(marks) if suffix else label.startswith(marks)):
            warnings.warn(f"{label} seems not to be NE tag.", stacklevel=3)
    if suffix:
        return label[-1], label[:-1].rsplit("-", maxsplit=1)[0] or "_"
    return label[0], label[1:].split("-", maxsplit=1)[-1] or "_"


def get_entities(seq: Any, suffix: bool = False) -> List[Tuple[str, int, int]]:
    """The chunks of a list of labels, or of several lists with an O after each: (type, first, last).

    >>> get_entities(["B-PER", "I-PER", "O", "B-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]
    """
    if any(isinstance(s, list) for s in seq):
        seq = [label for labels in seq for label in [*labels, "O"]]
    found = []
    tag_before, type_before, first = "O", "", 0
    for at, label in enumerate([*seq, "O"]):
        tag, kind = _parts(label, suffix)
        if end_of_chunk(tag_before, tag, type_before, kind):
            found.append((type_before, first, at - 1))
        if start_of_chunk(tag_before, tag, type_before, kind):
            first = at
        tag_before, type_before = tag, kind
    return found


def end_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str) -> bool:
    """Whether a chunk ended with the label before.

    >>> end_of_chunk("B", "O", "PER", "_"), end_of_chunk("B", "I", "PER", "PER")
    (True, False)
    """
    if prev_tag in ("E", "S") or (prev_tag in ("B", "I") and tag in ("B", "S", "O")):
        return True
    return prev_tag not in ("O", ".") and prev_type != type_


def start_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str) -> bool:
    """Whether a chunk starts with this label.

    >>> start_of_chunk("O", "B", "_", "PER"), start_of_chunk("B", "I", "PER", "PER")
    (True, False)
    """
    if tag in ("B", "S") or (prev_tag in ("E", "S", "O") and tag in ("E", "I")):
        return True
    return tag not in ("O", ".") and prev_type != type_


def _chunks(labels: List[List[str]], suffix: bool) -> Chunks:
    found: Dict[str, Set[Any]] = {}
    for kind, first, last in get_entities(labels, suffix):
        found.setdefault(kind, set()).add((first, last))
    return found


def precision_recall_fscore_support(y_true: List[List[str]], y_pred: List[List[str]], *, average: Optional[str] = None,
                                    warn_for: Sequence[str] = ("precision", "recall", "f-score"), beta: float = 1.0,
                                    sample_weight: Optional[List[int]] = None, zero_division: Any = "warn",
                                    suffix: bool = False) -> v1.SCORES:
    """Precision, recall, F-score and support, per type or averaged ("micro", "macro", "weighted").

    >>> y_true, y_pred = [["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "B-PER"]]
    >>> precision_recall_fscore_support(y_true, y_pred, average="micro")[:2]
    (0.5, 0.5)
    """
    return checked_scores(y_true, y_pred, lambda labels: _chunks(labels, suffix), average=average, warn_for=warn_for,
                          beta=beta, zero_division=zero_division)


def _one_score(index: int, name: str, y_true: Any, y_pred: Any, average: Optional[str], suffix: bool,
               mode: Optional[str], zero_division: Any, scheme: Optional[Type[Token]]) -> Any:
    options: Dict[str, Any] = {"average": average, "warn_for": (name,), "zero_division": zero_division,
                               "suffix": suffix}
    if mode == "strict" and scheme:
        return v1.precision_recall_fscore_support(y_true, y_pred, scheme=scheme, **options)[index]
    return precision_recall_fscore_support(y_true, y_pred, **options)[index]


def f1_score(y_true: List[List[str]], y_pred: List[List[str]], *, average: Optional[str] = "micro",
             suffix: bool = False, mode: Optional[str] = None, sample_weight: Optional[List[int]] = None,
             zero_division: Any = "warn", scheme: Optional[Type[Token]] = None) -> Any:
    """F1 of chunks.

    >>> f1_score([["B-PER", "I-PER", "O"]], [["B-PER", "I-PER", "O"]])
    1.0
    """
    return _one_score(2, "f-score", y_true, y_pred, average, suffix, mode, zero_division, scheme)


def precision_score(y_true: List[List[str]], y_pred: List[List[str]], *, average: Optional[str] = "micro",
                    suffix: bool = False, mode: Optional[str] = None, sample_weight: Optional[List[int]] = None,
                    zero_division: Any = "warn", scheme: Optional[Type[Token]] = None) -> Any:
    """The share of predicted chunks that are right.

    >>> precision_score([["B-PER", "O", "O"]], [["B-PER", "O", "B-PER"]])
    0.5
    """
    return _one_score(0, "precision", y_true, y_pred, average, suffix, mode, zero_division, scheme)


def recall_score(y_true: List[List[str]], y_pred: List[List[str]], *, average: Optional[str] = "micro",
                 suffix: bool = False, mode: Optional[str] = None, sample_weight: Optional[List[int]] = None,
                 zero_division: Any = "warn", scheme: Optional[Type[Token]] = None) -> Any:
    """The share of correct chunks that are found.

    >>> recall_score([["B-PER", "O", "O"]], [["B-PER", "O", "B-PER"]])
    1.0
    """
    return _one_score(1, "recall", y_true, y_pred, average, suffix, mode, zero_division, scheme)


def _flat(y_true: Any, y_pred: Any) -> List[Tuple[str, str]]:
    if any(isinstance(s, list) for s in y_true):
        y_true = [label for labels in y_true for label in labels]
        y_pred = [label for labels in y_pred for label in labels]
    return list(zip(y_true, y_pred))


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """The share of tokens whose label is right.

    >>> accuracy_score([["B-PER", "O", "O", "O"]], [["B-PER", "O", "O", "B-PER"]])
    0.75
    """
    pairs = _flat(y_true, y_pred)
    tokens = sum(len(s) for s in y_true) if any(isinstance(s, list) for s in y_true) else len(y_true)
    return sum(gold == got for gold, got in pairs) / tokens


def performance_measure(y_true: Any, y_pred: Any) -> Dict[str, int]:
    """Counts of tokens: TP, FP, FN and TN, where O is negative.

    >>> performance_measure([["B-PER", "O", "O"]], [["B-PER", "O", "B-PER"]])
    {'TP': 1, 'FP': 1, 'FN': 0, 'TN': 1}
    """
    pairs = _flat(y_true, y_pred)
    return {
        "TP": sum(gold == got for gold, got in pairs if (gold, got) != ("O", "O")),
        "FP": sum(gold != got and got != "O" for gold, got in pairs),
        "FN": sum(gold != "O" and got == "O" for gold, got in pairs),
        "TN": sum(gold == got == "O" for gold, got in pairs),
    }


def classification_report(y_true: List[List[str]], y_pred: List[List[str]], digits: int = 2, suffix: bool = False,
                          output_dict: bool = False, mode: Optional[str] = None,
                          sample_weight: Optional[List[int]] = None, zero_division: Any = "warn",
                          scheme: Optional[Type[Token]] = None) -> Union[str, dict]:
    """A table of precision, recall, F1 and support per type, with averages.

    >>> report = classification_report([["B-PER", "O"]], [["B-PER", "O"]])
    >>> report.splitlines()[2]
    '         PER       1.00      1.00      1.00         1'
    """
    if mode == "strict":
        return v1.classification_report(y_true, y_pred, digits=digits, output_dict=output_dict,
                                        zero_division=zero_division, scheme=scheme, suffix=suffix)
    true, pred = _chunks(y_true, suffix), _chunks(y_pred, suffix)
    if output_dict or true or pred:  # a table without rows fails first, with a ValueError
        v1.check_consistent_length(y_true, y_pred)
    return report(true, pred, digits=digits, output_dict=output_dict, zero_division=zero_division)
