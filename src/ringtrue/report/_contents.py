"""The items that a page shows, and their content as JSON values that keep the hash of the item they came from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import Json, RingtrueError, canonical_json, digest, plain
from ringtrue.study import Study

_WORST_FIRST = ("right to wrong", "wrong to right", "another wrong answer", "changed")

_CELLS = 11
"""Columns of a table in all: as many as a sheet of paper holds."""

_TOLD = {"id", "kind", "model", "truth", "old", "new", "confidence"}
"""What a table says of an item anyway."""


def gallery(computed: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the items to show, the worst first."""
    flips = computed["finding"].get("flips")
    if flips is None:
        return list(computed["failures"])
    return sorted(flips["items"], key=lambda flip: (_WORST_FIRST.index(flip["kind"]), flip["number"]))


def fresh_columns(entries: Sequence[Mapping[str, Any]], contents: Mapping[str, Any]) -> tuple[list[str], int]:
    """Return the columns of the items to show that do not repeat what is told, and how many are left out."""
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


SHOWN = 100
"""Items shown with their content: a reader looks at some, a program reads the records."""

LONGEST = 2_000
"""Characters of one item's content; longer ones, such as images, are named by their hash alone."""

_FLOAT = "$float"
"""JSON has no word for nan and infinity, which empty cells and measurements hold: they are kept under this key."""


def contents(study: Study, shown: Sequence[Mapping[str, Any]]) -> dict[str, Json]:
    """Return the first of the items to show by id, where the pool is at hand and they are short enough."""
    pool = study.things.pool
    rows = [entry["row"] for entry in shown if entry["row"] is not None][:SHOWN]
    if pool is None or not rows:
        return {}
    try:
        items = list(pool.take(rows))
    except RingtrueError:
        return {}
    return {item.id: _kept(plain(item.values)) for item in items if len(canonical_json(item.values)) <= LONGEST}


def content_digest(entry: Json) -> str:
    """Return the hash of the item that was kept as `entry`."""
    return digest(restored(entry))


def restored(entry: Json) -> Any:
    """Return the values as they were before they became JSON."""
    if isinstance(entry, dict):
        if set(entry) == {_FLOAT}:
            return float(str(entry[_FLOAT]))
        return {key: restored(value) for key, value in entry.items()}
    return [restored(value) for value in entry] if isinstance(entry, list) else entry


def _kept(value: Json) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        return {_FLOAT: str(float(value))}
    if isinstance(value, dict):
        return {key: _kept(entry) for key, entry in value.items()}
    return [_kept(entry) for entry in value] if isinstance(value, list) else value
