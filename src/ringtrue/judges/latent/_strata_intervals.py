"""How sure Hui and Walter's answer is: the same equations on resampled votes."""

from __future__ import annotations

import numpy as np

from ringtrue.core import Interval, InvalidInput, Sketch
from ringtrue.judges._evaluation import Estimates, Floats
from ringtrue.judges._reserve import Reserve
from ringtrue.judges.latent._hui_walter import HuiWalter
from ringtrue.stats import generator

_RESAMPLED = 2_000
_METHOD = f"Hui and Walter, bootstrap percentiles, {Reserve.CONDITIONAL.value} and are as good in both strata"


def strata_estimates(
    first: Sketch, second: Sketch, found: HuiWalter, *, level: float = 0.95, seed: int = 0
) -> tuple[Estimates, Estimates]:
    """Intervals for both strata in general: percentiles of the solutions of resampled votes.

    A resample without a solution inside [0, 1] says nothing, so it counts as every value at once: it widens both ends.
    The accuracies are the same in both strata.
    """
    if not found.valid or found.prevalences is None or found.accuracies is None:
        raise InvalidInput(f"found has no solution ({found.status}): there is nothing to put an interval around")
    rng = generator(seed, "strata")
    cells = [np.array(sketch.cells(), dtype=float) for sketch in (first, second)]
    drawn = [rng.multinomial(int(one.sum()), one / one.sum(), _RESAMPLED) / one.sum() for one in cells]
    solved = _solutions(*drawn, sign=1.0 if found.prevalences[0] > found.prevalences[1] else -1.0)
    given = np.array(
        [float(share) for share in found.prevalences] + [float(a) for pair in found.accuracies for a in pair]
    )
    wrong = ~np.all((solved >= 0) & (solved <= 1), axis=1) | np.isnan(solved).any(axis=1)
    tail = (1 - level) / 2
    low = np.quantile(np.where(wrong[:, None], 0.0, solved), tail, axis=0)
    high = np.quantile(np.where(wrong[:, None], 1.0, solved), 1 - tail, axis=0)
    sizes = (first.size, second.size)
    return (
        _estimates(found, given, low, high, 0, sizes, level),
        _estimates(found, given, low, high, 1, sizes, level),
    )


def _solutions(one: Floats, other: Floats, *, sign: float) -> Floats:
    """Prevalences by stratum and accuracies by judge and label, a row for each pair of tables; NaN where none is."""
    rates = [np.stack([table[:, 0] + table[:, 1], table[:, 0] + table[:, 2]]) for table in (one, other)]
    covariances = [table[:, 0] - rate[0] * rate[1] for table, rate in zip((one, other), rates, strict=True)]
    gaps = rates[0] - rates[1]
    product = np.where(gaps[0] * gaps[1] == 0, np.nan, gaps[0] * gaps[1])
    k = 1 + (covariances[1] - covariances[0]) / product
    square = 4 * covariances[0] / product + k * k
    gap = sign / np.sqrt(np.where(square > 0, square, np.nan))
    share = (1 + k * gap) / 2
    columns = [share, share - gap]
    for judge in (0, 1):
        skill = gaps[judge] / gap
        columns += [rates[0][judge] + (1 - share) * skill, 1 - rates[0][judge] + share * skill]
    return np.stack(columns, axis=1)


def _estimates(
    found: HuiWalter, given: Floats, low: Floats, high: Floats, stratum: int, sizes: tuple[int, int], level: float
) -> Estimates:
    def interval(value: float, below: float, above: float, n: int) -> Interval:
        return Interval(value, min(below, value), max(above, value), level, _METHOD, n)

    share = interval(given[stratum], low[stratum], high[stratum], sizes[stratum])
    rest = interval(1 - given[stratum], 1 - high[stratum], 1 - low[stratum], sizes[stratum])
    items = sum(sizes)
    accuracy = tuple(
        tuple(interval(given[place], low[place], high[place], items) for place in (2 + 2 * judge, 3 + 2 * judge))
        for judge in (0, 1)
    )
    # A mix of the two accuracies: between the mixes of their ends.
    weight = np.array([given[stratum], 1 - given[stratum]])
    overall = tuple(
        interval(
            float(weight @ [one.estimate for one in row]),
            float(weight @ [one.low for one in row]),
            float(weight @ [one.high for one in row]),
            sizes[stratum],
        )
        for row in accuracy
    )
    return Estimates(found.judges, found.labels, (share, rest), accuracy, overall, "in general", _METHOD)
