"""Learners as keyword classes, made from the library's own tables of parameters.

>>> import espalier as es
>>> es.Crf(l2=0.5)
Crf(l2=0.5)
>>> es.Crf(l3=1)
Traceback (most recent call last):
...
TypeError: Crf has no parameter 'l3'; it has: l2, l1, algorithm, passes, batch, ...
"""

from __future__ import annotations

import inspect
import re
from typing import Any, ClassVar, Dict, List, NamedTuple, Optional, Tuple, Type, Union

from . import _native


class Parameter(NamedTuple):
    """A parameter of a learner.

    >>> parameter = es.Crf.parameters["passes"]
    >>> parameter.name, parameter.default, parameter.range
    ('passes', 'auto', 'from 1 up')
    """

    name: str
    default: str
    meaning: str
    range: str
    basic: bool


class Learner:
    """A learner and its settings; parameters that are not given take the learner's defaults.

    >>> learner = es.LEARNERS["cascade"](order=4)
    >>> learner, learner.name, learner.settings
    (Cascade(order=4), 'cascade', {'order': 4})
    """

    name: ClassVar[str] = ""
    tasks: ClassVar[Tuple[str, ...]] = ()
    parameters: ClassVar[Dict[str, Parameter]] = {}

    def __init__(self, **settings: Any) -> None:
        for name in settings:
            if name not in self.parameters:
                shown = list(self.parameters)[:5]
                raise TypeError(f"{type(self).__name__} has no parameter '{name}'; it has: {', '.join(shown)}, ...")
        self.settings: Dict[str, Any] = {k: v for k, v in settings.items() if v is not None}

    def pairs(self) -> List[Tuple[str, str]]:
        """The settings as the command takes them: ``-p name=value``.

        >>> es.Crf(average_from=3, names=False).pairs()
        [('average-from', '3'), ('names', 'no')]
        """
        return [(self.parameters[name].name, _text(value)) for name, value in self.settings.items()]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.settings.items())})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.settings == other.settings  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), tuple(sorted(self.pairs()))))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ",".join(f"{k}:{_text(v)}" for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(_text(v) for v in value)
    return str(value)


def class_name(learner: str) -> str:
    """The class of a learner: ``laso-br`` is LasoBr.

    >>> class_name("laso-br")
    'LasoBr'
    """
    return "".join(part.capitalize() for part in learner.split("-"))


def _python_name(parameter: str) -> str:
    return parameter.replace("-", "_")


def _example(made: str, tasks: List[str], parameters: Dict[str, Parameter]) -> List[str]:
    """An example for the documentation of a learner, with the default of its first parameter that is a number."""
    key, number = next((key, p.default) for key, p in parameters.items() if re.fullmatch(r"[0-9]+(\.[0-9]+)?", p.default))
    if "label" not in tasks:
        return [f">>> es.{made}({key}={number})", f"{made}({key}={number})"]
    return [f">>> tagger = es.train(X, y, learner=es.{made}({key}={number}))", '>>> tagger.tag(["Anna", "slept"])',
            "['B-PER', 'O']"]


def _make(name: str, summary: str, tasks: List[str], rows: List[Tuple[str, str, str, str, bool]]) -> Type[Learner]:
    parameters = {_python_name(row[0]): Parameter(*row) for row in rows}
    lines = [f"{summary[:1].upper()}{summary[1:]}.", "", f"For {'task' if len(tasks) == 1 else 'tasks'} {', '.join(tasks)}.", "", "Parameters:"]
    lines += [f"  {key} (default {p.default or 'none'}): {p.meaning} ({p.range})" for key, p in parameters.items()]
    lines += ["", *_example(class_name(name), tasks, parameters)]
    made = type(class_name(name), (Learner,), {
        "__doc__": "\n".join(lines), "__module__": "espalier", "name": name, "tasks": tuple(tasks),
        "parameters": parameters,
    })
    keywords = [inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None) for key in parameters]
    made.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    return made


#: All learners by name.
LEARNERS: Dict[str, Type[Learner]] = {row[0]: _make(*row) for row in _native.learners()}
globals().update({made.__name__: made for made in LEARNERS.values()})
__all__ = ["Learner", "Parameter", "LEARNERS", "learner_of"] + [made.__name__ for made in LEARNERS.values()]


def learner_of(given: Union[None, str, Learner], settings: Optional[Dict[str, Any]] = None) -> Learner:
    """A learner from its name, from itself, or the default one from None.

    >>> es.learner_of("crf", {"l2": 0.5})
    Crf(l2=0.5)
    """
    if isinstance(given, Learner):
        if settings:
            return type(given)(**{**given.settings, **settings})
        return given
    if given is None:
        if settings:
            raise TypeError("settings without a learner")
        return Learner()
    if given not in LEARNERS:
        raise ValueError(f"unknown learner '{given}'; there are {', '.join(LEARNERS)}")
    return LEARNERS[given](**(settings or {}))
