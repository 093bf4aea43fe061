"""What the verbs share: saying results to people or programs, and finding what a study was made of."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from ringtrue.core import InvalidInput

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """`--json`, the same on every verb."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of sentences.")(command)


def study_argument(command: Command) -> Command:
    return click.argument("study", metavar="STUDY")(command)


def say(as_json: bool, result: Mapping[str, Any], *lines: str) -> None:
    """One JSON object for programs, or lines for people."""
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False))
    else:
        for line in lines:
            click.echo(line)


def import_function(spec: str, argument: str) -> Callable[..., Any]:
    """The function that `module:function` names; the folder you stand in is searched first."""
    module_name, _, name = spec.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise InvalidInput(
            f"{argument}={spec!r}: no module {error.name!r}: check the name, or run where it lies"
        ) from None
    for part in name.split("."):
        if not hasattr(found, part):
            raise InvalidInput(f"{argument}={spec!r}: module {module_name!r} has no {name!r}: check the name")
        found = getattr(found, part)
    if not callable(found):
        raise InvalidInput(f"{argument}={spec!r} is a {type(found).__name__}: name a function")
    function: Callable[..., Any] = found
    return function


def responder(spec: str, argument: str) -> Any:
    """A column's name, or the function that `module:function` names."""
    if "://" in spec:
        raise InvalidInput(f"{argument}={spec!r}: addresses are not supported yet: name a column or module:function")
    return import_function(spec, argument) if ":" in spec else spec


def open_to_read(path: str) -> Any:
    """A study without its pool and model: enough to see what it shows."""
    from ringtrue.study import Study

    return Study.open(path)


def open_to_ask(path: str, pool: str | None = None) -> Any:
    """A study with the pool and model that it was made with, or the pool's new place."""
    from ringtrue.pools import read_pool
    from ringtrue.study import Study, study_path

    with Study.open(path) as glance:
        notes = glance.plan["notes"]
    if not notes:
        raise InvalidInput(f"study {path!r} was not made by `ringtrue init`: open it with Study.open in Python")
    where = Path(pool) if pool else study_path(path).parent / notes["pool"]
    return Study.open(path, pool=read_pool(where, id=notes["id"]), model=responder(notes["model"], "--model"))
