"""The probability of a rare failure in a box by multilevel splitting: with an interval, and as the prototype has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput, count
from ringtrue.risk._grid import Floats
from ringtrue.risk.rare._cells import estimates
from ringtrue.risk.rare._climb import Effort, checked_box, checked_count, checked_scores, climb
from ringtrue.stats import generator, tails

Score: TypeAlias = Callable[[Floats], ArrayLike]
"""Points of the shape (points, axes) in, one number each out; a point fails where it is at least 0."""


@dataclass(frozen=True, slots=True)
class RareEvent:
    """The probability of failure, and how well it is known.

    `probability` is 0 where no run has found a failure: `high` is then the answer, and is never 0. `method` says where
    `low` and `high` come from. "splitting": from the runs, all of which have found failures; they hold as far as the
    score leads to every region of failure. "draws": from the first draws alone, by the exact binomial interval, because
    failures are common or because a run has found none. `high_by_draws` is that interval's upper limit in either case.

    >>> event = multilevel_splitting(lambda points: points.min(axis=1) - 0.97, [0, 0, 0], [1, 1, 1], seed=1)
    >>> print(event)
    2.664e-05, 95% [2.438e-05, 2.91e-05], by splitting
    """

    probability: float
    low: float
    high: float
    level: float
    method: Literal["splitting", "draws"]
    runs: int
    found: int
    """The number of runs that found a failure."""
    spread: float
    """Standard deviation of the log probability between runs; NaN where a run has found no failure."""
    reached: float
    """The share of the box above the level the runs have climbed to; less than that fails, if the score leads there."""
    high_by_draws: float
    variance: float
    calls: int

    @property
    def log_probability(self) -> float:
        """The natural logarithm; minus infinity where no failure was found."""
        return float(np.log(self.probability)) if self.probability else -np.inf

    def __str__(self) -> str:
        percent = f"{100 * self.level:g}%"
        if not self.probability:
            return f"at most {self.high:.4g} ({percent}): no failure found in {count(self.calls, 'point')}"
        return f"{self.probability:.4g}, {percent} [{self.low:.4g}, {self.high:.4g}], by {self.method}"


def multilevel_splitting(
    score: Score,
    low: ArrayLike,
    high: ArrayLike,
    *,
    particles: int = 1000,
    runs: int = 10,
    steps: int = 20,
    seed: int = 0,
    level: float = 0.95,
    floor: float = 1e-12,
) -> RareEvent:
    """Estimate the probability that `score` is at least 0 at a uniform point of the box from `low` to `high`.

    Independent crowds of points climb the score side by side, so that each call of `score` has up to runs * particles
    rows. The estimate is the mean of the runs, and its interval rests on how they differ.

    A score that is flat, or leads away from a region of failure, hides it from all runs alike, and no interval can
    tell; `high_by_draws` holds whatever the score.

    Half of the points are replaced at each level, not the last particle alone: for independent points the variance at
    equal cost is within 5 % of the last-particle method's, and the model is asked in large batches.

    References: Au & Beck, Probabilistic Engineering Mechanics 16 (2001); Cerou, Del Moral, Furon & Guyader, Statistics
    and Computing 22 (2012); Webb et al., ICLR 2019; Tit, Furon & Rousset, NeurIPS 2021.

    Parameters
    ----------
    score
        Takes points, shape (rows, axes), and gives a number for each: at least 0 where the model fails.
    low, high
        The corners of the box.
    particles, runs, steps
        The points of each run, the number of runs, and the moves by which copies part at each level.
    seed, level
        The seed of the points and moves, and the level of the interval.
    floor
        A run that climbs to a smaller share gives up.
    """
    lows, highs = checked_box(low, high)
    if lows.ndim != 1:
        raise InvalidInput(f"low of the shape {lows.shape} must be one corner: use cell_unastuteness for several boxes")
    effort = Effort(particles, runs, steps, floor)
    tails(level, "both")  # a level that is none must be told before the model is asked
    climbed = climb(lambda points, _: score(points), (lows[None], highs[None]), effort, generator(seed, "risk/rare"))
    found = estimates(climbed, level)
    return RareEvent(
        probability=float(found.unastuteness[0]),
        low=float(found.lower[0]),
        high=float(found.upper[0]),
        level=level,
        method="splitting" if found.split[0] else "draws",
        runs=runs,
        found=int(climbed.found[0].sum()),
        spread=float(found.spread[0]),
        reached=float(np.exp(climbed.log_share[0]).mean()),
        high_by_draws=float(found.by_draws[0]),
        variance=float(found.variance[0]),
        calls=int(climbed.calls[0]),
    )


_MOST_LEVELS, _LOWEST_LOG = 500, -20.0
_AIM, _WIDEN, _NARROW = 0.124, 1.02, 0.5


@dataclass(frozen=True, slots=True)
class WebbSplitting:
    """One run: an estimate without an interval.

    `log_probability` is the natural logarithm. The prototype raises 10 to it, which turns p into p ** 2.303 and is not
    repeated here. It is minus infinity where no point survived, and -20 where the run gave up at that.
    """

    log_probability: float
    levels: tuple[float, ...]
    calls: int

    @property
    def probability(self) -> float:
        return float(np.exp(self.log_probability))


def webb_splitting(
    score: Score,
    low: ArrayLike,
    high: ArrayLike,
    *,
    radius: float | None = None,
    particles: int = 1000,
    steps: int = 200,
    rho: float = 0.1,
    seed: int = 0,
) -> WebbSplitting:
    """Estimate the probability that `score` is at least 0 in the box as Webb et al. do, for comparison.

    Every particle has a proposal width of its own, which starts at a thirtieth of the `radius` and changes once per
    level, by 2 % up or by half down. That is too narrow and too slow: copies hardly part, and runs vary several times
    more than in theory. Their mean is right, but a typical run is too low and a few are far too high. Use
    `multilevel_splitting`.

    References: Webb, Rainforth, Teh & Kumar, ICLR 2019; Zhao et al., AISafety 2021.

    Parameters
    ----------
    score
        Takes points, shape (rows, axes), and gives a number for each: at least 0 where the model fails.
    low, high
        The corners of the box.
    radius
        That of the L-infinity ball; by default half the longest side of the box, as if nothing was clipped.
    particles, steps
        The number of points, and the moves by which copies part at each level.
    rho, seed
        The share of the points that survives each level, and the seed of the points and moves.
    """
    lows, highs = checked_box(low, high)
    if lows.ndim != 1:
        raise InvalidInput(f"low of the shape {lows.shape} must be one corner, one number per axis")
    checked_count("particles", particles, 20, "a tenth of them must be points")
    checked_count("steps", steps, 1, "copies of a point must move apart")
    if not 0 < rho < 1:
        raise InvalidInput(f"rho={rho!r} must lie strictly between 0 and 1: it is the share that survives a level")
    radius = float((highs - lows).max()) / 2 if radius is None else radius
    if not 0 < radius < np.inf:
        raise InvalidInput(f"radius={radius!r} must be a finite number above 0: it sets the first width of the moves")
    rng = generator(seed, "risk/webb")
    width = np.full(particles, radius / 30)
    where = rng.uniform(lows, highs, (particles, len(lows)))
    log_p, level, before, calls = 0.0, -np.inf, -np.inf, 0
    levels: list[float] = []
    while level < 0 and len(levels) < _MOST_LEVELS:
        scores = checked_scores(score(where), particles)
        calls += particles
        level = min(float(np.sort(scores)[int((1 - rho) * particles)]), 0.0)
        if level == before:
            level = 0.0
        levels.append(level)
        kept = np.flatnonzero(scores >= level)
        if not kept.size:
            return WebbSplitting(-np.inf, tuple(levels), calls)
        log_p += np.log(kept.size / particles)
        if log_p < _LOWEST_LOG:
            return WebbSplitting(_LOWEST_LOG, tuple(levels), calls)
        chosen = np.append(kept, rng.choice(kept, particles - kept.size))
        where, width = where[chosen], width[chosen]
        accepted = np.zeros(particles)
        for _ in range(steps):
            where, taken = _step(score, where, width, level, lows, highs, rng)
            accepted += taken
        calls += steps * particles
        share = accepted / steps
        width = np.where(share > _AIM, width * _WIDEN, np.where(share < _AIM, width * _NARROW, width))
        before = level
    return WebbSplitting(float(log_p), tuple(levels), calls)


def _step(
    score: Score, where: Floats, width: Floats, level: float, low: Floats, high: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Make one Metropolis-Hastings move: uniform in the part of a cube around the point that lies within the box."""

    def ends(points: Floats) -> tuple[Floats, Floats]:
        return np.maximum(points - width[:, None], low), np.minimum(points + width[:, None], high)

    start, end = ends(where)
    proposed = rng.uniform(start, end)
    back_start, back_end = ends(proposed)
    # Cut cubes differ in volume near the border: the ratio of the two volumes makes the move reversible.
    log_ratio = (np.log(end - start) - np.log(back_end - back_start)).sum(axis=1)
    scores = checked_scores(score(proposed), len(where))
    taken = (np.log(rng.random(len(where))) <= log_ratio) & (scores >= level)
    return np.where(taken[:, None], proposed, where), taken.astype(float)
