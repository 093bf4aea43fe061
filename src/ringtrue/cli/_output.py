"""How a result is said: lines for people, one JSON object for programs, and nothing in it that steers a terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ringtrue.core import harmless, without_secrets


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
    """Print one JSON object for programs, or lines for people."""
    if as_json:
        tell_json(result)
        return
    for line in lines:
        tell(line)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Write the rows of a table as lines, with its columns under each other."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def error_line(error: BaseException) -> str:
    """Return an error of the user's code, its kind and its words, on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())
