"""One door to models and to oracles, in every verb: a column, module:function, an address, a program or a person."""

from __future__ import annotations

import importlib
import io
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ringtrue.cli._consent import Calling
from ringtrue.cli._opening import only_input
from ringtrue.cli._terminal import error_line, tell
from ringtrue.core import InvalidInput, Item, Query, holds_secret

if TYPE_CHECKING:
    from ringtrue.core import Model, Oracle, Pool
    from ringtrue.oracles import ProcessOracle

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

    found = named(notes["model"], argument, pool.columns)
    column = only_input(notes)
    if callable(found) and not hasattr(found, "predict") and column is not None and _is_array(pool, column):
        return ArrayModel(found, column)
    if isinstance(found, str) and is_address(found) and found not in pool.columns:
        return calling.model(found, features=notes.get("inputs")).without(pool.id_column)
    return as_model(found)


def _is_array(pool: Pool, column: str) -> bool:
    if column not in pool.columns:
        return False
    cell = next(iter(pool.take([0]).columns[column].tolist()))
    return isinstance(cell, list) or bool(getattr(cell, "shape", ()))


def program_model(command: str, calling: Calling) -> Model:
    """Return a program as a model: a JSON object with an item's values in, a label or numbers out, a line each."""
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
    show_model: bool = False,
) -> Oracle | str:
    """Return who knows the truth, or the column where it stands. With a timeout, what hangs can be stopped.

    Parameters
    ----------
    given
        What the user gave or the study remembers: `oracle` and `oracle_command`.
    calling
        How long one answer may take, and how an address is called.
    columns
        The columns of the pool.
    labels
        The labels that a person may type; None for any.
    outputs
        The names of the numbers that are asked for, in the place of labels.
    show_model
        Whether a person sees what the model says.
    """
    spec, command, timeout = given.get("oracle"), given.get("oracle_command"), calling.timeout
    if spec is not None and command is not None:
        raise InvalidInput("--oracle and --oracle-command both name who knows the truth: leave one out")
    if timeout is not None and not 0 < timeout < float("inf"):
        raise InvalidInput(f"--timeout={timeout:g} must be a positive number of seconds: leave it out to wait for ever")
    if command is not None:
        return _patient(_program(command, "--oracle-command", timeout), timeout)
    if spec is None:
        raise InvalidInput(f"--oracle is missing: name who knows the truth, {_choices(columns)}")
    if spec in columns:
        return str(spec)
    if spec == ASK:
        return _person(labels, outputs, show_model)
    if "://" in spec:
        return _patient(_service(named(spec, "--oracle", ()), calling), timeout)
    if ":" in spec:
        return _patient(_function(spec, timeout), timeout)
    there = f"; columns: {', '.join(columns)}" if columns else ""
    raise InvalidInput(f"--oracle={spec!r} cannot be asked: name {_choices(columns)}{there}")


def _choices(columns: Sequence[str]) -> str:
    column = "a column, " if columns else ""
    return f'{column}module:function, an address (https://…) or "{ASK}" for you; or a program with --oracle-command'


def import_function(spec: str, argument: str) -> Callable[..., Any]:
    """Return the function that `module:function` names; the folder you stand in is searched first."""
    module_name, _, name = spec.partition(":")
    if not module_name or not name:
        raise InvalidInput(f"{argument}={spec!r} lacks one half: write module:function, such as desk:label")
    found = _import(module_name, f"{argument}={spec!r}")
    for part in name.split("."):
        if not hasattr(found, part):
            raise InvalidInput(f"{argument}={spec!r}: module {module_name!r} has no {name!r}: check the name")
        found = getattr(found, part)
    if not callable(found):
        raise InvalidInput(f"{argument}={spec!r} is a {type(found).__name__}: name a function")
    function: Callable[..., Any] = found
    return function


def _import(name: str, what: str) -> Any:
    """Import a module of the user's; the folder where the command runs is searched first."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            remedy = f"check the name, or run in the folder where {error.name}.py lies"
            raise InvalidInput(f"{what}: there is no module {error.name!r}: {remedy}") from None
        raise InvalidInput(
            f"{what}: module {name!r} needs {error.name!r}, which is not installed: install it"
        ) from None
    except (Exception, SystemExit) as error:
        raise InvalidInput(
            f"{what}: module {name!r} failed while it was imported ({error_line(error)}): mend it"
        ) from error


def _patient(oracle: Oracle, timeout: float | None) -> Oracle:
    """Return an oracle that gives up an item at which it hangs, if it may hang for a limited time only."""
    from ringtrue.oracles import Patient

    return oracle if timeout is None else Patient(oracle)


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


def _person(labels: Sequence[str] | None, outputs: Sequence[str], show_model: bool) -> Oracle:
    """Return the person at the terminal as an oracle; the prompts go to standard error."""
    from ringtrue.oracles import LabelPerson, PersonOracle

    if outputs:
        return PersonOracle(_typed, _shown, outputs=outputs)
    return LabelPerson(_typed, _shown, labels=labels, show_model=show_model, picture=_png)


def _service(url: str, calling: Calling) -> Oracle:
    """Return a web service as an oracle."""
    from ringtrue.study import ModelResponder

    try:
        return ModelResponder(calling.model(url))
    except InvalidInput as error:
        raise InvalidInput("--oracle: ", *error.args) from None


def _function(spec: str, timeout: float | None) -> Oracle:
    """Return a function as an oracle; with a timeout it runs in a process of its own."""
    from ringtrue.oracles import FunctionOracle, FunctionProcess

    if timeout is None:
        return FunctionOracle(import_function(spec, "--oracle"))
    # Not imported here: what takes long or hangs is to do so where it can be stopped.
    try:
        return FunctionProcess(spec, timeout=timeout)
    except InvalidInput as error:
        raise InvalidInput("--oracle: ", *error.args) from None


def _typed(prompt: str) -> str:
    """Return what a person types; the prompt goes to standard error, as standard output belongs to the result."""
    tell(prompt, nl=False, err=True)
    return input()


def _shown(line: str) -> None:
    tell(line, err=True)


def _png(value: Any) -> bytes | None:
    """Return an image as a PNG file; None for what is not an image."""
    import numpy as np

    from ringtrue.report._pictures import as_picture, enlarged

    array = np.asarray(value)
    picture = as_picture(array) if array.dtype.kind in "iuf" and array.size else None
    if picture is None:
        return None
    low, high = (0.0, 255.0) if array.dtype == np.uint8 or array.max() > 1 else (min(float(array.min()), 0.0), 1.0)
    shades = (picture.astype(np.float64) - low) / (high - low)
    out = io.BytesIO()
    enlarged(np.clip(shades, 0, 1), _SIDE).save(out, format="PNG")
    return out.getvalue()
