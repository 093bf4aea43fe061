"""From the pool to the source it was drawn from: the next inputs need not be among those at hand."""

from __future__ import annotations

import math

from ringtrue.core import Interval
from ringtrue.risk._witness import Witness
from ringtrue.stats import clopper_pearson, rate_sequence

_FOR_THE_POOL = 0.2
"""The share of the error that goes into how well the pool stands for its source; the rest is for the labels."""


def operation_bound(witness: Witness, size: int, level: float, estimate: float, *, even: bool) -> Interval | None:
    """The most that the source may fail of which the pool is a random sample, valid at every look.

    `even` says that the question only ever draws evenly. If other draws come in between nevertheless, nothing is said:
    to go over from one bound to another as answers come would be a second chance to err.
    """
    if even and not witness.is_quick:
        return None
    high, method = source_bound(witness, len(witness.rows), size, level, even=even)
    return Interval(estimate, 0.0, high, level, f"{method}, one-sided", len(witness.rows))


def source_bound(witness: Witness, end: int, size: int, level: float, *, even: bool) -> tuple[float, str]:
    """The bound after the first `end` answers, and how it was made.

    Uniform draws from a random sample are a random sample themselves, so the sequence for an endless source holds.
    For other draws, two bounds each take a part of the error: the pool's rate is below the first, and then at least
    as many of its items would have failed if the source's rate were above the second.
    """
    if even:
        failures = sum(row.read(True) for row in witness.rows[:end])
        found = rate_sequence([failures], [end], level=level, side="upper")
        return float(found.high[0]), "beta-mixture confidence sequence, endless source"
    spare = 1 - level
    inner = witness.bounds([end], level=1 - (1 - _FOR_THE_POOL) * spare, side="upper")
    failing = min(size, math.ceil(float(inner.high[0]) * size - 1e-9))
    outer = clopper_pearson([failing], [size], level=1 - _FOR_THE_POOL * spare, side="upper")
    return float(outer.high[0]), f"{witness.method}; then Clopper-Pearson for the pool"
