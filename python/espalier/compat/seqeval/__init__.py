"""Scores of chunks with the interface of seqeval, version 1.2: modules metrics, scheme and reporters.

>>> from espalier.compat.seqeval.metrics import f1_score
>>> f1_score([["B-PER", "I-PER", "O"]], [["B-PER", "I-PER", "O"]])
1.0
"""
