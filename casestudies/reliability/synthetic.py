"""The three rows of points in a square: the published model, and what the labels that it was kept from say of it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy.stats import binom

from reliability._data import Points
from ringtrue.papers.reliability_assessment import (
    Grid,
    KernelProfile,
    Separation,
    clopper_pearson,
    closed_form_variance,
    paper_model,
)

CELLS = {"running_example": 250, "ds1": 250, "ds2": 500}
"""Cells along each axis."""

_FOREST, _SPLIT = 5, 1
"""The random states of the published program, which seed 0 stands for."""

_BANDWIDTH = 0.2
"""The bandwidth of the published program."""


def synthetic_row(of: Points, cells: int, seed: int = 0) -> dict[str, Any]:
    """Return everything in a row of table 1, and what the held-out labels say.

    The model is the one of the published program: a forest of ten trees, and no network. Another `seed` holds out other
    points and grows another forest.
    """
    from sklearn.ensemble import RandomForestClassifier  # here, because it takes seconds to import
    from sklearn.model_selection import train_test_split

    split = train_test_split(of.points, of.labels, test_size=0.2, random_state=_SPLIT + seed)
    train, test, known, truth = split
    forest = RandomForestClassifier(n_estimators=10, random_state=_FOREST + seed).fit(train, known)
    start = time.process_time()
    found = paper_model(of.points, of.labels, forest, cells=cells)
    seconds = (time.process_time() - start) / cells**2
    separation = Separation.of(of.points, of.labels)
    held_out = len(truth), int(np.count_nonzero(forest.predict(test) != truth))
    learnt = len(known), int(np.count_nonzero(forest.predict(train) != known))
    limits = clopper_pearson(held_out[1], held_out[0], level=0.95, side="both")
    return {
        "train": learnt, "test": held_out, "separation": separation.first_at_least(1 / cells),
        "half": separation.half, "closer": separation.violators(1 / cells), "acu": found.acu,
        "estimate": found.estimate, "std": found.std, "variance": found.variance, "upper": found.upper,
        "seconds": seconds, "chance": float(binom.sf(held_out[1] - 1, held_out[0], found.upper)),
        "low": float(limits.low), "high": float(limits.high),
    }  # fmt: skip


def empty(of: Points, cells: int) -> dict[str, Any]:
    """Return the share of the square's operation that lies in cells without a point, where the model judges itself."""
    grid = Grid.over(np.zeros(2), np.ones(2), cells)
    mass = KernelProfile(of.points, _BANDWIDTH).mass(grid)
    return {"share": 1 - float(mass[np.unique(grid.index(of.points))].sum() / mass.sum())}


def resolution(of: Points, cells: tuple[int, ...]) -> dict[str, Any]:
    """Return the published model's E by the number of cells along an axis, with the one forest."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import train_test_split

    train, _, known, _ = train_test_split(of.points, of.labels, test_size=0.2, random_state=_SPLIT)
    forest = RandomForestClassifier(n_estimators=10, random_state=_FOREST).fit(train, known)
    # E does not depend on the variance, of which this one is quick.
    settings = {"profile_variance": closed_form_variance}
    return {str(many): paper_model(of.points, of.labels, forest, cells=many, **settings).estimate for many in cells}
