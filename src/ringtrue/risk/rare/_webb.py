"""Adaptive multilevel splitting exactly as the prototype of the reliability assessment model runs it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.risk.rare._score import Floats, Score, checked_box, checked_count, checked_scores
from ringtrue.stats import generator

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

    The best tenth survives each level. Every particle has a proposal width of its own, which starts at a thirtieth of
    the `radius` of the L-infinity ball (by default half the longest side of the box, as if nothing was clipped) and
    changes once a level, by 2 % up or by half down. That is too narrow and too slow: copies hardly part, and runs vary
    several times more than in theory. Their mean is right, but a typical run is too low and a few are far too high. Use
    `multilevel_splitting`.

    References: Webb, Rainforth, Teh & Kumar, ICLR 2019; Zhao et al., AISafety 2021.
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
    """One Metropolis-Hastings move: uniform in the part of a cube around the point that lies within the box."""

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
