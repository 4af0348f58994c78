"""What predictions and training return: plain values. All are immutable and can be pickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "Alternative", "Change", "Combined", "Explanation", "Inspection", "ModelInfo", "Pass", "Progress", "Reason", "Span",
    "Tagged", "TaggedSentence", "TextToken", "Training", "Weight",
]


@dataclass(frozen=True)
class Progress:
    """One progress report: ``done`` of ``total`` steps of a phase.

    >>> reports = []
    >>> tagger = es.train(X, y, progress=reports.append)
    >>> "training" in {report.phase for report in reports}
    True
    """

    phase: str
    done: float
    total: float  #: 0 if unknown
    round: Optional[int] = None
    objective: Optional[float] = None
    dev_score: Optional[float] = None
    round_ended: bool = False

    @property
    def fraction(self) -> float:
        """Between 0 and 1; 0 if the total is unknown.

        >>> es.Progress("training", done=3, total=4).fraction
        0.75
        """
        return self.done / self.total if self.total > 0 else 0.0


class Span(NamedTuple):
    """Tokens ``first`` up to but not including ``last`` that belong together.

    >>> tagger.tag(["It", "rained", "Anna", "slept"], confidence=True).spans[0][:3]
    ('PER', 2, 3)
    """

    type: str
    first: int
    last: int
    probability: float  #: nan unless confidence was asked for


class Alternative(NamedTuple):
    """One labelling of an n-best list.

    >>> best, second = tagger.tag(["Anna", "slept"], nbest=2).alternatives
    >>> best.labels, best.score > second.score
    (['B-PER', 'O'], True)
    """

    labels: List[str]
    score: float
    probability: float


class Change(NamedTuple):
    """A token whose label constraints changed, and the constraints responsible with their prices.

    >>> tagged = tagger.tag(["Anna", "slept"], constraints="quiet: at most 0 of B-PER\\n", why=True)
    >>> change = tagged.changes[0]
    >>> change.token, change.before, [name for name, price in change.rules]
    (0, 'B-PER', ['quiet'])
    """

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
    """A word or a punctuation mark of raw text: ``text[begin:end]``.

    >>> token = es.split_text("Anna slept.")[0][1]
    >>> token, "Anna slept."[token.begin:token.end]
    (TextToken(text='slept', begin=5, end=10), 'slept')
    """

    text: str
    begin: int
    end: int


class TaggedSentence(NamedTuple):
    """A sentence of raw text and its prediction.

    >>> sentence = tagger.tag_text("Anna slept.")[0]
    >>> [(token.text, label) for token, label in zip(sentence.tokens, sentence.tagged.labels)][:2]
    [('Anna', 'B-PER'), ('slept', 'O')]
    """

    tokens: List[TextToken]
    tagged: Tagged


class Reason(NamedTuple):
    """What a feature adds to the score of the chosen label and of the runner-up.

    >>> reasons = {reason.feature: reason for reason in tagger.explain(["Anna", "slept"])[0].reasons}
    >>> reasons["low[0]=anna"].weight > reasons["low[0]=anna"].runner_up_weight
    True
    """

    feature: str
    weight: float
    runner_up_weight: float


class Explanation(NamedTuple):
    """Why a token got its label: what decides between it and the second best label, the runner-up.

    >>> explanation = tagger.explain(["Anna", "slept"])[0]
    >>> explanation.label, explanation.runner_up, explanation.margin > 0
    ('B-PER', 'O', True)
    """

    token: int
    label: str
    runner_up: str
    margin: float
    reasons: List[Reason]
    column: int
    decision: str
    runner_up_decision: str


class Weight(NamedTuple):
    """The weight of a feature for a label.

    >>> strongest = tagger.inspect(top=1, label="O").strongest[0]
    >>> strongest.label, strongest.weight > 0
    ('O', True)
    """

    feature: str
    label: str
    weight: float


@dataclass(frozen=True)
class Inspection:
    """The size of a model and its largest weights.

    >>> inspection = tagger.inspect(top=2)
    >>> len(inspection.strongest), inspection.names, inspection.features > 0
    (2, True, True)
    """

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
    """What a model stores about itself and its training.

    >>> tagger.info.task, tagger.info.learner, tagger.info.training_tokens
    ('label', 'crf', 40)
    """

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
    """One pass over the training data.

    >>> first = tagger.training.log[0]
    >>> first.number, first.dev_score
    (1, None)
    """

    number: int
    objective: Optional[float]
    dev_score: Optional[float]
    seconds: float


@dataclass(frozen=True)
class Training:
    """How training went.

    >>> tagger.training.sequences, tagger.training.labels, tagger.training.interrupted
    (20, 2, False)
    """

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


class Combined(NamedTuple):
    """The answer of an ensemble for one sequence.

    >>> ensemble = es.Ensemble.fit([["A", "B"]] * 60, {"anna": [["A", "B"]] * 60, "ben": [["B", "B"]] * 60})
    >>> combined = ensemble.combine([["A", "B"], ["B", "B"]])
    >>> combined.labels, 0 < combined.sequence_confidence <= 1
    (['A', 'B'], True)
    """

    labels: List[str]
    confidence: npt.NDArray[np.float64]  #: per token: probability that the label is right
    sequence_confidence: float
