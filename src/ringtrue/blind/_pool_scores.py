"""Scores of every item of a pool: the answer, the confidence, the looks of the item, and what they say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._field import TRAITS
from ringtrue.blind._groups import clusters
from ringtrue.blind._inputs import Inputs, raw_inputs
from ringtrue.blind._scope import bins_of, counted, label_code, label_codes
from ringtrue.blind.measures import tempered
from ringtrue.blind.signals import compact, image_traits, neighbour_scores, principal
from ringtrue.core import Batch, InvalidInput, Labels, Vectors, percent

_SLACK = 1e-6
"""Probabilities in single precision may stand this far outside [0, 1]."""


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
            "the model gives labels without probabilities: name a column of confidences with score=…, or return "
            "(labels, probabilities, classes)"
        )
    table = answers.probabilities
    softened = table if temperature == 1.0 else tempered(table, temperature)
    column = {label_code(name): place for place, name in enumerate(answers.classes)}
    places = np.array([column.get(int(code), -1) for code in codes], dtype=np.int64)
    if np.any(places < 0):
        item = batch.ids[int(np.argmax(places < 0))]
        raise InvalidInput(
            f"item {item!r}: the model's label is none of its classes: give a probability for each label"
        )
    return np.clip(softened[np.arange(len(codes)), places], 0.0, 1.0)


def _column(batch: Batch, name: str) -> NDArray[np.float64]:
    if name not in batch.columns:
        raise InvalidInput(f"score={name!r} is not a column of the pool: name one of {', '.join(batch.columns)}")
    cells: list[Any] = batch.columns[name].tolist()
    try:
        values = np.array([np.nan if cell is None else float(cell) for cell in cells])
    except (TypeError, ValueError):
        raise InvalidInput(f"score={name!r} holds no numbers: name a column of confidences in [0, 1]") from None
    wrong = ~((values >= -_SLACK) & (values <= 1 + _SLACK))
    if wrong.any():
        row = int(np.argmax(wrong))
        has = "no confidence" if np.isnan(values[row]) else f"the confidence {values[row]:g}"
        raise InvalidInput(f"score={name!r}: item {batch.ids[row]!r} has {has}: give one in [0, 1]")
    return np.asarray(np.clip(values, 0.0, 1.0))


def prepared(
    batch: Batch,
    answers: Labels | Vectors | None,
    confidence: NDArray[np.float64],
    inputs: Inputs | None,
    features: Sequence[str],
    slices: Mapping[str, Sequence[str]],
) -> dict[str, NDArray[Any]]:
    """Return the scores of a chunk, one value or one row of values per item.

    Parameters
    ----------
    batch
        The items of the chunk.
    answers
        What the model says of them.
    confidence
        How sure the model is of each answer.
    inputs
        What can be changed of an item; without it, nothing is read from inputs.
    features
        The columns of numbers that are compared in place of the inputs.
    slices
        The columns by which errors are grouped, with their values.
    """
    made: dict[str, NDArray[Any]] = {"label": label_codes(answers), "confidence": confidence}
    if inputs is not None:
        values = inputs.array(batch)
        if not features:
            # In shares of the box, where half precision loses nothing that an eye could see.
            made["features"] = compact((values - inputs.box.low) / inputs.box.width).astype(np.float16)
        traits = image_traits(values)
        if traits is not None:
            made |= {name: traits[:, place] for place, name in enumerate(TRAITS)}
    if features:
        found = raw_inputs(batch, tuple(features), "features")
        made["features"] = compact(found).astype(np.float32)
    for place, (column, values_of) in enumerate(slices.items()):
        made[f"slice {place}"] = _codes(batch, column, values_of)
    return made


def _codes(batch: Batch, column: str, values: Sequence[str]) -> NDArray[np.int64]:
    if column not in batch.columns:
        raise InvalidInput(f"slices: {column!r} is not a column of the pool: name some of {', '.join(batch.columns)}")
    places = {value: place for place, value in enumerate(values)}
    cells = [slice_text(cell) for cell in batch.columns[column].tolist()]
    unknown = next((cell for cell in cells if cell not in places), None)
    if unknown is not None:
        raise InvalidInput(
            f"slices: column {column!r} has the value {unknown!r}, which was not there before: make a new study"
        )
    return np.array([places[cell] for cell in cells], dtype=np.int64)


def slice_text(cell: Any) -> str:
    """Return a cell of a slice column as the name of its group."""
    return "(empty)" if cell is None or cell != cell or cell == "" else str(cell)


_NEIGHBOUR_DIMS = 30
_SEARCH_DIMS = 15
"""Dimensions in which neighbours are found, and in which the search learns: more of them were no better."""


@dataclass(frozen=True, slots=True)
class Gathering:
    """Which items are hunted in, and in how many slices they fall."""

    critical: str | None
    threshold: float
    slices: int
    seed: int

    def of(self, scores: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return the scores with all that can be known of the items without an answer; features give way to their
        space.
        """
        made = {name: values for name, values in scores.items() if name != "features"}
        inside = self._inside(scores)
        size, rows = len(inside), np.flatnonzero(inside)
        made["scope"] = np.where(inside, len(rows), 0)
        made |= _spread(size, rows, "bin", bins_of(scores["confidence"][rows]))
        for place in range(self.slices):
            made[f"slice_items {place}"] = np.zeros(size, dtype=np.int64)
            made[f"slice_items {place}"][rows] = counted(scores[f"slice {place}"][rows])
        codes = np.zeros(len(rows), dtype=np.int64)
        if "features" in scores:
            space = principal(scores["features"].astype(np.float64), dims=_NEIGHBOUR_DIMS)
            if space.shape[1]:
                near = neighbour_scores(space, scores["label"], rows, seed=self.seed)
                for name, values in (("neighbours", near.disagreement), ("nearness", near.nearness)):
                    made[name] = np.full(size, np.nan)
                    made[name][rows] = values
                made["start"] = np.full(size, -1, dtype=np.int64)
                made["start"][rows] = near.nearest_other
                made["space"] = space[:, :_SEARCH_DIMS]
                codes = clusters(made["space"][rows], seed=self.seed)
        made |= _spread(size, rows, "cluster", codes)
        made["clusters"] = np.full(size, codes.max() + 1)
        return made

    def _inside(self, scores: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
        said = np.ones(len(scores["label"]), dtype=bool)
        if self.critical is not None:
            said = scores["label"] == label_code(self.critical)
            if not said.any():
                raise InvalidInput(
                    f"critical={self.critical!r}: the model gives this answer to none of the {len(said):,} items: "
                    "name a class that it gives"
                )
        inside = said & (scores["confidence"] > self.threshold)
        if not inside.any():
            most = float(scores["confidence"][said].max())
            raise InvalidInput(
                f"threshold={self.threshold!r}: none of {int(said.sum()):,} answers is above it, the most confident "
                f"has {percent(most)}: lower it"
            )
        return np.asarray(inside)


def _spread(size: int, rows: NDArray[np.int64], name: str, codes: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """Return codes of the items in scope as scores of the whole pool, and how many items have each code."""
    made = {name: np.full(size, -1, dtype=np.int64), f"{name}_items": np.zeros(size, dtype=np.int64)}
    made[name][rows] = codes
    made[f"{name}_items"][rows] = counted(codes)
    return made
