"""The items that a page shows, and their content as JSON values that keep the hash of the item they came from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import SHOWN, Json, RingtrueError, canonical_json, digest, plain
from ringtrue.study import Study

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
