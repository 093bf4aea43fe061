"""The errors of a hunt to look at: each beside the nearest changed input, and the patches that sway the decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._inputs import Inputs
from ringtrue.blind._measuring import Distance, nearest_changed, steady_score
from ringtrue.blind._sway import superpixels, sway
from ringtrue.core import Batch, InvalidInput, Json, Labels, Material, Measured, Model, Pool, plain
from ringtrue.stats import generator

if TYPE_CHECKING:
    from ringtrue.blind._question import Blind

_QUERIES = 150
"""Queries for a nearest changed image that is shown: more than a search needs, as the user will look at it."""

_SWAY = 100
"""Queries that say which patches of an image sway the decision."""

_NUMBERS = 20
"""Numbers shown of an item that is not a picture."""

_FOR, _AGAINST = (0.90, 0.45, 0.05), (0.10, 0.35, 0.75)
"""Orange and blue, which people who see no red or no green tell apart, too."""

_STRONGEST = 0.75
"""How much of a pixel the colour of the heaviest patch takes: the picture under it must still be seen."""

_DARKEST = 0.3
"""The grey of what was black: on black itself a colour would hardly be seen."""


def gallery(question: Blind, material: Material, pool: Pool) -> dict[str, Any]:
    """Return the errors, the most confident first; arrays are pictures."""
    path, scores = material.finding["path"], material.scores
    wrong = [place for place, answer in enumerate(path["wrong"]) if answer]
    wrong.sort(key=lambda place: (-path["confidence"][place], place))
    shown = wrong[: material.most]
    before: Any = material.kept.get("gallery")
    if before is not None and [entry["number"] for entry in before["shown"]] == [path["number"][one] for one in shown]:
        return {**before, "errors": len(wrong)}
    if not shown:
        return {"errors": len(wrong), "shown": []}
    records = {record.number: record for record in material.records}
    items = _measured(pool, scores, np.array([path["row"][place] for place in shown]))
    looks = _looks_of(question, items, material, pool)
    entries: list[dict[str, Any]] = []
    for number, place in enumerate(shown):
        record = records[path["number"][place]]
        distance = float(items.scores["distance"][number]) if "distance" in scores else np.nan
        entries.append(
            {
                "number": record.number,
                "row": record.row,
                "id": record.id,
                "model": plain(record.said),
                "truth": plain(record.label),
                "confidence": path["confidence"][place],
                "distance": distance if np.isfinite(distance) else None,
                "norm": None if question.distance is None else question.distance.norm,
                **looks[number],
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
        return made
    values = inputs.array(items.batch)
    for entry, value in zip(made, values, strict=True):
        entry |= _looks(inputs, value, "image", "values")
    if model is None or model.stored_in:
        return made
    own = question.distance or Distance("rays")
    patient = Distance(own.method, max(own.queries or 0, _QUERIES))
    starts = np.unique(items.scores["start"]) if "start" in items.scores else np.zeros(0, dtype=np.int64)
    beside = _measured(pool, material.scores, starts[starts >= 0].astype(np.int64))
    found = nearest_changed(patient, inputs, items, beside, model.answer, generator(material.seed, "gallery"))
    changed = np.flatnonzero(found.changed)
    if len(changed):
        said = model.answer(inputs.batch(found.nearest[changed], items.batch, changed))
        assert isinstance(said, Labels)
        for place, label in zip(changed.tolist(), said.labels, strict=True):
            made[place] |= _looks(inputs, found.nearest[place], "changed", "changed_values")
            made[place]["changed_label"] = str(plain(label))
    for place, entry in enumerate(made):
        entry["queries"] = int(found.queries[place])
        if entry["image"] is not None:
            entry["queries"] += _SWAY
            entry["sway"] = _swayed(inputs, items, place, model, values[place])
    return made


def _looks(inputs: Inputs, value: NDArray[Any], picture: str, numbers: str) -> dict[str, Any]:
    """Return an input as a picture, or its first numbers by name."""
    if value.ndim == 2 or (value.ndim == 3 and value.shape[2] in (1, 3, 4)):
        return {picture: _shades(inputs, value)}
    names = inputs.columns if value.ndim == 1 and len(value) == len(inputs.columns) else None
    cells = value.ravel()[:_NUMBERS].tolist()
    named = names or [f"{inputs.columns[0]}[{place}]" for place in range(len(cells))]
    told: dict[str, Json] = {name: float(f"{cell:.6g}") for name, cell in zip(named, cells, strict=False)}
    return {numbers: told}


def _shades(inputs: Inputs, image: NDArray[Any]) -> NDArray[Any]:
    return np.asarray((image - inputs.box.low) / inputs.box.width)


def _swayed(inputs: Inputs, items: Measured, place: int, model: Model, image: NDArray[Any]) -> NDArray[np.uint8]:
    patches = superpixels(image)
    score = steady_score(inputs, items, place, model.answer)
    weights = sway(score, image, patches, queries=_SWAY, rng=generator(place, "sway"))
    return tinted(_shades(inputs, image), weights[patches])


def tinted(picture: NDArray[Any], weights: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return a picture in grey under the weights (h, w) of its pixels: orange speaks for the answer, blue against it.

    `picture` has shades from 0 to 1, (h, w) or (h, w, channels), of which the first three are colours.

    >>> tinted(np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])).tolist()
    [[[191, 105, 29], [255, 255, 255]]]
    """
    pixels = np.rint(255 * np.clip(np.asarray(picture, dtype=np.float64), 0.0, 1.0)) / 255.0
    grey = _DARKEST + (1 - _DARKEST) * (pixels if pixels.ndim == 2 else pixels[:, :, :3].mean(axis=2))
    if weights.shape != grey.shape:
        raise InvalidInput(
            f"weights.shape={weights.shape} is not that of the picture, {grey.shape}: give one per pixel"
        )
    most = float(np.abs(weights).max()) or 1.0
    share = (_STRONGEST * np.abs(weights) / most)[:, :, None]
    colour = np.where(weights[:, :, None] > 0, _FOR, _AGAINST)
    mixed = (1 - share) * grey[:, :, None] + share * colour
    return np.asarray(np.rint(255 * mixed), dtype=np.uint8)
