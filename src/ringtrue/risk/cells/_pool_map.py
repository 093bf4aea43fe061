"""The map of a pool: where the model fails, from the labels at hand, held against those that were drawn evenly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ringtrue.core import Argument, InvalidInput, Record, is_missing, label_text
from ringtrue.risk._grid import Floats
from ringtrue.risk._map_cells import MapCells
from ringtrue.risk.cells._answers import ROWS, Predict
from ringtrue.risk.cells._assess import assess
from ringtrue.risk.cells._finding import CellFinding
from ringtrue.risk.cells._profile import KernelProfile, choose_bandwidth
from ringtrue.stats import is_even

_WIDTHS = np.array([0.01, 0.02, 0.04, 0.08, 0.15, 0.3])
"""Bandwidths that are tried, as shares of the shortest side of the box."""

_TRIED_ON = 5_000
"""Inputs on which they are tried, about."""

_PROFILE = 20_000
"""Inputs that the operational profile is made from, about: beyond, it would take minutes and look the same."""


def labels_at_hand(records: Sequence[Record], size: int, known: Sequence[Any] = ()) -> tuple[dict[int, str], list[int]]:
    """Return the label of each row at hand, and the rows that a map is held against.

    A label that was bought counts before one that was `known`, a column of the pool, empty where it is not. A map is
    held against rows drawn in turns in which every item left had the same chance, else against those that were known:
    labels that were picked, or drawn by doubt, fail more often than operation does, and with these alone nothing is
    tested.
    """
    labels = {row: label_text(cell) for row, cell in enumerate(known) if not is_missing(cell)}
    asked = [record for record in records if record.responder == "oracle" and record.row is not None]
    evenly = [
        record.row
        for place, record in enumerate(asked)
        if record.state == "answered" and is_even(record.probability, record.floor, size - place)
    ]
    bought = {record.row for record in records}
    held_out = [row for row in evenly if row is not None] or [row for row in labels if row not in bought]
    told = {record.row: label_text(record.label) for record in records if record.state == "answered"}
    return labels | {row: label for row, label in told.items() if row is not None}, held_out


def map_pool(
    cells: MapCells,
    points: Floats,
    predict: Predict,
    labels: Mapping[int, str],
    *,
    held_out: Sequence[int] = (),
    operation: Floats | None = None,
    ids: Sequence[Any] | None = None,
    classes: Sequence[str] | None = None,
    **choices: Any,
) -> CellFinding:
    """Assess a model by the cells of a pool whose labels are known in part.

    Parameters
    ----------
    cells
        The cells of the map.
    points
        The items of the pool, (items, features).
    predict
        The model, as a function of points.
    labels
        The labels at hand, by row of the pool.
    held_out
        The rows that the map is held against.
    operation
        The inputs of operation, (inputs, features), from which the profile is made; by default the pool.
    ids
        The names of the items.
    classes
        The names of the classes; by default those at hand, and those that the model gives to the pool.
    choices
        `mode`, `local` and `seed`, as `assess` has them.
    """
    rows = sorted(labels)
    told = [labels[row] for row in rows]
    if len(set(told)) < 2:
        seen = f"all labels at hand are {told[0]!r}" if told else "a map needs labels"
        raise InvalidInput(f"{seen}: buy more, or give ", Argument("known"))
    if choices.get("mode") != "paper":  # which has a profile of its own
        inputs = points if operation is None else operation
        widths = _WIDTHS * float(np.subtract(cells.grid.high, cells.grid.low).min())
        bandwidth = choose_bandwidth(inputs[:: max(1, len(inputs) // _TRIED_ON)], widths.tolist()).best
        some = inputs[:: max(1, len(inputs) // _PROFILE)]
        choices["profile"] = KernelProfile(some, bandwidth, at="integral", reflect=True)
    if classes is None:
        said = (predict(points[start : start + ROWS]) for start in range(0, len(points), ROWS))
        classes = sorted({*told, *(label for part in said for label in part)})
    return assess(
        points[rows],
        told,
        predict,
        grid=cells.grid,
        classes=classes,
        features=cells.features,
        ids=None if ids is None else [ids[row] for row in rows],
        held_out=(points[list(held_out)], [labels[row] for row in held_out]),
        **choices,
    )
