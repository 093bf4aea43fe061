"""The terminal: what a command prints there in the end, and the signals that come from it.

Lines are for people, one JSON object is for programs, and nothing in either steers a terminal.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import ExtensionFileLoader
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from ringtrue.core import Soft, harmless, without_secrets

if TYPE_CHECKING:
    from ringtrue.core import Finding

_COMMON = ("verdict", "claim", "sentence", "answers", "unanswerable")
"""What the numbers of a question need not repeat."""

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
