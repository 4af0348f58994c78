"""Label schemes read strictly: chunks that break the scheme do not count.

A scheme is three tables of rules over the prefixes of a token and the one before it: what starts a chunk, what
continues it, what shows that the one before has ended. A rule such as ``IB=`` reads: I before, B now, and the types
are the same (``=``), different (``!``) or do not matter (``*``); a dot stands for any prefix.
"""

from __future__ import annotations

import enum
from typing import Any, Dict, FrozenSet, List, Optional, Set, Tuple, Type

__all__ = ["BILOU", "Entities", "Entity", "IOB1", "IOB2", "IOBES", "IOE1", "IOE2", "Prefix", "Token", "Tokens",
           "auto_detect"]


class Entity:
    """A chunk of a sequence: tokens `start` up to but not including `end`.

    >>> Entity(sent_id=0, start=1, end=3, tag="PER")
    (0, PER, 1, 3)
    """

    def __init__(self, sent_id: Optional[int], start: int, end: int, tag: str) -> None:
        self.sent_id = sent_id
        self.start = start
        self.end = end
        self.tag = tag

    def to_tuple(self) -> Tuple[Any, ...]:
        """What is compared and shown.

        >>> Entity(0, 1, 3, "PER").to_tuple()
        (0, 'PER', 1, 3)
        """
        return self.sent_id, self.tag, self.start, self.end

    def __repr__(self) -> str:
        return "({}, {}, {}, {})".format(*self.to_tuple())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entity) and self.to_tuple() == other.to_tuple()

    def __hash__(self) -> int:
        return hash(self.to_tuple())


class Prefix(enum.Flag):
    """The position in a chunk that a label names.

    >>> Prefix.B in Prefix.ANY
    True
    """

    I = enum.auto()  # noqa: E741
    O = enum.auto()  # noqa: E741
    B = enum.auto()
    E = enum.auto()
    S = enum.auto()
    U = enum.auto()
    L = enum.auto()
    ANY = I | O | B | E | S | U | L


_PREFIXES: Dict[str, Prefix] = {name: Prefix[name] for name in "IOBESUL"}


class Token:
    """One label: its prefix and its type. Subclasses are the schemes.

    >>> token = IOB2("B-PER")
    >>> token.prefix, token.tag
    (<Prefix.B: 4>, 'PER')
    """

    prefixes = ""  #: allowed ones, in the order in which messages name them
    starts: FrozenSet[str] = frozenset()
    insides: FrozenSet[str] = frozenset()
    ends: FrozenSet[str] = frozenset()

    def __init__(self, token: str, suffix: bool = False, delimiter: str = "-") -> None:
        self.token = token
        letter, rest = (token[-1], token[:-1]) if suffix else (token[0], token[1:])
        self.prefix = _PREFIXES[letter]
        self._letter = letter
        self.tag = rest.strip(delimiter) or "_"

    def __repr__(self) -> str:
        return self.token

    def is_valid(self) -> bool:
        """True; ValueError if the scheme has no such prefix.

        >>> IOB2("B-PER").is_valid()
        True
        >>> IOB2("E-PER").is_valid()
        Traceback (most recent call last):
        ...
        ValueError: Invalid token is found: E-PER. Allowed prefixes are: I|O|B.
        """
        if self._letter not in self.prefixes:
            raise ValueError(f"Invalid token is found: {self.token}. Allowed prefixes are: {'|'.join(self.prefixes)}.")
        return True

    def _matches(self, before: "Token", rules: FrozenSet[str]) -> bool:
        types = "*=" if before.tag == self.tag else "*!"
        return any(first + second + third in rules
                   for first in (before._letter, ".") for second in (self._letter, ".") for third in types)

    def is_start(self, prev: "Token") -> bool:
        """Whether a chunk starts here.

        >>> IOB2("B-PER").is_start(IOB2("O")), IOB2("I-PER").is_start(IOB2("O"))
        (True, False)
        """
        return self._matches(prev, self.starts)

    def is_inside(self, prev: "Token") -> bool:
        """Whether the chunk of the token before goes on.

        >>> IOB2("I-PER").is_inside(IOB2("B-PER")), IOB2("I-LOC").is_inside(IOB2("B-PER"))
        (True, False)
        """
        return self._matches(prev, self.insides)

    def is_end(self, prev: "Token") -> bool:
        """Whether the token before was the end of a chunk.

        >>> IOB2("O").is_end(IOB2("B-PER")), IOB2("I-PER").is_end(IOB2("B-PER"))
        (True, False)
        """
        return self._matches(prev, self.ends)


def _rules(text: str) -> FrozenSet[str]:
    return frozenset(text.split())


class IOB1(Token):
    """B only where a chunk follows another of the same type.

    >>> Tokens(["I-PER", "I-PER", "B-PER", "O"], IOB1).entities
    [(None, PER, 0, 2), (None, PER, 2, 3)]
    """

    prefixes = "IOB"
    starts = _rules("OI* II! BI* IB= BB=")
    insides = _rules("BI= II=")
    ends = _rules("II! IO* IB* BO* BI! BB=")


class IOE1(Token):
    """E only where a chunk of the same type follows.

    >>> Tokens(["I-PER", "E-PER", "I-PER", "O"], IOE1).entities
    [(None, PER, 0, 2), (None, PER, 2, 3)]
    """

    prefixes = "IOE"
    starts = _rules("OI* II! EI* EE=")
    insides = _rules("II= IE=")
    ends = _rules("II! IO* IE! EI= EE=")


class IOB2(Token):
    """B at every beginning.

    >>> Tokens(["B-PER", "I-PER", "B-PER", "O"], IOB2).entities
    [(None, PER, 0, 2), (None, PER, 2, 3)]
    """

    prefixes = "IOB"
    starts = _rules(".B*")
    insides = _rules("BI= II=")
    ends = _rules("IO* II! IB* BO* BI! BB*")


class IOE2(Token):
    """E at every end.

    >>> Tokens(["I-PER", "E-PER", "E-PER", "O"], IOE2).entities
    [(None, PER, 0, 2), (None, PER, 2, 3)]
    """

    prefixes = "IOE"
    starts = _rules("OI* OE* EI* EE* II! IE!")
    insides = _rules("IE= II=")
    ends = _rules("E.*")


class IOBES(Token):
    """B, I and E of longer chunks, S of single tokens.

    >>> Tokens(["B-PER", "E-PER", "S-PER", "O"], IOBES).entities
    [(None, PER, 0, 2), (None, PER, 2, 3)]
    """

    prefixes = "IOBES"
    starts = _rules(".B* .S*")
    insides = _rules("BI= BE= II= IE=")
    ends = _rules("S.* E.*")


class BILOU(Token):
    """The same with L for E and U for S.

    >>> Tokens(["B-PER", "L-PER", "U-PER", "O"], BILOU).entities
    [(None, PER, 0, 2), (None, PER, 2, 3)]
    """

    prefixes = "IOBUL"
    starts = _rules(".B* .U*")
    insides = _rules("BI= BL= II= IL=")
    ends = _rules("U.* L.*")


class Tokens:
    """The labels of one sequence.

    >>> Tokens(["B-PER", "O"], IOB2).tokens
    [B-PER, O]
    """

    def __init__(self, tokens: List[str], scheme: Type[Token], suffix: bool = False, delimiter: str = "-",
                 sent_id: Optional[int] = None) -> None:
        self.outside_token = scheme("O", suffix=suffix, delimiter=delimiter)
        self.tokens = [scheme(token, suffix=suffix, delimiter=delimiter) for token in tokens]
        self.extended_tokens = [*self.tokens, self.outside_token]
        self.sent_id = sent_id

    @property
    def entities(self) -> List[Entity]:
        """Its chunks.

        >>> Tokens(["B-PER", "I-PER", "O", "B-LOC"], IOB2).entities
        [(None, PER, 0, 2), (None, LOC, 3, 4)]
        """
        all_tokens = self.extended_tokens
        found = []
        at, before = 0, self.outside_token
        while at < len(all_tokens):
            token = all_tokens[at]
            token.is_valid()
            if not token.is_start(before):
                before = token
                at += 1
                continue
            end = at + 1
            while end < len(all_tokens) and all_tokens[end].is_inside(all_tokens[end - 1]):
                end += 1
            if end == len(all_tokens):
                end = len(self.tokens) - 1
            if all_tokens[end].is_end(all_tokens[end - 1]):
                found.append(Entity(self.sent_id, at, end, token.tag))
            at, before = end, all_tokens[end - 1]
        return found


class Entities:
    """The chunks of many sequences.

    >>> Entities([["B-PER", "O"], ["O", "B-LOC"]], IOB2).entities
    [[(0, PER, 0, 1)], [(1, LOC, 1, 2)]]
    """

    def __init__(self, sequences: List[List[str]], scheme: Type[Token], suffix: bool = False,
                 delimiter: str = "-") -> None:
        self.entities = [Tokens(labels, scheme, suffix, delimiter, number).entities
                         for number, labels in enumerate(sequences)]

    def filter(self, tag_name: str) -> Set[Entity]:
        """Those of one type.

        >>> Entities([["B-PER", "O"], ["O", "B-LOC"]], IOB2).filter("LOC")
        {(1, LOC, 1, 2)}
        """
        return {entity for chunks in self.entities for entity in chunks if entity.tag == tag_name}

    @property
    def unique_tags(self) -> Set[str]:
        """All types.

        >>> sorted(Entities([["B-PER", "O"], ["O", "B-LOC"]], IOB2).unique_tags)
        ['LOC', 'PER']
        """
        return {entity.tag for chunks in self.entities for entity in chunks}


#: What auto_detect takes for a scheme: these letters, with or without those after the slash.
_DETECTED = ((IOB2, ("B/IO",)), (IOE2, ("E/IO",)), (IOBES, ("BE/IOS", "OBES/I", "S/")),
             (BILOU, ("BL/IOU", "OBLU/I", "U/")))


def auto_detect(sequences: List[List[str]], suffix: bool = False, delimiter: str = "-") -> Type[Token]:
    """The scheme that labels are in: IOB2, IOE2, IOBES or BILOU. ValueError if it is none of them.

    >>> auto_detect([["B-PER", "E-PER", "S-LOC", "O"]]).__name__
    'IOBES'
    """
    letters = set()
    for labels in sequences:
        for label in labels:
            try:
                letters.add(Token(label, suffix=suffix, delimiter=delimiter)._letter)
            except KeyError:
                raise ValueError(f"This scheme is not supported: {label}") from None
    for scheme, patterns in _DETECTED:
        for pattern in patterns:
            needed, optional = [set(part) for part in pattern.split("/")]
            if needed <= letters <= needed | optional:
                return scheme
    raise ValueError(f"This scheme is not supported: { {_PREFIXES[x] for x in letters} }")
