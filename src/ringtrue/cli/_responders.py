"""What `--model`, `--oracle` and `--gold` name: a column, a function, an address, a person or a program."""

from __future__ import annotations

import importlib
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ringtrue.cli._options import Calling
from ringtrue.cli._output import error_line, tell
from ringtrue.core import InvalidInput, holds_secret

if TYPE_CHECKING:
    from ringtrue.core import Oracle


ASK = "ask"
"""What names a person at the terminal."""

_CHOICES = f"module:function, an address (https://…) or {ASK}; or a program with --gold-command"


def responder(spec: str, argument: str, columns: Sequence[str], *, addresses: bool = False) -> Any:
    """Return a column's name, or the function that `module:function` names; a column of that very name comes first.

    With `addresses`, that of a web service (http:// or https://) is returned as it is.
    """
    if spec in columns or ":" not in spec:
        return spec
    if "://" in spec:
        if addresses and spec.lower().startswith(("http://", "https://")):
            return spec
        if addresses:
            raise InvalidInput(
                f"{argument}={spec!r} is not an address of a web service: write it like https://host/path"
            )
        raise InvalidInput(f"{argument}={spec!r}: addresses are not supported yet: name a column or module:function")
    return import_function(spec, argument)


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


def gold_standard(gold: str | None, command: str | None, *, calling: Calling, outputs: Sequence[str]) -> Oracle:
    """Return who knows the truth about these outputs. With a timeout, a function runs in a process that can be stopped.

    Parameters
    ----------
    gold
        What --gold names.
    command
        The program of --gold-command.
    calling
        How long one evaluation may take, and how an address is called.
    outputs
        The names of the numbers that are asked for.
    """
    timeout = calling.timeout
    if gold is not None and command is not None:
        raise InvalidInput("--gold and --gold-command both name who knows the truth: leave one out")
    if timeout is not None and not 0 < timeout < float("inf"):
        raise InvalidInput(f"--timeout={timeout:g} must be a positive number of seconds: leave it out to wait for ever")
    if command is not None:
        return _program(command, timeout)
    if gold is None:
        raise InvalidInput(f"--gold is missing: name who knows the truth, {_CHOICES}")
    if gold == ASK:
        return _person(timeout, outputs)
    if "://" in gold:
        return _service(gold, calling)
    if ":" in gold:
        return _function(gold, timeout)
    raise InvalidInput(f"--gold={gold!r} cannot be asked: name {_CHOICES}")


def _program(command: str, timeout: float | None) -> Oracle:
    """Return a program as an oracle."""
    from ringtrue.oracles import ProcessOracle

    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InvalidInput(f"--gold-command={command!r} cannot be read ({error}): close the quotes") from None
    if not words:
        raise InvalidInput("--gold-command is blank: write a command line, such as 'python gold.py'")
    if holds_secret(command):
        raise InvalidInput(
            "--gold-command seems to hold a secret, and a study keeps it: leave it out, and have the program read it "
            "from the environment"
        )
    return ProcessOracle(words, timeout=timeout)


def _person(timeout: float | None, outputs: Sequence[str]) -> Oracle:
    """Return the person at the terminal as an oracle."""
    from ringtrue.oracles import PersonOracle

    if timeout is not None:
        raise InvalidInput(f"--timeout={timeout:g} is not for --gold {ASK}, who may take their time: leave it out")
    return PersonOracle(_typed, _shown, outputs=outputs)


def _service(url: str, calling: Calling) -> Oracle:
    """Return a web service as an oracle."""
    from ringtrue.study._running import ModelResponder

    try:
        return ModelResponder(calling.model(url))
    except InvalidInput as error:
        raise InvalidInput(f"--gold: {error}") from None


def _function(spec: str, timeout: float | None) -> Oracle:
    """Return a function as an oracle; with a timeout it runs in a process of its own."""
    from ringtrue.oracles import FunctionOracle, FunctionProcess

    if timeout is None:
        return FunctionOracle(import_function(spec, "--gold"))
    # Not imported here: what takes long or hangs is to do so where it can be stopped.
    try:
        return FunctionProcess(spec, timeout=timeout)
    except InvalidInput as error:
        raise InvalidInput(f"--gold: {error}") from None


def _typed(prompt: str) -> str:
    """Return what a person types; the prompt goes to standard error, as standard output belongs to the result."""
    tell(prompt, nl=False, err=True)
    return input()


def _shown(line: str) -> None:
    tell(line, err=True)
