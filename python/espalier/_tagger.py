"""Tagger: a trained model."""

from __future__ import annotations

import itertools
import json
import os
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _native
from ._data import Constraints, PathLike, constraints_of, path_of, sequences_of
from ._progress import ProgressLike, reporter
from ._results import (Explanation, Inspection, ModelInfo, Reason, TaggedSentence, TextToken, Training, Weight,
                       tagged_of)

ConstraintsLike = Union[None, str, "os.PathLike[str]", Constraints]


class Tagging:
    """What a model and a pipeline of models have in common."""

    _native: Any
    _form: Any

    def tag_text(self, text: str, split: str = "words", *, confidence: Optional[bool] = None, nbest: int = 1,
                 marginals: bool = False, constraints: ConstraintsLike = None, unconstrained: bool = False,
                 strict: bool = False, why: bool = False, time_limit: float = 10.0, decoder: str = "auto",
                 beam: int = 0) -> List[TaggedSentence]:
        """Splits raw text into sentences and words, as :func:`espalier.split_text` does, and tags each sentence.

        For models whose features use nothing but the word. Options as for tag().

        >>> import espalier as es
        >>> tagger = es.train([["a", "b"], ["b", "a"]] * 10, [["A", "B"], ["B", "A"]] * 10)
        >>> [([t.text for t in s.tokens], s.tagged.labels) for s in tagger.tag_text("a b\\n\\nb")]
        [(['a', 'b'], ['A', 'B']), (['b'], ['B'])]
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be str, not {type(text).__name__}; tag() takes words")
        options = decode_options(confidence, nbest, marginals, constraints, unconstrained, strict, why, time_limit,
                                 decoder, beam)
        options.setdefault("confidence", False)
        return [TaggedSentence([TextToken(*token) for token in tokens], tagged_of(tagged))
                for tokens, tagged in self._native.tag_text(text, split, options)]

    def tag_file(self, source: Union[PathLike, Sequence[PathLike]], target: PathLike, *, text: Union[bool, str] = False,
                 input_format: str = "", output_format: str = "", encoding: str = "", separator: str = "",
                 comment: str = "", forced_column: int = 0, keep_going: bool = False, confidence: Optional[bool] = None,
                 nbest: int = 1, marginals: bool = False, constraints: ConstraintsLike = None,
                 unconstrained: bool = False, strict: bool = False, why: bool = False, time_limit: float = 10.0,
                 decoder: str = "auto", beam: int = 0, threads: int = 0, progress: ProgressLike = None) -> Dict[str, Any]:
        """Tags a file, or several one after the other, as the command does; memory does not grow with them.

        Args:
            source: what to read.
            target: what to write; left unchanged if there is an error.
            text: the input is raw text; "blanks": words are separated by blanks, each line is a sentence.
            input_format, encoding, separator, comment: how it is read; by default like the training data.
            output_format: by default that of the input; "json": one object.
            forced_column: the column of labels that tokens must get, from 1, or from the end if negative.
            keep_going: leave out sequences that cannot be read or tagged; their errors are in the result.
            threads: 0 for all cores.
            progress: as for train().

        The other options are those of tag(). Returns a dictionary: sequences, tokens, seconds, interrupted, errors, and
        outcomes, which counts how decoding under constraints ended.

        >>> import pathlib
        >>> written = pathlib.Path("words.txt").write_text("Anna\\nslept\\n")
        >>> report = tagger.tag_file("words.txt", "labels.txt")
        >>> report["tokens"], pathlib.Path("labels.txt").read_text()
        (2, 'Anna B-PER\\nslept O\\n\\n')
        """
        options = decode_options(confidence, nbest, marginals, constraints, unconstrained, strict, why, time_limit,
                                 decoder, beam)
        options["threads"] = threads
        stream: Dict[str, Any] = {name: value for name, value in (
            ("input_format", input_format), ("output_format", output_format), ("encoding", encoding),
            ("separator", separator), ("comment", comment), ("forced_column", forced_column)) if value}
        if text is not False:
            stream["text"] = "words" if text is True else text
        sources = [source] if isinstance(source, (str, os.PathLike)) else source
        with reporter(progress) as report:
            return self._native.tag_files([path_of(s) for s in sources], os.fspath(target), stream, keep_going, options,
                                          report)

    def explain(self, tokens: Any, *, constraints: ConstraintsLike = None,
                forced: Optional[Sequence[Optional[str]]] = None) -> List[Explanation]:
        """Why each token gets its label, rather than the second best.

        With ``forced``, as for :meth:`tag`, the labelling with these labels is explained. The runner-up of a
        forced token is what the model would choose without any forced label.

        >>> import espalier as es
        >>> tagger = es.train([["a", "b"], ["b", "a"]] * 10, [["A", "B"], ["B", "A"]] * 10)
        >>> [(e.label, e.runner_up, e.margin < 0) for e in tagger.explain(["a", "b"], forced=["B", None])]
        [('B', 'A', True), ('B', 'A', False)]
        """
        options: Dict[str, Any] = {} if constraints is None else {"constraints": constraints_of(constraints)}
        if forced is not None:
            options["forced"] = list(forced)
        found = []
        for token, label, runner_up, margin, reasons, *rest in self._native.explain(tokens, self._form, options):
            found.append(Explanation(token, label, runner_up, margin, [Reason(*r) for r in reasons], *rest))
        return found


class Tagger(Tagging, _native.Labeller):
    """A trained model: tags one sequence, a batch, a stream or a file; explains, inspects, saves.

    Immutable, safe to use from several threads at once, can be pickled. Made by :func:`espalier.train`, or:

    >>> import espalier as es
    >>> tagger = es.train([["a", "b"], ["b", "a"]] * 10, [["A", "B"], ["B", "A"]] * 10)
    >>> same = es.Tagger.from_bytes(tagger.to_bytes())
    >>> same.tag(["a", "a", "b"])
    ['A', 'A', 'B']
    """

    #: How training went; None for a model that was opened.
    training: Optional[Training]

    def __init__(self, native: _native.Model, training: Optional[Training] = None) -> None:
        info = ModelInfo(**native.info())
        cells, forms = info.columns, _native.Form
        form = forms.AUTO if cells == 0 else forms.WORDS if cells == 2 else forms.ROWS
        self._prepare(native, form)
        self._native, self._info, self._form = native, info, form
        self.training = training

    @classmethod
    def open(cls, path: PathLike) -> "Tagger":
        """Opens a model file.

        >>> tagger.save("names.model")
        >>> es.Tagger.open("names.model").tag(["Anna", "slept"])
        ['B-PER', 'O']
        """
        return cls(_native.Model.open(path_of(path)))

    @classmethod
    def from_bytes(cls, data: Union[bytes, bytearray, memoryview], name: str = "model") -> "Tagger":
        """The same from memory.

        >>> es.Tagger.from_bytes(tagger.to_bytes()).tag(["Anna", "slept"])
        ['B-PER', 'O']
        """
        return cls(_native.Model.from_bytes(bytes_of(data), name))

    def save(self, path: PathLike) -> None:
        """Writes the model file, which the command can use, too.

        >>> tagger.save("names.model")
        >>> es.Tagger.open("names.model").labels == tagger.labels
        True
        """
        self._native.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        """The bytes that save() writes.

        >>> tagger.to_bytes()[:8]
        b'ESPALIER'
        """
        return self._native.to_bytes()

    def __reduce__(self) -> Tuple[Any, ...]:
        return _unpickle, (self.to_bytes(), self.training)

    @property
    def labels(self) -> List[str]:
        """The labels that tokens can get: the columns of marginals.

        >>> tagger.labels
        ['B-PER', 'O']
        """
        return list(self._native.labels)

    @property
    def info(self) -> ModelInfo:
        """What the model stores about itself and its training.

        >>> tagger.info.learner, tagger.info.training_sequences
        ('crf', 20)
        """
        return self._info

    def __repr__(self) -> str:
        i = self._info
        return f"<Tagger: {i.learner}, {len(self._native.labels)} labels, {i.training_tokens} training tokens>"

    def tag(self, tokens: Any, *, confidence: Optional[bool] = None, nbest: int = 1, marginals: bool = False,
            forced: Optional[Sequence[Optional[str]]] = None, constraints: ConstraintsLike = None,
            unconstrained: bool = False, strict: bool = False, why: bool = False, time_limit: float = 10.0,
            decoder: str = "auto", beam: int = 0) -> Any:
        """Tags one sequence, in any form that :class:`Corpus` takes.

        Returns the list of labels; or a :class:`Tagged` if `confidence`, `nbest`, `marginals` or `why` asks for more.

        Args:
            confidence: the probability of each label and span.
            nbest: this many labellings, best first.
            marginals: the probability of every label at every token, as an array.
            forced: the label that each token must get, None where the model decides.
            constraints: obey these rules (text, a path object, or Constraints) instead of the model's own.
            unconstrained: obey none, not even those of the training.
            strict: a sequence that cannot satisfy the constraints is an error.
            why: report which constraint changed which token.
            time_limit: seconds for the sequence, under constraints.
            decoder: auto, viterbi or posterior; for searches greedy, beam or best-first.
            beam: its width; 0: as in training.

        >>> import espalier as es
        >>> tagger = es.train([["a", "b"], ["b", "a"]] * 10, [["A", "B"], ["B", "A"]] * 10)
        >>> tagger.tag(["b", "b"], forced=["A", None])
        ['A', 'B']
        >>> len(tagger.tag(["a", "b"], nbest=3).alternatives)
        3
        """
        # Nothing but labels, as most calls: the other threads wait while Python looks at options.
        if (confidence is None and nbest == 1 and not marginals and forced is None and constraints is None
                and not unconstrained and not strict and not why and not beam and decoder == "auto"
                and time_limit == 10.0):
            return self._label(tokens)
        options = decode_options(confidence, nbest, marginals, constraints, unconstrained, strict, why, time_limit,
                                 decoder, beam)
        rich = bool(confidence) or nbest != 1 or marginals or why
        if forced is not None:
            options["forced"] = list(forced)
        tokens = tokens_of(tokens)
        if is_empty(tokens):
            return tagged_of(None) if rich else []
        if not rich:
            options["confidence"] = False
        tagged = tagged_of(self._native.tag(tokens, self._form, options))
        return tagged if rich else tagged.labels

    def tag_batch(self, sequences: Iterable[Any], *, confidence: Optional[bool] = None, nbest: int = 1,
                  marginals: bool = False, constraints: ConstraintsLike = None, unconstrained: bool = False,
                  strict: bool = False, why: bool = False, time_limit: float = 10.0, decoder: str = "auto",
                  beam: int = 0, threads: int = 0) -> List[Any]:
        """Tags many sequences on all cores (or `threads`); a list of what tag() returns for each.

        >>> import espalier as es
        >>> tagger = es.train([["a", "b"], ["b", "a"]] * 10, [["A", "B"], ["B", "A"]] * 10)
        >>> tagger.tag_batch([["a"], [], ["b", "a"]])
        [['A'], [], ['B', 'A']]
        """
        options = decode_options(confidence, nbest, marginals, constraints, unconstrained, strict, why, time_limit,
                                 decoder, beam)
        options["threads"] = threads
        sequences = sequences_of(sequences)
        if confidence or nbest != 1 or marginals or why:
            return [tagged_of(t) for t in self._native.tag_batch(sequences, self._form, options)]
        return self._native.label_batch(sequences, self._form, options)

    def tag_stream(self, sequences: Iterable[Any], *, block: int = 1000, **options: Any) -> Iterator[Any]:
        """Tags sequences while they are read, `block` at a time, in their order. Options as for tag_batch().

        >>> for labels in tagger.tag_stream(line.split() for line in ["Anna slept", "It rained"]):
        ...     print(labels)
        ['B-PER', 'O']
        ['O', 'O']
        """
        if block < 1:
            raise ValueError(f"block={block}: at least one sequence at a time")
        iterator = iter(sequences_of(sequences))
        while True:
            some = list(itertools.islice(iterator, block))
            if not some:
                return
            yield from self.tag_batch(some, **options)

    def marginals(self, tokens: Any) -> npt.NDArray[np.float32]:
        """The probability of each label at each token: an array of tokens × labels, in the order of `labels`.

        >>> marginals = tagger.marginals(["Anna", "slept"])
        >>> marginals.shape, tagger.labels[marginals[0].argmax()]
        ((2, 2), 'B-PER')
        """
        tagged = self.tag(tokens, marginals=True)
        if tagged.marginals is None:
            return np.zeros((0, len(self._native.labels)), dtype=np.float32)
        return tagged.marginals

    def probability(self, tokens: Any, labels: Sequence[str]) -> float:
        """The probability that the model gives to these labels of the whole sequence.

        >>> tagger.probability(["Anna", "slept"], ["B-PER", "O"]) > 0.5
        True
        """
        return float(np.exp(self.log_probability(tokens, labels)))

    def log_probability(self, tokens: Any, labels: Sequence[str]) -> float:
        """Its natural logarithm.

        >>> tagger.log_probability(["Anna", "slept"], ["B-PER", "O"]) > tagger.log_probability(["Anna", "slept"], ["O", "O"])
        True
        """
        tokens = tokens_of(tokens)
        if is_empty(tokens):
            return 0.0
        best = self._native.tag(tokens, self._form, {"confidence": True, "unconstrained": True})
        forced = self._native.tag(tokens, self._form, {"confidence": False, "unconstrained": True, "forced": list(labels)})
        return float(np.log(best["probability"]) + forced["score"] - best["score"])

    def inspect(self, top: int = 10, label: str = "") -> Inspection:
        """The size of the model and its largest weights, of all labels or of one.

        >>> import espalier as es
        >>> tagger = es.train([["a", "b"], ["b", "a"]] * 10, [["A", "B"], ["B", "A"]] * 10)
        >>> len(tagger.inspect(top=3).strongest)
        3
        """
        if top < 0:
            raise ValueError(f"top={top}: it must be at least 0")
        fields = self._native.inspect(top, label)
        fields["strongest"] = [Weight(*w[:3]) for w in fields["strongest"]]
        fields["details"] = json.loads(fields["details"])
        return Inspection(**fields)

    def without_names(self) -> "Tagger":
        """The same model without feature names: smaller, the same predictions.

        >>> small = tagger.without_names()
        >>> small.tag(["Anna", "slept"]), len(small.to_bytes()) < len(tagger.to_bytes())
        (['B-PER', 'O'], True)
        """
        return Tagger(self._native.without_names(), self.training)


if not TYPE_CHECKING:
    Tagger.tag = _native.shortcut(Tagger.tag)  # with tokens alone, nothing of it is run in Python


def tokens_of(tokens: Any) -> Any:
    """What can be asked for its length: the tokens of an iterator as a list, anything else as it is."""
    return tokens if hasattr(tokens, "__len__") or not hasattr(tokens, "__iter__") else list(tokens)


def is_empty(tokens: Any) -> bool:
    """Whether this is a sequence without tokens. What is no sequence is refused later."""
    return hasattr(tokens, "__len__") and not isinstance(tokens, (str, bytes, dict, set, frozenset)) and len(tokens) == 0


def bytes_of(data: Union[bytes, bytearray, memoryview]) -> bytes:
    """As bytes; TypeError if it is something else, such as a number, of which bytes() makes zeros."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"expected the bytes of a model, not {type(data).__name__}")
    return bytes(data)


def _unpickle(data: bytes, training: Optional[Training]) -> Tagger:
    return Tagger(_native.Model.from_bytes(data, "model"), training)


def decode_options(confidence: Optional[bool], nbest: int, marginals: bool, constraints: ConstraintsLike,
                   unconstrained: bool, strict: bool, why: bool, time_limit: float, decoder: str,
                   beam: int) -> Dict[str, Any]:
    """Only what differs from the defaults."""
    options: Dict[str, Any] = {}
    if confidence is not None:
        options["confidence"] = confidence
    if nbest != 1:
        if nbest < 1:
            raise ValueError("nbest must be at least 1")
        options["nbest"] = nbest
    if marginals:
        options["marginals"] = True
    if constraints is not None:
        options["constraints"] = constraints_of(constraints)
    for name, value in (("unconstrained", unconstrained), ("strict", strict), ("why", why)):
        if value:
            options[name] = True
    if time_limit != 10.0:
        options["time_limit"] = time_limit
    if decoder != "auto":
        options["decoder"] = decoder
    if beam:
        options["beam"] = beam
    return options


def import_model(model: Union[PathLike, bytes, bytearray, memoryview], name: str = "model") -> Tagger:
    """Reads a model of another program: CRFsuite's file, the text (crf_learn -t) or binary file of CRF++, or Wapiti's.

    The program is recognised by the contents. Labels and probabilities are those of the original.

    Args:
        model: the path of the file, or its bytes.
        name: what error messages call bytes.

    >>> import espalier as es
    >>> text = b"version: 100\\ncost-factor: 1\\nmaxid: 2\\nxsize: 1\\n\\nA\\nB\\n\\nU:%x[0,0]\\n\\n0 U:b\\n\\n-1\\n1\\n"
    >>> es.import_model(text).tag(["b"])
    ['B']
    """
    if isinstance(model, (bytes, bytearray, memoryview)):
        return Tagger(_native.Model.import_bytes(bytes_of(model), name))
    return Tagger(_native.Model.import_file(path_of(model)))
