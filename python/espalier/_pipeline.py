"""Pipelines of models, and raw text."""

from __future__ import annotations

import concurrent.futures
import os
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _native
from ._data import PathLike, sequences_of
from ._results import Tagged, TextToken, tagged_of
from ._tagger import ConstraintsLike, Tagger, Tagging, decode_options, is_empty, tokens_of


class Pipeline(Tagging):
    """Several models, one after the other: each reads the labels of those before it as columns.

    A row begins with the cells of the input, for words the word; every model appends its label. Models that were trained on
    columns of one file fit together in the order of their label columns. Options are about the last model.

    >>> import espalier as es
    >>> rows = [[("the", "D"), ("cat", "N"), ("ran", "V")], [("a", "D"), ("dog", "N"), ("sat", "V")]] * 10
    >>> tagger = es.train([[word for word, _ in s] for s in rows], [[tag for _, tag in s] for s in rows])
    >>> chunker = es.train(rows, [["B", "I", "O"]] * 20)
    >>> tagged = es.Pipeline({"tagger": tagger, "chunker": chunker}).tag(["the", "dog", "ran"])
    >>> tagged.labels, tagged.other_labels
    (['B', 'I', 'O'], [['D'], ['N'], ['V']])
    """

    def __init__(self, stages: Union[Mapping[str, Tagger], Sequence[Tuple[str, Tagger]]]) -> None:
        pairs = list(stages.items()) if isinstance(stages, Mapping) else [(name, tagger) for name, tagger in stages]
        #: The models with their names, in order.
        self.stages: List[Tuple[str, Tagger]] = pairs
        self._native = _native.Pipeline([(name, tagger._native) for name, tagger in pairs])
        self._form = _native.Form.ROWS

    @classmethod
    def open(cls, *paths: PathLike) -> "Pipeline":
        """Opens model files; each is named after its file, without folder and ending.

        >>> tagger.save("names.model")
        >>> es.Pipeline.open("names.model")
        <Pipeline: names>
        """
        return cls([(os.path.splitext(os.path.basename(os.fspath(p)))[0], Tagger.open(p)) for p in paths])

    @property
    def labels(self) -> List[str]:
        """The labels of the last model: the columns of marginals.

        >>> es.Pipeline({"names": tagger}).labels
        ['B-PER', 'O']
        """
        return self.stages[-1][1].labels

    def __repr__(self) -> str:
        return f"<Pipeline: {', '.join(name for name, _ in self.stages)}>"

    def tag(self, tokens: Any, *, confidence: Optional[bool] = None, nbest: int = 1, marginals: bool = False,
            forced: Optional[Sequence[Optional[str]]] = None, constraints: ConstraintsLike = None,
            unconstrained: bool = False, strict: bool = False, why: bool = False, time_limit: float = 10.0,
            decoder: str = "auto", beam: int = 0) -> Tagged:
        """Tags one sequence of words, or of rows with the cells that the first model needs. Options as for Tagger.tag().

        The labels of the models before the last are in `other_labels`: per token one each, in the order of the models.

        >>> es.Pipeline({"names": tagger}).tag(["Anna", "slept"]).labels
        ['B-PER', 'O']
        """
        options = decode_options(confidence, nbest, marginals, constraints, unconstrained, strict, why, time_limit,
                                 decoder, beam)
        options.setdefault("confidence", False)
        if forced is not None:
            options["forced"] = list(forced)
        tokens = tokens_of(tokens)
        return tagged_of(None if is_empty(tokens) else self._native.tag(tokens, self._form, options))

    def tag_batch(self, sequences: Iterable[Any], *, threads: int = 0, **options: Any) -> List[Tagged]:
        """Tags many sequences on all cores (or `threads`). Options as for tag().

        >>> [tagged.labels for tagged in es.Pipeline({"names": tagger}).tag_batch([["Anna"], ["It", "rained"]])]
        [['B-PER'], ['O', 'O']]
        """
        with concurrent.futures.ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
            return list(pool.map(lambda tokens: self.tag(tokens, **options), sequences_of(sequences)))


def split_text(text: str, split: str = "words") -> List[List[TextToken]]:
    """Splits raw text into sentences and words by Unicode's rules.

    Args:
        text: in any script.
        split: "words", or "blanks" for text that is already tokenised, one sentence per line.

    Each token has its text, and where it begins and ends in `text`.

    >>> import espalier as es
    >>> [[token.text for token in sentence] for sentence in es.split_text("Anna flew. She slept!")]
    [['Anna', 'flew', '.'], ['She', 'slept', '!']]
    >>> es.split_text("Zoë slept")[0][1]
    TextToken(text='slept', begin=4, end=9)
    """
    return [[TextToken(*token) for token in sentence] for sentence in _native.split_text(text, split)]
