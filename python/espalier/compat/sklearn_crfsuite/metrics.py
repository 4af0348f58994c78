"""scikit-learn's metrics of the labels of all tokens, and the accuracy of whole sequences."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from .utils import flatten

__all__ = ["flat_accuracy_score", "flat_classification_report", "flat_f1_score", "flat_fbeta_score",
           "flat_precision_score", "flat_recall_score", "sequence_accuracy_score"]


def _flat(name: str, y_true: Any, y_pred: Any, *args: Any, **kwargs: Any) -> Any:
    from sklearn import metrics
    return getattr(metrics, name)(flatten(y_true), flatten(y_pred), *args, **kwargs)


def flat_accuracy_score(y_true: Any, y_pred: Any) -> float:
    """The share of tokens whose label is right.

    >>> flat_accuracy_score([["A", "B"], ["A"]], [["A", "B"], ["B"]])
    0.6666666666666666
    """
    return _flat("accuracy_score", y_true, y_pred)


def flat_precision_score(y_true: Any, y_pred: Any, **kwargs: Any) -> Any:
    """Precision of labels.

    >>> flat_precision_score([["A", "B"], ["A"]], [["A", "B"], ["B"]], pos_label="B")
    0.5
    """
    return _flat("precision_score", y_true, y_pred, **kwargs)


def flat_recall_score(y_true: Any, y_pred: Any, **kwargs: Any) -> Any:
    """Recall of labels.

    >>> flat_recall_score([["A", "B"], ["A"]], [["A", "B"], ["B"]], average=None)
    array([0.5, 1. ])
    """
    return _flat("recall_score", y_true, y_pred, **kwargs)


def flat_f1_score(y_true: Any, y_pred: Any, **kwargs: Any) -> Any:
    """F1 of labels.

    >>> flat_f1_score([["A", "B"], ["A"]], [["A", "B"], ["A"]], average="weighted")
    1.0
    """
    return _flat("f1_score", y_true, y_pred, **kwargs)


def flat_fbeta_score(y_true: Any, y_pred: Any, beta: float, **kwargs: Any) -> Any:
    """F-beta of labels.

    >>> flat_fbeta_score([["A", "B"], ["A"]], [["A", "B"], ["A"]], beta=2, average="macro")
    1.0
    """
    return _flat("fbeta_score", y_true, y_pred, beta=beta, **kwargs)


def flat_classification_report(y_true: Any, y_pred: Any, labels: Optional[Sequence[str]] = None, **kwargs: Any) -> Any:
    """A table of precision, recall and F1 per label.

    >>> report = flat_classification_report([["A", "B"], ["A"]], [["A", "B"], ["A"]], labels=["B"])
    >>> report.split()[:5]
    ['precision', 'recall', 'f1-score', 'support', 'B']
    """
    return _flat("classification_report", y_true, y_pred, labels=labels, **kwargs)


def sequence_accuracy_score(y_true: Sequence[Any], y_pred: Sequence[Any]) -> float:
    """The share of sequences whose labels are all right; 0 if there are none.

    >>> sequence_accuracy_score([["A", "B"], ["A"]], [["A", "B"], ["B"]])
    0.5
    """
    if not len(y_true):
        return 0
    return sum(gold == got for gold, got in zip(y_true, y_pred)) / len(y_true)
