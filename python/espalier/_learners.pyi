"""Made by python/stubs.py; do not edit."""

from typing import (Any, ClassVar, Dict, List, Literal, Mapping, NamedTuple, Optional, Sequence, Tuple, Type,
                    Union)

class Parameter(NamedTuple):
    name: str
    default: str
    meaning: str
    range: str
    basic: bool

class Learner:
    name: ClassVar[str]
    tasks: ClassVar[Tuple[str, ...]]
    parameters: ClassVar[Dict[str, Parameter]]
    settings: Dict[str, Any]
    def __init__(self, **settings: Any) -> None: ...
    def pairs(self) -> List[Tuple[str, str]]: ...

class Crf(Learner):
    """Conditional random field: probabilities of whole labellings; the default."""
    def __init__(
        self,
        *,
        l2: Union[None, float, Literal["auto"]] = ...,
        l1: Union[None, float] = ...,
        algorithm: Union[None, Literal["adagrad", "lbfgs"]] = ...,
        passes: Union[None, float, Literal["auto"]] = ...,
        batch: Union[None, float] = ...,
        rate: Union[None, float] = ...,
        dropout: Union[None, float] = ...,
        average_from: Union[None, float] = ...,
        mixing: Union[None, Literal["none", "every-pass"]] = ...,
        iterations: Union[None, float] = ...,
        epsilon: Union[None, float] = ...,
        cutoff: Union[None, float] = ...,
        degree: Union[None, float] = ...,
        names: Union[None, bool, Literal["yes", "no"]] = ...,
        weight_bits: Union[None, Literal["auto", "16", "32", 16, 32]] = ...,
        patience: Union[None, float] = ...,
        full_rows: Union[None, float, Literal["auto"]] = ...,
        label_weights: Union[None, str, Mapping[str, float]] = ...,
        scheme: Union[None, Literal["auto", "data", "iobes"]] = ...,
    ) -> None: ...

class Perceptron(Learner):
    """Averaged structured perceptron: fast, no penalty to tune."""
    def __init__(
        self,
        *,
        passes: Union[None, float, Literal["auto"]] = ...,
        batch: Union[None, float] = ...,
        average: Union[None, bool, Literal["yes", "no"]] = ...,
        calibrate: Union[None, bool, Literal["yes", "no"]] = ...,
        mixing: Union[None, Literal["none", "every-pass"]] = ...,
        cutoff: Union[None, float] = ...,
        degree: Union[None, float] = ...,
        names: Union[None, bool, Literal["yes", "no"]] = ...,
        weight_bits: Union[None, Literal["auto", "16", "32", 16, 32]] = ...,
        patience: Union[None, float] = ...,
        full_rows: Union[None, float, Literal["auto"]] = ...,
        label_weights: Union[None, str, Mapping[str, float]] = ...,
        scheme: Union[None, Literal["auto", "data", "iobes"]] = ...,
    ) -> None: ...

class Svm(Learner):
    """Structured support vector machine: margin-rescaled Hamming loss, block-coordinate Frank-Wolfe."""
    def __init__(
        self,
        *,
        c: Union[None, float] = ...,
        passes: Union[None, float] = ...,
        gap: Union[None, float] = ...,
        average: Union[None, bool, Literal["yes", "no"]] = ...,
        calibrate: Union[None, bool, Literal["yes", "no"]] = ...,
        cutoff: Union[None, float] = ...,
        degree: Union[None, float] = ...,
        names: Union[None, bool, Literal["yes", "no"]] = ...,
        weight_bits: Union[None, Literal["auto", "16", "32", 16, 32]] = ...,
        patience: Union[None, float] = ...,
        full_rows: Union[None, float, Literal["auto"]] = ...,
        label_weights: Union[None, str, Mapping[str, float]] = ...,
        scheme: Union[None, Literal["auto", "data", "iobes"]] = ...,
    ) -> None: ...

class Memm(Learner):
    """Maximum-entropy Markov model: each label given the one before."""
    def __init__(
        self,
        *,
        l2: Union[None, float, Literal["auto"]] = ...,
        l1: Union[None, float] = ...,
        algorithm: Union[None, Literal["adagrad", "lbfgs"]] = ...,
        passes: Union[None, float, Literal["auto"]] = ...,
        batch: Union[None, float] = ...,
        rate: Union[None, float] = ...,
        dropout: Union[None, float] = ...,
        average_from: Union[None, float] = ...,
        mixing: Union[None, Literal["none", "every-pass"]] = ...,
        iterations: Union[None, float] = ...,
        epsilon: Union[None, float] = ...,
        cutoff: Union[None, float] = ...,
        degree: Union[None, float] = ...,
        names: Union[None, bool, Literal["yes", "no"]] = ...,
        weight_bits: Union[None, Literal["auto", "16", "32", 16, 32]] = ...,
        patience: Union[None, float] = ...,
        full_rows: Union[None, float, Literal["auto"]] = ...,
        label_weights: Union[None, str, Mapping[str, float]] = ...,
        scheme: Union[None, Literal["auto", "data", "iobes"]] = ...,
    ) -> None: ...

class Local(Learner):
    """One classifier for each token, which does not see the labels of its neighbours."""
    def __init__(
        self,
        *,
        classifier: Union[None, Literal["logistic", "perceptron", "svm", "quadratic-svm"]] = ...,
        l2: Union[None, float, Literal["auto"]] = ...,
        l1: Union[None, float] = ...,
        algorithm: Union[None, Literal["adagrad", "lbfgs"]] = ...,
        passes: Union[None, float, Literal["auto"]] = ...,
        batch: Union[None, float] = ...,
        rate: Union[None, float] = ...,
        dropout: Union[None, float] = ...,
        average_from: Union[None, float] = ...,
        mixing: Union[None, Literal["none", "every-pass"]] = ...,
        iterations: Union[None, float] = ...,
        epsilon: Union[None, float] = ...,
        c: Union[None, float, Literal["auto"]] = ...,
        most_tokens: Union[None, float] = ...,
        average: Union[None, bool, Literal["yes", "no"]] = ...,
        calibrate: Union[None, bool, Literal["yes", "no"]] = ...,
        cutoff: Union[None, float] = ...,
        degree: Union[None, float] = ...,
        names: Union[None, bool, Literal["yes", "no"]] = ...,
        weight_bits: Union[None, Literal["auto", "16", "32", 16, 32]] = ...,
        patience: Union[None, float] = ...,
        full_rows: Union[None, float, Literal["auto"]] = ...,
        label_weights: Union[None, str, Mapping[str, float]] = ...,
        scheme: Union[None, Literal["auto", "data", "iobes"]] = ...,
    ) -> None: ...

class Cascade(Learner):
    """Label n-grams up to order 5 at the cost of a greedy tagger: levels of growing order, each on what the one before leaves alive."""
    def __init__(
        self,
        *,
        order: Union[None, float, Literal["auto"]] = ...,
        levels: Union[None, float, Sequence[float], Literal["auto"]] = ...,
        last: Union[None, Literal["crf", "perceptron", "margin"]] = ...,
        filter: Union[None, Literal["cascade", "perceptron", "crf", "dictionary", "none"]] = ...,
        filter_loss: Union[None, float, Sequence[float], Literal["auto"]] = ...,
        loss_in_use: Union[None, float, Literal["auto"]] = ...,
        budget: Union[None, float] = ...,
        loss_unit: Union[None, Literal["positions", "sequences"]] = ...,
        filter_unit: Union[None, Literal["cliques", "states"]] = ...,
        warm_up: Union[None, float] = ...,
        train_alphas: Union[None, float, Sequence[float]] = ...,
        filter_passes: Union[None, float] = ...,
        filter_steps: Union[None, Literal["plain", "adaptive"]] = ...,
        filter_rate: Union[None, float, Literal["auto"]] = ...,
        filter_lambda: Union[None, float] = ...,
        threshold_prior_length: Union[None, float] = ...,
        folds: Union[None, float] = ...,
        quantiles: Union[None, bool, Literal["yes", "no"]] = ...,
        word_feature: Union[None, str, Sequence[str]] = ...,
        edge_order: Union[None, float] = ...,
        passes: Union[None, float, Literal["auto"]] = ...,
        batch: Union[None, float] = ...,
        rate: Union[None, float] = ...,
        dropout: Union[None, float, Literal["auto"]] = ...,
        l2: Union[None, float, Literal["auto"]] = ...,
        average_from: Union[None, float] = ...,
        calibrate: Union[None, bool, Literal["yes", "no"]] = ...,
        cutoff: Union[None, float] = ...,
        degree: Union[None, float] = ...,
        names: Union[None, bool, Literal["yes", "no"]] = ...,
        weight_bits: Union[None, Literal["auto", "16", "32", 16, 32]] = ...,
        patience: Union[None, float] = ...,
        full_rows: Union[None, float, Literal["auto"]] = ...,
        label_weights: Union[None, str, Mapping[str, float]] = ...,
        scheme: Union[None, Literal["auto", "data", "iobes"]] = ...,
    ) -> None: ...

class Searn(Learner):
    """SEARN: learns the decisions of a search, for any loss and any history."""
    def __init__(
        self,
        *,
        classifier: Union[None, Literal["auto", "perceptron", "logistic", "softmax-margin", "svm", "least-squares", "liblinear", "quadratic-svm"]] = ...,
        reduction: Union[None, Literal["auto", "direct", "one-vs-all", "all-pairs"]] = ...,
        iterations: Union[None, float, Literal["auto"]] = ...,
        beta: Union[None, float] = ...,
        interpolation: Union[None, Literal["constant", "analytic", "line-search", "learned-line-search"]] = ...,
        costs: Union[None, Literal["optimal", "sample"]] = ...,
        samples: Union[None, float] = ...,
        oracle_roll_outs: Union[None, float] = ...,
        oracle: Union[None, Literal["analytic", "search"]] = ...,
        oracle_beam: Union[None, float, Literal["auto"]] = ...,
        roll_in: Union[None, Literal["mixture", "aggregate"]] = ...,
        folds: Union[None, float] = ...,
        policy: Union[None, Literal["vote", "stochastic"]] = ...,
        passes: Union[None, float, Literal["auto"]] = ...,
        rate: Union[None, float] = ...,
        l2: Union[None, float, Literal["auto"]] = ...,
        costing_samples: Union[None, float] = ...,
        c: Union[None, float, Literal["auto"]] = ...,
        beam: Union[None, float, Literal["auto"]] = ...,
        decoder: Union[None, Literal["auto", "breadth-first", "best-first"]] = ...,
        history: Union[None, float] = ...,
        lead: Union[None, float] = ...,
        direction: Union[None, Literal["left-to-right", "right-to-left", "easiest-first"]] = ...,
        loss: Union[None, Literal["auto", "hamming", "f1", "zero-one"]] = ...,
        unit: Union[None, Literal["auto", "word", "chunk", "sentence"]] = ...,
        limit: Union[None, float] = ...,
        max_length: Union[None, float, Literal["auto"]] = ...,
        meta: Union[None, str, Sequence[str]] = ...,
        stemmer: Union[None, str, Sequence[str]] = ...,
        lists: Union[None, str, Sequence[str]] = ...,
        average: Union[None, bool, Literal["yes", "no"]] = ...,
        system: Union[None, Literal["projective", "swap"]] = ...,
        cutoff: Union[None, float] = ...,
        degree: Union[None, float] = ...,
        names: Union[None, bool, Literal["yes", "no"]] = ...,
        weight_bits: Union[None, Literal["auto", "16", "32", 16, 32]] = ...,
        patience: Union[None, float] = ...,
        full_rows: Union[None, float, Literal["auto"]] = ...,
    ) -> None: ...

class LasoBr(Learner):
    """Learns to keep the target in a breadth-first beam (Xu and Fern's LaSO-BR)."""
    def __init__(
        self,
        *,
        passes: Union[None, float] = ...,
        rate: Union[None, float] = ...,
        beam: Union[None, float] = ...,
        decoder: Union[None, Literal["auto", "breadth-first", "best-first"]] = ...,
        history: Union[None, float] = ...,
        lead: Union[None, float] = ...,
        direction: Union[None, Literal["left-to-right", "right-to-left"]] = ...,
        unit: Union[None, Literal["auto", "word", "chunk", "sentence"]] = ...,
        limit: Union[None, float] = ...,
        max_length: Union[None, float, Literal["auto"]] = ...,
        meta: Union[None, str, Sequence[str]] = ...,
        stemmer: Union[None, str, Sequence[str]] = ...,
        lists: Union[None, str, Sequence[str]] = ...,
        average: Union[None, bool, Literal["yes", "no"]] = ...,
        system: Union[None, Literal["projective", "swap"]] = ...,
        cutoff: Union[None, float] = ...,
        degree: Union[None, float] = ...,
        names: Union[None, bool, Literal["yes", "no"]] = ...,
        weight_bits: Union[None, Literal["auto", "16", "32", 16, 32]] = ...,
        patience: Union[None, float] = ...,
        full_rows: Union[None, float, Literal["auto"]] = ...,
    ) -> None: ...

class LasoBst(Learner):
    """The same for best-first beam search (LaSO-BST)."""
    def __init__(
        self,
        *,
        passes: Union[None, float] = ...,
        rate: Union[None, float] = ...,
        beam: Union[None, float] = ...,
        decoder: Union[None, Literal["auto", "breadth-first", "best-first"]] = ...,
        history: Union[None, float] = ...,
        lead: Union[None, float] = ...,
        direction: Union[None, Literal["left-to-right", "right-to-left"]] = ...,
        unit: Union[None, Literal["auto", "word", "chunk", "sentence"]] = ...,
        limit: Union[None, float] = ...,
        max_length: Union[None, float, Literal["auto"]] = ...,
        meta: Union[None, str, Sequence[str]] = ...,
        stemmer: Union[None, str, Sequence[str]] = ...,
        lists: Union[None, str, Sequence[str]] = ...,
        average: Union[None, bool, Literal["yes", "no"]] = ...,
        system: Union[None, Literal["projective", "swap"]] = ...,
        cutoff: Union[None, float] = ...,
        degree: Union[None, float] = ...,
        names: Union[None, bool, Literal["yes", "no"]] = ...,
        weight_bits: Union[None, Literal["auto", "16", "32", 16, 32]] = ...,
        patience: Union[None, float] = ...,
        full_rows: Union[None, float, Literal["auto"]] = ...,
    ) -> None: ...

class Laso(Learner):
    """Learning as search optimisation as first proposed (Daume and Marcu)."""
    def __init__(
        self,
        *,
        passes: Union[None, float] = ...,
        rate: Union[None, float] = ...,
        beam: Union[None, float] = ...,
        decoder: Union[None, Literal["auto", "breadth-first", "best-first"]] = ...,
        history: Union[None, float] = ...,
        lead: Union[None, float] = ...,
        direction: Union[None, Literal["left-to-right", "right-to-left"]] = ...,
        unit: Union[None, Literal["auto", "word", "chunk", "sentence"]] = ...,
        limit: Union[None, float] = ...,
        max_length: Union[None, float, Literal["auto"]] = ...,
        meta: Union[None, str, Sequence[str]] = ...,
        stemmer: Union[None, str, Sequence[str]] = ...,
        lists: Union[None, str, Sequence[str]] = ...,
        average: Union[None, bool, Literal["yes", "no"]] = ...,
        system: Union[None, Literal["projective", "swap"]] = ...,
        cutoff: Union[None, float] = ...,
        degree: Union[None, float] = ...,
        names: Union[None, bool, Literal["yes", "no"]] = ...,
        weight_bits: Union[None, Literal["auto", "16", "32", 16, 32]] = ...,
        patience: Union[None, float] = ...,
        full_rows: Union[None, float, Literal["auto"]] = ...,
    ) -> None: ...

class Incremental(Learner):
    """Incremental perceptron: beam search with early or max-violation updates."""
    def __init__(
        self,
        *,
        passes: Union[None, float] = ...,
        rate: Union[None, float] = ...,
        update: Union[None, Literal["early", "max-violation"]] = ...,
        beam: Union[None, float] = ...,
        decoder: Union[None, Literal["auto", "breadth-first", "best-first"]] = ...,
        history: Union[None, float] = ...,
        lead: Union[None, float] = ...,
        direction: Union[None, Literal["left-to-right", "right-to-left"]] = ...,
        unit: Union[None, Literal["auto", "word", "chunk", "sentence"]] = ...,
        limit: Union[None, float] = ...,
        max_length: Union[None, float, Literal["auto"]] = ...,
        meta: Union[None, str, Sequence[str]] = ...,
        stemmer: Union[None, str, Sequence[str]] = ...,
        lists: Union[None, str, Sequence[str]] = ...,
        average: Union[None, bool, Literal["yes", "no"]] = ...,
        system: Union[None, Literal["projective", "swap"]] = ...,
        cutoff: Union[None, float] = ...,
        degree: Union[None, float] = ...,
        names: Union[None, bool, Literal["yes", "no"]] = ...,
        weight_bits: Union[None, Literal["auto", "16", "32", 16, 32]] = ...,
        patience: Union[None, float] = ...,
        full_rows: Union[None, float, Literal["auto"]] = ...,
    ) -> None: ...

class Committee(Learner):
    """Several learners, whose probabilities are averaged; on data held out it learns whom to trust."""
    def __init__(
        self,
        *,
        members: Union[None, str, Sequence[str]] = ...,
        size: Union[None, Literal["small", "full"]] = ...,
        folds: Union[None, float] = ...,
        time_budget: Union[None, float] = ...,
        names: Union[None, bool, Literal["yes", "no"]] = ...,
    ) -> None: ...

class Brackets(Learner):
    """One averaged perceptron for where phrases begin, one for where they end, and the best phrases that do not overlap; for task brackets."""
    def __init__(
        self,
        *,
        passes: Union[None, float] = ...,
        training: Union[None, Literal["global", "local"]] = ...,
        longest: Union[None, float] = ...,
        cutoff: Union[None, float] = ...,
        degree: Union[None, float] = ...,
        names: Union[None, bool, Literal["yes", "no"]] = ...,
        weight_bits: Union[None, Literal["auto", "16", "32", 16, 32]] = ...,
        patience: Union[None, float] = ...,
    ) -> None: ...

__all__ = ["Learner", "Parameter", "LEARNERS", "learner_of", "Crf", "Perceptron", "Svm", "Memm", "Local", "Cascade", "Searn", "LasoBr", "LasoBst", "Laso", "Incremental", "Committee", "Brackets"]

LEARNERS: Dict[str, Type[Learner]]

def class_name(learner: str) -> str: ...
def learner_of(
    given: Union[None, str, Learner], settings: Optional[Dict[str, Any]] = ...
) -> Learner: ...
