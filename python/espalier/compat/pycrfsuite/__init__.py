"""Trainers and taggers with the interface of python-crfsuite, over Espalier's learners and model files.

>>> from espalier.compat import pycrfsuite
>>> trainer = pycrfsuite.Trainer(verbose=False)
>>> for _ in range(10):
...     trainer.append([{"word": "Anna"}, {"word": "slept"}], ["PER", "O"])
>>> trainer.train("names.model")
>>> tagger = pycrfsuite.Tagger()
>>> closing = tagger.open("names.model")
>>> tagger.tag([{"word": "Anna"}, {"word": "slept"}])
['PER', 'O']
"""

from ._tagger import ItemSequence, Tagger
from ._trainer import BaseTrainer, CRFSuiteError, Trainer

#: The version of CRFsuite whose interface this is.
CRFSUITE_VERSION = "0.12.2"

__all__ = ["BaseTrainer", "CRFSUITE_VERSION", "CRFSuiteError", "ItemSequence", "Tagger", "Trainer"]
