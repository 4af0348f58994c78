"""Scores of chunks with the interface of seqeval, version 1.2: modules metrics, scheme and reporters."""
