"""An oracle that is a program of its own, can be stopped when it hangs, and is given up where it hangs always."""

from __future__ import annotations

import json
import shlex
import sys
import weakref
from collections import Counter, deque
from collections.abc import Sequence

from ringtrue.core import Argument, InvalidInput, Json, Oracle, Query, Reply, is_missing, plain, read_json, shortened
from ringtrue.oracles._local import OneByOne
from ringtrue.oracles._program import Program, shown

_TRIES = 2
"""Times that one item is tried at which the oracle hangs: then the item is given up."""

_ITEMS = 3
"""Items in a row at which it hung: it hangs everywhere, and nothing more is tried."""


class ProcessOracle(OneByOne):
    """A program that stays alive: it reads a line of JSON per item and writes a line of JSON in answer.

    It reads the item's values as an object, and writes a number, a list of numbers, a label or an object; null if it
    cannot tell; `{"error": "…"}` if it failed. It is started when it is first asked, without a shell, and as often as
    threads ask at once. `timeout` is in seconds per answer, the start of the program included: one that takes longer is
    killed with all that it started, and the next question starts it anew.

    A failure that may pass is a TimeoutError or RuntimeError, which a study tries again; an answer that is not a number
    or a label, and a line without a question, are InvalidInput.
    """

    def __init__(self, command: Sequence[str], *, timeout: float | None = None) -> None:
        if isinstance(command, str):
            raise InvalidInput(f"command={command!r} is text: give a list of words, as in ['python', 'gold.py']")
        if not command or not all(isinstance(word, str) for word in command) or not command[0]:
            raise InvalidInput(f"command={command!r} names no program: give a list of words, as in ['./simulate']")
        if timeout is not None and not 0 < timeout < float("inf"):
            raise InvalidInput(
                Argument("timeout", timeout), " must be a positive number of seconds, or None to wait for ever"
            )
        self.command = tuple(command)
        self.name = shortened(" ".join(shlex.join(command).split()))
        self.timeout = timeout
        self._idle: deque[Program] = deque()
        weakref.finalize(self, _close, self._idle)  # a user who forgets to close it leaves no programs behind

    def close(self) -> None:
        """End the programs that wait for a question; the next question starts one anew."""
        _close(self._idle)

    def reply(self, query: Query) -> Reply:
        """Return what the program says of an item."""
        item, line = query.item, _line(query)
        try:
            program = self._idle.pop()
        except IndexError:
            program = Program(self.command, name=self.name)
        try:
            written = program.exchange(line, item.id, self.timeout)
            try:
                value: Json = read_json(written)
            except ValueError:
                raise RuntimeError(
                    f"the program {self.name} wrote {shown(written)} for item {item.id!r}, which is not JSON: "
                    "write one JSON value per line, and everything else to standard error"
                ) from None
        except BaseException:  # an interrupt as well: the answer still to come would be taken for the next one's
            program.kill()
            raise
        self._idle.append(program)
        if isinstance(value, dict) and "error" in value:
            why = " ".join(str(value["error"]).split())
            raise RuntimeError(f"the program {self.name} failed at item {item.id!r}: {why}")
        try:
            json.dumps(value, allow_nan=False)
            told = value is None or not is_missing(value)
        except ValueError:  # NaN or infinite: Python reads them, although they are not JSON
            told = False
        if not told:
            raise InvalidInput(
                f"the program {self.name} answered {value!r} for item {item.id!r}: write finite numbers or a label, "
                "or null if it cannot tell"
            )
        return Reply(value)


class FunctionProcess(ProcessOracle):
    """The function that `module:function` names, in a process of its own, so that it can be stopped.

    It gets an item's values and returns its answer, or None if it cannot tell. What it prints goes to standard error.
    """

    def __init__(self, spec: str, *, timeout: float | None = None) -> None:
        module, _, name = spec.partition(":")
        if not module or not name:
            raise InvalidInput(f"function={spec!r} lacks one half: write module:function, such as lab:measure")
        super().__init__([sys.executable, "-m", "ringtrue.oracles._serve", spec], timeout=timeout)
        self.name = spec  # shorter than the command, and what people know it by


class Patient(OneByOne):
    """An oracle whose timeouts at one item end in "cannot tell"; the first is raised, so that it is tried again."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self._late: Counter[str] = Counter()
        self._in_a_row = 0

    def close(self) -> None:
        """Close the oracle."""
        self.oracle.close()

    def reply(self, query: Query) -> Reply:
        """Return what the oracle says of an item."""
        if self._in_a_row >= _ITEMS:
            raise TimeoutError(f"no answer in time at {_ITEMS} points in a row")
        try:
            reply = next(iter(self.oracle.answer([query])))
        except TimeoutError:
            self._late[query.item.id] += 1
            if self._late[query.item.id] < _TRIES:
                raise
            self._in_a_row += 1
            return Reply(None)
        self._in_a_row = 0
        return reply


def _line(query: Query) -> bytes:
    """Write an item's values as a line of JSON; NaN becomes null."""
    item = query.item
    values = {name: None if isinstance(cell, float) and cell != cell else cell for name, cell in item.values.items()}
    try:
        return json.dumps(values, allow_nan=False, default=plain).encode() + b"\n"
    except ValueError:
        raise InvalidInput(
            f"item {item.id!r} holds infinite numbers, which JSON cannot hold: replace them, or ask a function instead"
        ) from None


def _close(programs: deque[Program]) -> None:
    while programs:
        programs.pop().close()
