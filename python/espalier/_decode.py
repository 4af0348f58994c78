"""Decoding of scores from any other model."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _native
from ._data import constraints_of
from ._results import Tagged, tagged_of
from ._tagger import ConstraintsLike


class Decoder:
    """Decodes scores of the same labels again and again.

    >>> import espalier as es
    >>> decoder = es.Decoder(["O", "B-PER", "I-PER"], constraints="scheme: valid iob2\\n")
    >>> decoder.decode([[0, 1, 0], [0, 0, 2]]).labels
    ['B-PER', 'I-PER']
    """

    def __init__(self, labels: Sequence[str], transitions: Optional[npt.ArrayLike] = None,
                 constraints: ConstraintsLike = None) -> None:
        for number, label in enumerate(labels, 1):
            if not isinstance(label, str):
                raise TypeError(f"label {number} must be str, not {type(label).__name__}")
        matrix = None
        if transitions is not None:
            matrix = np.ascontiguousarray(transitions, dtype=np.float32)
            if matrix.shape != (len(labels), len(labels)):
                raise ValueError(f"transitions must be {len(labels)} × {len(labels)}: from label, to label")
        self.labels = list(labels)
        self._native = _native.Decoder(self.labels, matrix, constraints_of(constraints))

    def decode(self, scores: npt.ArrayLike, *, nbest: int = 1, marginals: bool = False, why: bool = False,
               strict: bool = False, decoder: str = "auto", beam: int = 0, time_limit: float = 10.0) -> Tagged:
        """The best labelling of one sequence: `scores` is an array of tokens × labels.

        >>> decoder = es.Decoder(["N", "V"], transitions=[[-9, 0], [0, 0]])
        >>> decoder.decode([[1.0, 0.5], [0.2, 0.1]], nbest=2).alternatives[1].labels
        ['V', 'N']
        """
        matrix = np.ascontiguousarray(scores, dtype=np.float32)
        if matrix.ndim != 2:
            raise ValueError(f"the scores of a sequence must be an array of tokens × {len(self.labels)} labels")
        if len(matrix) == 0:
            return tagged_of(None)
        return tagged_of(self._native.decode(matrix, {
            "nbest": nbest, "marginals": marginals, "why": why, "strict": strict, "decoder": decoder, "beam": beam,
            "time_limit": time_limit}))


def decode(scores: Any, transitions: Optional[npt.ArrayLike] = None, *, labels: Sequence[str],
           constraints: ConstraintsLike = None, mask: Optional[npt.ArrayLike] = None, nbest: int = 1,
           marginals: bool = False, why: bool = False, strict: bool = False, decoder: str = "auto", beam: int = 0,
           time_limit: float = 10.0) -> Union[Tagged, List[Tagged]]:
    """The best labelling under scores of any origin: legal, with probabilities, n-best lists and reasons.

    Args:
        scores: one sequence (tokens × labels); or a batch: a list of such arrays, or an array of sequences × tokens ×
            labels, with `mask` where sequences differ in length.
        transitions: the score of each pair of neighbouring labels, from × to.
        labels: the names of the columns.
        constraints: rules that the result obeys.
        mask: sequences × tokens (or tokens), true where there is a token; the rest is ignored.
        nbest, marginals, why, strict, decoder, beam, time_limit: as for Tagger.tag().

    Returns a Tagged, or a list of them for a batch.

    >>> import numpy as np, espalier as es
    >>> scores = np.array([[1.0, 0.5], [0.2, 0.1]])
    >>> es.decode(scores, labels=["N", "V"]).labels
    ['N', 'N']
    >>> es.decode(scores, [[-9, 0], [0, 0]], labels=["N", "V"]).labels
    ['N', 'V']
    >>> [t.labels for t in es.decode([scores, scores[:1]], labels=["N", "V"])]
    [['N', 'N'], ['N']]
    """
    made = Decoder(labels, transitions, constraints)

    def one(matrix: Any, kept: Any) -> Tagged:
        array = np.asarray(matrix, dtype=np.float32)
        if kept is not None:
            chosen = np.asarray(kept, dtype=bool)
            if chosen.shape != array.shape[:1]:
                raise ValueError(f"a mask of shape {chosen.shape} for {len(array)} tokens")
            array = array[chosen]
        return made.decode(array, nbest=nbest, marginals=marginals, why=why, strict=strict, decoder=decoder, beam=beam,
                           time_limit=time_limit)

    depth = scores.ndim if isinstance(scores, np.ndarray) else _depth(scores)
    if depth < 2:
        raise ValueError(f"scores must be an array of tokens × {len(labels)} labels, or a batch of them")
    if depth == 2:
        return one(scores, mask)
    masks: Any = [None] * len(scores) if mask is None else mask
    if len(masks) != len(scores):
        raise ValueError(f"a mask of {len(masks)} sequences for {len(scores)}")
    return [one(matrix, kept) for matrix, kept in zip(scores, masks)]


def _depth(scores: Any) -> int:
    """2 for lists of numbers in a list, 3 for a batch, 1 for numbers alone."""
    for row in scores:
        if isinstance(row, np.ndarray):
            return 1 + row.ndim
        if not np.iterable(row):
            return 1
        for cell in row:
            return 2 if np.ndim(cell) == 0 else 3
    return 3
