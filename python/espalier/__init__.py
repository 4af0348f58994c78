"""Espalier: structured prediction for people who have labelled data and an ordinary CPU.

>>> import espalier as es
>>> tagger = es.train([["Anna", "slept"], ["Anna", "sang"]] * 10, [["PER", "O"], ["PER", "O"]] * 10)
>>> tagger.tag(["Anna", "sang"])
['PER', 'O']
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
from ._tagger import Tagger, import_model
from ._train import TrainingInterrupted, cross_validate, evaluate, evaluate_labels, train

__version__ = version()

__all__ = [
    "Constraints", "Corpus", "Decoder", "Ensemble", "Error", "LEARNERS", "Learner", "Pipeline", "Tagger",
    "TrainingInterrupted", "WordClasses", "cross_validate", "decode", "evaluate", "evaluate_labels", "import_model",
    "make_word_classes", "search", "split_text", "train",
    *_learners.__all__, *_result_names,
]
