"""Reports as a dictionary or as text."""

from __future__ import annotations

import abc
from typing import Any, Dict, List

__all__ = ["DictReporter", "Reporter", "StringReporter"]

_COLUMNS = ("precision", "recall", "f1-score", "support")


class Reporter(abc.ABC):
    """Receives one row per class or average.

    >>> class Names(Reporter):
    ...     def __init__(self): self.names = []
    ...     def write(self, row_name, precision, recall, f1, support): self.names.append(row_name)
    ...     def report(self): return self.names
    >>> names = Names()
    >>> names.write("PER", 0.5, 1.0, 0.67, 3)
    >>> names.report()
    ['PER']
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    @abc.abstractmethod
    def report(self) -> Any:
        """The finished report."""

    @abc.abstractmethod
    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Adds a row."""


class DictReporter(Reporter):
    """The report as a dictionary of dictionaries.

    >>> reporter = DictReporter()
    >>> reporter.write("PER", 0.5, 1.0, 0.67, 3)
    >>> reporter.report()["PER"]["recall"]
    1.0
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.report_dict: Dict[str, Dict[str, Any]] = {}

    def report(self) -> Dict[str, Dict[str, Any]]:
        """By row name.

        >>> DictReporter().report()
        {}
        """
        return self.report_dict

    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Adds a row.

        >>> reporter = DictReporter()
        >>> reporter.write("PER", 0.5, 1.0, 0.67, 3)
        >>> reporter.report()
        {'PER': {'precision': 0.5, 'recall': 1.0, 'f1-score': 0.67, 'support': 3}}
        """
        self.report_dict[row_name] = dict(zip(_COLUMNS, (precision, recall, f1, support)))

    def write_blank(self) -> None:
        """Nothing: a dictionary has no blank lines.

        >>> reporter = DictReporter()
        >>> reporter.write_blank()
        >>> reporter.report()
        {}
        """


class StringReporter(Reporter):
    """The report as a table of text.

    >>> reporter = StringReporter(width=3, digits=2)
    >>> reporter.write("PER", 0.5, 1.0, 0.67, 3)
    >>> reporter.report().splitlines()[-1]
    'PER       0.50      1.00      0.67         3'
    """

    def __init__(self, *args: Any, width: int = 10, digits: int = 4, **kwargs: Any) -> None:
        super().__init__()
        self.buffer: List[str] = []
        self.width = width
        self.digits = digits

    def report(self) -> str:
        """The head line, an empty line, the rows.

        >>> StringReporter(width=3).report()
        '     precision    recall  f1-score   support\\n\\n'
        """
        return self.write_header() + "\n".join(self.buffer)

    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Adds a row.

        >>> reporter = StringReporter(width=3, digits=1)
        >>> reporter.write("LOC", 0.5, 1.0, 0.7, 3)
        >>> reporter.buffer
        ['LOC        0.5       1.0       0.7         3']
        """
        numbers = "".join(f" {x:>9.{self.digits}f}" for x in (precision, recall, f1))
        self.buffer.append(f"{row_name:>{self.width}s} {numbers} {support:>9}")

    def write_header(self) -> str:
        """The names of the columns, and an empty line.

        >>> StringReporter(width=3).write_header()
        '     precision    recall  f1-score   support\\n\\n'
        """
        return f"{'':>{self.width}s} " + "".join(f" {name:>9}" for name in _COLUMNS) + "\n\n"

    def write_blank(self) -> None:
        """An empty line.

        >>> reporter = StringReporter()
        >>> reporter.write_blank()
        >>> reporter.buffer
        ['']
        """
        self.buffer.append("")
