"""Reports as a dictionary or as text."""

from __future__ import annotations

import abc
from typing import Any, Dict, List

__all__ = ["DictReporter", "Reporter", "StringReporter"]

_COLUMNS = ("precision", "recall", "f1-score", "support")


class Reporter(abc.ABC):
    """Receives one row per class or average."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    @abc.abstractmethod
    def report(self) -> Any:
        """The finished report."""

    @abc.abstractmethod
    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Adds a row."""


class DictReporter(Reporter):
    """The report as a dictionary of dictionaries."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.report_dict: Dict[str, Dict[str, Any]] = {}

    def report(self) -> Dict[str, Dict[str, Any]]:
        """By row name."""
        return self.report_dict

    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Adds a row."""
        self.report_dict[row_name] = dict(zip(_COLUMNS, (precision, recall, f1, support)))

    def write_blank(self) -> None:
        """Nothing: a dictionary has no blank lines."""


class StringReporter(Reporter):
    """The report as a table of text."""

    def __init__(self, *args: Any, width: int = 10, digits: int = 4, **kwargs: Any) -> None:
        super().__init__()
        self.buffer: List[str] = []
        self.width = width
        self.digits = digits

    def report(self) -> str:
        """The head line, an empty line, the rows."""
        return self.write_header() + "\n".join(self.buffer)

    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Adds a row."""
        numbers = "".join(f" {x:>9.{self.digits}f}" for x in (precision, recall, f1))
        self.buffer.append(f"{row_name:>{self.width}s} {numbers} {support:>9}")

    def write_header(self) -> str:
        """The names of the columns, and an empty line."""
        return f"{'':>{self.width}s} " + "".join(f" {name:>9}" for name in _COLUMNS) + "\n\n"

    def write_blank(self) -> None:
        """An empty line."""
        self.buffer.append("")
