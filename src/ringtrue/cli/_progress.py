"""Progress of a run and of what is prepared before it: a moving line on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

from ringtrue.cli._interrupt import check
from ringtrue.cli._output import tell
from ringtrue.core import Claim, count, harmless

_REDRAW_SECONDS = 0.2
_REDRAW_SHARE = 10
"""A redraw waits this many times as long as the last one took, so that looking costs a tenth of the time at most."""

_GROWTH = 2
"""Away from a terminal a line is printed whenever the steps or parts done have doubled: a log stays short, and looking,
which takes longer than a step, costs little."""


class _Moving:
    """A line that moves on a terminal; elsewhere, and where the cursor cannot be moved back, `live` is None."""

    begins = "asking"

    def __init__(self) -> None:
        self.live: Any = None

    def __enter__(self) -> Self:
        check()
        if sys.stderr is not None and sys.stderr.isatty():
            from rich.console import Console
            from rich.status import Status

            console = Console(stderr=True)
            if not console.is_dumb_terminal:
                self.live = Status(self.begins, console=console)
                self.live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self.live is not None:
            self.live.stop()

    def show(self, line: str) -> None:
        """Let the moving line say this."""
        from rich.text import Text

        text = Text(harmless(line))  # Text, because a study's words are not markup
        text.truncate(max(20, self.live.console.width - 4), overflow="ellipsis")  # room for the spinner
        self.live.update(text)


class Progress(_Moving):
    """Called with the study after every step of a run; writes to standard error, and ends a run told to end."""

    def __init__(self, claim: Claim | None, question: str | None = None) -> None:
        super().__init__()
        self._claim, self._question = claim, question
        self._steps = 0
        self._next_plain = 1
        self._next_redraw = 0.0

    def __call__(self, study: Any) -> None:
        check()
        self._steps += 1
        if self.live is not None:
            self._redraw(study)
        elif self._steps >= self._next_plain:
            # Counted in own steps: the study's status takes longer to work out the longer the study is.
            self._next_plain = self._steps * _GROWTH
            tell(self._line(study), err=True)

    def _redraw(self, study: Any) -> None:
        start = time.monotonic()
        if start < self._next_redraw:
            return
        self.show(self._line(study))
        now = time.monotonic()
        self._next_redraw = now + max(_REDRAW_SECONDS, _REDRAW_SHARE * (now - start))

    def _line(self, study: Any) -> str:
        finding = study.finding(claim=self._claim, question=self._question)
        left = study.status().labels_left
        return ("" if left is None else f"{left:,} left; ") + str(finding)


class Preparing(_Moving):
    """Told what is being done, how many parts of it are done and how many there are; writes to standard error."""

    begins = "preparing"

    def __init__(self) -> None:
        super().__init__()
        self._what = ""
        self._next = 1

    def __call__(self, what: str, done: int, parts: int) -> None:
        line = f"{what}: {done:,} of {count(parts, 'part')}"
        if self.live is not None:
            self.show(line)
            return
        if what != self._what:
            self._what, self._next = what, 1
        if done >= self._next or done == parts:
            self._next = done * _GROWTH
            tell(line, err=True)
