"""Lexicons and word classes: lists of words that become features, and how classes are made from text."""

from __future__ import annotations

import gzip
import os
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple, Union

from . import _native
from ._data import PathLike, path_of
from ._progress import ProgressLike, reporter


class WordClasses(Mapping[str, str]):
    """Words and their classes, the most frequent word first; made by :func:`make_word_classes`.

    >>> import espalier as es
    >>> classes = es.WordClasses("cat\\t1\\ndog\\t1\\n")
    >>> classes["dog"], len(classes)
    ('1', 2)
    """

    def __init__(self, text: str) -> None:
        self.text = text  #: lines of word, tab, class
        self._classes: Dict[str, str] = {}
        for line in text.splitlines():
            word, _, its_class = line.partition("\t")
            self._classes[word] = its_class

    def __getitem__(self, word: str) -> str:
        return self._classes[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)

    def save(self, path: PathLike) -> None:
        """Writes the file that ``espalier train --word-classes`` takes.

        >>> es.WordClasses("cat\\t1\\ndog\\t1\\n").save("classes.txt")
        >>> open("classes.txt").read()
        'cat\\t1\\ndog\\t1\\n'
        """
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.text)


#: A file, or entries and their types (words and their classes).
ListLike = Union[PathLike, Mapping[str, Any]]
#: One of them or several.
ListsLike = Union[ListLike, Sequence[ListLike]]


def make_word_classes(text: Union[PathLike, Sequence[PathLike]], classes: int = 512, *, least_count: int = 2,
                      rounds: int = 15, threads: int = 0, progress: ProgressLike = None) -> WordClasses:
    """Puts the words of unlabelled text into classes, for ``train(word_classes=...)``: words that occur between the same
    neighbours get the same class.

    Args:
        text: files with one sentence per line, words separated by blanks.
        classes: how many.
        least_count: words seen fewer times get no class.
        rounds: passes over the words, at most.
        threads: 0 for all cores; the classes are the same at any number.
        progress: as for train().

    >>> import os, tempfile, espalier as es
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "text.txt")
    >>> with open(path, "w") as file:
    ...     _ = file.write("the cat slept\\nthe dog slept\\na cat ran\\na dog ran\\n" * 5)
    >>> found = es.make_word_classes(path, 3)
    >>> found["cat"] == found["dog"] != found["the"]
    True
    """
    files = [text] if isinstance(text, (str, os.PathLike)) else list(text)
    if not files:
        raise ValueError("make_word_classes needs at least one file of text")
    with reporter(progress) as report:
        return WordClasses(_native.make_word_classes([path_of(f) for f in files], classes, least_count, rounds, threads,
                                                     report))


def read_named(path: PathLike) -> Tuple[str, str]:
    """The name and the text of a file, which may be gzipped."""
    name = path_of(path)
    with open(name, "rb") as file:
        data = file.read()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    try:
        return name, data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{name}:{line}: this is not UTF-8 text") from None


def texts_of(given: ListsLike, kind: str) -> List[Tuple[str, str]]:
    """Names and texts of lists of words; `kind` names those that are in memory."""
    lists = [given] if isinstance(given, (str, os.PathLike, Mapping)) else list(given)
    found = []
    for number, one in enumerate(lists, 1):
        if isinstance(one, WordClasses):
            found.append((f"{kind} {number}", one.text))
        elif isinstance(one, Mapping):
            found.append((f"{kind} {number}", "".join(map(_line, one.items()))))
        elif isinstance(one, (str, os.PathLike)):
            found.append(read_named(one))
        else:
            raise TypeError(f"{kind} {number} must be a path or a dict, not {type(one).__name__}")
    return found


def _line(entry: Tuple[Any, Any]) -> str:
    key, value = entry
    if not isinstance(key, str) or not isinstance(value, (str, int)):
        raise TypeError(f"{key!r}: {value!r}: expected a str and its type or class, a str or an int")
    text = str(value)
    for part in (key, text):
        if "\t" in part or "\n" in part or "\r" in part:
            raise ValueError(f"{part!r} has a tab or a line end inside")
    return f"{key}\t{text}\n"
