"""What scoring returns: plain values. All are immutable and can be pickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Mapping, NamedTuple, Optional

import numpy as np

__all__ = ["Confusion", "CrossValidation", "Fold", "LabelScores", "Scores"]


class LabelScores(NamedTuple):
    """Scores of one label, or of one span type. Percentages.

    >>> person = es.evaluate(tagger, [["Anna", "slept"]], [["B-PER", "O"]]).by_label[0]
    >>> person.label, person.gold, person.right, person.f1
    ('PER', 1, 1, 100.0)
    """

    label: str
    gold: int
    predicted: int
    right: int
    precision: float
    recall: float
    f1: float


class Confusion(NamedTuple):
    """How often tokens with one label were given another.

    >>> es.evaluate_labels([["B-PER", "O"]], [["O", "O"]]).confusions
    [Confusion(gold='B-PER', predicted='O', tokens=1)]
    """

    gold: str
    predicted: str
    tokens: int


@dataclass(frozen=True)
class Scores:
    """Scores in percent. Precision, recall and F1 count spans as conlleval does if labels form spans.

    >>> scores = es.evaluate(tagger, [["Anna", "slept"]], [["B-PER", "O"]])
    >>> scores.accuracy, scores.f1, scores.tokens
    (100.0, 100.0, 2)
    """

    sequences: int
    tokens: int
    accuracy: float
    sequence_accuracy: float
    precision: float
    recall: float
    f1: float
    by_label: List[LabelScores]
    confusions: List[Confusion]
    legal_percent: Optional[float]
    report: str  #: as text, as the command prints it
    json: str  #: all scores as one JSON object

    def __str__(self) -> str:
        return self.report


def scores_of(values: Mapping[str, Any]) -> Scores:
    """From what the compiled module returns."""
    fields = dict(values)
    fields["by_label"] = [LabelScores(*x) for x in fields["by_label"]]
    fields["confusions"] = [Confusion(*x) for x in fields["confusions"]]
    return Scores(**fields)


class Fold(NamedTuple):
    """One fold of a cross-validation.

    >>> fold = es.cross_validate(X, y, folds=2).folds[0]
    >>> fold.fold, fold.scores.sequences
    (0, 10)
    """

    fold: int
    train_seconds: float
    scores: Scores


@dataclass(frozen=True)
class CrossValidation:
    """The scores of each fold, and of all predictions together.

    >>> validation = es.cross_validate(X, y, folds=2)
    >>> len(validation.folds), validation.pooled.tokens, validation.own_folds
    (2, 40, False)
    """

    folds: List[Fold]
    pooled: Scores
    own_folds: bool  #: the folds given in the data were used

    def mean(self, measure: str = "f1") -> float:
        """The mean of a score over the folds.

        >>> es.cross_validate(X, y, folds=2).mean("accuracy")
        100.0
        """
        return float(np.mean([getattr(fold.scores, measure) for fold in self.folds]))

    def deviation(self, measure: str = "f1") -> float:
        """Its sample standard deviation.

        >>> es.cross_validate(X, y, folds=2).deviation("accuracy")
        0.0
        """
        return float(np.std([getattr(fold.scores, measure) for fold in self.folds], ddof=1))
