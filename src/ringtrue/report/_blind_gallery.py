"""The errors of a hunt as pictures: each with the nearest changed image and the patches that sway the decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind import Blind, Distance
from ringtrue.blind._groups import superpixels, sway
from ringtrue.blind._inputs import Inputs
from ringtrue.blind._measuring import nearest_changed, steady_score
from ringtrue.blind._shown import field_shown, unchanged_rows
from ringtrue.blind.distances import Distances
from ringtrue.core import Batch, InvalidInput, Json, Labels, Measured, plain
from ringtrue.report._pictures import as_picture, png_data_uri, tinted
from ringtrue.stats import generator
from ringtrue.study import Study

MOST = 12
"""Errors shown: a reader looks at some, and each costs some hundred queries of the model."""

_QUERIES = 150
"""Queries for a nearest changed image that is shown: more than a search needs, as the user will look at it."""

_NUMBERS = 20
"""Numbers shown of an item that is not a picture."""

_SWAY = 100
_SIZE = 112
"""Pixels along a side of a picture that is shown, or a little less: small images are enlarged."""


def keep_shown(
    study: Study,
    *,
    question: str | None = None,
    most: int = MOST,
    advance: Callable[[str, int, int], None] | None = None,
) -> None:
    """Keep what a report shows of a hunt beside its finding: the pool's distances, and a gallery of its errors.

    With a model that can be asked, the nearest changed input of up to `most` errors is sought, and for images which
    patches sway the decision: some 250 queries for each. Pictures that were made before are not made again. `advance`
    is told what is being done, and how many parts of how many are done.
    """
    chosen = study.question(question)
    if not isinstance(chosen, Blind):
        raise InvalidInput(f"question={chosen.name!r} is not a hunt for confident errors: name one that is")
    scores, pool = study.scores(chosen.name), study.things.need_pool()
    if not scores:
        raise InvalidInput("nothing was prepared to show: call Study.prepare, or run the study first")
    path: Any = study.finding(question=chosen.name).to_json()["path"]
    few = unchanged_rows(scores)[:10]
    ids = dict(zip(few, pool.take(few).ids, strict=True)) if few else {}
    distance, seed = chosen.distance, int(study.plan["seed"])
    given = chosen.perturb_name is not None
    shown: Any = field_shown(
        scores,
        path,
        ids,
        method=chosen.perturb_name if given else None if distance is None else distance.method,
        norm="amount" if given else None if distance is None else distance.norm,
        seed=seed,
    )
    extra: dict[str, Any] = {"temperature": study.kept.get("temperature")}
    study.keep("field", {**shown, **extra})
    if advance is not None:
        advance("drawing the gallery", 0, 1)
    found = _gallery(study, chosen, scores, path, most)
    study.keep("gallery", found)
    asked = {**shown["model_queries"], "gallery": sum(entry["queries"] for entry in found["shown"])}
    study.keep("field", {**shown, **extra, "model_queries": asked})
    if advance is not None:
        advance("drawing the gallery", 1, 1)


def _gallery(
    study: Study, question: Blind, scores: Mapping[str, NDArray[Any]], path: Mapping[str, Any], most: int
) -> dict[str, Any]:
    """Return the errors, the most confident first."""
    wrong = [place for place, answer in enumerate(path["wrong"]) if answer]
    wrong.sort(key=lambda place: (-path["confidence"][place], place))
    shown = wrong[:most]
    before: Any = study.kept.get("gallery")
    if before is not None and [entry["number"] for entry in before["shown"]] == [path["number"][one] for one in shown]:
        return {**before, "errors": len(wrong)}
    if not shown:
        return {"errors": len(wrong), "shown": []}
    records = {record.number: record for record in study.records}
    rows = np.array([path["row"][place] for place in shown])
    items = Measured(
        study.things.need_pool().take(rows.tolist()), {key: values[rows] for key, values in scores.items()}
    )
    pictures = _pictures(study, question, items, scores)
    entries: list[dict[str, Any]] = []
    for number, place in enumerate(shown):
        record = records[path["number"][place]]
        distance = float(scores["distance"][rows[number]]) if "distance" in scores else np.nan
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
                **pictures[number],
            }
        )
    return {"errors": len(wrong), "shown": entries}


def _pictures(
    study: Study, question: Blind, items: Measured, scores: Mapping[str, NDArray[Any]]
) -> list[dict[str, Json]]:
    """Return the looks of each item and of its nearest changed neighbour, and what sways the decision."""
    parts = ("image", "changed", "changed_label", "sway", "values", "changed_values")
    made: list[dict[str, Json]] = [dict.fromkeys(parts) | {"queries": 0} for _ in items.batch.ids]
    inputs, model = question.inputs, study.things.model
    if inputs is None:
        for entry, item in zip(made, items.batch, strict=True):
            entry["values"] = {name: str(plain(value))[:500] for name, value in item.values.items()}
        return made
    values = inputs.array(items.batch)
    for entry, value in zip(made, values, strict=True):
        entry |= _looks(inputs, value, "image", "values")
    if model is None or model.stored_in:
        return made
    found = _nearest(study, question, inputs, items, scores)
    changed = np.flatnonzero(found.changed)
    if len(changed):
        said = model.answer(inputs.batch(found.nearest[changed], items.batch, changed))
        assert isinstance(said, Labels)
        for place, label in zip(changed.tolist(), said.labels, strict=True):
            made[place] |= _looks(inputs, found.nearest[place], "changed", "changed_values")
            made[place]["changed_label"] = str(plain(label))
    for place, entry in enumerate(made):
        looks = as_picture(values[place]) is not None
        entry["queries"] = int(found.queries[place]) + (_SWAY if looks else 0)
        if looks:
            entry["sway"] = _swayed(inputs, items, place, model, values[place])
    return made


def _nearest(
    study: Study, question: Blind, inputs: Inputs, items: Measured, scores: Mapping[str, NDArray[Any]]
) -> Distances:
    """Return the nearest changed inputs, sought with more queries than the search could afford."""
    own = question.distance or Distance("rays")
    patient = Distance(own.method, max(own.queries or 0, _QUERIES))
    starts = np.unique(items.scores["start"]) if "start" in items.scores else np.zeros(0, dtype=np.int64)
    starts = starts[starts >= 0].astype(np.int64)
    pool, model = study.things.need_pool(), study.things.model
    assert model is not None
    beside = Measured(
        pool.take(starts.tolist()) if len(starts) else Batch([], {}),
        {key: column[starts] for key, column in scores.items()},
    )
    return nearest_changed(patient, inputs, items, beside, model.answer, generator(int(study.plan["seed"]), "gallery"))


def _looks(inputs: Inputs, value: NDArray[Any], picture: str, numbers: str) -> dict[str, Json]:
    """Return an input as a picture, or its first numbers by name."""
    shades = as_picture((value - inputs.box.low) / inputs.box.width)
    if shades is not None:
        return {picture: png_data_uri(shades, scale=max(1, _SIZE // max(shades.shape[:2])))}
    names = inputs.columns if value.ndim == 1 and len(value) == len(inputs.columns) else None
    cells = value.ravel()[:_NUMBERS].tolist()
    named = names or [f"{inputs.columns[0]}[{place}]" for place in range(len(cells))]
    return {numbers: {name: float(f"{cell:.6g}") for name, cell in zip(named, cells, strict=False)}}


def _swayed(inputs: Inputs, items: Measured, place: int, model: Any, image: NDArray[Any]) -> Json:
    patches = superpixels(image)
    score = steady_score(inputs, items, place, model.answer)
    weights = sway(score, image, patches, queries=_SWAY, rng=generator(place, "sway"))
    shades = as_picture((image - inputs.box.low) / inputs.box.width)
    assert shades is not None
    return png_data_uri(tinted(shades, weights[patches]), scale=max(1, _SIZE // max(image.shape[:2])))
