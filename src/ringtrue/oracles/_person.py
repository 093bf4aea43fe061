"""Oracles who are people at the terminal: one types labels, with each picture in a file to look at, one numbers."""

from __future__ import annotations

import math
import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ringtrue.core import InvalidInput, Json, Query, Reply, count
from ringtrue.oracles._local import OneByOne

UNKNOWN = "?"
"""The answer of a person who cannot tell."""

_LONGEST = 200
"""Characters of a value that are shown."""


class Person(OneByOne):
    """Shows an item and asks a person until the answer is one, or a question mark: the person cannot tell.

    `read` is given the prompt and returns what was typed, as `input` does; `write` shows a line. At the end of the
    input (Ctrl-D) the run stops as it does on an interrupt: everything typed before is kept.
    """

    def __init__(self, read: Callable[[str], str], write: Callable[[str], Any], prompt: str) -> None:
        self._read, self._write, self._prompt = read, write, prompt

    def reply(self, query: Query) -> Reply:
        """Return what the person types for an item."""
        self._write("")
        with ExitStack() as ending:  # what was shown in files is removed by an answer, Ctrl-C and Ctrl-D alike
            for line in self._shown(query, ending):
                self._write(line)
            while True:
                try:
                    typed = self._read(self._prompt).strip()
                except EOFError:
                    raise KeyboardInterrupt from None  # which the study knows: it records, releases and ends
                if typed == UNKNOWN:
                    return Reply(None)
                answer, complaint = self._understood(typed)
                if not complaint:
                    return Reply(answer)
                self._write(complaint)

    @abstractmethod
    def _shown(self, query: Query, ending: ExitStack) -> Sequence[str]:
        """Return the lines that show an item."""

    @abstractmethod
    def _understood(self, typed: str) -> tuple[Json, str]:
        """Return the answer that was typed, or what is wrong with it."""


class PersonOracle(Person):
    """A person who types a number, or a list of them where there are several outputs."""

    def __init__(
        self, read: Callable[[str], str], write: Callable[[str], Any], *, outputs: Sequence[str] = ("value",)
    ) -> None:
        if isinstance(outputs, str) or not outputs:
            raise InvalidInput(f"outputs={outputs!r} must be a list of at least one name, as in ['force', 'heat']")
        hint = count(len(outputs), "number") if len(outputs) > 1 else "a number"
        super().__init__(read, write, f"{', '.join(outputs)} ({hint}, or {UNKNOWN} if you cannot tell): ")
        self.outputs = tuple(outputs)

    def _shown(self, query: Query, ending: ExitStack) -> Sequence[str]:  # noqa: ARG002 - numbers need no file
        return [query.id, *_lines(query.item.values)]

    def _understood(self, typed: str) -> tuple[Json, str]:
        numbers, complaint = _numbers(typed, len(self.outputs))
        if complaint:
            return None, complaint
        return [*numbers] if len(numbers) > 1 else numbers[0], ""


class LabelPerson(Person):
    """A person who types a label; what the model said is told only with `show_model`.

    An image is written to a file of its own, named after the query and this process, since another person may label
    another item of the study at the same time. It is removed once the item is answered or the person leaves.

    Parameters
    ----------
    read
        Is given the prompt and returns what was typed, as `input` does.
    write
        Shows a line.
    labels
        Those that may be typed; None for any.
    show_model
        Whether the person sees what the model says.
    picture
        Makes the bytes of a PNG file of a value; None for what is not an image.
    """

    def __init__(
        self,
        read: Callable[[str], str],
        write: Callable[[str], Any],
        *,
        labels: Sequence[str] | None = None,
        show_model: bool = False,
        picture: Callable[[Any], bytes | None] = lambda _: None,
    ) -> None:
        hint = "" if labels is None else f" ({', '.join(labels)})"
        super().__init__(read, write, f"label{hint}, or {UNKNOWN} if you cannot tell: ")
        self._labels, self._show_model, self._picture = labels, show_model, picture

    def _shown(self, query: Query, ending: ExitStack) -> Sequence[str]:
        lines = [f"item {_plainly(query.item.id)}"]
        for place, (name, value) in enumerate(query.item.values.items()):
            picture = self._picture(value)
            shown = _plainly(value)[:_LONGEST]
            if picture is not None:
                file = Path(f"{query.id.replace(':', '-')}-{place}-{os.getpid()}.png")
                ending.callback(file.unlink, missing_ok=True)
                with open(file, "wb", opener=_for_owner) as out:
                    out.write(picture)
                shown = f"picture in {file}"
            lines.append(f"  {_plainly(name)}: {shown}")
        return [*lines, f"  the model says: {_plainly(query.said)}"] if self._show_model else lines

    def _understood(self, typed: str) -> tuple[Json, str]:
        if typed and (self._labels is None or typed in self._labels):
            return typed, ""
        return None, f"{typed!r} is not a label: type one, or {UNKNOWN}"


def _for_owner(path: str, flags: int) -> int:
    """Open a file that its owner alone can read: an item may be a patient's picture."""
    return os.open(path, flags, 0o600)


def _plainly(value: Any) -> str:
    """Return a value on one line, without what would steer the terminal.

    >>> _plainly("two\\nlines \\x1b[2Jgone")
    'two lines ?[2Jgone'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(str(value).split()))


def _lines(values: Mapping[str, Any]) -> list[str]:
    """Write names and values in two columns.

    >>> _lines({"Cu": 0.5, "shape": "round"})
    ['  Cu     0.5', '  shape  round']
    """
    width = max(map(len, values), default=0)
    return [f"  {name:<{width}}  {value}" for name, value in values.items()]


def _numbers(typed: str, wanted: int) -> tuple[list[float], str]:
    """Read as many finite numbers as are wanted, parted by spaces or commas; else say what is wrong with them.

    >>> _numbers("0.5, 2", 2), _numbers("0,5", 1)
    (([0.5, 2.0], ''), ([], '2 numbers where 1 is wanted: decimals are written with a point'))
    """
    words = typed.replace(",", " ").split()
    numbers: list[float] = []
    for word in words:
        try:
            numbers.append(float(word))
        except ValueError:
            return [], f"{word!r} is not a number: type numbers, parted by spaces"
    if not all(map(math.isfinite, numbers)):
        return [], f"{typed!r} is not finite: type {UNKNOWN} if you cannot tell"
    if len(numbers) != wanted:
        hint = ": decimals are written with a point" if "," in typed else ""
        return [], f"{count(len(numbers), 'number')} where {wanted} {'is' if wanted == 1 else 'are'} wanted{hint}"
    return numbers, ""
