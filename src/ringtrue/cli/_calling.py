"""How addresses are called: headers, from this command line alone, and a limit of time, which a study remembers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.cli._consent import Run
    from ringtrue.models import HttpModel


@dataclass(frozen=True, slots=True)
class Calling:
    """What the user says on this command line of how addresses are called.

    Not part of a study: a file that another user sends you must not say which of your variables goes where.
    """

    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers by name, each with the environment variable that holds its value."""
    timeout: float | None = None
    """Seconds that one request may take."""

    def model(self, url: str, **settings: Any) -> HttpModel:
        """Return the model behind an address."""
        from ringtrue.models import HttpModel

        if self.timeout is not None:
            settings["timeout"] = self.timeout
        return HttpModel(url, headers=self.headers, **settings)

    def check_used(self, runs: Collection[Run], oracle: str | None = None) -> None:
        """Refuse options that nothing would use. A limit of time is also for the oracle, and for any program."""
        if self.headers and not any(run.kind == "address" for run in runs):
            raise InvalidInput("--header is for a model or an oracle behind an address (http…): leave it out")
        if self.timeout is not None and not any(run.kind != "module" or run.text == oracle for run in runs):
            raise InvalidInput("--timeout is for a model behind an address (http…) or an oracle that runs: leave out")


def calling_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add `--header` and `--timeout`, and hand them to the verb as one argument `calling`."""

    @click.option(
        "--header",
        multiple=True,
        metavar="NAME=VARIABLE",
        help="Send an address this header, with the value of an environment variable; repeatable.",
    )
    @click.option(
        "--timeout", type=float, metavar="SECONDS", help="The most that one answer may take (from an address: 60)."
    )
    @wraps(command)
    def called(*arguments: Any, header: Sequence[str], timeout: float | None, **given: Any) -> int:
        return command(*arguments, calling=Calling(_headers(header), timeout), **given)

    return called


def _headers(texts: Sequence[str]) -> dict[str, str]:
    """Return headers by name, each with its variable; a value that was typed is not repeated."""
    found = {}
    for text in texts:
        name, equals, variable = (part.strip() for part in text.partition("="))
        if not equals or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
            raise InvalidInput(
                "--header must be NAME=VARIABLE, where an environment variable holds the value: write it like "
                "X-Api-Key=MY_KEY after export MY_KEY=…"
            )
        found[name] = variable
    return found
