"""Corpora, and how data in every form becomes what the compiled module takes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union, overload

from . import _native

if TYPE_CHECKING:
    import pandas

PathLike = Union[str, "os.PathLike[str]"]
#: A word, a row of cells, attributes by name, or a list of attributes.
Token = Union[str, Tuple[str, ...], Dict[str, Any], List[str]]


def path_of(path: PathLike) -> str:
    """The path as text; FileNotFoundError if there is no such file."""
    text = os.fspath(path)
    if text != "-" and not os.path.exists(text):
        raise FileNotFoundError(2, os.strerror(2), text)
    return text


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class Constraints:
    """Rules that labellings obey, in the constraint language.

    Use the same object in every call: the model then compiles it once.

    >>> import espalier as es
    >>> rules = es.Constraints("scheme: valid iob2\\n")
    >>> best = es.decode([[0.0, 0.0, 5.0]], labels=["O", "B-PER", "I-PER"], constraints=rules)
    >>> best.labels != ["I-PER"]
    True
    """

    def __init__(self, text: str, lists: Optional[Dict[str, str]] = None, name: str = "constraints") -> None:
        self.text = text
        self.lists = dict(lists or {})
        self.native = _native.Constraints.parse(text, self.lists, name)

    @classmethod
    def read(cls, path: PathLike) -> "Constraints":
        """Reads a file, and the lists it names, which are in the same folder.

        >>> import pathlib
        >>> written = pathlib.Path("rules.txt").write_text("quiet: at most 0 of B-PER\\n")
        >>> tagger.tag(["Anna", "slept"], constraints=es.Constraints.read("rules.txt"))
        ['O', 'O']
        """
        made = cls.__new__(cls)
        made.native = _native.Constraints.read(path_of(path))
        with open(path, encoding="utf-8") as file:
            made.text = file.read()
        made.lists = {}
        return made


def constraints_of(given: Union[None, str, "os.PathLike[str]", Constraints]) -> Optional[_native.Constraints]:
    """Constraints from text, from a path object (not str, which is text), or from themselves."""
    if given is None:
        return None
    if isinstance(given, Constraints):
        return given.native
    if isinstance(given, str):
        return Constraints(given).native
    return Constraints.read(given).native


class Corpus:
    """Sequences in memory, in any of the forms that people have.

    A token is a word (``str``), a row of cells (``tuple``: word, tag, ...), or a set of attributes: a ``dict`` as for
    CRFsuite, or a ``list`` of names. A sequence may also be a matrix of numbers, one row per token. With `columns`,
    lists are rows of cells, too.

    >>> import espalier as es
    >>> corpus = es.Corpus([["The", "cat"], ["It"]], [["B-NP", "I-NP"], ["B-NP"]])
    >>> len(corpus), corpus.tokens
    (2, 3)
    >>> corpus[0]
    (['The', 'cat'], ['B-NP', 'I-NP'])
    """

    def __init__(self, sequences: Optional[Iterable[Any]] = None, labels: Optional[Iterable[Any]] = None, *,
                 columns: Sequence[str] = ()) -> None:
        self._native = _native.Corpus(list(columns))
        self._form = _native.Form.ROWS if columns else _native.Form.AUTO
        if sequences is not None:
            self.extend(sequences, labels)

    @classmethod
    def read(cls, *paths: PathLike, format: str = "columns", label_column: Union[str, int] = "", folds: str = "",
             encoding: str = "utf-8", separator: str = "", comment: str = "", labels_required: bool = True) -> "Corpus":
        """Reads files: columns, crfsuite, conllu, letters or jsonl; gzipped or not.

        `separator` is the character between columns, or "tab"; lines that start with `comment` are left out.

        >>> import pathlib
        >>> written = pathlib.Path("names.txt").write_text("Anna\\tB-PER\\nslept\\tO\\n\\nIt\\tO\\nrained\\tO\\n")
        >>> corpus = es.Corpus.read("names.txt")
        >>> corpus[0]
        (['Anna', 'slept'], ['B-PER', 'O'])
        """
        reading = {"format": format, "label_column": str(label_column), "folds": folds, "encoding": encoding,
                   "separator": separator, "comment": comment, "labels_required": labels_required}
        return cls._of(_native.Corpus.read([path_of(p) for p in paths], reading))

    @classmethod
    def parse(cls, text: str, *, format: str = "columns", label_column: Union[str, int] = "",
              labels_required: bool = True, name: str = "text") -> "Corpus":
        """Reads text in memory, for example CoNLL-U.

        >>> import espalier as es
        >>> len(es.Corpus.parse("a\\tA\\nb\\tB\\n\\nc\\tC\\n"))
        2
        """
        reading = {"format": format, "label_column": str(label_column), "labels_required": labels_required}
        return cls._of(_native.Corpus.parse(text, reading, name))

    @classmethod
    def from_frame(cls, frame: "pandas.DataFrame", sequence: str, label: Optional[str] = None,
                   columns: Optional[Sequence[str]] = None) -> "Corpus":
        """From a pandas frame with one row per token. Rows with the same value in column `sequence` form a sequence.

        Sequences keep the order in which they begin, and tokens that of the rows. `columns` are the cells; by default
        all others. Cells are text: numbers are written out. For real-valued features make arrays of the frame's groups.

        >>> import pandas
        >>> frame = pandas.DataFrame({"sentence": [1, 1, 2], "word": ["Anna", "slept", "It"], "tag": ["B-PER", "O", "O"]})
        >>> corpus = es.Corpus.from_frame(frame, sequence="sentence", label="tag")
        >>> len(corpus), corpus.labels
        (2, [['B-PER', 'O'], ['O']])
        """
        if columns is None:
            columns = [c for c in frame.columns if c not in (sequence, label)]
        if not columns:
            raise ValueError("the frame has no column besides the sequence and the label")
        for column in [sequence, *columns, *([label] if label else [])]:
            if column not in frame.columns:
                raise ValueError(f"the frame has no column '{column}'")
        for column in [sequence, *columns]:  # a missing label is not known; anything else must be there
            missing = frame[column].isna().to_numpy()
            if missing.any():
                raise ValueError(f"column '{column}' has no value in row {frame.index[int(missing.argmax())]!r}; fill it, "
                                 f"for example with frame.fillna(...), or drop the row")
        corpus = cls(columns=[str(c) for c in columns])
        for _, group in frame.groupby(sequence, sort=False):
            rows = list(zip(*(group[c].astype(str) for c in columns)))
            corpus.add(rows, None if label is None else [None if x is None or x != x else str(x) for x in group[label]])
        return corpus

    @classmethod
    def _of(cls, native: _native.Corpus) -> "Corpus":
        corpus = cls.__new__(cls)
        corpus._native = native
        corpus._form = _native.Form.AUTO
        return corpus

    def add(self, tokens: Any, labels: Optional[Iterable[Optional[str]]] = None, weight: float = 1.0) -> "Corpus":
        """Adds one sequence. `labels`: one per token, None where it is not known.

        >>> es.Corpus().add(["Anna", "slept"], ["B-PER", None]).add(["It"], ["O"], weight=2)
        Corpus of 2 sequences, 3 tokens
        """
        self._native.add(tokens, labels, weight, self._form)
        return self

    def extend(self, sequences: Iterable[Any], labels: Optional[Iterable[Any]] = None) -> "Corpus":
        """Adds many sequences. Those without tokens are left out. After an error nothing has been added.

        >>> es.Corpus(X, y).extend([["Anna"], [], ["It"]], [["B-PER"], [], ["O"]])
        Corpus of 22 sequences, 42 tokens
        """
        self._native.extend(sequences, labels, self._form)
        return self

    def subset(self, numbers: Iterable[int]) -> "Corpus":
        """The sequences with these numbers, from 0, in this order.

        >>> es.Corpus(X, y).subset([1, 0]).labels
        [['O', 'O'], ['B-PER', 'O']]
        """
        chosen = list(numbers)
        for number in chosen:
            if not 0 <= number < len(self):
                raise IndexError(f"sequence {number}: the corpus has {len(self)}")
        return Corpus._of(self._native.subset(chosen))

    @property
    def tokens(self) -> int:
        """The number of tokens in all sequences together.

        >>> es.Corpus([["Anna", "slept"], ["It"]]).tokens
        3
        """
        return self._native.tokens()

    @property
    def labels(self) -> List[Optional[List[str]]]:
        """The labels of each sequence, or None where it has none.

        >>> es.Corpus([["Anna", "slept"]], [["B-PER", "O"]]).labels
        [['B-PER', 'O']]
        """
        return [self._native.sequence(i)[1] for i in range(len(self))]

    def __len__(self) -> int:
        return len(self._native)

    @overload
    def __getitem__(self, index: int) -> Tuple[List[Token], Optional[List[str]]]: ...
    @overload
    def __getitem__(self, index: slice) -> "Corpus": ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Tuple[List[Token], Optional[List[str]]], "Corpus"]:
        if isinstance(index, slice):
            return self.subset(range(len(self))[index])
        number = range(len(self))[index]  # negative numbers count from the end; IndexError outside
        tokens, labels, _ = self._native.sequence(number)
        return tokens, labels

    def __iter__(self) -> Iterator[Tuple[List[Token], Optional[List[str]]]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"Corpus of {counted(len(self), 'sequence')}, {counted(self.tokens, 'token')}"


def sequences_of(sequences: Iterable[Any]) -> Iterable[Any]:
    """What is tagged: those of a corpus without their labels, or the sequences themselves."""
    return (tokens for tokens, _ in sequences) if isinstance(sequences, Corpus) else sequences


#: What functions train, score and tag.
DataLike = Union[Corpus, PathLike, Sequence[Any]]


def holds_attributes(data: Any, labels: Any) -> bool:
    """Whether these are two lists of the same length, and the sequences in the first have attributes: anything but words,
    rows of cells and matrices of numbers."""
    if type(data) is not list or type(labels) is not list or len(data) != len(labels):
        return False
    first = next((sequence for sequence in data if type(sequence) is not list or sequence), None)
    return type(first) is list and isinstance(first[0], (dict, list, set))


def native_data(data: Any, labels: Any = None, *, columns: Sequence[str] = (),
                reading: Optional[Dict[str, Any]] = None) -> Any:
    """A corpus or (paths, reading options), from a Corpus, a path, a list of paths, sequences and labels, or a pair."""
    if isinstance(data, Corpus):
        if labels is not None:
            raise TypeError("a corpus has its labels inside; give no others")
        return data._native
    if isinstance(data, (str, os.PathLike)):
        data = [data]
    if labels is None and isinstance(data, (list, tuple)) and data and all(
            isinstance(d, (str, os.PathLike)) for d in data):
        return [path_of(d) for d in data], {k: v for k, v in (reading or {}).items() if v not in (None, "")}
    if labels is None and isinstance(data, tuple) and len(data) == 2:
        data, labels = data
    return Corpus(data, labels, columns=columns)._native
