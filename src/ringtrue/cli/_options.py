"""The options that verbs share, and how a text given with one is read: names, claims, errors in its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ringtrue.core import Claim, InvalidInput

if TYPE_CHECKING:
    from ringtrue.cli._consent import Run
    from ringtrue.models import HttpModel

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of sentences.")(command)


def show_model_option(command: Command) -> Command:
    """Add `--show-model`, for a verb that asks an oracle about a pool."""
    words = "Show the oracle what the model says: hidden otherwise, since it would sway them."
    return click.option("--show-model", is_flag=True, help=words)(command)


def trust_option(command: Command) -> Command:
    """Add `--trust`, for a verb that runs or calls what a study's file names."""
    words = "Let a study that another user made run and call what its file names, from now on."
    return click.option("--trust", is_flag=True, help=words)(command)


def study_argument(command: Command) -> Command:
    """Add the argument STUDY, the study's file."""
    return click.argument("study", metavar="STUDY")(command)


def workers_option(words: str) -> Callable[[Command], Command]:
    """Add `--workers`, one unless the user says more."""
    at_least_one = click.IntRange(min=1)
    return click.option("--workers", type=at_least_one, default=1, show_default=True, metavar="N", help=words)


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

    def check_used(self, runs: Collection[Run]) -> None:
        """Refuse options that nothing would use: no address is among what a command runs or calls."""
        option = "--header" if self.headers else None if self.timeout is None else "--timeout"
        if option is not None and not any(run.kind == "address" for run in runs):
            raise InvalidInput(f"{option} is for a model behind an address (http…): leave it out")


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


def given_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that the user gave; a number of 0 is given, though it is equal to False."""
    return {name: value for name, value in options.items() if value not in (None, ()) and value is not False}


def names_in(text: str, option: str, like: str = "age,income") -> list[str]:
    """Return the names between the commas; none may be empty."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise InvalidInput(f"{option}={text!r} has an empty name: write them like {like}")
    return found


def claim_about(text: str, *quantities: str, like: str) -> Claim:
    """Return the claim of `--claim`, about one of the quantities that a verb decides."""
    try:
        return Claim.parse(text).about(*quantities)
    except InvalidInput as error:
        raise InvalidInput(f'--{error}; here write it like "{like}"') from None


def as_options(message: str, *names: str, marks: str = "=", **renamed: str) -> str:
    """Return an error in the words of the command line: the arguments of Python are options here.

    >>> as_options("tasks=3 of https://host/?tasks=3: mend critical='a'", "tasks", critical="class")
    "--tasks=3 of https://host/?tasks=3: mend --class='a'"
    """
    for name, option in {**dict(zip(names, names, strict=True)), **renamed}.items():
        message = re.sub(rf"(?<![\w?&-]){name}(?=[{marks}])", f"--{option}", message)
    return message
