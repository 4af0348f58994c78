"""Tagger with the interface of CRF++'s Python module, over models of CRF++ (text or binary) and models that Espalier
trained on columns.

>>> import espalier as es
>>> from espalier.compat import CRFPP
>>> es.train([["a", "b"], ["b", "a"]] * 10, [["A", "B"], ["B", "A"]] * 10, save_to="a.model").tag(["a"])
['A']
>>> tagger = CRFPP.Tagger("-m a.model -v 2 -n 2")
>>> tagger.add("a"), tagger.add("b"), tagger.parse()
(True, True, True)
>>> [tagger.y2(i) for i in range(tagger.size())]
['A', 'B']
"""

from __future__ import annotations

import argparse
import math
import shlex
from typing import Any, List, NoReturn

import numpy as np

from .. import Error, Tagger as _Model, import_model as _import_model

__all__ = ["Tagger", "VERSION"]

#: The version of CRF++ whose interface this is.
VERSION = "0.58"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise RuntimeError(message)


def _arguments(text: str) -> Any:
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("-m", "--model", required=True)
    parser.add_argument("-n", "--nbest", type=int, default=0)
    parser.add_argument("-v", "--verbose", type=int, default=0)
    parser.add_argument("-c", "--cost-factor", type=float, default=1.0)
    return parser.parse_args(shlex.split(text))


def _open(path: str) -> _Model:
    """A model of ours, which begins with our name, or one of another program."""
    with open(path, "rb") as file:
        ours = file.read(8) == b"ESPALIER"
    return _Model.open(path) if ours else _import_model(path)


class Tagger:
    """Labels rows that were added one by one. Arguments: ``-m MODEL``, ``-n NBEST``, ``-v 1`` or ``2`` for
    probabilities in toString().

    >>> tagger = CRFPP.Tagger("-m a.model")
    >>> tagger.parse("a\\nb\\n").split()
    ['a', 'A', 'b', 'B']
    """

    def __init__(self, arg: str) -> None:
        options = _arguments(arg)
        if options.cost_factor != 1.0:
            raise RuntimeError("the cost factor -c is not supported")
        try:
            self._model = _open(options.model)
        except (Error, OSError) as error:
            raise RuntimeError(str(error)) from None
        info = self._model.info
        self._least = max(info.feature_columns, default=-1) + 1
        self._nbest = options.nbest
        self._verbose = options.verbose
        self._names: List[str] = self._model.labels
        self._rows: List[List[str]] = []
        self._parsed: Any = None
        self._current = 0

    def add(self, *columns: str) -> bool:
        """Adds a row: its cells as one string with blanks or tabs between, or one by one.

        >>> tagger.clear(), tagger.add("a"), tagger.add("a b"), tagger.size()
        (True, True, False, 1)
        """
        cells = columns[0].split() if len(columns) == 1 else list(columns)
        if len(cells) < max(1, self._least) or (self._rows and len(cells) != len(self._rows[0])):
            return False
        self._rows.append(cells)
        self._parsed = None
        return True

    def clear(self) -> bool:
        """Forgets all rows.

        >>> tagger.clear(), tagger.size()
        (True, 0)
        """
        self._rows = []
        self._parsed = None
        self._current = 0
        return True

    def empty(self) -> bool:
        """Whether there are no rows.

        >>> tagger.empty()
        False
        """
        return not self._rows

    def parse(self, text: Any = None) -> Any:
        """Labels the rows; True on success. With text, labels that and returns the result as text.

        >>> tagger.clear(), tagger.add("b"), tagger.parse(), tagger.y2(0)
        (True, True, True, 'B')
        """
        if text is not None:
            self.clear()
            for line in text.splitlines():
                if line.strip():
                    self.add(line)
            return self.toString() if self.parse() else None
        if not self._rows:
            return True
        try:
            self._parsed = self._model.tag([tuple(row) for row in self._rows], confidence=True, marginals=True,
                                           nbest=max(1, self._nbest))
        except Error as error:
            self._what = str(error)
            return False
        self._current = 0
        return True

    _what = ""

    def what(self) -> str:
        """The last error.

        >>> tagger.what()
        ''
        """
        return self._what

    def next(self) -> bool:
        """Goes on to the next labelling of the n-best list; False if there is none.

        >>> best = [tagger.y2(i) for i in range(tagger.size())]
        >>> tagger.next(), [tagger.y2(i) for i in range(tagger.size())] != best, tagger.next()
        (True, True, False)
        """
        if self._parsed is None or self._current + 1 >= min(self._nbest, len(self._parsed.alternatives)):
            return False
        self._current += 1
        return True

    def size(self) -> int:
        """The number of rows.

        >>> tagger.size()
        2
        """
        return len(self._rows)

    def xsize(self) -> int:
        """The number of columns that the model reads.

        >>> tagger.xsize()
        1
        """
        return self._model.info.columns - 1

    def ysize(self) -> int:
        """The number of labels.

        >>> tagger.ysize()
        2
        """
        return len(self._names)

    def x(self, i: int, j: int) -> str:
        """Cell j of row i.

        >>> tagger.x(0, 0)
        'a'
        """
        return self._rows[i][j]

    def yname(self, i: int) -> str:
        """The name of label i.

        >>> [tagger.yname(i) for i in range(tagger.ysize())]
        ['A', 'B']
        """
        return self._names[i]

    def y2(self, i: int) -> str:
        """The label of row i.

        >>> tagger.y2(0)
        'A'
        """
        return self._done().alternatives[self._current].labels[i]

    def y(self, i: int) -> int:
        """Its number.

        >>> tagger.y(0), tagger.yname(tagger.y(0))
        (0, 'A')
        """
        return self._names.index(self.y2(i))

    result = y

    def _done(self) -> Any:
        if self._parsed is None:
            raise RuntimeError("call parse() first")
        return self._parsed

    def prob(self, i: Any = None, j: Any = None) -> float:
        """The probability of the labelling; of the label of row i; or of label j at row i.

        >>> tagger.prob() < tagger.prob(0), abs(tagger.prob(0, 0) + tagger.prob(0, 1) - 1) < 1e-5
        (True, True)
        """
        if i is None:
            return self._done().alternatives[self._current].probability
        return float(self._done().marginals[i, self.y(i) if j is None else j])

    def Z(self) -> float:
        """The logarithm of the partition function.

        >>> import math
        >>> math.isfinite(tagger.Z())
        True
        """
        best = self._done().alternatives[0]
        return best.score - math.log(best.probability)

    def toString(self) -> str:
        """The rows with their labels, as crf_test writes them.

        >>> print(tagger.toString())  # doctest: +ELLIPSIS
        # 0 0.9...
        a...A/0.9...A/0.9...B/0.0...
        ...
        """
        done = self._done()
        lines: List[str] = []
        last = max(1, min(self._nbest, len(done.alternatives)))
        for number in range(last):
            self._current = number
            if self._nbest:
                lines.append(f"# {number} {self.prob():f}")
            elif self._verbose:
                lines.append(f"# {self.prob():f}")
            for i, row in enumerate(self._rows):
                line = "\t".join([*row, self.y2(i)])
                if self._verbose:
                    line += f"/{self.prob(i):f}"
                if self._verbose > 1:
                    line += "".join(f"\t{name}/{p:f}" for name, p in zip(self._names, np.asarray(done.marginals)[i]))
                lines.append(line)
            lines.append("")
        self._current = 0
        return "\n".join(lines) + "\n"
