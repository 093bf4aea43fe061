"""One reading of the answers: the evidence for and against a limit, and the bounds on the rate."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ringtrue.stats import (
    Bounds,
    CarriedEvidence,
    PoolEvidence,
    PoolSegments,
    Side,
    WeightedDraws,
    WeightedEvidence,
    pool_rate_sequence,
    segmented_pool_sequence,
    weighted_mean_sequence,
)


class Witness:
    """Takes answers in the order of asking and speaks about the pool's failure rate.

    As long as every draw was uniform, the exact likelihood of the pool is used; from the first unequal draw on, bets
    on the weighted values go on with the evidence earned so far. Items picked without chance are known and no more.
    """

    def __init__(self, size: int, limit: float, level: float) -> None:
        self._size, self._limit, self._level = size, limit, level
        self._even = PoolEvidence(limit, population=size, level=level)
        self._weighted: WeightedEvidence | None = None
        self._uniform = 0
        """How many answers came before the first unequal draw."""
        self._carried = (0.0, 0.0)
        self._rows: list[tuple[bool, float, float]] = []
        self._picked = 0

    def add(self, failed: bool, probability: float | None, floor: float | None) -> None:
        """The next answer; `probability` is None for a pick without chance."""
        left = self._size - len(self._rows)
        row = (failed, math.nan if probability is None else probability, math.nan if floor is None else floor)
        self._rows.append(row)
        self._picked += probability is None
        if self._weighted is not None:
            _tell(self._weighted, row)
        elif probability is None:
            self._even.know(failed)
        elif abs(probability * left - 1) < 1e-9:
            self._even.draw(failed)
        else:
            self._uniform = len(self._rows) - 1
            keeps = math.floor(self._limit * self._size + 1e-9)
            carried = CarriedEvidence(self._even.segments, population=self._size)
            self._carried = carried((keeps + 1) / self._size)[0], carried(keeps / self._size)[1]
            self._weighted = WeightedEvidence(self._limit, population=self._size, level=self._level)
            for earlier, _, _ in self._rows[:-1]:
                self._weighted.know(float(earlier))
            _tell(self._weighted, row)

    def may_decide(self) -> bool:
        """Whether it is worth looking at the evidence; a quick no."""
        return self._weighted is not None or self._even.may_decide()

    def evidence(self) -> tuple[float, float]:
        """Log evidence for rate <= limit and for rate > limit."""
        if self._weighted is None:
            return self._even.evidence()
        below, above = self._weighted.evidence()
        return self._carried[0] + below, self._carried[1] + above

    @property
    def is_quick(self) -> bool:
        """Whether bounds have a closed form, so that many cost no more than a few."""
        return self._weighted is None and not self._picked

    @property
    def method(self) -> str:
        """How the bounds are made, for the reader of a report."""
        if self._weighted is not None:
            return "betting confidence sequence, pool, unequal probabilities"
        known = " with known items" if self._picked else ""
        return f"beta-mixture confidence sequence, pool without replacement{known}"

    def bounds(self, ends: Sequence[int], *, level: float, side: Side) -> Bounds:
        """Bounds after each number of answers in `ends`, which must rise."""
        before = [end for end in ends if end <= self._uniform] if self._weighted is not None else ends
        uniform = self._uniform_bounds(before, level=level, side=side)
        if self._weighted is None:
            return uniform
        weighted = weighted_mean_sequence(
            self._draws(), population=self._size, level=level, side=side, prefixes=ends[len(before) :],
            carried=CarriedEvidence(self._even.segments, population=self._size),
        )  # fmt: skip
        return Bounds(np.concatenate([uniform.low, weighted.low]), np.concatenate([uniform.high, weighted.high]))

    def _uniform_bounds(self, ends: Sequence[int], *, level: float, side: Side) -> Bounds:
        if self._picked:
            segments, places = self._segments(ends)
            found = segmented_pool_sequence(segments, population=self._size, level=level, side=side)
            return Bounds(found.low[places], found.high[places])
        failures = np.concatenate([[0], np.cumsum([row[0] for row in self._rows], dtype=np.int64)])
        at = np.asarray(ends, dtype=np.int64)
        return pool_rate_sequence(failures[at], at, population=self._size, level=level, side=side)

    def _draws(self) -> WeightedDraws:
        """All answers; those before the first unequal draw are known, since their evidence is carried over."""
        values, probabilities, floors = np.array(self._rows, dtype=float).reshape(-1, 3).T
        probabilities[: self._uniform] = floors[: self._uniform] = np.nan
        return WeightedDraws.of(values, probabilities, floors, population=self._size)

    def _segments(self, ends: Sequence[int]) -> tuple[PoolSegments, NDArray[np.int64]]:
        """The draws cut at every pick and at every end, and the segment that each end closes."""
        rows: list[tuple[int, int, int, int]] = [(0, self._size, 0, 0)]
        places: dict[int, int] = {0: 0}
        wanted = set(ends)
        known, left, draws, failures = 0, self._size, 0, 0
        start = (known, left)
        for place, (failed, probability, _) in enumerate(self._rows, start=1):
            picked = math.isnan(probability)
            if picked and draws:
                rows.append((*start, draws, failures))
                draws = failures = 0
            known, left = known + failed, left - 1
            if picked:
                start = (known, left)
            else:
                draws, failures = draws + 1, failures + failed
            if place in wanted:
                rows.append((*start, draws, failures))
                places[place] = len(rows) - 1
                start, draws, failures = (known, left), 0, 0
        return PoolSegments.of(rows), np.array([places[end] for end in ends], dtype=np.int64)


def _tell(engine: WeightedEvidence, row: tuple[bool, float, float]) -> None:
    failed, probability, floor = row
    if math.isnan(probability):
        engine.know(float(failed))
    else:
        engine.draw(float(failed), probability=probability, floor=floor)
