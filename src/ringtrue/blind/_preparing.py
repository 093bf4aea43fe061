"""What is kept of every item of a pool: the model's answer, its confidence, and what the item looks like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._field import TRAITS
from ringtrue.blind._inputs import Inputs, raw_inputs
from ringtrue.blind._scope import label_codes
from ringtrue.blind.signals import compact, image_traits
from ringtrue.core import Batch, InvalidInput, Labels, Vectors


def prepared(
    batch: Batch, answers: Labels | Vectors | None, confidence: NDArray[np.float64], inputs: Inputs | None,
    features: Sequence[str], slices: Mapping[str, Sequence[str]],
) -> dict[str, NDArray[Any]]:  # fmt: skip
    """The scores of a chunk, one value or one row of values per item."""
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
        raise InvalidInput(f"slices: {column!r} is no column of the pool: name some of {', '.join(batch.columns)}")
    places = {value: place for place, value in enumerate(values)}
    cells = [slice_text(cell) for cell in batch.columns[column].tolist()]
    unknown = next((cell for cell in cells if cell not in places), None)
    if unknown is not None:
        raise InvalidInput(
            f"slices: column {column!r} has the value {unknown!r}, which was not there before: make a new study"
        )
    return np.array([places[cell] for cell in cells], dtype=np.int64)


def slice_text(cell: Any) -> str:
    """A cell of a slice column as the name of its group."""
    return "(empty)" if cell is None or cell != cell or cell == "" else str(cell)
