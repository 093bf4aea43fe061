"""Progress of what a study prepares: one moving line on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from ringtrue.cli._common import tell
from ringtrue.core import count, harmless

_PLAIN_GROWTH = 2.0
"""Away from a terminal a line is printed whenever the parts done have doubled: a log stays short."""


class Preparing:
    """Told what is being done, how many parts of it are done and how many there are; writes to standard error."""

    def __init__(self) -> None:
        self._live: Any = None
        self._what = ""
        self._next = 1.0

    def __enter__(self) -> Preparing:
        if sys.stderr is not None and sys.stderr.isatty():
            from rich.console import Console
            from rich.status import Status

            console = Console(stderr=True)
            if not console.is_dumb_terminal:
                self._live = Status("preparing", console=console)
                self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, what: str, done: int, parts: int) -> None:
        line = f"{what}: {done:,} of {count(parts, 'part')}"
        if self._live is not None:
            from rich.text import Text

            self._live.update(Text(harmless(line)))
            return
        if what != self._what:
            self._what, self._next = what, 1.0
        if done >= self._next or done == parts:
            self._next = done * _PLAIN_GROWTH
            tell(line, err=True)
