"""Espalier: structured prediction for people who have labelled data and an ordinary CPU.

>>> import espalier as es
>>> X, y = [["Anna", "slept"], ["It", "rained"]] * 10, [["B-PER", "O"], ["O", "O"]] * 10
>>> tagger = es.train(X, y)
>>> tagger.tag(["Anna", "slept"])
['B-PER', 'O']

Examples in the documentation of functions and classes go on from this one, and those of a module (espalier.search,
espalier.compat.pycrfsuite ...) from the example at its beginning.
"""

from . import _learners, search
from ._data import Constraints, Corpus
from ._decode import Decoder, decode
from ._ensemble import Ensemble
from ._learners import *  # noqa: F401,F403  the learners
from ._learners import LEARNERS, Learner
from ._lists import WordClasses, make_word_classes
from ._native import Error, version
from ._pipeline import Pipeline, split_text
from ._results import *  # noqa: F401,F403
from ._results import __all__ as _result_names
from ._scores import *  # noqa: F401,F403
from ._scores import __all__ as _score_names
from ._tagger import Tagger, import_model
from ._train import TrainingInterrupted, cross_validate, evaluate, evaluate_labels, train
from .search import Decision, Path, SearchResult

__version__ = version()

__all__ = [
    "Constraints", "Corpus", "Decision", "Decoder", "Ensemble", "Error", "LEARNERS", "Learner", "Path", "Pipeline",
    "SearchResult", "Tagger", "TrainingInterrupted", "WordClasses", "cross_validate", "decode", "evaluate",
    "evaluate_labels", "import_model", "make_word_classes", "search", "split_text", "train",
    *_learners.__all__, *_result_names, *_score_names,
]
