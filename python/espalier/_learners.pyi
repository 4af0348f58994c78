"""Made by python/stubs.py; do not edit."""

from typing import Any, ClassVar, Dict, List, NamedTuple, Optional, Tuple, Type, Union

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
        l2: Union[None, int, float, str] = ...,
        l1: Union[None, int, float, str] = ...,
        algorithm: Any = ...,
        passes: Union[None, int, float, str] = ...,
        batch: Union[None, int, float, str] = ...,
        rate: Union[None, int, float, str] = ...,
        dropout: Union[None, int, float, str] = ...,
        average_from: Union[None, int, float, str] = ...,
        mixing: Any = ...,
        iterations: Union[None, int, float, str] = ...,
        epsilon: Union[None, int, float, str] = ...,
        cutoff: Union[None, int, float, str] = ...,
        degree: Union[None, int, float, str] = ...,
        names: Union[None, bool, str] = ...,
        weight_bits: Any = ...,
        patience: Union[None, int, float, str] = ...,
        full_rows: Union[None, int, float, str] = ...,
        label_weights: Any = ...,
        scheme: Any = ...,
    ) -> None: ...

class Perceptron(Learner):
    """Averaged structured perceptron: fast, no penalty to tune."""
    def __init__(
        self,
        *,
        passes: Union[None, int, float, str] = ...,
        batch: Union[None, int, float, str] = ...,
        average: Union[None, bool, str] = ...,
        calibrate: Union[None, bool, str] = ...,
        mixing: Any = ...,
        cutoff: Union[None, int, float, str] = ...,
        degree: Union[None, int, float, str] = ...,
        names: Union[None, bool, str] = ...,
        weight_bits: Any = ...,
        patience: Union[None, int, float, str] = ...,
        full_rows: Union[None, int, float, str] = ...,
        label_weights: Any = ...,
        scheme: Any = ...,
    ) -> None: ...

class Svm(Learner):
    """Structured support vector machine: margin-rescaled Hamming loss, block-coordinate Frank-Wolfe."""
    def __init__(
        self,
        *,
        c: Union[None, int, float, str] = ...,
        passes: Union[None, int, float, str] = ...,
        gap: Union[None, int, float, str] = ...,
        average: Union[None, bool, str] = ...,
        calibrate: Union[None, bool, str] = ...,
        cutoff: Union[None, int, float, str] = ...,
        degree: Union[None, int, float, str] = ...,
        names: Union[None, bool, str] = ...,
        weight_bits: Any = ...,
        patience: Union[None, int, float, str] = ...,
        full_rows: Union[None, int, float, str] = ...,
        label_weights: Any = ...,
        scheme: Any = ...,
    ) -> None: ...

class Memm(Learner):
    """Maximum-entropy Markov model: each label given the one before."""
    def __init__(
        self,
        *,
        l2: Union[None, int, float, str] = ...,
        l1: Union[None, int, float, str] = ...,
        algorithm: Any = ...,
        passes: Union[None, int, float, str] = ...,
        batch: Union[None, int, float, str] = ...,
        rate: Union[None, int, float, str] = ...,
        dropout: Union[None, int, float, str] = ...,
        average_from: Union[None, int, float, str] = ...,
        mixing: Any = ...,
        iterations: Union[None, int, float, str] = ...,
        epsilon: Union[None, int, float, str] = ...,
        cutoff: Union[None, int, float, str] = ...,
        degree: Union[None, int, float, str] = ...,
        names: Union[None, bool, str] = ...,
        weight_bits: Any = ...,
        patience: Union[None, int, float, str] = ...,
        full_rows: Union[None, int, float, str] = ...,
        label_weights: Any = ...,
        scheme: Any = ...,
    ) -> None: ...

class Local(Learner):
    """One classifier for each token, which does not see the labels of its neighbours."""
    def __init__(
        self,
        *,
        classifier: Any = ...,
        l2: Union[None, int, float, str] = ...,
        l1: Union[None, int, float, str] = ...,
        algorithm: Any = ...,
        passes: Union[None, int, float, str] = ...,
        batch: Union[None, int, float, str] = ...,
        rate: Union[None, int, float, str] = ...,
        dropout: Union[None, int, float, str] = ...,
        average_from: Union[None, int, float, str] = ...,
        mixing: Any = ...,
        iterations: Union[None, int, float, str] = ...,
        epsilon: Union[None, int, float, str] = ...,
        c: Union[None, int, float, str] = ...,
        most_tokens: Union[None, int, float, str] = ...,
        average: Union[None, bool, str] = ...,
        calibrate: Union[None, bool, str] = ...,
        cutoff: Union[None, int, float, str] = ...,
        degree: Union[None, int, float, str] = ...,
        names: Union[None, bool, str] = ...,
        weight_bits: Any = ...,
        patience: Union[None, int, float, str] = ...,
        full_rows: Union[None, int, float, str] = ...,
        label_weights: Any = ...,
        scheme: Any = ...,
    ) -> None: ...

class Cascade(Learner):
    """Label n-grams up to order 5 at the cost of a greedy tagger: levels of growing order, each on what the one before leaves alive."""
    def __init__(
        self,
        *,
        order: Union[None, int, float, str] = ...,
        levels: Any = ...,
        last: Any = ...,
        filter: Any = ...,
        filter_loss: Any = ...,
        loss_in_use: Union[None, int, float, str] = ...,
        budget: Union[None, int, float, str] = ...,
        loss_unit: Any = ...,
        filter_unit: Any = ...,
        warm_up: Union[None, int, float, str] = ...,
        train_alphas: Any = ...,
        filter_passes: Union[None, int, float, str] = ...,
        filter_steps: Any = ...,
        filter_rate: Union[None, int, float, str] = ...,
        filter_lambda: Union[None, int, float, str] = ...,
        threshold_prior_length: Union[None, int, float, str] = ...,
        folds: Union[None, int, float, str] = ...,
        quantiles: Union[None, bool, str] = ...,
        word_feature: Any = ...,
        edge_order: Union[None, int, float, str] = ...,
        passes: Union[None, int, float, str] = ...,
        batch: Union[None, int, float, str] = ...,
        rate: Union[None, int, float, str] = ...,
        dropout: Union[None, int, float, str] = ...,
        l2: Union[None, int, float, str] = ...,
        average_from: Union[None, int, float, str] = ...,
        calibrate: Union[None, bool, str] = ...,
        cutoff: Union[None, int, float, str] = ...,
        degree: Union[None, int, float, str] = ...,
        names: Union[None, bool, str] = ...,
        weight_bits: Any = ...,
        patience: Union[None, int, float, str] = ...,
        full_rows: Union[None, int, float, str] = ...,
        label_weights: Any = ...,
        scheme: Any = ...,
    ) -> None: ...

class Searn(Learner):
    """SEARN: learns the decisions of a search, for any loss and any history."""
    def __init__(
        self,
        *,
        classifier: Any = ...,
        reduction: Any = ...,
        iterations: Union[None, int, float, str] = ...,
        beta: Union[None, int, float, str] = ...,
        interpolation: Any = ...,
        costs: Any = ...,
        samples: Union[None, int, float, str] = ...,
        oracle_roll_outs: Union[None, int, float, str] = ...,
        oracle: Any = ...,
        oracle_beam: Union[None, int, float, str] = ...,
        roll_in: Any = ...,
        folds: Union[None, int, float, str] = ...,
        policy: Any = ...,
        passes: Union[None, int, float, str] = ...,
        rate: Union[None, int, float, str] = ...,
        l2: Union[None, int, float, str] = ...,
        costing_samples: Union[None, int, float, str] = ...,
        c: Union[None, int, float, str] = ...,
        beam: Union[None, int, float, str] = ...,
        decoder: Any = ...,
        history: Union[None, int, float, str] = ...,
        lead: Union[None, int, float, str] = ...,
        direction: Any = ...,
        loss: Any = ...,
        unit: Any = ...,
        limit: Union[None, int, float, str] = ...,
        max_length: Union[None, int, float, str] = ...,
        meta: Any = ...,
        stemmer: Any = ...,
        lists: Any = ...,
        average: Union[None, bool, str] = ...,
        system: Any = ...,
        cutoff: Union[None, int, float, str] = ...,
        degree: Union[None, int, float, str] = ...,
        names: Union[None, bool, str] = ...,
        weight_bits: Any = ...,
        patience: Union[None, int, float, str] = ...,
        full_rows: Union[None, int, float, str] = ...,
    ) -> None: ...

class LasoBr(Learner):
    """Learns to keep the target in a breadth-first beam (Xu and Fern's LaSO-BR)."""
    def __init__(
        self,
        *,
        passes: Union[None, int, float, str] = ...,
        rate: Union[None, int, float, str] = ...,
        beam: Union[None, int, float, str] = ...,
        decoder: Any = ...,
        history: Union[None, int, float, str] = ...,
        lead: Union[None, int, float, str] = ...,
        direction: Any = ...,
        unit: Any = ...,
        limit: Union[None, int, float, str] = ...,
        max_length: Union[None, int, float, str] = ...,
        meta: Any = ...,
        stemmer: Any = ...,
        lists: Any = ...,
        average: Union[None, bool, str] = ...,
        system: Any = ...,
        cutoff: Union[None, int, float, str] = ...,
        degree: Union[None, int, float, str] = ...,
        names: Union[None, bool, str] = ...,
        weight_bits: Any = ...,
        patience: Union[None, int, float, str] = ...,
        full_rows: Union[None, int, float, str] = ...,
    ) -> None: ...

class LasoBst(Learner):
    """The same for best-first beam search (LaSO-BST)."""
    def __init__(
        self,
        *,
        passes: Union[None, int, float, str] = ...,
        rate: Union[None, int, float, str] = ...,
        beam: Union[None, int, float, str] = ...,
        decoder: Any = ...,
        history: Union[None, int, float, str] = ...,
        lead: Union[None, int, float, str] = ...,
        direction: Any = ...,
        unit: Any = ...,
        limit: Union[None, int, float, str] = ...,
        max_length: Union[None, int, float, str] = ...,
        meta: Any = ...,
        stemmer: Any = ...,
        lists: Any = ...,
        average: Union[None, bool, str] = ...,
        system: Any = ...,
        cutoff: Union[None, int, float, str] = ...,
        degree: Union[None, int, float, str] = ...,
        names: Union[None, bool, str] = ...,
        weight_bits: Any = ...,
        patience: Union[None, int, float, str] = ...,
        full_rows: Union[None, int, float, str] = ...,
    ) -> None: ...

class Laso(Learner):
    """Learning as search optimisation as first proposed (Daume and Marcu)."""
    def __init__(
        self,
        *,
        passes: Union[None, int, float, str] = ...,
        rate: Union[None, int, float, str] = ...,
        beam: Union[None, int, float, str] = ...,
        decoder: Any = ...,
        history: Union[None, int, float, str] = ...,
        lead: Union[None, int, float, str] = ...,
        direction: Any = ...,
        unit: Any = ...,
        limit: Union[None, int, float, str] = ...,
        max_length: Union[None, int, float, str] = ...,
        meta: Any = ...,
        stemmer: Any = ...,
        lists: Any = ...,
        average: Union[None, bool, str] = ...,
        system: Any = ...,
        cutoff: Union[None, int, float, str] = ...,
        degree: Union[None, int, float, str] = ...,
        names: Union[None, bool, str] = ...,
        weight_bits: Any = ...,
        patience: Union[None, int, float, str] = ...,
        full_rows: Union[None, int, float, str] = ...,
    ) -> None: ...

class Incremental(Learner):
    """Incremental perceptron: beam search with early or max-violation updates."""
    def __init__(
        self,
        *,
        passes: Union[None, int, float, str] = ...,
        rate: Union[None, int, float, str] = ...,
        update: Any = ...,
        beam: Union[None, int, float, str] = ...,
        decoder: Any = ...,
        history: Union[None, int, float, str] = ...,
        lead: Union[None, int, float, str] = ...,
        direction: Any = ...,
        unit: Any = ...,
        limit: Union[None, int, float, str] = ...,
        max_length: Union[None, int, float, str] = ...,
        meta: Any = ...,
        stemmer: Any = ...,
        lists: Any = ...,
        average: Union[None, bool, str] = ...,
        system: Any = ...,
        cutoff: Union[None, int, float, str] = ...,
        degree: Union[None, int, float, str] = ...,
        names: Union[None, bool, str] = ...,
        weight_bits: Any = ...,
        patience: Union[None, int, float, str] = ...,
        full_rows: Union[None, int, float, str] = ...,
    ) -> None: ...

class Committee(Learner):
    """Several learners, whose probabilities are averaged; on data held out it learns whom to trust."""
    def __init__(
        self,
        *,
        members: Any = ...,
        size: Any = ...,
        folds: Union[None, int, float, str] = ...,
        time_budget: Union[None, int, float, str] = ...,
        names: Union[None, bool, str] = ...,
    ) -> None: ...

class Brackets(Learner):
    """One averaged perceptron for where phrases begin, one for where they end, and the best phrases that do not overlap; for task brackets."""
    def __init__(
        self,
        *,
        passes: Union[None, int, float, str] = ...,
        training: Any = ...,
        longest: Union[None, int, float, str] = ...,
        cutoff: Union[None, int, float, str] = ...,
        degree: Union[None, int, float, str] = ...,
        names: Union[None, bool, str] = ...,
        weight_bits: Any = ...,
        patience: Union[None, int, float, str] = ...,
    ) -> None: ...

__all__ = ["Learner", "Parameter", "LEARNERS", "learner_of", "Crf", "Perceptron", "Svm", "Memm", "Local", "Cascade", "Searn", "LasoBr", "LasoBst", "Laso", "Incremental", "Committee", "Brackets"]

LEARNERS: Dict[str, Type[Learner]]

def class_name(learner: str) -> str: ...
def learner_of(
    given: Union[None, str, Learner], settings: Optional[Dict[str, Any]] = ...
) -> Learner: ...
