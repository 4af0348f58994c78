"""What a model contains: the text that Tagger.dump writes, read back."""

from __future__ import annotations

import re
from typing import Dict, Optional, Tuple

__all__ = ["CRFsuiteDumpParser", "ParsedDump"]


class ParsedDump:
    """Weights and names of a model.

    Attributes:
        header: facts about the file.
        labels, attributes: names, with their numbers as text.
        transitions: weights by (from label, to label).
        state_features: weights by (attribute, label).

    >>> dump = tagger.info()
    >>> sorted(dump.labels), sorted(dump.attributes)
    (['O', 'PER'], ['word:Anna', 'word:slept'])
    >>> dump.state_features[("word:Anna", "PER")] > 0
    True
    """

    def __init__(self) -> None:
        self.header: Dict[str, str] = {}
        self.labels: Dict[str, str] = {}
        self.attributes: Dict[str, str] = {}
        self.transitions: Dict[Tuple[str, str], float] = {}
        self.state_features: Dict[Tuple[str, str], float] = {}


class CRFsuiteDumpParser:
    """Feed it every line of a dump; `result` is then complete.

    >>> parser = CRFsuiteDumpParser()
    >>> for line in ["LABELS = {", "      0: PER", "      1: O", "}"]:
    ...     parser.feed(line)
    >>> parser.result.labels
    {'PER': '0', 'O': '1'}
    """

    _SECTION = re.compile(r"(FILEHEADER|LABELS|ATTRIBUTES|TRANSITIONS|STATE_FEATURES) = {")
    _WEIGHT = re.compile(r"\(\d+\) (.+) --> (.+): ([+-]?\d+\.\d+)")

    def __init__(self) -> None:
        self.state: Optional[str] = None
        self.result = ParsedDump()

    def feed(self, line: str) -> None:
        """Takes the next line. Blanks at the end belong to names.

        >>> parser = CRFsuiteDumpParser()
        >>> parser.feed("TRANSITIONS = {")
        >>> parser.feed("  (1) PER --> O: 0.500000")
        >>> parser.result.transitions
        {('PER', 'O'): 0.5}
        """
        line = line.lstrip().rstrip("\r\n")
        section = self._SECTION.match(line)
        if not line:
            return
        if section:
            self.state = section[1]
        elif line == "}":
            self.state = None
        elif self.state in ("TRANSITIONS", "STATE_FEATURES"):
            first, second, weight = self._WEIGHT.match(line).groups()  # type: ignore[union-attr]
            weights = self.result.transitions if self.state == "TRANSITIONS" else self.result.state_features
            weights[(first, second)] = float(weight)
        elif self.state is not None:
            key, _, value = line.partition(": ")
            if self.state == "FILEHEADER":
                self.result.header[key] = value
            else:
                names = self.result.labels if self.state == "LABELS" else self.result.attributes
                names[value] = key
