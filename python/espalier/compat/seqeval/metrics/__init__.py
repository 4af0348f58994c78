"""Scores of chunks.

>>> from espalier.compat.seqeval.metrics import classification_report, f1_score
>>> y_true = [["B-PER", "I-PER", "O", "B-LOC"]]
>>> y_pred = [["B-PER", "I-PER", "O", "B-PER"]]
>>> f1_score(y_true, y_pred)
0.5
"""

from .sequence_labeling import (accuracy_score, classification_report, f1_score, performance_measure, precision_score,
                                recall_score)

__all__ = ["accuracy_score", "classification_report", "f1_score", "performance_measure", "precision_score",
           "recall_score"]
