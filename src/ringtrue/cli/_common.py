"""What the verbs share: the options they have in common, and how a result is said to people or to programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from ringtrue.core import harmless, without_secrets

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """`--json`, the same on every verb."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of sentences.")(command)


def show_model_option(command: Command) -> Command:
    """`--show-model`, the same on every verb that asks an oracle about a pool."""
    return click.option(
        "--show-model", is_flag=True,
        help="Show the oracle what the model says: hidden otherwise, since it would sway them.",
    )(command)  # fmt: skip


def trust_option(command: Command) -> Command:
    """`--trust`, the same on every verb that runs or calls what a study's file names."""
    return click.option(
        "--trust", is_flag=True,
        help="Let a study that somebody else made run and call what its file names, from now on.",
    )(command)  # fmt: skip


def study_argument(command: Command) -> Command:
    """The study's file, the same on every verb."""
    return click.argument("study", metavar="STUDY")(command)


class Dim(str):
    """A line that a terminal shows dimly."""


def tell(line: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a line. The verbs print in no other way: nothing in it can steer the terminal, or make two lines of one."""
    text = harmless(without_secrets(line) if err else line)  # a result shows ids and labels as they are
    click.echo(click.style(text, dim=True) if isinstance(line, Dim) else text, err=err, nl=nl)


def tell_json(result: Mapping[str, Any]) -> None:
    """Print one JSON object; its strings are escaped as JSON escapes them, the one control character it leaves too."""
    click.echo(json.dumps(result, allow_nan=False).replace("\x7f", "\\u007f"))


def say(as_json: bool, result: Mapping[str, Any], *lines: str) -> None:
    """One JSON object for programs, or lines for people."""
    if as_json:
        tell_json(result)
        return
    for line in lines:
        tell(line)
