"""What a command says on standard error while it runs: a line that moves on a terminal, or a few lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Self

from ringtrue.cli._terminal import check, tell
from ringtrue.core import Claim, count, harmless

_REDRAW_SECONDS = 0.2
_REDRAW_SHARE = 10
"""A redraw waits this many times as long as the last one took, so that looking costs a tenth of the time at most."""

_GROWTH = 2
"""Away from a terminal a line is printed whenever the steps or parts done have doubled: a log stays short, and looking,
which takes longer than a step, costs little."""

_FEW = 4
"""Workers that are shown one by one."""

_SOON, _LONG = 1.0, 3.0
"""Seconds before which a rate says nothing, and after which a command says what it does where no line moves."""


class _Moving:
    """A line that moves on a terminal; elsewhere, and where the cursor cannot be moved back, `live` is None."""

    begins = "asking"
    live: Any = None

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

    def __exit__(self, *_: object) -> None:
        if self.live is not None:
            self.live.stop()

    def show(self, line: str) -> None:
        """Let the moving line say this."""
        from rich.text import Text

        text = Text(harmless(line))  # Text, because a study's words are not markup
        text.truncate(max(20, self.live.console.width - 4), overflow="ellipsis")  # room for the spinner
        self.live.update(text)


class Progress(_Moving):
    """Called with the study after every step of a run; writes to standard error, and ends a run told to end.

    Parameters
    ----------
    claim, question
        What is to be decided, and the question that is asked.
    planned
        How many answers the question plans with; None where the budget alone ends it.
    before
        How many queries of the study were answered or given up before the run.
    each
        Whether a line is printed after every step, and none moves: a person types in between.
    clock
        Tells the time, in seconds.
    """

    def __init__(
        self,
        claim: Claim | None,
        question: str | None = None,
        *,
        planned: int | None = None,
        before: int = 0,
        each: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._claim, self._question, self._planned, self._each = claim, question, planned, each
        self._steps, self._next_plain, self._next_redraw = 0, 1, 0.0
        self._before, self._clock, self._began = before, clock, clock()

    def __enter__(self) -> Self:
        return self if self._each else super().__enter__()

    def __call__(self, study: Any) -> None:
        check()
        self._steps += 1
        start = time.monotonic()
        if self.live is not None and start >= self._next_redraw:
            self.show(self._line(study))
            now = time.monotonic()
            self._next_redraw = now + max(_REDRAW_SECONDS, _REDRAW_SHARE * (now - start))
        elif self.live is None and self._steps >= self._next_plain:
            # Counted in own steps: the study's status takes longer to work out the longer the study is.
            self._next_plain = self._steps + 1 if self._each else self._steps * _GROWTH
            tell(self._line(study), err=True)

    def _line(self, study: Any) -> str:
        finding, status = study.finding(claim=self._claim, question=self._question), study.status()
        left, open_now = status.labels_left, status.leased + status.waiting
        settled = status.answered + status.abandoned - self._before
        paid = status.paid
        if self._planned is not None:
            rest = max(0, self._planned - finding.answers)
            where = f"{finding.answers:,} of {count(self._planned, 'evaluation')}"
        elif left is not None:
            rest, where = left + open_now, f"{left:,} left"
        else:
            return f"{paid}; {finding}" if paid else str(finding)
        lasts = time_text((self._clock() - self._began) / settled * rest) if settled > 0 else ""
        most = "at most " if self._claim is not None else ""
        after = " left" if self._planned is not None else ""
        return f"{where}{f', {most}{lasts}{after}' if lasts else ''}{f', {paid}' if paid else ''}; {finding}"


def time_text(seconds: float) -> str:
    """Return about how long something takes; nothing if it is less than a minute.

    >>> [time_text(seconds) for seconds in (59, 61, 2400, 7200, 90_000, 400_000)]
    ['', 'about 1 min', 'about 40 min', 'about 2 h', 'about 25 h', 'about 5 days']
    """
    if seconds < 60:
        return ""
    if seconds < 90 * 60:
        return f"about {seconds / 60:.0f} min"
    return f"about {seconds / 3600:.0f} h" if seconds < 48 * 3600 else f"about {count(round(seconds / 86_400), 'day')}"


class Preparing(_Moving):
    """Is told how far work in parts has come: writes to standard error how much is done, how fast, and how long yet."""

    begins = "preparing"

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._what, self._next, self._began, self._before = clock, "", 1, 0.0, 0

    def __call__(
        self, what: str, done: int, total: int, unit: str = "part", workers: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        check()
        if what != self._what:  # what an earlier run did says nothing of how fast it goes
            self._what, self._next, self._began, self._before = what, 1, self._clock(), done
        line = f"{what}: {done:,} of {count(total, unit)}{self._pace(done, total, unit, workers)}"
        if self.live is not None:
            self.show(line)
        elif done >= self._next or done == total:
            self._next = done * _GROWTH
            tell(line, err=True)

    def _pace(self, done: int, total: int, unit: str, workers: Mapping[str, int]) -> str:
        seconds, made = self._clock() - self._began, done - self._before
        if seconds < _SOON or made <= 0:
            return ""
        left = time_text(seconds / made * (total - done))
        told = f", {made / seconds:,.0f} {unit}s/s" if unit != "part" else ""
        told += f", {left} left" if left else ""
        if len(workers) > 1:
            each = sorted((own / seconds for own in workers.values()), reverse=True)
            few = (
                ", ".join(f"{one:,.0f}" for one in each) if len(each) <= _FEW else f"{each[-1]:,.0f} to {each[0]:,.0f}"
            )
            told += f"; {count(len(each), 'worker')}: {few}"
        return told


class Steps(_Moving):
    """Is told what a long command does next: shows it on a terminal, and elsewhere once the command has taken long."""

    def __init__(self, begins: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.begins, self._clock, self._began = begins, clock, clock()

    def __call__(self, doing: str) -> None:
        check()
        if self.live is not None:
            self.show(doing)
        elif self._clock() - self._began >= _LONG:
            tell(doing, err=True)
