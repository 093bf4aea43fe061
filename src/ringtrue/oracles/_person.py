"""Oracles who are people at the terminal: one types labels, with each picture in a file to look at, one numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ringtrue.core import InvalidInput, Json, Query, count
from ringtrue.oracles._prompting import Amend, Person
from ringtrue.oracles._typed import UNDO, UNKNOWN, keys_of, plainly, read_label, read_numbers, split_settings

_LONGEST = 200
"""Characters of a value that are shown."""


class PersonOracle(Person):
    """A person who types a number, or a list of them where there are several outputs, and what was really set.

    What was read is shown where it can be mistaken: decimal commas, and settings.

    Parameters
    ----------
    read
        Is given the prompt and returns what was typed, as `input` does.
    write
        Shows a line.
    outputs
        The names of the numbers that are asked for.
    check
        Refuses what was set in place of the values asked, both by name; None where it is not asked for.
    rater, amend
        As `Person` takes them.
    """

    def __init__(
        self,
        read: Callable[[str], str],
        write: Callable[[str], Any],
        *,
        outputs: Sequence[str] = ("value",),
        check: Callable[[Mapping[str, Any], Mapping[str, Any]], None] | None = None,
        rater: str | None = None,
        amend: Amend | None = None,
    ) -> None:
        if isinstance(outputs, str) or not outputs:
            raise InvalidInput(f"outputs={outputs!r} must be a list of at least one name, as in ['force', 'heat']")
        super().__init__(read, write, rater=rater, amend=amend)
        self.outputs, self._check, self._explained = tuple(outputs), check, check is None

    def _prompt(self, commands: str) -> str:
        several = f"{count(len(self.outputs), 'number')} parted by spaces or semicolons"
        return f"{', '.join(self.outputs)} ({several if len(self.outputs) > 1 else 'a number'}, {commands}): "

    def _shown(self, query: Query, ending: ExitStack) -> Sequence[str]:  # noqa: ARG002 - numbers need no file
        lines = [query.id, *_lines(query.item.values)]
        if self._explained or not query.item.values:
            return lines
        self._explained = True
        name, value = next(iter(query.item.values.items()))
        example = f"{' '.join('1.5' for _ in self.outputs)} {name}={value}"
        return [f"If something was set otherwise than asked, say so after the numbers, as in: {example}", "", *lines]

    def _understood(self, typed: str, query: Query) -> tuple[Json, str]:
        asked = query.item.values
        try:
            told, settings = ("", {}) if self._check is None else split_settings(typed, asked)
            if self._check is not None:
                self._check(asked, settings)
        except InvalidInput as error:
            return None, str(error)
        numbers, complaint = read_numbers(told if settings else typed, len(self.outputs))
        if complaint:
            return None, complaint
        answer: Json = [*numbers] if len(numbers) > 1 else numbers[0]
        if settings or "," in typed:
            read = [f"{name} {number!r}" for name, number in zip(self.outputs, numbers, strict=True)]
            self._write(f"read: {', '.join([*read, *(f'{name} set to {value}' for name, value in settings.items())])}")
        return {"label": answer, "set": settings} if settings else answer, ""


class LabelPerson(Person):
    """A person who types a label, its key or its beginning; what the model said is told only with `show_model`.

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
    rater, amend
        As `Person` takes them.
    """

    def __init__(
        self,
        read: Callable[[str], str],
        write: Callable[[str], Any],
        *,
        labels: Sequence[str] | None = None,
        show_model: bool = False,
        picture: Callable[[Any], bytes | None] = lambda _: None,
        rater: str | None = None,
        amend: Amend | None = None,
    ) -> None:
        super().__init__(read, write, labels=labels, rater=rater, amend=amend)
        self._labels, self._show_model, self._picture = labels, show_model, picture
        self._keys = keys_of(labels or ())
        self._explained = labels is not None

    def _prompt(self, commands: str) -> str:
        if self._labels is None:
            return f"label, {commands}: "
        key_of = {label: f"{key} " for key, label in self._keys.items()}
        return f"label ({', '.join(key_of.get(label, '') + plainly(label) for label in self._labels)}), {commands}: "

    def _shown(self, query: Query, ending: ExitStack) -> Sequence[str]:
        lines = [f"item {plainly(query.item.id)}"]
        for place, (name, value) in enumerate(query.item.values.items()):
            picture = self._picture(value)
            shown = plainly(value)[:_LONGEST]
            if picture is not None:
                file = Path(f"{query.id.replace(':', '-')}-{place}-{os.getpid()}.png")
                ending.callback(file.unlink, missing_ok=True)
                with open(file, "wb", opener=_for_owner) as out:
                    out.write(picture)
                shown = f"picture in {file}"
            lines.append(f"  {plainly(name)}: {shown}")
        lines += [f"  the model says: {plainly(query.said)}"] if self._show_model else []
        if self._explained or self._amend is None:
            return lines
        self._explained = True
        return [f'A label that is called {UNDO} or {UNKNOWN} is typed in quotes, as in "{UNDO}".', "", *lines]

    def _understood(self, typed: str, query: Query) -> tuple[Json, str]:  # noqa: ARG002 - a label is a label
        if self._labels is not None:
            return read_label(typed, self._labels, self._keys)
        text = typed[1:-1] if typed in (f'"{UNDO}"', f'"{UNKNOWN}"') else typed
        return (text, "") if text else (None, f"{typed!r} is not a label: type one, or {UNKNOWN}")


def _for_owner(path: str, flags: int) -> int:
    """Open a file that its owner alone can read: an item may be a patient's picture."""
    return os.open(path, flags, 0o600)


def _lines(values: Mapping[str, Any]) -> list[str]:
    """Write names and values in two columns.

    >>> _lines({"Cu": 0.5, "shape": "round"})
    ['  Cu     0.5', '  shape  round']
    """
    width = max(map(len, values), default=0)
    return [f"  {name:<{width}}  {value}" for name, value in values.items()]
