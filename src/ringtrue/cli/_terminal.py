"""The terminal: what a command says there while it runs and in the end, and the signals that come from it.

Lines are for people, one JSON object is for programs, and nothing in either steers a terminal.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import ExtensionFileLoader
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import click

from ringtrue.core import Claim, Soft, count, harmless, without_secrets

if TYPE_CHECKING:
    from ringtrue.core import Finding

_COMMON = ("verdict", "claim", "sentence", "answers", "unanswerable")
"""What the numbers of a question need not repeat."""

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

_heard: list[int] = []
"""The signals that came: code that swallows the exception meets it again at the next `check`."""

_LOADING = {ExtensionFileLoader.create_module.__code__, ExtensionFileLoader.exec_module.__code__}
"""What runs while a compiled module is being loaded."""


def tell(line: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a line. The verbs print in no other way: nothing in it can steer the terminal, or make two lines of one."""
    text = harmless(without_secrets(line) if err else line)  # a result shows ids and labels as they are
    click.echo(click.style(text, dim=True) if isinstance(line, Soft) else text, err=err, nl=nl)


def tell_json(result: Mapping[str, Any]) -> None:
    """Print one JSON object; its strings are escaped as JSON escapes them, the one control character it leaves too."""
    click.echo(json.dumps(result, allow_nan=False).replace("\x7f", "\\u007f"))


def say(as_json: bool, result: Mapping[str, Any], *lines: str) -> None:
    """Print one JSON object for programs, or lines for people."""
    if as_json:
        tell_json(result)
        return
    for line in lines:
        tell(line)


def error_line(error: BaseException) -> str:
    """Return an error of the user's code, its kind and its words, on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def single(lines: Iterable[str]) -> list[str]:
    """Return lines without a blank one at the beginning, and without two in a row."""
    found: list[str] = []
    for line in lines:
        if line or (found and found[-1]):
            found.append(line)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What programs are told, in the one shape of all verbs that ask or judge: see docs/result.schema.json."""

    study: str | None = None
    """The study's file, if there is one."""
    question: str
    """The name of the question in its study."""
    kind: str
    """The kind of question."""
    verdict: str | None = None
    claim: str | None = None
    sentence: str
    estimate: Mapping[str, Any] | None = None
    """The interval of what is asked about, with its level and method."""
    answers: int = 0
    unanswerable: int = 0
    spending: Mapping[str, Any] | None = None
    """What was asked and spent, if anything is bought."""
    details: Mapping[str, Any]
    """The numbers that only this kind of question has."""
    warnings: Sequence[str] = ()

    @classmethod
    def of(cls, finding: Finding, *, details: Mapping[str, Any] = MappingProxyType({}), **about: Any) -> Result:
        """Return what is told of a finding; `details` are those that the verb adds to its own."""
        told: dict[str, Any] = {key: value for key, value in finding.to_json().items() if key not in _COMMON}
        return cls(
            verdict=finding.verdict.value,
            claim=None if finding.claim is None else str(finding.claim),
            sentence=str(finding),
            estimate=None if finding.estimate is None else finding.estimate.to_json(),
            answers=finding.answers,
            unanswerable=finding.unanswerable,
            details={**told, **details},
            **about,
        )

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def listen() -> None:
    """Have the signals that end a process interrupt it; one that was told to be ignored stays ignored."""
    usual = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}
    for name, handler in usual.items():
        kind = getattr(signal, name, None)
        if kind is not None and signal.getsignal(kind) == handler:
            signal.signal(kind, interrupt)


def interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, but not inside a compiled module that is being loaded: some abort the whole process."""
    _heard.append(number)
    while frame is not None:
        if frame.f_code in _LOADING:
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def check() -> None:
    """Raise KeyboardInterrupt if a signal came, whatever became of the exception then: finalizers swallow it."""
    if _heard:
        raise KeyboardInterrupt


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
