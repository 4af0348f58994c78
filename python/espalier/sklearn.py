"""Espalier for scikit-learn: an estimator over lists of sequences.

>>> from espalier.sklearn import SequenceLabeler
>>> X, y = [["a", "b"], ["b", "a"]] * 10, [["A", "B"], ["B", "A"]] * 10
>>> labeler = SequenceLabeler(learner="crf", l2=0.1).fit(X, y)
>>> list(labeler.predict([["a", "b"]]))
[['A', 'B']]
>>> labeler.score(X, y)
1.0
"""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Union

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._learners import LEARNERS, Learner, learner_of
from ._lists import ListsLike
from ._tagger import ConstraintsLike, Tagger
from ._train import TemplateLike, evaluate_labels, train

__all__ = ["SequenceLabeler"]

_SETTINGS = {name for made in LEARNERS.values() for name in made.parameters}


class SequenceLabeler(BaseEstimator):
    """Labels sequences with any learner of the library.

    X is a list of sequences in any form that :class:`espalier.Corpus` takes, y a list of lists of labels. Works with
    ``clone``, ``GridSearchCV``, ``cross_val_predict``, ``Pipeline`` and pickle.

    Args:
        learner: a name ("crf", "cascade", "searn" …) or an object such as ``Crf(l2=0.5)``.
        task, constraints, template, lexicons, word_classes, columns, seed, threads: as for :func:`espalier.train`.
        settings: parameters of the learner, which get_params, set_params and searches over parameters know, too.

    Attributes:
        tagger_: the trained :class:`espalier.Tagger`.
        classes_: the labels, in the order of the columns of predict_marginals.

    >>> from sklearn.model_selection import GridSearchCV
    >>> search = GridSearchCV(SequenceLabeler(learner="crf", passes=3), {"l2": [0.1, 1]}, cv=2).fit(X, y)
    >>> sorted(search.best_params_)
    ['l2']
    """

    def __init__(self, learner: Union[str, Learner] = "crf", *, task: str = "label",
                 constraints: ConstraintsLike = None, template: TemplateLike = None, lexicons: ListsLike = (),
                 word_classes: ListsLike = (), columns: Sequence[str] = (), seed: int = 1, threads: int = 0,
                 **settings: Any) -> None:
        self.learner = learner
        self.task = task
        self.constraints = constraints
        self.template = template
        self.lexicons = lexicons
        self.word_classes = word_classes
        self.columns = columns
        self.seed = seed
        self.threads = threads
        for name, value in settings.items():
            if name not in _SETTINGS:
                raise TypeError(f"no learner has a parameter '{name}'")
            setattr(self, name, value)

    def _settings(self) -> Dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name in _SETTINGS}

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The arguments of the constructor, with the learner's parameters that are set.

        >>> SequenceLabeler(learner="crf", l2=0.1).get_params()["l2"]
        0.1
        """
        return {**super().get_params(deep=deep), **self._settings()}

    def set_params(self, **params: Any) -> "SequenceLabeler":
        """Sets arguments of the constructor; None takes a parameter of the learner back to its default.

        >>> SequenceLabeler(learner="crf", l2=0.1).set_params(l2=None, passes=5).get_params()["passes"]
        5
        """
        for name in list(params):
            if name in _SETTINGS:
                value = params.pop(name)
                if value is None:
                    if hasattr(self, name):
                        delattr(self, name)
                else:
                    setattr(self, name, value)
        super().set_params(**params)
        return self

    def fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> "SequenceLabeler":
        """Trains. With development data, training stops when the score on it no longer rises.

        >>> SequenceLabeler(learner="perceptron").fit(X, y, X_dev=X[:2], y_dev=y[:2]).classes_
        array(['A', 'B'], dtype=object)
        """
        if (X_dev is None) != (y_dev is None):
            raise ValueError("give both X_dev and y_dev, or neither")
        if y is None:
            raise ValueError("fit requires y: the labels of each sequence")
        self.tagger_: Tagger = train(
            X, y, learner=learner_of(self.learner, self._settings()), task=self.task, constraints=self.constraints,
            template=self.template, lexicons=self.lexicons, word_classes=self.word_classes, columns=self.columns,
            seed=self.seed, threads=self.threads, dev=None if X_dev is None else (X_dev, y_dev))
        self.classes_ = np.array(self.tagger_.labels, dtype=object)
        return self

    def predict(self, X: Any) -> npt.NDArray[np.object_]:
        """The labels of each sequence: an array of lists.

        >>> labeler.predict([["a", "b"], ["b"]])
        array([list(['A', 'B']), list(['B'])], dtype=object)
        """
        check_is_fitted(self)
        labels = self.tagger_.tag_batch(X, threads=self.threads)
        out = np.empty(len(labels), dtype=object)
        out[:] = labels
        return out

    def predict_marginals(self, X: Any) -> List[npt.NDArray[np.float32]]:
        """For each sequence, the probability of each label at each token: arrays of tokens × labels.

        >>> [marginals.shape for marginals in labeler.predict_marginals([["a", "b"], ["b"]])]
        [(2, 2), (1, 2)]
        """
        check_is_fitted(self)
        none = np.zeros((0, len(self.classes_)), dtype=np.float32)
        return [none if t.marginals is None else t.marginals
                for t in self.tagger_.tag_batch(X, marginals=True, threads=self.threads)]

    def score(self, X: Any, y: Any) -> float:
        """F1 of spans as conlleval counts them if labels form spans, otherwise accuracy: between 0 and 1.

        >>> labeler.score([["a", "b"]], [["A", "B"]])
        1.0
        """
        predicted = self.predict(X)
        pairs = [(list(gold), got) for gold, got in zip(y, predicted) if len(got)]
        return evaluate_labels([gold for gold, _ in pairs], [got for _, got in pairs]).f1 / 100
