"""The parameters of CRFsuite's training algorithms, and what they mean for Espalier's learners."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

from ... import LEARNERS, Learner

__all__ = ["ALGORITHMS", "Parameter", "algorithm_name", "learner_for"]


class Parameter(NamedTuple):
    """A parameter of an algorithm."""

    kind: Callable[[str], Any]
    default: str
    help: str
    effect: bool = True  #: False: Espalier has nothing like it


def _truth(text: str) -> bool:
    return bool(int(text))


_COMMON = {
    "feature.minfreq": Parameter(float, "0.000000", "Drop attributes that are seen fewer times than this."),
    "feature.possible_states": Parameter(_truth, "0", "Give every attribute a weight for every label."),
    "feature.possible_transitions": Parameter(_truth, "0", "Give every pair of labels a weight (always on here).", False),
}


def _stop(delta: str) -> Dict[str, Parameter]:
    return {"period": Parameter(int, "10", "Iterations after which the improvement is tested.", False),
            "delta": Parameter(float, delta, "Stop when the improvement over a period is smaller.", False)}


def _online(passes: str, epsilon: str) -> Dict[str, Parameter]:
    return {"max_iterations": Parameter(int, passes, "Passes over the data, at most."),
            "epsilon": Parameter(float, epsilon, "Stop when the share of wrong labels is smaller.", False)}


#: By long name: the parameters of each algorithm.
ALGORITHMS: Dict[str, Dict[str, Parameter]] = {
    "lbfgs": {
        **_COMMON,
        "c1": Parameter(float, "0.000000", "Coefficient of the L1 penalty."),
        "c2": Parameter(float, "1.000000", "Coefficient of the L2 penalty."),
        "max_iterations": Parameter(int, "2147483647", "Iterations, at most."),
        "num_memories": Parameter(int, "6", "Pairs of vectors that approximate the Hessian.", False),
        "epsilon": Parameter(float, "0.000010", "Stop when the gradient is this small compared with the weights."),
        **_stop("0.000010"),
        "linesearch": Parameter(str, "MoreThuente", "How the length of a step is found.", False),
        "max_linesearch": Parameter(int, "20", "Trials of a line search, at most.", False),
    },
    "l2sgd": {
        **_COMMON,
        "c2": Parameter(float, "1.000000", "Coefficient of the L2 penalty."),
        "max_iterations": Parameter(int, "1000", "Passes over the data, at most."),
        **_stop("0.000001"),
        "calibration.eta": Parameter(float, "0.100000", "First step size that calibration tries.", False),
        "calibration.rate": Parameter(float, "2.000000", "Factor between step sizes that calibration tries.", False),
        "calibration.samples": Parameter(float, "1000", "Sequences that calibration looks at.", False),
        "calibration.candidates": Parameter(int, "10", "Good step sizes that calibration wants.", False),
        "calibration.max_trials": Parameter(int, "20", "Step sizes that calibration tries, at most.", False),
    },
    "averaged-perceptron": {**_COMMON, **_online("100", "0.000000")},
    "passive-aggressive": {
        **_COMMON,
        "type": Parameter(int, "1", "Variant: 0 without slack, 1 and 2 as in the paper.", False),
        "c": Parameter(float, "1.000000", "Aggressiveness: the weight of errors."),
        "error_sensitive": Parameter(_truth, "1", "Larger margins for more wrong labels.", False),
        "averaging": Parameter(_truth, "1", "Use averaged weights."),
        **_online("100", "0.000000"),
    },
    "arow": {
        **_COMMON,
        "variance": Parameter(float, "1.000000", "First variance of every weight.", False),
        "gamma": Parameter(float, "1.000000", "Trade-off between loss and change of weights.", False),
        **_online("100", "0.000000"),
    },
}
_SHORT = {"ap": "averaged-perceptron", "pa": "passive-aggressive"}
_NEAREST = {"l2sgd": "a CRF trained with AdaGrad", "passive-aggressive": "a structured support vector machine",
            "arow": "a structured support vector machine"}
#: Passes that are enough for learners that converge sooner than CRFsuite's algorithms.
_MOST_PASSES = 50


def algorithm_name(name: str) -> str:
    """The long name."""
    return _SHORT.get(name.lower(), name.lower())


def learner_for(algorithm: str, values: Dict[str, str]) -> Learner:
    """The learner that stands for an algorithm with these values. Warns about what it cannot do."""
    table = ALGORITHMS[algorithm]
    get = {name: p.kind(values[name]) for name, p in table.items()}
    idle: List[str] = [name for name, p in table.items() if not p.effect and values[name] != p.default]
    if idle:
        warnings.warn(f"{algorithm}: {', '.join(idle)} has no effect here", stacklevel=4)
    if algorithm in _NEAREST:
        warnings.warn(f"{algorithm} is trained as {_NEAREST[algorithm]}, the nearest learner", stacklevel=4)
    settings: Dict[str, Any] = {"cutoff": max(1, round(get["feature.minfreq"])), "weight_bits": 32}
    name, more = _settings(algorithm, get)
    if "full_rows" in LEARNERS[name].parameters:
        settings["full_rows"] = 1 if get["feature.possible_states"] else 0
    return LEARNERS[name](**settings, **more)


def _settings(algorithm: str, get: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
    if algorithm == "lbfgs":
        more: Dict[str, Any] = {"algorithm": "lbfgs", "l2": get["c2"], "l1": get["c1"], "epsilon": get["epsilon"]}
        if get["max_iterations"] < 2 ** 31 - 1:
            more["iterations"] = max(1, get["max_iterations"])
        return "crf", more
    passes = max(1, min(get["max_iterations"], _MOST_PASSES))
    if algorithm == "l2sgd":
        return "crf", {"l2": get["c2"], "passes": passes}
    if algorithm == "averaged-perceptron":
        return "perceptron", {"passes": passes}
    if algorithm == "passive-aggressive":
        return "svm", {"c": max(get["c"], 1e-6), "average": get["averaging"], "passes": passes}
    return "svm", {"c": 1.0, "passes": passes}
