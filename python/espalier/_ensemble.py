"""Ensembles: several annotators, programs or language models combined."""

from __future__ import annotations

import itertools
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

        >>> gold = [["A", "B", "A", "B"]] * 60
        >>> anna, ben = [["A", "B", "A", "B"]] * 60, [["B", "B", "B", "B"]] * 59 + [None]
        >>> es.Ensemble.fit(gold, {"anna": anna, "ben": ben}, method="mvote")
        <Ensemble: mvote of anna, ben>
        """
        data, kept = _gold(gold)
        options: Dict[str, Any] = {"method": method, "substructures": substructures, "rounds": rounds,
                                   "calibrate": calibrate, "any_sequence": any_sequence, "missing": missing,
                                   "seed": seed, "threads": threads}
        if beta is not None:
            options["beta"] = beta
        if probabilities:
            options["probabilities"] = True
        given = _experts(experts, probabilities or {}, data, kept)
        with reporter(progress) as report:
            return cls(_native.Ensemble.learn(data, given, options, report))

    @classmethod
    def open(cls, path: PathLike) -> "Ensemble":
        """Opens a file that save() wrote.

        >>> es.Ensemble.fit([["A", "B"]] * 60, {"anna": [["A", "B"]] * 60, "ben": [["B", "B"]] * 60}).save("experts.model")
        >>> es.Ensemble.open("experts.model").experts
        ['anna', 'ben']
        """
        return cls(_native.Ensemble.open(path_of(path)))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Ensemble":
        """The same from memory.

        >>> ensemble = es.Ensemble.fit([["A", "B"]] * 60, {"anna": [["A", "B"]] * 60, "ben": [["B", "B"]] * 60})
        >>> es.Ensemble.from_bytes(ensemble.to_bytes()).experts
        ['anna', 'ben']
        """
        return cls(_native.Ensemble.from_bytes(data))

    def save(self, path: PathLike) -> None:
        """Writes a file.

        >>> ensemble = es.Ensemble.fit([["A", "B"]] * 60, {"anna": [["A", "B"]] * 60, "ben": [["B", "B"]] * 60})
        >>> ensemble.save("experts.model")
        """
        self._native.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        """The bytes that save() writes.

        >>> ensemble = es.Ensemble.fit([["A", "B"]] * 60, {"anna": [["A", "B"]] * 60, "ben": [["B", "B"]] * 60})
        >>> type(ensemble.to_bytes())
        <class 'bytes'>
        """
        return self._native.to_bytes()

    def __reduce__(self) -> Tuple[Any, ...]:
        return Ensemble.from_bytes, (self.to_bytes(),)

    def combine(self, answers: Sequence[Optional[Sequence[Optional[str]]]], *,
                probabilities: Sequence[Sequence[float]] = (), number: int = 0) -> Combined:
        """Combines one sequence: the labels of each expert in the order of fit(), None where it has no answer.

        >>> ensemble = es.Ensemble.fit([["A", "B"]] * 60, {"anna": [["A", "B"]] * 60, "ben": [["B", "B"]] * 60})
        >>> combined = ensemble.combine([["A", None], ["B", "B"]])
        >>> combined.labels, len(combined.confidence)
        (['A', 'B'], 2)
        """
        return Combined(*self._native.combine(
            [None if a is None else _answer(a, f"expert {i}") for i, a in enumerate(answers, 1)],
            [list(p) for p in probabilities], number))

    def combine_batch(self, answers: Sequence[Sequence[Optional[Sequence[Optional[str]]]]]) -> List[Combined]:
        """Combines many sequences: per expert, its labels of each of them.

        >>> ensemble = es.Ensemble.fit([["A", "B"]] * 60, {"anna": [["A", "B"]] * 60, "ben": [["B", "B"]] * 60})
        >>> anna, ben = [["A", "A"], ["B"]], [["B", "B"], None]
        >>> [combined.labels for combined in ensemble.combine_batch([anna, ben])]
        [['A', 'A'], ['B']]
        """
        lengths = [len(expert) for expert in answers]
        if len(set(lengths)) > 1:
            raise ValueError(f"the experts have {', '.join(map(str, lengths))} sequences; None stands for one without an answer")
        return [self.combine(one, number=i) for i, one in enumerate(zip(*answers))]

    def report(self, gold: Any, experts: Union[Mapping[str, Expert], Sequence[Expert]],
               missing: str = "spread") -> Dict[str, Any]:
        """How good the ensemble, a majority vote and each expert are, on labelled data.

        >>> gold, anna, ben = [["A", "B"]] * 60, [["A", "B"]] * 60, [["B", "B"]] * 60
        >>> report = es.Ensemble.fit(gold, {"anna": anna, "ben": ben}).report(gold, {"anna": anna, "ben": ben})
        >>> report["experts"][report["best_expert"]][0], report["tokens"], report["ensemble"]["accuracy"]
        ('anna', 120, 100.0)
        """
        data, kept = _gold(gold)
        return self._native.report(data, _experts(experts, {}, data, kept), missing)

    @property
    def experts(self) -> List[str]:
        """The names of the experts.

        >>> es.Ensemble.fit([["A", "B"]] * 60, {"anna": [["A", "B"]] * 60, "ben": [["B", "B"]] * 60}).experts
        ['anna', 'ben']
        """
        return self._native.experts()

    @property
    def method(self) -> str:
        """The method that was chosen.

        >>> es.Ensemble.fit([["A", "B"]] * 60, [[["A", "B"]] * 60, [["B", "B"]] * 60], method="mvote").method
        'mvote'
        """
        return self._native.method()

    @property
    def notes(self) -> List[str]:
        """Messages about how learning went.

        >>> ensemble = es.Ensemble.fit([["A", "B"]] * 60, [[["A", "B"]] * 60, [["B", "B"]] * 60])
        >>> all(isinstance(note, str) for note in ensemble.notes)
        True
        """
        return self._native.notes()

    def __repr__(self) -> str:
        return f"<Ensemble: {self.method} of {', '.join(self.experts)}>"


def _answer(labels: Any, where: str) -> List[Optional[str]]:
    """The labels that an expert gives a sequence."""
    if isinstance(labels, (str, bytes)):
        raise TypeError(f"{where}: the answer must be a list of labels, not one {type(labels).__name__}")
    answer = list(labels)
    for number, label in enumerate(answer, 1):
        if label is not None and not isinstance(label, str):
            raise TypeError(f"{where}: label {number} must be str or None, not {type(label).__name__}")
    return answer


def _gold(gold: Any) -> Tuple[Any, Optional[List[bool]]]:
    """Labels alone become a corpus of empty words, without sequences that have no tokens; the second tells which are there."""
    if isinstance(gold, (list, tuple)) and gold and not isinstance(gold[0], (str, os.PathLike)):
        return (native_data([["-"] * len(labels) for labels in gold], [list(labels) for labels in gold]),
                [len(labels) > 0 for labels in gold])
    return native_data(gold), None


def _experts(experts: Union[Mapping[str, Expert], Sequence[Expert]], probabilities: Mapping[str, Any], data: Any,
             kept: Optional[List[bool]]) -> List[Any]:
    """What the compiled module takes. Answers in memory must be about as many sequences as the data in memory."""
    if kept is None and isinstance(data, _native.Corpus):
        sequences: Optional[int] = len(data)
    else:
        sequences = None if kept is None else len(kept)
    named = list(experts.items()) if isinstance(experts, Mapping) else [("", e) for e in experts]
    out: List[Any] = []
    for name, expert in named:
        if isinstance(expert, Tagger):
            if kept is not None:
                raise TypeError("an expert that is a model needs the text: give a Corpus, not labels alone")
            out.append(expert._native)
        elif isinstance(expert, (str, os.PathLike)):
            out.append(path_of(expert))
        else:
            labels = [None if s is None else _answer(s, f"expert {name or len(out) + 1}, sequence {i}")
                      for i, s in enumerate(expert, 1)]
            shares = [list(p) for p in probabilities.get(name, ())]
            if sequences is not None and len(labels) != sequences:
                raise ValueError(f"expert {name or len(out) + 1} has {len(labels)} sequences, expected {sequences}; None stands "
                                 "for one without an answer")
            if kept is not None:
                labels = list(itertools.compress(labels, kept))
                shares = list(itertools.compress(shares, kept))
            out.append((name, labels, shares))
    return out
