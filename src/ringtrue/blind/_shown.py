"""What a page shows beside the finding of a hunt: distances by confidence, queries of the model, spread, errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._field import residual_of
from ringtrue.blind._gallery import gallery
from ringtrue.blind._scope import scope_of
from ringtrue.blind.measures import (
    coverage_utility,
    error_utility,
    expected_errors,
    largest_distance,
    random_spread,
    spread,
)
from ringtrue.core import InvalidInput, Json, Material, Pool
from ringtrue.stats import generator

if TYPE_CHECKING:
    from ringtrue.blind._question import Blind

_POINTS = 1_500
"""Items drawn in a figure: more would be a blot."""

_CURVE = 60
_UNCHANGED = 10
"""Items named whose answer never changed."""

_COMPARED = 4_000
"""Items by which the spread is measured: its time grows with them and with the answers."""


def shown(question: Blind, material: Material) -> Iterator[tuple[str, Any]]:
    """Yield the pool's part of a report, the errors to look at, and the pool's part with what these cost.

    The first comes before the model is asked for pictures, so that it is kept even if the model fails on one.
    """
    if not material.scores or material.pool is None:
        raise InvalidInput("nothing was prepared to show: call Study.prepare, or run the study first")
    found = _field(question, material, material.pool)
    yield "field", found
    errors = gallery(question, material, material.pool)
    yield "gallery", errors
    asked: Any = found["model_queries"]
    cost = sum(entry["queries"] for entry in errors["shown"])
    yield "field", {**found, "model_queries": {**asked, "gallery": cost}}


def _field(question: Blind, material: Material, pool: Pool) -> dict[str, Json]:
    scores, path = material.scores, material.finding["path"]
    rows = scope_of(scores)
    confidence = scores["confidence"][rows]
    queries = {
        f"{name}s": int(np.nansum(scores[f"{name}_queries"][rows])) if f"{name}_queries" in scores else 0
        for name in ("variation", "distance")
    }
    return {
        "model_queries": {
            "answers": len(scores["label"]),
            **queries,
            "per_item": (len(rows) + sum(queries.values())) / len(rows),
        },
        "expected_errors": float(np.sum(expected_errors(confidence))),
        "one_confidence": float(confidence[0]) if np.ptp(confidence) < 1e-9 else None,
        "distance": _distance(question, scores, pool) if "distance" in scores else None,
        **_curve(scores, material.seed),
        "asked": _asked(scores, path),
        "spread": _spread(scores, path, material.seed),
        "temperature": material.kept.get("temperature"),
    }


def _distance(question: Blind, scores: Mapping[str, NDArray[Any]], pool: Pool) -> dict[str, Json]:
    """Return how distances were measured, and the items whose answer no query changed."""
    rows = scope_of(scores)
    unchanged = rows[~np.isfinite(scores["distance"][rows])]
    named = pool.take(unchanged[:_UNCHANGED].tolist()).ids if len(unchanged) else []
    own = question.distance
    return {
        "method": question.perturb_name if own is None else own.method,
        "norm": "amount" if own is None else own.norm,
        "measured": len(rows) - len(unchanged),
        "unchanged": len(unchanged),
        "unchanged_ids": list(named),
    }


def _curve(scores: Mapping[str, NDArray[Any]], seed: int) -> dict[str, Json]:
    residual = residual_of(scores)
    if residual is None:
        return {"curve": None, "points": None}
    rows = scope_of(scores)
    confidence, distance = scores["confidence"][rows], scores["distance"][rows]
    known = np.flatnonzero(np.isfinite(distance))
    drawn = known
    if len(known) > _POINTS:
        drawn = np.sort(generator(seed, "points shown").choice(known, _POINTS, replace=False))
    at = np.unique(np.quantile(confidence[known], np.linspace(0, 1, _CURVE)))
    return {
        "curve": {"confidence": at.tolist(), "distance": np.exp(residual.curve(at)).tolist()},
        "points": {"confidence": confidence[drawn].tolist(), "distance": distance[drawn].tolist()},
    }


def _asked(scores: Mapping[str, NDArray[Any]], path: Mapping[str, Any]) -> dict[str, Json]:
    distance: list[Json] = [None] * len(path["row"])
    if "distance" in scores:
        distance = [float(value) if np.isfinite(value) else None for value in scores["distance"][path["row"]]]
    return {"distance": distance, **{name: list(path[name]) for name in ("confidence", "wrong", "random")}}


def _spread(scores: Mapping[str, NDArray[Any]], path: Mapping[str, Any], seed: int) -> dict[str, Json] | None:
    """Return how well the items asked about cover the scope, beside as many random ones, and both utilities."""
    if "space" not in scores or not path["row"]:
        return None
    kept = rows = scope_of(scores)
    if len(rows) > _COMPARED:
        others = np.setdiff1d(rows, path["row"])
        few = generator(seed, "spread").choice(others, min(len(others), _COMPARED), replace=False)
        kept = np.sort(np.concatenate([few, np.array(path["row"])]))
    space = scores["space"][kept]
    places, every = (np.searchsorted(some, path["row"]) for some in (kept, rows))
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
