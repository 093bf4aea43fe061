"""What a page shows beside the finding of a hunt: distances by confidence, queries of the model, spread, errors.

Each error stands beside the nearest changed input, and an image beside the patches that sway the decision about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind import measures
from ringtrue.blind._inputs import Inputs
from ringtrue.blind._measuring import Distance, ItemAsker, nearest_changed
from ringtrue.blind._next_picks import next_picks
from ringtrue.blind._policy import residual_of
from ringtrue.blind._scope import scope_of, starts_of
from ringtrue.blind._sway import superpixels, sway, tinted
from ringtrue.core import Batch, InvalidInput, Json, Labels, Material, Measured, Pool, plain
from ringtrue.stats import generator

if TYPE_CHECKING:
    from ringtrue.blind._question import Blind

_POINTS = 1_500  # items drawn in a figure: more would be a blot

_CURVE = 60
_UNCHANGED = 10  # items named whose answer never changed
_COMPARED = 4_000  # items by which the spread is measured: its time grows with them and with the answers

_QUERIES = 150
"""Queries for a nearest changed image that is shown: more than a search needs, as the user will look at it."""

_SWAY = 100  # queries that say which patches of an image sway the decision
_NUMBERS = 20  # numbers shown of an item that is not a picture


def shown(question: Blind, material: Material) -> Iterator[tuple[str, Any]]:
    """Yield the pool's part of a report, the errors to look at, and the pool's part with what these cost.

    The first comes before the model is asked for pictures, so that it is kept even if the model fails on one.
    """
    if not material.scores or material.pool is None:
        raise InvalidInput("nothing was prepared to show: call Study.prepare, or run the study first")
    found = _field(question, material, material.pool)
    yield "field", found
    errors = _gallery(question, material, material.pool)
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
    distance = scores.get("distance", np.full(len(scores["label"]), np.nan))
    asked = {name: list(path[name]) for name in ("confidence", "wrong", "random")}
    return {
        "model_queries": {
            "answers": len(scores["label"]),
            **queries,
            "per_item": (len(rows) + sum(queries.values())) / len(rows),
        },
        "expected_errors": float(np.sum(measures.expected_errors(confidence))),
        "one_confidence": float(confidence[0]) if np.ptp(confidence) < 1e-9 else None,
        **_distances(question, material, pool),
        "asked": {"distance": [_finite(distance[row]) for row in path["row"]], **asked},
        "spread": _spread(scores, path, material.seed),
        "temperature": material.kept.get("temperature"),
        "next_picks": next_picks(question.goal, material.records, scores, material.seed),
    }


def _finite(distance: float) -> float | None:
    return float(distance) if np.isfinite(distance) else None


def _distances(question: Blind, material: Material, pool: Pool) -> dict[str, Json]:
    """Return how distances were measured, the items whose answer no query changed, and what is drawn of the others."""
    scores, own = material.scores, question.distance
    made: dict[str, Json] = dict.fromkeys(("distance", "curve", "points"))
    if "distance" not in scores:
        return made
    rows = scope_of(scores)
    confidence, distance = scores["confidence"][rows], scores["distance"][rows]
    drawn = known = np.flatnonzero(np.isfinite(distance))
    unchanged = rows[~np.isfinite(distance)]
    made["distance"] = {
        "method": question.perturb_name if own is None else own.method,
        "norm": "amount" if own is None else own.norm,
        "measured": len(known),
        "unchanged": len(unchanged),
        "unchanged_ids": list(pool.take(unchanged[:_UNCHANGED].tolist()).ids) if len(unchanged) else [],
    }
    if (residual := residual_of(scores)) is None:
        return made
    if len(known) > _POINTS:
        drawn = np.sort(generator(material.seed, "points shown").choice(known, _POINTS, replace=False))
    at = np.unique(np.quantile(confidence[known], np.linspace(0, 1, _CURVE)))
    made["curve"] = {"confidence": at.tolist(), "distance": np.exp(residual.curve(at)).tolist()}
    made["points"] = {"confidence": confidence[drawn].tolist(), "distance": distance[drawn].tolist()}
    return made


def _spread(scores: Mapping[str, NDArray[Any]], path: Mapping[str, Any], seed: int) -> dict[str, Json] | None:
    """Return how well the items asked about cover the scope, beside as many random ones, and both utilities."""
    if "space" not in scores or not path["row"]:
        return None
    kept = rows = scope_of(scores)
    if len(rows) > _COMPARED:
        others = np.setdiff1d(rows, path["row"])
        few = generator(seed, "spread").choice(others, min(len(others), _COMPARED), replace=False)
        kept = np.sort(np.concatenate([few, np.array(path["row"])]))
    space, places = scores["space"], np.searchsorted(kept, path["row"])
    wrong = [bool(answer) for answer in path["wrong"]]
    scale, rng = measures.largest_distance(space[kept]) or 1.0, generator(seed, "spread of random items")
    every, confidence = np.searchsorted(rows, path["row"]), scores["confidence"][rows]
    return {
        "asked": measures.spread(space[kept], places, scale=scale),
        "random": measures.random_spread(space[kept], len(places), rng=rng, scale=scale),
        "error_utility": measures.error_utility(wrong),
        "coverage_utility": measures.coverage_utility(space[rows], confidence, every, wrong, scale=scale),
    }


def _gallery(question: Blind, material: Material, pool: Pool) -> dict[str, Any]:
    """Return the errors, the most confident first; arrays are pictures."""
    path = material.finding["path"]
    wrong = [place for place, answer in enumerate(path["wrong"]) if answer]
    wrong.sort(key=lambda place: (-path["confidence"][place], place))
    chosen = wrong[: material.most]
    before: Any = material.kept.get("gallery")
    if before is not None and [entry["number"] for entry in before["shown"]] == [path["number"][one] for one in chosen]:
        return {**before, "errors": len(wrong)}
    records = {record.number: record for record in material.records}
    items = _measured(pool, material.scores, np.array([path["row"][place] for place in chosen], dtype=np.int64))
    distances = items.scores.get("distance", np.full(len(chosen), np.nan))
    entries: list[dict[str, Any]] = []
    for place, distance, looks in zip(chosen, distances, _looks_of(question, items, material, pool), strict=True):
        record = records[path["number"][place]]
        entries.append(
            {
                "number": record.number,
                "row": record.row,
                "id": record.id,
                "model": plain(record.said),
                "truth": plain(record.label),
                "confidence": path["confidence"][place],
                "distance": _finite(distance),
                "norm": None if question.distance is None else question.distance.norm,
                **looks,
            }
        )
    return {"errors": len(wrong), "shown": entries}


def _measured(pool: Pool, scores: Mapping[str, NDArray[Any]], rows: NDArray[np.int64]) -> Measured:
    batch = pool.take(rows.tolist()) if len(rows) else Batch([], {})
    return Measured(batch, {name: values[rows] for name, values in scores.items()})


def _looks_of(question: Blind, items: Measured, material: Material, pool: Pool) -> list[dict[str, Any]]:
    """Return the looks of each item and of its nearest changed neighbour, and the patches that sway the decision."""
    parts = ("image", "changed", "changed_label", "sway", "values", "changed_values")
    made: list[dict[str, Any]] = [dict.fromkeys(parts) | {"queries": 0} for _ in items.batch.ids]
    inputs, model = question.inputs, material.model
    if inputs is None:
        for entry, item in zip(made, items.batch, strict=True):
            entry["values"] = {name: str(plain(value))[:500] for name, value in item.values.items()}
    if inputs is None or not made:
        return made
    values = inputs.array(items.batch)
    for entry, value in zip(made, values, strict=True):
        entry |= _looks(inputs, value, "image", "values")
    if model is None or model.stored_in:
        return made
    own = question.distance or Distance("rays")
    patient = Distance(own.method, max(own.queries or 0, _QUERIES))
    beside = _measured(pool, material.scores, starts_of(items.scores, np.arange(len(made))))
    asker = ItemAsker(inputs, items, model.answer)
    found = nearest_changed(patient, asker, beside, generator(material.seed, "gallery"))
    changed = np.flatnonzero(found.changed)
    if len(changed):
        said = asker.said(found.nearest[changed], changed)
        assert isinstance(said, Labels)
        for place, label in zip(changed.tolist(), said.labels, strict=True):
            made[place] |= _looks(inputs, found.nearest[place], "changed", "changed_values")
            made[place]["changed_label"] = str(plain(label))
    for place, entry in enumerate(made):
        entry["queries"] = int(found.queries[place])
        if entry["image"] is not None:
            entry["queries"] += _SWAY
            entry["sway"] = _swayed(asker, place, values[place])
    return made


def _looks(inputs: Inputs, value: NDArray[Any], picture: str, numbers: str) -> dict[str, Any]:
    """Return an input as a picture, or its first numbers by name."""
    if value.ndim == 2 or (value.ndim == 3 and value.shape[2] in (1, 3, 4)):
        return {picture: _shades(inputs, value)}
    cells = value.ravel()[:_NUMBERS].tolist()
    names = inputs.columns
    if value.ndim > 1 or len(value) != len(names):
        names = tuple(f"{names[0]}[{place}]" for place in range(len(cells)))
    return {numbers: {name: float(f"{cell:.6g}") for name, cell in zip(names, cells, strict=False)}}


def _shades(inputs: Inputs, image: NDArray[Any]) -> NDArray[Any]:
    return np.asarray((image - inputs.box.low) / inputs.box.width)


def _swayed(asker: ItemAsker, place: int, image: NDArray[Any]) -> NDArray[np.uint8]:
    """Return an image of an item in grey, coloured by how much each patch sways the answer."""

    def score(points: NDArray[Any]) -> NDArray[np.float64]:
        return asker.firmness(points, np.full(len(points), place))

    patches = superpixels(image)
    weights = sway(score, image, patches, queries=_SWAY, rng=generator(place, "sway"))
    return tinted(_shades(asker.inputs, image), weights[patches])
