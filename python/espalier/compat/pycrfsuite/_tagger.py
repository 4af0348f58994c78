"""Items and taggers."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any, Dict, List, Optional

import numpy as np

from ... import Error, _native
from ..._tagger import Tagger as Model, import_model
from ._dumpparser import CRFsuiteDumpParser, ParsedDump

__all__ = ["ItemSequence", "Tagger", "check_label", "native_items"]


#: How CRFsuite's own model files begin.
_CRFSUITE = b"lCRF"


class ItemSequence:
    """The attributes of the items of one sequence, prepared once for several uses.

    >>> ItemSequence([["foo"], {"bar": {"baz": 1}}]).items()
    [{'foo': 1.0}, {'bar:baz': 1.0}]
    """

    def __init__(self, pyseq: Any) -> None:
        self._items: List[Dict[str, float]] = _native.expand(native_items(pyseq))

    def items(self) -> List[Dict[str, float]]:
        """The attributes of each item, with their values.

        >>> pycrfsuite.ItemSequence([{"word": "Anna", "length": 4}]).items()
        [{'word:Anna': 1.0, 'length': 4.0}]
        """
        return [dict(item) for item in self._items]

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"<ItemSequence of size {len(self)}>"


def native_items(xseq: Any) -> Any:
    """What the compiled module takes: iterable more than once."""
    if isinstance(xseq, ItemSequence):
        return xseq._items
    return xseq if isinstance(xseq, (list, tuple)) else list(xseq)


def check_label(label: Any) -> None:
    """Labels are text; everything else is a TypeError."""
    if not isinstance(label, (str, bytes)):
        raise TypeError(f"expected bytes, {type(label).__name__} found")


class Tagger:
    """Predicts labels with a model that Trainer.train or CRFsuite wrote. Its methods are about the current sequence: that of the
    last set() or tag().

    >>> tagger = pycrfsuite.Tagger()
    >>> with tagger.open("names.model"):
    ...     tagger.tag([{"word": "slept"}])
    ['O']
    """

    def __init__(self) -> None:
        self._model: Optional[Model] = None
        self._labeller: Optional[_native.Labeller] = None  #: what labels a sequence with this model
        self._items: Any = []
        self._marginals: Any = None

    def open(self, name: str) -> Any:
        """Opens a model file; returns an object that closes it at the end of a ``with`` block.

        >>> with tagger.open("names.model"):
        ...     tagger.labels()
        ['PER', 'O']
        """
        try:
            with open(name, "rb") as file:
                theirs = file.read(4) == _CRFSUITE
            self._model = import_model(name) if theirs else Model.open(name)
        except Error as error:
            raise ValueError(f"Error opening model file {name!r}: {error}") from None
        self._labeller = None
        self._reset([])
        return contextlib.closing(self)

    def open_inmemory(self, value: bytes) -> Any:
        """The same from the bytes of a model file.

        >>> with open("names.model", "rb") as file:
        ...     closing = tagger.open_inmemory(file.read())
        >>> tagger.labels()
        ['PER', 'O']
        """
        if not isinstance(value, bytes):
            raise TypeError(f"Argument 'value' has incorrect type (expected bytes, got {type(value).__name__})")
        try:
            self._model = import_model(value) if value.startswith(_CRFSUITE) else Model.from_bytes(value)
        except Error as error:
            raise ValueError(f"Error opening model: {error}") from None
        self._labeller = None
        self._reset([])
        return contextlib.closing(self)

    def close(self) -> None:
        """Closes the model.

        >>> tagger.close()
        >>> tagger.tag([{"word": "Anna"}])
        Traceback (most recent call last):
        ...
        ValueError: The tagger is not opened
        """
        self._model = self._labeller = None
        self._reset([])

    def _reset(self, items: Any) -> None:
        self._items = items
        self._marginals = None

    def _opened(self) -> Model:
        if self._model is None:
            raise ValueError("The tagger is not opened")
        return self._model

    def labels(self) -> List[str]:
        """The labels of the model.

        >>> tagger.labels()
        ['PER', 'O']
        """
        return self._opened().labels

    def set(self, xseq: Any) -> None:
        """Makes this the current sequence.

        >>> tagger.set([{"word": "slept"}])
        >>> tagger.tag()
        ['O']
        """
        self._opened()
        items = native_items(xseq)
        _native.expand(items)  # an item of the wrong type is an error now, not later
        self._reset(items)

    def tag(self, xseq: Any = None) -> List[str]:
        """The labels of a sequence, which becomes the current one; without it, of the current one.

        >>> tagger.tag([["word:Anna"], ["word:slept"]])
        ['PER', 'O']
        """
        model = self._opened()
        if xseq is not None:
            self._reset(native_items(xseq))
        if self._labeller is None:
            self._labeller = _native.Labeller()
            self._labeller._prepare(model._native, _native.Form.ATTRIBUTES)
        return self._labeller._label(self._items)

    def _checked_label(self, label: str) -> int:
        check_label(label)
        try:
            return self._opened().labels.index(label)
        except ValueError:
            raise RuntimeError(f"Failed to convert into label identifier: {label}") from None

    def _tagged(self, **options: Any) -> Any:
        return self._opened()._native.tag(self._items, _native.Form.ATTRIBUTES, options)

    def probability(self, yseq: Any) -> float:
        """The probability of these labels for the current sequence.

        >>> tagger.probability(["PER", "O"]) > tagger.probability(["O", "O"])
        True
        """
        self._opened()
        labels = list(yseq)
        if len(self._items) == 0:
            return 0.0
        if len(labels) != len(self._items):
            raise ValueError(f"The numbers of items and labels differ: |x| = {len(self._items)}, |y| = {len(labels)}")
        for label in labels:
            self._checked_label(label)
        best = self._tagged(confidence=True)
        given = self._tagged(confidence=False, forced=labels)
        return float(np.exp(np.log(best["probability"]) + given["score"] - best["score"]))

    def marginal(self, y: str, pos: int) -> float:
        """The probability of label `y` at position `pos` of the current sequence.

        >>> tagger.marginal("PER", 0) > 0.5
        True
        """
        self._opened()
        if len(self._items) == 0:
            return 0.0
        label = self._checked_label(y)
        if not 0 <= pos < len(self._items):
            raise ValueError(f"The position, {pos} is out of range of {len(self._items)}")
        if self._marginals is None:
            marginals = self._tagged(confidence=False, marginals=True)["marginals"].astype(np.float64)
            self._marginals = marginals / marginals.sum(axis=1, keepdims=True)
        return float(self._marginals[pos, label])

    def _dump_lines(self) -> List[str]:
        if self._model is None:
            raise RuntimeError("The tagger is not opened")
        model = self._model
        weights = model.inspect(top=2 ** 62)
        labels = model.labels
        attributes = list(dict.fromkeys(w.feature for w in weights.strongest))
        header = {"magic": "espalier", "size": len(model.to_bytes()), "type": model.info.learner, "version": 100,
                  "num_features": weights.weights, "num_labels": len(labels), "num_attrs": len(attributes)}
        lines = ["FILEHEADER = {", *(f"  {key}: {value}" for key, value in header.items()), "}", ""]
        lines += ["LABELS = {", *(f"  {i:5d}: {name}" for i, name in enumerate(labels)), "}", ""]
        lines += ["ATTRIBUTES = {", *(f"  {i:5d}: {name}" for i, name in enumerate(attributes)), "}", ""]
        lines += ["TRANSITIONS = {", *(f"  (1) {a} --> {b}: {w:f}" for a, b, w in weights.transitions), "}", ""]
        lines += ["STATE_FEATURES = {", *(f"  (0) {w.feature} --> {w.label}: {w.weight:f}" for w in weights.strongest),
                  "}", ""]
        return lines

    def dump(self, filename: Optional[str] = None) -> None:
        """Writes the model as text: to a file, or to standard output.

        >>> tagger.dump("names.txt")
        >>> open("names.txt").readline()
        'FILEHEADER = {\\n'
        """
        text = "\n".join(self._dump_lines()) + "\n"
        if filename is None:
            sys.stdout.write(text)
            sys.stdout.flush()
            return
        with open(os.fspath(filename), "w", encoding="utf-8") as file:
            file.write(text)

    def info(self) -> ParsedDump:
        """What dump() writes, as dictionaries.

        >>> sorted(tagger.info().transitions)
        [('O', 'O'), ('O', 'PER'), ('PER', 'O'), ('PER', 'PER')]
        """
        parser = CRFsuiteDumpParser()
        for line in self._dump_lines():
            parser.feed(line)
        return parser.result
