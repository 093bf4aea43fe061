"""Scores of every item of a pool: the answer, the confidence, the looks of the item, and what they say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._groups import clusters
from ringtrue.blind._inputs import Inputs, check_column, raw_inputs
from ringtrue.blind._scope import EDGES, Hunt, class_places, label_code, label_codes
from ringtrue.blind.measures import tempered
from ringtrue.blind.measures._confidence import bins_of
from ringtrue.blind.signals import TRAITS, compact, image_traits, neighbour_scores, principal
from ringtrue.core import Argument, Batch, InvalidInput, Labels, Vectors, percent

_SLACK = 1e-6  # probabilities in single precision may stand this far outside [0, 1]


def confidences(
    batch: Batch, answers: Labels | Vectors | None, *, score: str | None, temperature: float
) -> NDArray[np.float64]:
    """Return the model's probability of its own answer, of each item.

    >>> said = Labels(["cat", "dog"], np.array([[0.9, 0.1], [0.2, 0.8]]), ["cat", "dog"])
    >>> confidences(Batch(["a", "b"], {}), said, score=None, temperature=2.0).round(2).tolist()
    [0.75, 0.67]
    """
    codes = label_codes(answers)
    if score is not None:
        return _column(batch, score)
    assert isinstance(answers, Labels)
    if answers.probabilities is None:
        raise InvalidInput(
            "the model gives labels without probabilities: name a column of confidences with ",
            Argument("score"),
            ", or return (labels, probabilities, classes)",
        )
    table = answers.probabilities if temperature == 1.0 else tempered(answers.probabilities, temperature)
    places = class_places(answers, codes)
    if np.any(places < 0):
        item = batch.ids[int(np.argmax(places < 0))]
        raise InvalidInput(
            f"item {item!r}: the model's label is none of its classes: give a probability for each label"
        )
    return np.clip(table[np.arange(len(codes)), places], 0.0, 1.0)


def _column(batch: Batch, name: str) -> NDArray[np.float64]:
    if name not in batch.columns:
        raise InvalidInput(
            Argument("score", name), f" is not a column of the pool: name one of {', '.join(batch.columns)}"
        )
    cells: list[Any] = batch.columns[name].tolist()
    try:
        values = np.array([np.nan if cell is None else float(cell) for cell in cells])
    except (TypeError, ValueError):
        rule = " holds no numbers: name a column of confidences in [0, 1]"
        raise InvalidInput(Argument("score", name), rule) from None
    wrong = ~((values >= -_SLACK) & (values <= 1 + _SLACK))
    if wrong.any():
        row = int(np.argmax(wrong))
        has = "no confidence" if np.isnan(values[row]) else f"the confidence {values[row]:g}"
        raise InvalidInput(Argument("score", name), f": item {batch.ids[row]!r} has {has}: give one in [0, 1]")
    return np.asarray(np.clip(values, 0.0, 1.0))


def looks(batch: Batch, inputs: Inputs | None, features: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """Return the numbers by which items are compared, from `features` in place of the inputs, and traits of images."""
    made: dict[str, NDArray[Any]] = {}
    if inputs is not None:
        values = inputs.array(batch)
        if not features:
            # In shares of the box, where half precision loses nothing that an eye could see.
            made["features"] = compact((values - inputs.box.low) / inputs.box.width).astype(np.float16)
        traits = image_traits(values)
        if traits is not None:
            made |= {name: traits[:, place] for place, name in enumerate(TRAITS)}
    if features:
        made["features"] = compact(raw_inputs(batch, features, "features")).astype(np.float32)
    return made


def slice_codes(batch: Batch, slices: Mapping[str, Sequence[str]]) -> dict[str, NDArray[np.int64]]:
    """Return the place of each item's value among the values of every column by which errors are grouped."""
    codes = {}
    for number, (column, values) in enumerate(slices.items()):
        check_column("slices", column, batch.columns)
        places = {value: place for place, value in enumerate(values)}
        cells = [slice_text(cell) for cell in batch.columns[column].tolist()]
        unknown = next((cell for cell in cells if cell not in places), None)
        if unknown is not None:
            raise InvalidInput(
                Argument("slices", column), f" has the value {unknown!r}, which was not there before: make a new study"
            )
        codes[f"slice {number}"] = np.array([places[cell] for cell in cells], dtype=np.int64)
    return codes


def slice_text(cell: Any) -> str:
    """Return a cell of a slice column as the name of its group."""
    return "(empty)" if cell is None or cell != cell or cell == "" else str(cell)


_NEIGHBOUR_DIMS = 30
_SEARCH_DIMS = 15
"""Dimensions in which neighbours are found, and in which the search learns: more of them were no better."""


def gathered(scores: Mapping[str, NDArray[Any]], hunt: Hunt, seed: int) -> dict[str, NDArray[Any]]:
    """Return the scores with all that can be known of the items without an answer; features give way to their space."""
    made = {name: values for name, values in scores.items() if name != "features"}
    inside = _inside(scores, hunt)
    rows = np.flatnonzero(inside)

    def keep(name: str, values: NDArray[Any], missing: float) -> None:
        made[name] = np.full(len(inside), missing, dtype=values.dtype)
        made[name][rows] = values

    def keep_codes(name: str, codes: NDArray[np.int64]) -> None:
        keep(name, codes, -1)
        keep(f"{name}_items", _counted(codes), 0)

    made["scope"] = np.where(inside, len(rows), 0)
    keep_codes("bin", bins_of(scores["confidence"][rows], EDGES))
    for place in range(len(hunt.slices)):
        keep(f"slice_items {place}", _counted(scores[f"slice {place}"][rows]), 0)
    codes = np.zeros(len(rows), dtype=np.int64)
    if "features" in scores:
        space = principal(scores["features"].astype(np.float64), dims=_NEIGHBOUR_DIMS)
        near = neighbour_scores(space, scores["label"], rows, seed=seed)
        keep("neighbours", near.disagreement, np.nan)
        keep("nearness", near.nearness, np.nan)
        keep("start", near.nearest_other, -1)
        made["space"] = space[:, :_SEARCH_DIMS]
        codes = clusters(made["space"][rows], seed=seed)
    keep_codes("cluster", codes)
    made["clusters"] = np.full(len(inside), codes.max() + 1)
    return made


def _inside(scores: Mapping[str, NDArray[Any]], hunt: Hunt) -> NDArray[np.bool_]:
    said = np.ones(len(scores["label"]), dtype=bool)
    if hunt.critical is not None:
        said = scores["label"] == label_code(hunt.critical)
        if not said.any():
            raise InvalidInput(
                Argument("critical", hunt.critical),
                f": the model gives this answer to none of the {len(said):,} items: name a class that it gives",
            )
    inside = said & (scores["confidence"] > hunt.threshold)
    if not inside.any():
        most = float(scores["confidence"][said].max())
        raise InvalidInput(
            Argument("threshold", hunt.threshold),
            f": none of {int(said.sum()):,} answers is above it, the most confident has {percent(most)}: lower it",
        )
    return np.asarray(inside)


def _counted(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count, for every item, the items that have its code.

    >>> _counted(np.array([3, 1, 3])).tolist()
    [2, 1, 2]
    """
    _, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse], dtype=np.int64)
