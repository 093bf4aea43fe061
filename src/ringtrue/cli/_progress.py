"""Progress of a run: one moving line on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from ringtrue.cli._common import tell
from ringtrue.cli._interrupt import check
from ringtrue.core import Claim, harmless

_REDRAW_SECONDS = 0.2
_REDRAW_SHARE = 10
"""A redraw waits this many times as long as the last one took, so that looking costs a tenth of the time at most."""

_PLAIN_GROWTH = 1.5
"""Away from a terminal a line is printed whenever the number of steps has grown by half: a log stays short."""


class Progress:
    """Called with the study after every step of a run; writes to standard error, and ends a run told to end."""

    def __init__(self, claim: Claim | None, question: str | None = None) -> None:
        self._claim, self._question = claim, question
        self._live: Any = None
        self._steps = 0
        self._next_plain = 1.0
        self._next_redraw = 0.0

    def __enter__(self) -> Progress:
        check()
        if sys.stderr is not None and sys.stderr.isatty():
            from rich.console import Console
            from rich.status import Status

            console = Console(stderr=True)
            if not console.is_dumb_terminal:  # such a one cannot move its cursor back: it gets plain lines
                self._live = Status("asking", console=console)
                self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, study: Any) -> None:
        check()
        self._steps += 1
        if self._live is not None:
            self._redraw(study)
        elif self._steps >= self._next_plain:
            # Counted in own steps: the study's status takes longer to work out the longer the study is.
            self._next_plain = max(self._steps + 1, self._steps * _PLAIN_GROWTH)
            tell(self._line(study), err=True)

    def _redraw(self, study: Any) -> None:
        from rich.text import Text

        start = time.monotonic()
        if start < self._next_redraw:
            return
        text = Text(harmless(self._line(study)))  # Text, because a study's words are not markup
        text.truncate(max(20, self._live.console.width - 4), overflow="ellipsis")  # room for the spinner
        self._live.update(text)
        now = time.monotonic()
        self._next_redraw = now + max(_REDRAW_SECONDS, _REDRAW_SHARE * (now - start))

    def _line(self, study: Any) -> str:
        finding = study.finding(claim=self._claim, question=self._question)
        left = study.status().labels_left
        return ("" if left is None else f"{left:,} left; ") + str(finding)
