"""Scores of chunks that are read strictly, by a scheme."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Set, Tuple, Type, Union

from ..scheme import Entities, Token, auto_detect
from ._counts import Chunks, check_consistent_length, checked_scores, report

__all__ = ["SCORES", "check_consistent_length", "classification_report", "precision_recall_fscore_support",
           "unique_labels"]

SCORES = Tuple[Any, Any, Any, Any]


def _chunks(labels: List[List[str]], scheme: Optional[Type[Token]], suffix: bool) -> Chunks:
    found: Dict[str, Set[Any]] = {}
    for chunks in Entities(labels, scheme, suffix).entities:  # type: ignore[arg-type]
        for chunk in chunks:
            found.setdefault(chunk.tag, set()).add(chunk)
    return found


def unique_labels(y_true: List[List[str]], y_pred: List[List[str]], scheme: Type[Token],
                  suffix: bool = False) -> List[str]:
    """The types of all chunks, sorted.

    >>> from espalier.compat.seqeval.scheme import IOB2
    >>> unique_labels([["B-PER", "O"]], [["B-LOC", "I-LOC"]], IOB2)
    ['LOC', 'PER']
    """
    return sorted(set(_chunks(y_true, scheme, suffix)) | set(_chunks(y_pred, scheme, suffix)))


def precision_recall_fscore_support(y_true: List[List[str]], y_pred: List[List[str]], *, average: Optional[str] = None,
                                    warn_for: Sequence[str] = ("precision", "recall", "f-score"), beta: float = 1.0,
                                    sample_weight: Optional[List[int]] = None, zero_division: Any = "warn",
                                    scheme: Optional[Type[Token]] = None, suffix: bool = False,
                                    **kwargs: Any) -> SCORES:
    """Precision, recall, F-score and support, per type or averaged ("micro", "macro", "weighted").

    >>> from espalier.compat.seqeval.scheme import IOB2
    >>> precision_recall_fscore_support([["B-A", "I-A", "O"]], [["B-A", "I-A", "B-A"]], average="micro", scheme=IOB2)[1]
    1.0
    """
    return checked_scores(y_true, y_pred, lambda labels: _chunks(labels, scheme, suffix), average=average,
                          warn_for=warn_for, beta=beta, zero_division=zero_division)


def classification_report(y_true: List[List[str]], y_pred: List[List[str]], *,
                          sample_weight: Optional[List[int]] = None, digits: int = 2, output_dict: bool = False,
                          zero_division: Any = "warn", suffix: bool = False,
                          scheme: Optional[Type[Token]] = None) -> Union[str, dict]:
    """A table of scores per type. Without a scheme, that of the correct labels is detected.

    >>> from espalier.compat.seqeval.scheme import IOB2
    >>> classification_report([["B-PER", "O"]], [["B-PER", "O"]], scheme=IOB2, output_dict=True)["PER"]["recall"]
    1.0
    """
    check_consistent_length(y_true, y_pred)
    if scheme is None or not issubclass(scheme, Token):
        scheme = auto_detect(y_true, suffix)
    return report(_chunks(y_true, scheme, suffix), _chunks(y_pred, scheme, suffix), digits=digits,
                  output_dict=output_dict, zero_division=zero_division)
