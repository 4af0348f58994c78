"""Trainers."""

from __future__ import annotations

import operator
import os
import time
from typing import Any, Dict, List, Optional

from ... import Corpus, _native
from ..._train import train
from ._logparser import TrainLogParser
from ._messages import CRFSuiteError, Log, describe_features, say_empty, say_scores, store
from ._parameters import ALGORITHMS, algorithm_name, learner_for
from ._tagger import check_label, native_items

__all__ = ["BaseTrainer", "CRFSuiteError", "Trainer"]


class BaseTrainer:
    """Collects sequences and trains a model on them.

    Args:
        algorithm: lbfgs, l2sgd, ap, pa or arow, or a long name (averaged-perceptron, passive-aggressive).
        params: parameters of the algorithm by name.
        verbose: print messages of the training.

    >>> trainer = pycrfsuite.BaseTrainer(algorithm="lbfgs", params={"c2": 0.1}, verbose=False)
    >>> trainer.append([["word:Anna"], ["word:slept"]], ["PER", "O"])
    >>> trainer.train("names.model")
    """

    verbose = True

    def __new__(cls, *args: Any, **kwargs: Any) -> "BaseTrainer":
        # Here rather than in __init__, which subclasses may leave out.
        self = super().__new__(cls)
        self._groups = {}
        self._select("lbfgs")
        return self

    _groups: Dict[int, Corpus]

    def __init__(self, algorithm: Optional[str] = None, params: Optional[Dict[str, Any]] = None,
                 verbose: bool = True) -> None:
        if algorithm is not None:
            self.select(algorithm)
        if params is not None:
            self.set_params(params)
        self.verbose = verbose

    def _select(self, algorithm: str) -> None:
        self._algorithm = algorithm
        self._values = {name: p.default for name, p in ALGORITHMS[algorithm].items()}

    def select(self, algorithm: str, type: str = "crf1d") -> None:
        """Chooses the algorithm. Its parameters take their defaults.

        >>> trainer.select("ap")
        >>> trainer.get("max_iterations")
        100
        """
        name = algorithm_name(algorithm)
        if name not in ALGORITHMS or type != "crf1d":
            raise ValueError(f"Bad arguments: algorithm={name!r}, type={type!r}")
        self._select(name)

    def message(self, message: str) -> None:
        """Gets each message of the training. Override it to do something else than print.

        >>> class Shouting(pycrfsuite.BaseTrainer):
        ...     def message(self, message): print(message.upper(), end="")
        >>> Shouting().message("Feature generation\\n")
        FEATURE GENERATION
        """
        if self.verbose:
            print(message, end="")

    def append(self, xseq: Any, yseq: Any, group: int = 0) -> None:
        """Adds a sequence of items and its labels. A group can be held out in train().

        >>> trainer.append([{"word": "It"}, {"word": "rained"}], ["O", "O"], group=1)
        """
        items, labels = native_items(xseq), list(yseq)
        if len(items) != len(labels):
            raise ValueError(f"The numbers of items and labels differ: |x| = {len(items)}, |y| = {len(labels)}")
        for label in labels:
            check_label(label)
        corpus = self._groups.setdefault(operator.index(group), Corpus())
        if items:
            corpus._native.add(items, labels, 1.0, _native.Form.ATTRIBUTES)

    def clear(self) -> None:
        """Forgets all sequences.

        >>> trainer.clear()
        >>> trainer.append([{"word": "It"}], ["O"])
        """
        self._groups = {}

    def params(self) -> List[str]:
        """The names of the algorithm's parameters.

        >>> "c2" in trainer.params()
        True
        """
        return list(self._values)

    def _checked(self, name: str, shown: str) -> str:
        if name not in self._values:
            raise ValueError(f"Parameter not found: {shown}")
        return name

    def set_params(self, params: Dict[str, Any]) -> None:
        """Sets several parameters.

        >>> trainer.set_params({"c1": 0.5, "feature.minfreq": 2})
        >>> trainer.get("c1")
        0.5
        """
        for name, value in params.items():
            self.set(name, value)

    def get_params(self) -> Dict[str, Any]:
        """All parameters with their values.

        >>> trainer.get_params()["c2"]
        1.0
        """
        return {name: self.get(name) for name in self.params()}

    def set(self, name: str, value: Any) -> None:
        """Sets one parameter.

        >>> trainer.set("max_iterations", 50)
        >>> trainer.get("max_iterations")
        50
        """
        text = str(int(value) if isinstance(value, bool) else value)
        self._values[self._checked(name, f"{name} = {text}")] = text

    def get(self, name: str) -> Any:
        """The value of a parameter.

        >>> trainer.get("feature.possible_states")
        False
        """
        return ALGORITHMS[self._algorithm][self._checked(name, f"{name} = ")].kind(self._values[name])

    def help(self, name: str) -> str:
        """What a parameter means.

        >>> trainer.help("c2")
        'Coefficient of the L2 penalty.'
        """
        return ALGORITHMS[self._algorithm][self._checked(name, name)].help

    def _before_train(self) -> None:
        """Called before the first message."""

    def train(self, model: str, holdout: int = -1) -> None:
        """Trains on all sequences but those of the group `holdout`, which are scored, and writes the model file.

        >>> trainer.append([{"word": "Anna"}, {"word": "sang"}], ["PER", "O"], group=1)
        >>> trainer.train("names.model", holdout=1)
        >>> trainer.logparser.last_iteration["item_accuracy_float"]
        1.0
        """
        model = os.fspath(model)
        self._before_train()
        chosen = [group for group in self._groups if group != holdout]
        corpora = [self._groups[group] for group in sorted(chosen)]
        data = corpora[0] if len(corpora) == 1 else _joined(corpora)
        say = self.message
        if holdout >= 0:
            say(f"Holdout group: {holdout + 1}\n")
            say("\n")
        describe_features(say, self._values)
        if len(data) == 0:
            say_empty(say)
            return
        learner = learner_for(self._algorithm, self._values)
        started = time.perf_counter()
        log = Log(say, self._algorithm, self._values)
        tagger = train(data, learner=learner, progress=log)
        assert tagger.training is not None
        log.finish(tagger.training)
        if holdout >= 0 and len(self._groups.get(holdout, Corpus())):
            say_scores(say, tagger, self._groups[holdout])
        say("\n")
        say(f"Total seconds required for training: {time.perf_counter() - started:.3f}\n")
        say("\n")
        store(say, tagger, model)


def _joined(corpora: List[Corpus]) -> Corpus:
    whole = Corpus()
    for corpus in corpora:
        for i in range(len(corpus)):
            items, labels, weight = corpus._native.sequence(i)
            whole._native.add(items, labels, weight, _native.Form.ATTRIBUTES)
    return whole


class Trainer(BaseTrainer):
    """A trainer that understands its messages: override on_iteration and the others to show them differently.

    >>> class Short(pycrfsuite.Trainer):
    ...     def on_featgen_progress(self, log, percent): pass
    ...     def on_iteration(self, log, info): print("iteration", info["num"])
    >>> Short().on_iteration("***** Iteration #1 *****\\n", {"num": 1})
    iteration 1
    """

    logparser: Optional[TrainLogParser] = None

    def _before_train(self) -> None:
        self.logparser = TrainLogParser()

    def message(self, message: str) -> None:
        """Calls the method of the event that the message completes.

        >>> trainer.verbose = True
        >>> trainer.logparser = pycrfsuite._logparser.TrainLogParser()
        >>> trainer.message("Feature generation\\n")  # the first message: calls on_start
        Feature generation
        """
        parser: Any = self.logparser  # None before train(): an AttributeError, as there
        event = parser.feed(message)
        if event is None or not self.verbose:
            return
        log = parser.last_log
        if event == "featgen_progress":
            self.on_featgen_progress(log, parser.featgen_percent)
        elif event == "iteration":
            self.on_iteration(log, parser.last_iteration or {})
        else:
            getattr(self, f"on_{event}")(log)

    def on_start(self, log: str) -> None:
        """The first message.

        >>> trainer.on_start("Feature generation\\n")
        Feature generation
        """
        print(log, end="")

    def on_featgen_progress(self, log: str, percent: int) -> None:
        """Features are being made.

        >>> trainer.on_featgen_progress("..1", 10)
        ..1
        """
        print(log, end="")

    def on_featgen_end(self, log: str) -> None:
        """Features are made.

        >>> trainer.on_featgen_end("Seconds required: 0.002\\n")
        Seconds required: 0.002
        """
        print(log, end="")

    def on_prepared(self, log: str) -> None:
        """Training begins.

        >>> trainer.on_prepared("lbfgs optimization\\n")
        lbfgs optimization
        """
        print(log, end="")

    def on_prepare_error(self, log: str) -> None:
        """Training cannot begin.

        >>> trainer.on_prepare_error("L-BFGS terminated with error code (-1020)\\n")
        L-BFGS terminated with error code (-1020)
        """
        print(log, end="")

    def on_iteration(self, log: str, info: Dict[str, Any]) -> None:
        """An iteration has ended; `info` is what is known about it.

        >>> trainer.on_iteration("***** Iteration #1 *****\\n", {"num": 1})
        ***** Iteration #1 *****
        """
        print(log, end="")

    def on_optimization_end(self, log: str) -> None:
        """Training has ended.

        >>> trainer.on_optimization_end("Total seconds required for training: 0.010\\n")
        Total seconds required for training: 0.010
        """
        print(log, end="")

    def on_end(self, log: str) -> None:
        """The model is stored.

        >>> trainer.on_end("Storing the model\\n")
        Storing the model
        """
        print(log, end="")
