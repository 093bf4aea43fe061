"""An oracle who is a person at the terminal, typing numbers in."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ringtrue.core import InvalidInput, Json, Oracle, Query, Reply, count

UNKNOWN = "?"
"""The answer of a person who cannot tell."""


class PersonOracle(Oracle):
    """Shows an item and asks a person for a number, or for a list of them where there are several outputs.

    `read` is given the prompt and returns what was typed, as `input` does; `write` shows a line. A question mark says
    that the person cannot tell; a line that is not an answer is asked for again. At the end of the input (Ctrl-D) the
    run stops as it does on an interrupt: everything typed before is kept.
    """

    one_by_one = True
    """Each item is a question of its own, so that a study keeps what was typed before the person stops."""

    def __init__(
        self, read: Callable[[str], str], write: Callable[[str], Any], *, outputs: Sequence[str] = ("value",)
    ) -> None:
        if isinstance(outputs, str) or not outputs:
            raise InvalidInput(f"outputs={outputs!r} must be a list of at least one name, as in ['force', 'heat']")
        self.outputs = tuple(outputs)
        self._read, self._write = read, write

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """Return what the person types for these items, in their order."""
        return [Reply(self._asked(query)) for query in queries]

    def _asked(self, query: Query) -> Json:
        self._write("")
        for line in (query.id, *_lines(query.item.values)):
            self._write(line)
        many = len(self.outputs)
        hint = f"{many} numbers" if many > 1 else "a number"
        while True:
            try:
                typed = self._read(f"{', '.join(self.outputs)} ({hint}, or {UNKNOWN} if you cannot tell): ").strip()
            except EOFError:
                raise KeyboardInterrupt from None  # which the study knows: it records, releases and ends
            if typed == UNKNOWN:
                return None
            numbers, complaint = _numbers(typed, many)
            if not complaint:
                return [*numbers] if many > 1 else numbers[0]
            self._write(complaint)


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
