"""Ensembles: several annotators, programs or language models combined."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _native
from ._data import PathLike, native_data, path_of
from ._progress import ProgressLike, reporter
from ._results import Combined
from ._tagger import Tagger

#: One expert: its labels of every sequence (None where it has no answer), a model, or a path of predictions.
Expert = Union[Sequence[Optional[Sequence[Optional[str]]]], Tagger, "os.PathLike[str]"]


class Ensemble:
    """A learned combination of experts: it knows whom to trust where.

    >>> import espalier as es
    >>> gold = [["A", "B", "A", "B"]] * 60
    >>> good, bad = [["A", "B", "A", "B"]] * 60, [["B", "B", "B", "B"]] * 60
    >>> ensemble = es.Ensemble.fit(gold, {"good": good, "bad": bad, "worse": bad}, method="mvote")
    >>> ensemble.combine([["A", "B", "A", "A"], ["B", "B", "B", "B"], ["B", "B", "B", "B"]]).labels[0]
    'A'
    """

    def __init__(self, native: _native.Ensemble) -> None:
        self._native = native

    @classmethod
    def fit(cls, gold: Any, experts: Union[Mapping[str, Expert], Sequence[Expert]], *,
            probabilities: Optional[Mapping[str, Any]] = None, method: str = "auto", substructures: str = "",
            beta: Optional[float] = None, rounds: int = 100, calibrate: bool = True, any_sequence: bool = False,
            missing: str = "spread", seed: int = 1, threads: int = 0, progress: ProgressLike = None) -> "Ensemble":
        """Learns from the correct labels and the experts' labels of the same sequences.

        Args:
            gold: a list of lists of labels, a Corpus with labels, or a path.
            experts: by name, or in a list. Labels are lists of lists; None stands for a token, or a whole sequence,
                without an answer.
            probabilities: by expert, how sure it is of each label; for method espboost.
            method: auto compares all on held-out data.
            missing: what happens to the weight of an expert without an answer: spread, leave-out or error.
            substructures, beta, rounds, calibrate, any_sequence, seed, threads, progress: see docs/ensembles.md.
        """
        data, words = _gold(gold)
        options: Dict[str, Any] = {"method": method, "substructures": substructures, "rounds": rounds,
                                   "calibrate": calibrate, "any_sequence": any_sequence, "missing": missing,
                                   "seed": seed, "threads": threads}
        if beta is not None:
            options["beta"] = beta
        if probabilities:
            options["probabilities"] = True
        given = _experts(experts, probabilities or {}, words)
        with reporter(progress) as report:
            return cls(_native.Ensemble.learn(data, given, options, report))

    @classmethod
    def open(cls, path: PathLike) -> "Ensemble":
        """Opens a file that save() wrote."""
        return cls(_native.Ensemble.open(path_of(path)))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Ensemble":
        """The same from memory."""
        return cls(_native.Ensemble.from_bytes(data))

    def save(self, path: PathLike) -> None:
        """Writes a file."""
        self._native.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        """The bytes that save() writes."""
        return self._native.to_bytes()

    def __reduce__(self) -> Tuple[Any, ...]:
        return Ensemble.from_bytes, (self.to_bytes(),)

    def combine(self, answers: Sequence[Optional[Sequence[Optional[str]]]], *,
                probabilities: Sequence[Sequence[float]] = (), number: int = 0) -> Combined:
        """Combines one sequence: the labels of each expert in the order of fit(), None where it has no answer."""
        return Combined(*self._native.combine([None if a is None else list(a) for a in answers],
                                              [list(p) for p in probabilities], number))

    def combine_batch(self, answers: Sequence[Sequence[Optional[Sequence[Optional[str]]]]]) -> List[Combined]:
        """Combines many sequences: per expert, its labels of each of them."""
        return [self.combine(one, number=i) for i, one in enumerate(zip(*answers))]

    def report(self, gold: Any, experts: Union[Mapping[str, Expert], Sequence[Expert]],
               missing: str = "spread") -> Dict[str, Any]:
        """How good the ensemble, a majority vote and each expert are, on labelled data."""
        data, words = _gold(gold)
        return self._native.report(data, _experts(experts, {}, words), missing)

    @property
    def experts(self) -> List[str]:
        """The names of the experts."""
        return self._native.experts()

    @property
    def method(self) -> str:
        """The method that was chosen."""
        return self._native.method()

    @property
    def notes(self) -> List[str]:
        """Messages about how learning went."""
        return self._native.notes()

    def __repr__(self) -> str:
        return f"<Ensemble: {self.method} of {', '.join(self.experts)}>"


def _gold(gold: Any) -> Tuple[Any, bool]:
    """Labels alone become a corpus of empty words."""
    if isinstance(gold, (list, tuple)) and gold and not isinstance(gold[0], (str, os.PathLike)):
        return native_data([["-"] * len(labels) for labels in gold], [list(labels) for labels in gold]), False
    return native_data(gold), True


def _experts(experts: Union[Mapping[str, Expert], Sequence[Expert]], probabilities: Mapping[str, Any],
             words: bool) -> List[Any]:
    named = list(experts.items()) if isinstance(experts, Mapping) else [("", e) for e in experts]
    out: List[Any] = []
    for name, expert in named:
        if isinstance(expert, Tagger):
            if not words:
                raise TypeError("an expert that is a model needs the text: give a Corpus, not labels alone")
            out.append(expert._native)
        elif isinstance(expert, (str, os.PathLike)):
            out.append(path_of(expert))
        else:
            labels = [None if s is None else list(s) for s in expert]
            out.append((name, labels, [list(p) for p in probabilities.get(name, ())]))
    return out
