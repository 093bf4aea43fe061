"""The survey as pictures and as a list: where operation lies, where the model is fragile, which cells matter most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ringtrue.core import Json, plain
from ringtrue.risk._grid import Floats, Ints
from ringtrue.risk.cells._survey import KINDS, Survey

_BLOCKS = 125
_RANKED = 20


def maps(survey: Survey, elsewhere: float) -> dict[str, Json] | None:
    """Profile, fragility and their product over the first two axes, in at most 125 by 125 blocks.

    Rows are the second axis, from low to high. Masses are summed; fragility is a mean over mass, or over cells where
    there is none. Cells that nobody looked into have the fragility `elsewhere`.
    """
    grid = survey.grid
    if grid.axes < 2:
        return None
    fragility = survey.everywhere(survey.wrong, elsewhere)
    mass, product, plain_sum, cells = (
        _blocks(values, grid.cells)
        for values in (survey.mass, survey.mass * fragility, fragility, np.ones(grid.cells[:2]))
    )
    each = grid.size / (grid.cells[0] * grid.cells[1])
    mean = np.divide(product, mass, out=plain_sum / (cells * each), where=mass > 0)
    return {
        "extent": [grid.low[0], grid.high[0], grid.low[1], grid.high[1]],
        "profile": mass.T.tolist(), "fragility": mean.T.tolist(), "product": product.T.tolist(),
    }  # fmt: skip


def _blocks(values: Floats, cells: tuple[int, ...]) -> Floats:
    flat: Floats = values.reshape(cells[0], cells[1], -1).sum(axis=2)
    for axis in (0, 1):
        step = -(-cells[axis] // _BLOCKS)
        flat = np.add.reduceat(flat, np.arange(0, cells[axis], step), axis=axis)
    return flat


def ranked(survey: Survey, place: Ints, ids: Sequence[Any]) -> list[dict[str, Json]]:
    """The cells that carry most risk, mass times unastuteness, with the items in them; `place` is each item's cell.

    In an empty cell of which nobody says what is right, unastuteness is how far the model disagrees with itself.
    """
    risk = survey.carried * survey.wrong
    total = float(risk.sum())
    best = np.argpartition(-risk, min(_RANKED, len(risk) - 1))[:_RANKED]
    best = best[np.argsort(-risk[best], kind="stable")]
    classes = survey.census.classes
    rows: list[dict[str, Json]] = []
    for one in best[risk[best] > 0]:
        label = int(survey.label[one])
        rows.append({
            "cell": int(survey.cells[one]),
            "centre": survey.grid.centres(survey.cells[one : one + 1])[0].tolist(),
            "mass": float(survey.carried[one]),
            "unastuteness": float(survey.wrong[one]),
            "risk": float(risk[one]),
            "share": float(risk[one]) / total,
            "kind": KINDS.get(label, "normal"),
            "label": plain(classes[label]) if label >= 0 else None,
            "items": [plain(ids[int(row)]) for row in np.flatnonzero(place == survey.cells[one])],
        })  # fmt: skip
    return rows
