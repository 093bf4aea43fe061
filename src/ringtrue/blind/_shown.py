"""What a page shows of a whole pool beside the finding: distances by confidence, queries of the model, the spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._field import residual_of
from ringtrue.blind._scope import scope_of
from ringtrue.blind.measures import (
    coverage_utility,
    error_utility,
    expected_errors,
    largest_distance,
    random_spread,
    spread,
)
from ringtrue.core import Json
from ringtrue.stats import generator

_POINTS = 1_500
"""Items drawn in a figure: more would be a blot."""

_CURVE = 60
_UNCHANGED = 10
"""Items named whose answer never changed."""

_COMPARED = 4_000
"""Items by which the spread is measured: its time grows with them and with the answers."""


def field_shown(
    scores: Mapping[str, NDArray[Any]],
    path: Mapping[str, Any],
    ids: Mapping[int, str],
    *,
    method: str | None,
    norm: str | None,
    seed: int,
) -> dict[str, Json]:
    """Return the pool's part of a report, as JSON values.

    Parameters
    ----------
    scores
        The scores of all rows of the pool.
    path
        The numbers of the hunt after each answer, from `path_of`.
    ids
        The names of the rows that may have to be told by name.
    method
        The method by which distances were measured, if they were.
    norm
        The norm in which they are given.
    seed
        The seed that draws the items shown where there are too many.
    """
    rows = scope_of(scores)
    queries = {
        name: int(np.nansum(scores[f"{name[:-1]}_queries"][rows])) if f"{name[:-1]}_queries" in scores else 0
        for name in ("variations", "distances")
    }
    return {
        "model_queries": {
            "answers": len(scores["label"]),
            **queries,
            "per_item": (len(rows) + sum(queries.values())) / len(rows),
        },
        "expected_errors": float(np.sum(expected_errors(scores["confidence"][rows]))),
        "one_confidence": _one(scores["confidence"][rows]),
        "distance": _distance(scores, rows, ids, method, norm),
        **_curve(scores, rows, seed),
        "asked": _asked(scores, path),
        "spread": _spread(scores, rows, path, seed),
    }


def _one(confidence: NDArray[np.float64]) -> float | None:
    """Return the confidence that all items have, if they have one."""
    return float(confidence[0]) if np.ptp(confidence) < 1e-9 else None


def unchanged_rows(scores: Mapping[str, NDArray[Any]]) -> list[int]:
    """Return the items hunted in whose answer no query changed."""
    rows = scope_of(scores)
    return [] if "distance" not in scores else rows[~np.isfinite(scores["distance"][rows])].tolist()


def _distance(
    scores: Mapping[str, NDArray[Any]],
    rows: NDArray[np.int64],
    ids: Mapping[int, str],
    method: str | None,
    norm: str | None,
) -> dict[str, Json] | None:
    if "distance" not in scores:
        return None
    unchanged = unchanged_rows(scores)
    named: list[Json] = [ids.get(row, str(row)) for row in unchanged[:_UNCHANGED]]
    return {
        "method": method,
        "norm": norm,
        "measured": len(rows) - len(unchanged),
        "unchanged": len(unchanged),
        "unchanged_ids": named,
    }


def _curve(scores: Mapping[str, NDArray[Any]], rows: NDArray[np.int64], seed: int) -> dict[str, Json]:
    residual = residual_of(scores)
    if residual is None:
        return {"curve": None, "points": None}
    confidence, distance = scores["confidence"][rows], scores["distance"][rows]
    known = np.flatnonzero(np.isfinite(distance))
    shown = known
    if len(known) > _POINTS:
        shown = np.sort(generator(seed, "points shown").choice(known, _POINTS, replace=False))
    at = np.unique(np.quantile(confidence[known], np.linspace(0, 1, _CURVE)))
    return {
        "curve": {"confidence": at.tolist(), "distance": np.exp(residual.curve(at)).tolist()},
        "points": {"confidence": confidence[shown].tolist(), "distance": distance[shown].tolist()},
    }


def _asked(scores: Mapping[str, NDArray[Any]], path: Mapping[str, Any]) -> dict[str, Json]:
    distance: list[Json] = [None] * len(path["row"])
    if "distance" in scores:
        distance = [float(value) if np.isfinite(value) else None for value in scores["distance"][path["row"]]]
    return {"distance": distance, **{name: list(path[name]) for name in ("confidence", "wrong", "random")}}


def _spread(
    scores: Mapping[str, NDArray[Any]], rows: NDArray[np.int64], path: Mapping[str, Any], seed: int
) -> dict[str, Json] | None:
    """Return how well the items asked about cover the scope, beside as many random ones, and both utilities."""
    if "space" not in scores or not path["row"]:
        return None
    kept = rows
    if len(rows) > _COMPARED:
        others = np.setdiff1d(rows, path["row"])
        few = generator(seed, "spread").choice(others, min(len(others), _COMPARED), replace=False)
        kept = np.sort(np.concatenate([few, np.array(path["row"])]))
    space = scores["space"][kept]
    places: Sequence[int] = np.searchsorted(kept, path["row"]).tolist()
    every: Sequence[int] = np.searchsorted(rows, path["row"]).tolist()
    wrong = [bool(answer) for answer in path["wrong"]]
    scale = largest_distance(space) or 1.0
    return {
        "asked": spread(space, places, scale=scale),
        "random": random_spread(space, len(places), rng=generator(seed, "spread of random items"), scale=scale),
        "error_utility": error_utility(wrong),
        "coverage_utility": coverage_utility(
            scores["space"][rows], scores["confidence"][rows], every, wrong, scale=scale
        ),
    }
