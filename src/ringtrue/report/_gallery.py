"""Which items a page shows: those the model failed on or, where two models are compared, those that flipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_WORST_FIRST = ("right to wrong", "wrong to right", "another wrong answer", "changed")

_CELLS = 11
"""Columns of a table in all: as many as a sheet of paper holds."""

_TOLD = {"id", "kind", "model", "truth", "old", "new", "confidence"}
"""What a table says of an item anyway."""


def gallery(computed: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The items to show, the worst first."""
    flips = computed["finding"].get("flips")
    if flips is None:
        return list(computed["failures"])
    return sorted(flips["items"], key=lambda flip: (_WORST_FIRST.index(flip["kind"]), flip["number"]))


def fresh_columns(entries: Sequence[Mapping[str, Any]], contents: Mapping[str, Any]) -> tuple[list[str], int]:
    """The columns of the items to show, and how many are left out; those that repeat what is told are not told."""
    shown = [(entry, contents[entry["id"]]) for entry in entries if entry["id"] in contents]
    names = list(dict.fromkeys(name for _, values in shown for name in values))
    told = sorted({key for entry, _ in shown for key in entry} & _TOLD)
    fresh = [
        name
        for name in names
        if not any(all(str(values.get(name)) == str(entry[key]) for entry, values in shown) for key in told)
    ]
    room = _CELLS - len(told)
    return fresh[:room], len(fresh[room:])
