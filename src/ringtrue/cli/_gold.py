"""What `--gold` and `--gold-command` name: a function, a web service, a person or a program that knows the truth."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ringtrue.cli._calling import Calling
from ringtrue.cli._common import tell
from ringtrue.cli._responders import import_function
from ringtrue.core import InvalidInput, holds_secret

if TYPE_CHECKING:
    from ringtrue.core import Oracle

ASK = "ask"
_CHOICES = f"module:function, an address (https://…) or {ASK}; or a program with --gold-command"


def gold_standard(gold: str | None, command: str | None, *, calling: Calling, outputs: Sequence[str]) -> Oracle:
    """Return who knows the truth about these outputs. With a timeout, a function runs in a process that can be stopped.

    Args:
        gold: what --gold names.
        command: the program of --gold-command.
        calling: how long one evaluation may take, and how an address is called.
        outputs: the names of the numbers that are asked for.
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
    raise InvalidInput(f"--gold={gold!r} is nobody who could be asked: name {_CHOICES}")


def _program(command: str, timeout: float | None) -> Oracle:
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
    from ringtrue.oracles import PersonOracle

    if timeout is not None:
        raise InvalidInput(f"--timeout={timeout:g} is not for --gold {ASK}, who may take their time: leave it out")
    return PersonOracle(_typed, _shown, outputs=outputs)


def _service(url: str, calling: Calling) -> Oracle:
    from ringtrue.study._running import ModelResponder

    try:
        return ModelResponder(calling.model(url))
    except InvalidInput as error:
        raise InvalidInput(f"--gold: {error}") from None


def _function(spec: str, timeout: float | None) -> Oracle:
    from ringtrue.oracles import FunctionOracle, FunctionProcess

    if timeout is None:
        return FunctionOracle(import_function(spec, "--gold"))
    # Not imported here: what takes long or hangs is to do so where it can be stopped.
    try:
        return FunctionProcess(spec, timeout=timeout)
    except InvalidInput as error:
        raise InvalidInput(f"--gold: {error}") from None


def _typed(prompt: str) -> str:
    """What a person types; the prompt goes to standard error, as standard output belongs to the result."""
    tell(prompt, nl=False, err=True)
    return input()


def _shown(line: str) -> None:
    tell(line, err=True)
