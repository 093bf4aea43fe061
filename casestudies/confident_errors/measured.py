"""Distances of the measured items, worked out block by block and kept, so that a run that was stopped goes on."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from confident_errors.trained import CACHE, Judged
from ringtrue.blind.distances import METHODS, Box, measure
from ringtrue.stats import generator

BLOCK = 400
"""Items attacked together: enough to fill the model's calls."""

BOX = Box(0, 1)


@dataclass(frozen=True, eq=False)
class Measured:
    """How far the nearest changed image of each item is, and how often the model was asked for it."""

    distance: NDArray[np.float64]
    changed: NDArray[np.bool_]
    queries: NDArray[np.int64]


def distances(method: str, of: Judged, items: int, folder: Path = CACHE) -> Measured:
    """Those of the first items of the scope, in the norm of the method."""
    blocks = [_block(method, of, number, folder) for number in range(-(-items // BLOCK))]
    return Measured(
        *(np.concatenate([getattr(each, part.name) for each in blocks])[:items] for part in fields(Measured))
    )


def _block(method: str, of: Judged, number: int, folder: Path) -> Measured:
    items = of.scope[number * BLOCK : (number + 1) * BLOCK]
    path = _path(method, of, number, folder)
    if path.is_file():
        with np.load(path) as stored:
            if np.array_equal(stored["items"], items):  # a model that was trained anew has another scope
                return Measured(*(stored[part.name] for part in fields(Measured)))
    start = time.process_time()
    found = measure(
        method, of.predict, of.images[items], of.codes[items],
        box=BOX, rng=generator(of.seed, f"{method} {of.task.name}", number), others=(of.images, of.codes),
    )  # fmt: skip
    made = Measured(found.measured(METHODS[method].norm, BOX), found.changed, found.queries)
    path.parent.mkdir(parents=True, exist_ok=True)
    begun = path.with_suffix(".begun.npz")
    np.savez(begun, items=items, distance=made.distance, changed=made.changed, queries=made.queries)
    begun.replace(path)  # whoever is killed leaves no half of a file behind
    print(
        f"{path.stem}, {method}: {made.queries.mean():,.0f} queries and "
        f"{(time.process_time() - start) / len(items):.3f} CPU s an item", file=sys.stderr, flush=True,
    )  # fmt: skip
    return made


def _path(method: str, of: Judged, block: int, folder: Path) -> Path:
    return folder / method / f"{of.task.name}-{of.seed}-{block}.npz"
