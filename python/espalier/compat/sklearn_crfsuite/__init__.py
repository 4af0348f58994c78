"""The estimator, metrics and scorers of sklearn-crfsuite, over Espalier's learners.

>>> from espalier.compat import sklearn_crfsuite
>>> X, y = [[{"w": "a"}, {"w": "b"}]] * 10, [["A", "B"]] * 10
>>> crf = sklearn_crfsuite.CRF(c2=0.1).fit(X, y)
>>> crf.predict([[{"w": "b"}]])
[['B']]
"""

from .estimator import CRF

__all__ = ["CRF"]
