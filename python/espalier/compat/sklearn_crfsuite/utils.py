"""Small functions."""

from itertools import chain
from typing import Any, Iterable, List

__all__ = ["flatten"]


def flatten(y: Iterable[Iterable[Any]]) -> List[Any]:
    """One list of several.

    >>> flatten([[1, 2], [3, 4]])
    [1, 2, 3, 4]
    """
    return list(chain.from_iterable(y))
