"""CRF: fit and predict over lists of sequences of feature dictionaries."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, List, Optional, Tuple

from .. import pycrfsuite
from .metrics import flat_accuracy_score
from .trainer import LinePerIterationTrainer

try:
    from sklearn.base import BaseEstimator
except ImportError:
    BaseEstimator = object  # type: ignore[assignment,misc]

__all__ = ["CRF"]

#: Arguments of the constructor and the parameters of the trainer that they set.
_PARAMETERS = {
    "min_freq": "feature.minfreq", "all_possible_states": "feature.possible_states",
    "all_possible_transitions": "feature.possible_transitions", "c1": "c1", "c2": "c2",
    "max_iterations": "max_iterations", "num_memories": "num_memories", "epsilon": "epsilon", "period": "period",
    "delta": "delta", "linesearch": "linesearch", "max_linesearch": "max_linesearch",
    "calibration_eta": "calibration.eta", "calibration_rate": "calibration.rate",
    "calibration_samples": "calibration.samples", "calibration_candidates": "calibration.candidates",
    "calibration_max_trials": "calibration.max_trials", "pa_type": "type", "c": "c",
    "error_sensitive": "error_sensitive", "averaging": "averaging", "variance": "variance", "gamma": "gamma",
}


class CRF(BaseEstimator):
    """A CRF, or what another algorithm trains, with scikit-learn's interface. Can be pickled.

    Args:
        algorithm: lbfgs (the default), l2sgd, ap, pa or arow.
        min_freq, …, gamma: parameters of the algorithm; see ``espalier.compat.pycrfsuite.Trainer.help``.
        verbose: print what training does.
        model_filename: where the model file is; by default the model is kept in memory.
        keep_tempfiles: has no effect, as there are no temporary files.
        trainer_cls: the class of the trainer.

    Fitted attributes: tagger_, classes_, size_, num_attributes_, attributes_, state_features_, transition_features_ and
    training_log_. All are None before fit().

    >>> from sklearn.base import clone
    >>> crf = sklearn_crfsuite.CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=50)
    >>> clone(crf).fit(X, y).score(X, y)
    1.0
    """

    def __init__(self, algorithm: Optional[str] = None, min_freq: Optional[float] = None,
                 all_possible_states: Optional[bool] = None, all_possible_transitions: Optional[bool] = None,
                 c1: Optional[float] = None, c2: Optional[float] = None, max_iterations: Optional[int] = None,
                 num_memories: Optional[int] = None, epsilon: Optional[float] = None, period: Optional[int] = None,
                 delta: Optional[float] = None, linesearch: Optional[str] = None, max_linesearch: Optional[int] = None,
                 calibration_eta: Optional[float] = None, calibration_rate: Optional[float] = None,
                 calibration_samples: Optional[int] = None, calibration_candidates: Optional[int] = None,
                 calibration_max_trials: Optional[int] = None, pa_type: Optional[int] = None, c: Optional[float] = None,
                 error_sensitive: Optional[bool] = None, averaging: Optional[bool] = None,
                 variance: Optional[float] = None, gamma: Optional[float] = None, verbose: bool = False,
                 model_filename: Optional[str] = None, keep_tempfiles: bool = False, trainer_cls: Any = None) -> None:
        given = dict(locals())
        for name in ("algorithm", "verbose", "model_filename", "keep_tempfiles", "trainer_cls", *_PARAMETERS):
            setattr(self, name, given[name])
        self.training_log_: Any = None
        self._bytes: Optional[bytes] = None
        self._tagger: Optional[pycrfsuite.Tagger] = None
        self._info_cached: Any = None

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_tagger": None, "_info_cached": None}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _trainer(self) -> pycrfsuite.Trainer:
        params = {target: getattr(self, name) for name, target in _PARAMETERS.items()
                  if getattr(self, name) is not None}
        return (self.trainer_cls or LinePerIterationTrainer)(algorithm=self.algorithm, params=params,
                                                             verbose=self.verbose)

    def fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> "CRF":
        """Trains. Development data is scored; it does not change the model.

        >>> crf = sklearn_crfsuite.CRF(c2=0.1).fit(X, y, X_dev=X[:1], y_dev=y[:1])
        >>> crf.training_log_.last_iteration["item_accuracy_float"]
        1.0
        """
        if (X_dev is None) != (y_dev is None):
            raise ValueError("Pass both X_dev and y_dev to use the holdout data")
        self._tagger = self._info_cached = self._bytes = None
        trainer = self._trainer()
        for items, labels in zip(X, y):
            trainer.append(items, labels)
        if X_dev is not None:
            for items, labels in zip(X_dev, y_dev):
                trainer.append(items, labels, 1)
        holdout = -1 if X_dev is None else 1
        if self.model_filename is not None:
            trainer.train(self.model_filename, holdout)
        else:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "crf.model")
                trainer.train(path, holdout)
                if os.path.exists(path):
                    with open(path, "rb") as file:
                        self._bytes = file.read()
        self.training_log_ = trainer.logparser
        return self

    def predict(self, X: Any) -> List[List[str]]:
        """The labels of each sequence.

        >>> crf.predict([[{"w": "b"}, {"w": "a"}], [{"w": "b"}]])
        [['B', 'A'], ['B']]
        """
        tagger = self._fitted()
        return tagger._opened()._native.label_batch(
            [pycrfsuite._tagger.native_items(x) for x in X], pycrfsuite._tagger._native.Form.ATTRIBUTES, {})

    def predict_single(self, xseq: Any) -> List[str]:
        """The labels of one sequence.

        >>> crf.predict_single([{"w": "b"}])
        ['B']
        """
        return self._fitted().tag(xseq)

    def predict_marginals(self, X: Any) -> List[List[Dict[str, float]]]:
        """The probability of each label at each token, as dictionaries.

        >>> sorted(crf.predict_marginals([[{"w": "b"}]])[0][0])
        ['A', 'B']
        """
        return [self.predict_marginals_single(x) for x in X]

    def predict_marginals_single(self, xseq: Any) -> List[Dict[str, float]]:
        """The same for one sequence.

        >>> marginals = crf.predict_marginals_single([{"w": "b"}])[0]
        >>> marginals["B"] > marginals["A"]
        True
        """
        tagger = self._fitted()
        tagger.set(xseq)
        labels = tagger.labels()
        return [{label: tagger.marginal(label, i) for label in labels} for i in range(len(tagger._items))]

    def score(self, X: Any, y: Any) -> float:
        """The share of tokens whose label is right.

        >>> crf.score([[{"w": "b"}]], [["B"]])
        1.0
        """
        return flat_accuracy_score(y, self.predict(X))

    def _fitted(self) -> pycrfsuite.Tagger:
        tagger = self.tagger_
        if tagger is None:
            raise AttributeError("this CRF is not fitted; call fit first")
        return tagger

    @property
    def tagger_(self) -> Optional[pycrfsuite.Tagger]:
        """The open model.

        >>> crf.tagger_.tag([{"w": "b"}])
        ['B']
        """
        if self._tagger is None:
            tagger = pycrfsuite.Tagger()
            if self._bytes is not None:
                tagger.open_inmemory(self._bytes)
            elif self.model_filename is not None:
                tagger.open(self.model_filename)
            else:
                return None
            self._tagger = tagger
        return self._tagger

    @property
    def _info(self) -> Any:
        if self._info_cached is None and self.tagger_ is not None:
            self._info_cached = self.tagger_.info()
        return self._info_cached

    @property
    def classes_(self) -> Optional[List[str]]:
        """The labels.

        >>> crf.classes_
        ['A', 'B']
        """
        return None if self.tagger_ is None else self.tagger_.labels()

    @property
    def size_(self) -> Optional[int]:
        """The size of the model in bytes.

        >>> crf.size_ > 0
        True
        """
        return None if self._info is None else int(self._info.header["size"])

    @property
    def num_attributes_(self) -> Optional[int]:
        """The number of attributes with weights.

        >>> crf.num_attributes_
        2
        """
        return None if self._info is None else int(self._info.header["num_attrs"])

    @property
    def attributes_(self) -> Optional[List[str]]:
        """Their names.

        >>> sorted(crf.attributes_)
        ['w:a', 'w:b']
        """
        return None if self._info is None else sorted(self._info.attributes, key=lambda n: int(self._info.attributes[n]))

    @property
    def state_features_(self) -> Optional[Dict[Tuple[str, str], float]]:
        """Weights by (attribute, label).

        >>> crf.state_features_[("w:a", "A")] > 0
        True
        """
        return None if self._info is None else self._info.state_features

    @property
    def transition_features_(self) -> Optional[Dict[Tuple[str, str], float]]:
        """Weights by (from label, to label).

        >>> crf.transition_features_[("A", "B")] > crf.transition_features_[("B", "A")]
        True
        """
        return None if self._info is None else self._info.transitions
