"""Scores of chunks."""

from .sequence_labeling import (accuracy_score, classification_report, f1_score, performance_measure, precision_score,
                                recall_score)

__all__ = ["accuracy_score", "classification_report", "f1_score", "performance_measure", "precision_score",
           "recall_score"]
