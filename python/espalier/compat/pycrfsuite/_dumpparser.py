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
    """

    def __init__(self) -> None:
        self.header: Dict[str, str] = {}
        self.labels: Dict[str, str] = {}
        self.attributes: Dict[str, str] = {}
        self.transitions: Dict[Tuple[str, str], float] = {}
        self.state_features: Dict[Tuple[str, str], float] = {}


class CRFsuiteDumpParser:
    """Feed it every line of a dump; `result` is then complete."""

    _SECTION = re.compile(r"(FILEHEADER|LABELS|ATTRIBUTES|TRANSITIONS|STATE_FEATURES) = {")
    _WEIGHT = re.compile(r"\(\d+\) (.+) --> (.+): ([+-]?\d+\.\d+)")

    def __init__(self) -> None:
        self.state: Optional[str] = None
        self.result = ParsedDump()

    def feed(self, line: str) -> None:
        """Takes the next line. Blanks at the end belong to names."""
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
