"""One door to models and oracles, in every verb: a column, a file, module:function, an address, a program, a person."""

from __future__ import annotations

import importlib
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ringtrue.cli._chat_model import chat_model, chat_named
from ringtrue.cli._consent import Calling
from ringtrue.cli._model_files import file_model, file_named
from ringtrue.cli._opening import only_input
from ringtrue.cli._terminal import error_line, tell
from ringtrue.core import InvalidInput, Item, Json, Query, holds_secret

if TYPE_CHECKING:
    from ringtrue.core import Model, Oracle, Pool
    from ringtrue.oracles import ProcessOracle

NEW = "--model"
"""What the model of a new study is called in errors; that of one that goes on is the study's."""

ASK = "ask"
"""What names a person at the terminal."""

_SIDE = 256
"""Pixels along a side of a picture, or a little less."""


def named(spec: str, argument: str, columns: Sequence[str]) -> Any:
    """Return what a text names: a column's name or an address as it is, or the function of `module:function`.

    A column of that very name comes first.
    """
    if spec in columns or ":" not in spec:
        return spec
    if "://" in spec:
        if not spec.lower().startswith(("http://", "https://")):
            raise InvalidInput(
                f"{argument}={spec!r} is not an address of a web service: write it like https://host/path"
            )
        return spec
    return import_function(spec, argument)


def model_named(notes: Mapping[str, Any], argument: str, pool: Pool, calling: Calling) -> Model:
    """Return the model that the notes name; with images, a function is given one array with one image per row."""
    from ringtrue.models import ArrayModel, as_model, is_address

    chat = chat_named(notes["model"], calling.home, pool.columns)
    if chat is not None:
        return chat_model(chat, calling)
    withheld = [pool.id_column, notes.get("oracle"), *pool.hidden]
    path = file_named(notes["model"], calling.home, pool.columns)
    if path is not None:
        return file_model(path, notes, pool.columns, withheld)
    found = named(notes["model"], argument, pool.columns)
    column = only_input(notes)
    if callable(found) and not hasattr(found, "predict") and column is not None and column in pool.columns:
        cell = pool.take([0]).columns[column].tolist()[0]
        if isinstance(cell, list) or bool(getattr(cell, "shape", ())):
            return ArrayModel(found, column)
    if isinstance(found, str) and is_address(found) and found not in pool.columns:
        shown = notes.get("sent") or notes.get("inputs")
        if shown is None and argument == NEW:  # earlier studies sent all but the ids, and go on so
            shown = [name for name in pool.columns if name not in withheld]
        asked = calling.model(found, features=shown, labels=notes.get("labels"))
        return asked.without(pool.id_column)
    return as_model(found)


def program_model(command: str, calling: Calling) -> Model:
    """Return a program as a model: it reads an item's values per line, and writes a label or numbers per line."""
    from ringtrue.models import FunctionModel

    program = _program(command, "--model-command", calling.timeout)

    def answer(rows: list[dict[str, Any]]) -> list[Any]:
        items = [Item(str(place), row) for place, row in enumerate(rows, start=1)]
        replies = program.answer([Query(item.id, "", "model", item, Decimal(0), None) for item in items])
        return [reply.value for reply in replies]

    return FunctionModel(answer, name=f"program {program.name}")


def oracle_of(
    given: Mapping[str, Any],
    calling: Calling,
    *,
    columns: Sequence[str] = (),
    labels: Sequence[str] | None = None,
    outputs: Sequence[str] = (),
    check: Callable[[Mapping[str, Any], Mapping[str, Any]], None] | None = None,
    show_model: bool = False,
    rater: str | None = None,
    amend: Callable[[Query, Json], bool] | None = None,
) -> Oracle | str:
    """Return who knows the truth, or the column where it stands. With a timeout, what hangs can be stopped.

    Parameters
    ----------
    given, calling
        What the user gave or the study remembers (`oracle`, `oracle_command`), and how an address is called.
    columns
        The columns of the pool.
    labels, outputs, check, show_model
        For a person: the labels that may be typed, None for any; the names of the numbers that are asked for in the
        place of labels; what refuses values that were set in place of those asked, None where that may not be told; and
        whether to show what the model says.
    rater, amend
        For a person: who types, and what corrects an answer, returning whether it was recorded yet.
    """
    from ringtrue.oracles import FunctionOracle, FunctionProcess, LabelPerson, Patient, PersonOracle
    from ringtrue.study import ModelResponder

    spec: Any = given.get("oracle")
    command, timeout = given.get("oracle_command"), calling.timeout
    if spec is not None and command is not None:
        raise InvalidInput("--oracle and --oracle-command both name who knows the truth: leave one out")
    if timeout is not None and not 0 < timeout < float("inf"):
        raise InvalidInput(f"--timeout={timeout:g} must be a positive number of seconds: leave it out to wait for ever")
    is_person = spec == ASK and ASK not in columns
    if rater is not None and not is_person:
        raise InvalidInput(
            f"--rater={rater!r} names who answers by hand: give --oracle {ASK} or a sheet, or leave it out"
        )
    choices = f'module:function, an address (https://…) or "{ASK}" for you; or a program with --oracle-command'
    choices = f"a column, {choices}" if columns else choices
    if spec is None and command is None:
        raise InvalidInput(f"--oracle is missing: name who knows the truth, {choices}")
    if spec is not None and spec in columns:
        return str(spec)
    if is_person:
        who: dict[str, Any] = {"rater": rater, "amend": amend}
        if outputs:
            return PersonOracle(_typed, _shown, outputs=outputs, check=check, **who)
        return LabelPerson(_typed, _shown, labels=labels, show_model=show_model, picture=picture_of, **who)
    found: Oracle
    if command is not None:
        found = _program(command, "--oracle-command", timeout)
    elif "://" in spec:
        address = named(spec, "--oracle", ())
        with _about_the_oracle():
            found = ModelResponder(calling.model(address, "oracle"))
    elif ":" not in spec:
        there = f"; columns: {', '.join(columns)}" if columns else ""
        raise InvalidInput(f"--oracle={spec!r} cannot be asked: name {choices}{there}")
    elif timeout is None:
        found = FunctionOracle(import_function(spec, "--oracle"))
    else:  # in a process, and not imported here: what takes long or hangs is to do so where it can be stopped
        with _about_the_oracle():
            found = FunctionProcess(spec, timeout=timeout)
    return found if timeout is None else Patient(found)


@contextmanager
def _about_the_oracle() -> Iterator[None]:
    """Let errors say that they are about the oracle."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput("--oracle: ", *error.args) from None


def import_function(spec: str, argument: str) -> Callable[..., Any]:
    """Return the function that `module:function` names; the folder you stand in is searched first."""
    module_name, _, name = spec.partition(":")
    if not module_name or not name:
        raise InvalidInput(f"{argument}={spec!r} lacks one half: write module:function, such as desk:label")
    what = f"{argument}={spec!r}: module {module_name!r}"
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise InvalidInput(f"{what} needs {error.name!r}, which is not installed: install it") from None
        remedy = f"check the name, or run in the folder where {error.name}.py lies"
        raise InvalidInput(f"{argument}={spec!r}: there is no module {error.name!r}: {remedy}") from None
    except (Exception, SystemExit) as error:
        raise InvalidInput(f"{what} failed while it was imported ({error_line(error)}): mend it") from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise InvalidInput(f"{what} has no {name!r}: check the name")
        found = getattr(found, part)
    if not callable(found):
        raise InvalidInput(f"{argument}={spec!r} is a {type(found).__name__}: name a function")
    function: Callable[..., Any] = found
    return function


def _program(command: str, option: str, timeout: float | None) -> ProcessOracle:
    """Return a program that answers line by line."""
    from ringtrue.oracles import ProcessOracle

    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InvalidInput(f"{option}={command!r} cannot be read ({error}): close the quotes") from None
    if not words:
        raise InvalidInput(f"{option} is blank: write a command line, such as 'python gold.py'")
    if holds_secret(command):
        raise InvalidInput(
            f"{option} seems to hold a secret, and a study keeps it: leave it out, and have the program read it from "
            "the environment"
        )
    return ProcessOracle(words, timeout=timeout)


def _typed(prompt: str) -> str:
    """Return what a person types; the prompt goes to standard error, as standard output belongs to the result."""
    tell(prompt, nl=False, err=True)
    return input()


def _shown(line: str) -> None:
    tell(line, err=True)


def picture_of(value: Any) -> bytes | None:
    """Return an image as a PNG file; None for what is not an image."""
    from ringtrue.report import png_of

    return png_of(value, _SIDE)
