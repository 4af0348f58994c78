"""Plain values that functions return. All are immutable and can be pickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "Alternative", "Change", "Combined", "Confusion", "CrossValidation", "Decision", "Explanation", "Fold",
    "Inspection", "LabelScores", "ModelInfo", "Pass", "Path", "Progress", "Reason", "Scores", "SearchResult", "Span",
    "Tagged", "TaggedSentence", "TextToken", "Training", "Weight",
]


@dataclass(frozen=True)
class Progress:
    """One progress report: ``done`` of ``total`` steps of a phase."""

    phase: str
    done: float
    total: float  #: 0 if unknown
    round: Optional[int] = None
    objective: Optional[float] = None
    dev_score: Optional[float] = None
    round_ended: bool = False

    @property
    def fraction(self) -> float:
        """Between 0 and 1; 0 if the total is unknown."""
        return self.done / self.total if self.total > 0 else 0.0


class Span(NamedTuple):
    """Tokens ``first`` up to but not including ``last`` that belong together."""

    type: str
    first: int
    last: int
    probability: float  #: nan unless confidence was asked for


class Alternative(NamedTuple):
    """One labelling of an n-best list."""

    labels: List[str]
    score: float
    probability: float


class Change(NamedTuple):
    """A token whose label constraints changed, and the constraints responsible with their prices."""

    token: int
    before: str
    rules: List[Tuple[str, float]]


@dataclass(frozen=True, eq=False)
class Tagged:
    """The prediction for one sequence, with what was asked for.

    Iterating gives pairs of label and probability.

    >>> import espalier as es
    >>> tagger = es.train([["a", "b"], ["b", "a"]] * 10, [["A", "B"], ["B", "A"]] * 10)
    >>> tagged = tagger.tag(["a", "b", "b"], confidence=True)
    >>> tagged.labels
    ['A', 'B', 'B']
    >>> all(p > 0.5 for label, p in tagged)
    True
    """

    labels: List[str]
    probabilities: npt.NDArray[np.float64]  #: of each label; nan unless confidence was asked for
    spans: List[Span]
    alternatives: List[Alternative]  #: the n-best list; the first is this labelling
    marginals: Optional[npt.NDArray[np.float32]]  #: tokens × labels; None unless asked for
    outcome: str  #: "exact", "approximate", "infeasible", "out of time" or "none in time"
    clash: List[str]  #: if infeasible: constraints that cannot all be satisfied
    changes: List[Change]
    price_of_rules: float
    score: float
    probability: float  #: of the whole labelling
    other_labels: List[List[str]]  #: task joint, pipelines: per token, the labels before the last
    heads: List[int]  #: task parse: per token, the number of its head, from 1; 0: the root

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, token: int) -> Tuple[str, float]:
        return self.labels[token], float(self.probabilities[token])

    def __iter__(self) -> Iterator[Tuple[str, float]]:
        return zip(self.labels, map(float, self.probabilities))

    def __repr__(self) -> str:
        return f"Tagged({self.labels!r})"


def tagged_of(values: Optional[Mapping[str, Any]]) -> Tagged:
    """From what the compiled module returns; None stands for a sequence without tokens."""
    if values is None:
        nothing = np.zeros(0)
        return Tagged([], nothing, [], [Alternative([], 0.0, 1.0)], None, "exact", [], [], 0.0, 0.0, 1.0, [], [])
    fields = dict(values)
    fields["spans"] = [Span(*s) for s in fields["spans"]]
    fields["alternatives"] = [Alternative(*a) for a in fields["alternatives"]]
    fields["changes"] = [Change(*c) for c in fields["changes"]]
    return Tagged(**fields)


class TextToken(NamedTuple):
    """A word or a punctuation mark of raw text: ``text[begin:end]``."""

    text: str
    begin: int
    end: int


class TaggedSentence(NamedTuple):
    """A sentence of raw text and its prediction."""

    tokens: List[TextToken]
    tagged: Tagged


class Reason(NamedTuple):
    """What a feature adds to the score of the chosen label and of the runner-up."""

    feature: str
    weight: float
    runner_up_weight: float


class Explanation(NamedTuple):
    """Why a token got its label: what decides between it and the second best label, the runner-up."""

    token: int
    label: str
    runner_up: str
    margin: float
    reasons: List[Reason]
    column: int
    decision: str
    runner_up_decision: str


class Weight(NamedTuple):
    """The weight of a feature for a label."""

    feature: str
    label: str
    weight: float


@dataclass(frozen=True)
class Inspection:
    """The size of a model and its largest weights."""

    features: int
    weights: int
    weight_bits: int
    names: bool
    strongest: List[Weight]
    transitions: List[Tuple[str, str, float]]
    about_weights: str
    no_transitions: str
    no_features: str
    details: Dict[str, Any]


@dataclass(frozen=True)
class ModelInfo:
    """What a model stores about itself and its training."""

    task: str
    learner: str
    parameters: Dict[str, str]
    seed: int
    training_sequences: int
    training_tokens: int
    format: str
    label_column: str
    feature_template: str
    columns: int  #: cells per row, label included; 0: tokens have attributes
    feature_columns: List[int]
    labels: List[List[str]]
    has_probabilities: bool
    constrained: bool


class Pass(NamedTuple):
    """One pass over the training data."""

    number: int
    objective: Optional[float]
    dev_score: Optional[float]
    seconds: float


@dataclass(frozen=True)
class Training:
    """How training went."""

    log: List[Pass]
    seconds: float
    reading_seconds: float
    sequences: int
    tokens: int
    features: int
    weights: int
    labels: int
    model_bytes: int
    best_pass: Optional[int]
    stopped_early: bool
    interrupted: bool  #: by Ctrl-C or the progress function
    notes: List[str]
    details: Dict[str, Any]


class LabelScores(NamedTuple):
    """Scores of one label, or of one span type. Percentages."""

    label: str
    gold: int
    predicted: int
    right: int
    precision: float
    recall: float
    f1: float


class Confusion(NamedTuple):
    """How often tokens with one label were given another."""

    gold: str
    predicted: str
    tokens: int


@dataclass(frozen=True)
class Scores:
    """Scores in percent. Precision, recall and F1 count spans as conlleval does if labels form spans."""

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
    """One fold of a cross-validation."""

    fold: int
    train_seconds: float
    scores: Scores


@dataclass(frozen=True)
class CrossValidation:
    """The scores of each fold, and of all predictions together."""

    folds: List[Fold]
    pooled: Scores
    own_folds: bool  #: the folds given in the data were used

    def mean(self, measure: str = "f1") -> float:
        """The mean of a score over the folds."""
        return float(np.mean([getattr(fold.scores, measure) for fold in self.folds]))

    def deviation(self, measure: str = "f1") -> float:
        """Its sample standard deviation."""
        return float(np.std([getattr(fold.scores, measure) for fold in self.folds], ddof=1))


class Combined(NamedTuple):
    """The answer of an ensemble for one sequence."""

    labels: List[str]
    confidence: npt.NDArray[np.float64]  #: per token: probability that the label is right
    sequence_confidence: float


class Path(NamedTuple):
    """A complete output of a search."""

    actions: List[Any]
    score: float
    goal: Any  #: the state after the last action


@dataclass(frozen=True)
class SearchResult:
    """The paths that a search found, best first."""

    paths: List[Path]
    end: str  #: "exact", "approximate" or "out of steps"

    @property
    def actions(self) -> List[Any]:
        """The actions of the best path."""
        return self.paths[0].actions

    @property
    def score(self) -> float:
        """Its score."""
        return self.paths[0].score

    @property
    def goal(self) -> Any:
        """The state it ends in."""
        return self.paths[0].goal


class Decision(NamedTuple):
    """Why an action was chosen rather than the second best of its state."""

    step: int
    action: Any
    runner_up: Any
    alone: bool  #: there was no other action
    action_name: str
    runner_up_name: str
    score: float
    runner_up_score: float
    reasons: List[Reason]
