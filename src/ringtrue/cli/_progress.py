"""Progress of a run: a moving line on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

import click

from ringtrue.core import Claim

_REDRAW_SECONDS = 0.2
_PLAIN_GROWTH = 1.5
"""Away from a terminal a line is printed whenever the number of answers has grown by half: a log stays short."""


class Progress:
    """Called with the study after every step of a run; writes to standard error."""

    def __init__(self, study: Any, claim: Claim | None) -> None:
        self._study = study
        self._claim = claim
        self._terminal = sys.stderr.isatty()
        self._live: Any = None
        self._next_plain = 1.0
        self._next_redraw = 0.0

    def __enter__(self) -> Progress:
        if self._terminal:
            from rich.console import Console
            from rich.status import Status

            self._live = Status("opening the study", console=Console(stderr=True))
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, study: Any) -> None:
        if self._live is None:
            answered = study.status().answered
            if answered >= self._next_plain:
                self._next_plain = max(answered + 1, answered * _PLAIN_GROWTH)
                click.echo(self._line(), err=True)
        elif time.monotonic() >= self._next_redraw:
            from rich.text import Text

            self._live.update(Text(self._line()))  # Text, because a study's words are not markup
            self._next_redraw = time.monotonic() + _REDRAW_SECONDS

    def _line(self) -> str:
        finding = self._study.finding(claim=self._claim)
        left = self._study.status().labels_left
        return f"{finding}" + ("" if left is None else f"; {left:,} labels left")
