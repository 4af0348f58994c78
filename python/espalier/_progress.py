"""Progress: a function of the user's, or a bar where standard error is a terminal."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterator, Optional, Union

from ._results import Progress

#: True: a bar, if standard error is a terminal. A function gets Progress reports; if it returns False, work stops.
ProgressLike = Union[None, bool, Callable[[Progress], Any]]


class _Bar:
    """A bar of tqdm's if that is installed, otherwise one line that is written again."""

    def __init__(self) -> None:
        self.phase = ""
        try:
            from tqdm import tqdm  # type: ignore[import]
        except ImportError:
            tqdm = None
        self.tqdm = tqdm
        self.bar: Any = None

    def __call__(self, p: Progress) -> None:
        extra = "".join(text for text, known in (
            (f" pass {p.round}", p.round is not None),
            (f" objective {p.objective or 0:.4g}", p.objective is not None),
            (f" dev {p.dev_score or 0:.2f}", p.dev_score is not None)) if known)
        if self.tqdm is None:
            sys.stderr.write(f"\r{p.phase} {100 * p.fraction:3.0f} %{extra}\x1b[K")
            sys.stderr.flush()
            return
        if self.bar is None or p.phase != self.phase:
            self.close()
            self.bar = self.tqdm(total=p.total or None, desc=p.phase, leave=False,
                                 bar_format="{desc}: {percentage:3.0f} % |{bar}| {elapsed}<{remaining}{postfix}"
                                 if p.total else None)
        self.phase = p.phase
        if extra:
            self.bar.set_postfix_str(extra.strip(), refresh=False)
        self.bar.n = p.done
        self.bar.refresh()

    def close(self) -> None:
        """Removes the bar."""
        if self.bar is not None:
            self.bar.close()
        elif self.tqdm is None:
            sys.stderr.write("\r\x1b[K")
        self.bar = None


@contextlib.contextmanager
def reporter(progress: ProgressLike) -> Iterator[Optional[Callable[[dict], Any]]]:
    """What the compiled module calls with each report, or None."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        if not sys.stderr.isatty():
            yield None
            return
        bar = _Bar()
        try:
            yield lambda fields: bar(Progress(**fields))
        finally:
            bar.close()
    elif callable(progress):
        call: Callable[[Progress], Any] = progress
        yield lambda fields: call(Progress(**fields))
    else:
        raise TypeError("progress must be a bool or a function")
