"""Intervals of Hui and Walter's answer: they cover, they widen where strata are alike, and ends are in order."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import hui_walter, strata_estimates
from ringtrue.stats import generator

RATES = np.array([[0.85, 0.8], [0.8, 0.9]])


def strata(seed, shares, items=1500):
    rng = generator(seed, "strata")
    sketches = []
    for share in shares:
        first = rng.random(items) < share
        right = rng.random((items, 2)) < np.where(first[:, None], RATES[:, 0], RATES[:, 1])
        votes = np.where(right, ~first[:, None], first[:, None]).astype(int)
        cells = np.bincount(votes @ [2, 1], minlength=4)
        sketches.append(Sketch.from_cells(["ann", "bob"], ["no", "yes"], cells.tolist()))
    return sketches


def test_coverage():
    """200 pairs of strata: a share of 95% has a Monte Carlo error of 1.5 points."""
    hits = np.zeros(6)
    tried = 0
    for seed in range(200):
        first, second = strata(seed, (0.2, 0.7))
        found = hui_walter(first, second)
        if not found.valid:
            continue
        tried += 1
        one, other = strata_estimates(first, second, found)
        told = [one.prevalence[0], other.prevalence[0], *(cell for row in one.accuracy for cell in row)]
        hits += [each.low <= truth <= each.high for each, truth in zip(told, [0.2, 0.7, *RATES.ravel()], strict=True)]
    assert tried > 190
    assert (hits / tried).min() > 0.95 - 3 * 0.0154
    assert (hits / tried).mean() < 0.985


def test_strata_that_are_nearly_alike_leave_much_open():
    first, second = strata(1, (0.2, 0.7))
    near = strata(1, (0.4, 0.5), items=3000)
    wide, narrow = (strata_estimates(*pair, hui_walter(*pair))[0].accuracy[0][0] for pair in (near, (first, second)))
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_no_solution_has_no_interval():
    same = Sketch.from_cells(["ann", "bob"], ["no", "yes"], [40, 10, 10, 40])
    with pytest.raises(InvalidInput, match="no solution"):
        strata_estimates(same, same, hui_walter(same, same))
