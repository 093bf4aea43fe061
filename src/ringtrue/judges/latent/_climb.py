"""The way up the likelihood: EM steps, strides along them and Newton's steps, of which none may lower it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ringtrue.judges._evaluation import Floats
from ringtrue.judges.latent._em import Point, Votes, point_of, posterior_of
from ringtrue.judges.latent._newton import newton_cost, newton_steps

TOLERANCE = 1e-10
"""Where an EM step moves no probability by more than this, and a Newton step by no more than its root, is the top."""

ROUNDING = 1e-15
"""So much, relatively, a likelihood may seem to fall in a Newton step at the top, where it is flat."""

SAME = 1e-12
"""Tops whose heights differ by no more than this are taken for one."""

NEXT_TO_ZERO = 1e-7
"""A probability below this at the top is 0 unless the likelihood objects."""

NEAR = 0.05
"""Two points are near if no probability differs by more."""

LEADING = 3
"""So many starts, the highest after a short way, are followed to the top."""

HOPE = 100
"""A start is given up if so many iterations like its last would not bring it to the best top so far."""

PATIENCE = 3
"""So many strides before the first Newton step, and ten times as many where it is dear: mostly EM arrives before."""

DEAR = 2e6
"""A Newton step of more multiplications costs more than ten EM steps."""


@dataclass(frozen=True, slots=True)
class Climb:
    """Where it led: `path` holds the mean log-likelihood per item after each iteration."""

    point: Point
    path: tuple[float, ...]
    converged: bool

    @property
    def height(self) -> float:
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class _Place:
    """A point with its chances of the labels, its height, and the point that EM makes of it."""

    point: Point
    posterior: Floats
    height: float
    next: Point


def highest(votes: Votes, starts: Mapping[str, Point], *, fixed: bool) -> tuple[str, Climb]:
    """The highest top that the starts lead to, and the start: all go a short way, the highest go on to the top.

    A start that has come near to a top that is known already leads there and does not go on.
    """
    short = {name: climb(votes, start, fixed=fixed, iterations=PATIENCE) for name, start in starts.items()}
    tops: dict[str, Climb] = {}
    for name in sorted(short, key=lambda name: -short[name].height):
        begun = short[name]
        if len(tops) < LEADING and not any(_near(begun.point, top.point) for top in tops.values()):
            beat = max((top.height for top in tops.values()), default=-np.inf)
            rest = climb(votes, begun.point, fixed=fixed, beat=beat)
            tops[name] = Climb(rest.point, begun.path + rest.path, rest.converged)
    top = max(climbed.height for climbed in tops.values())
    # Tops that differ by rounding are one: the start named first has led there, if it did not give up before.
    same = [name for name in starts if name in tops and tops[name].height >= top - SAME * (1 + abs(top))]
    best = max(same, key=lambda name: tops[name].converged)
    return best, Climb(_rounded(votes, tops[best].point), tops[best].path, tops[best].converged)


def climb(
    votes: Votes,
    start: Point,
    *,
    fixed: bool,
    iterations: int = 2000,
    tolerance: float = TOLERANCE,
    beat: float = -np.inf,
) -> Climb:
    """Climb from a start to the top next to it, or give up where it is unlikely to `beat` a known height.

    An iteration is two EM steps, a stride along them, and a Newton step; the last two are taken back if they lower
    the likelihood. `fixed` holds the prevalence.

    Reference for the stride: Varadhan & Roland, Scandinavian Journal of Statistics 35 (2008), SQUAREM.
    """

    def place(point: Point) -> _Place:
        posterior, logs = posterior_of(votes, point)
        return _Place(point, posterior, float(votes.weights @ logs), point_of(votes, posterior, point, fixed=fixed))

    patience = PATIENCE if newton_cost(votes) < DEAR else 10 * PATIENCE
    here = place(start)
    path: list[float] = []
    converged = False
    while not converged and len(path) < iterations:
        first = place(here.next)
        converged = _distance(first.point, first.next) <= tolerance and not _growing(first.point, first.next)
        if not converged:
            stride = place(_stride(here.point, first.point, first.next))
            first = stride if stride.height >= first.height else place(first.next)
        here = first
        if len(path) >= patience or (converged and patience == PATIENCE):
            for top in newton_steps(votes, here.point, here.posterior, fixed=fixed):
                there = place(top)
                if there.height >= here.height - ROUNDING * abs(here.height):
                    converged &= _distance(here.point, there.point) <= tolerance**0.5
                    here = there
                    break
        if path and beat - here.height > HOPE * (here.height - path[-1]):
            break
        path.append(here.height)
    return Climb(here.point, tuple(path), converged)


def _rounded(votes: Votes, point: Point) -> Point:
    """Probabilities next to 0 set to 0, if that does not lower the likelihood: there the top is on the boundary."""
    prevalence, chance = (np.where(each < NEXT_TO_ZERO, 0.0, each) for each in (point.prevalence, point.chance))
    table = chance.reshape(-1, votes.labels, votes.labels)
    table = table / table.sum(axis=1, keepdims=True)
    cut = Point(prevalence / prevalence.sum(axis=1, keepdims=True), table.reshape(chance.shape))
    height, before = (float(votes.weights @ posterior_of(votes, each)[1]) for each in (cut, point))
    return cut if height >= before - ROUNDING * abs(before) else point


def _stride(start: Point, first: Point, second: Point) -> Point:
    """Where two steps lead if they go on shrinking as they do; at most nine tenths of the way to a zero."""
    begin, one, two = (np.concatenate([each.prevalence, each.chance]) for each in (start, first, second))
    step = one - begin
    bend = two - one - step
    length = max(1.0, float(np.linalg.norm(step)) / max(float(np.linalg.norm(bend)), 1e-300))
    far = np.maximum(begin + 2 * length * step + length**2 * bend, two / 10)
    prevalence, chance = np.split(far, [len(start.prevalence)])
    table = chance.reshape(-1, *start.chance.shape[1:] * 2)
    table /= table.sum(axis=1, keepdims=True)
    return Point(prevalence / prevalence.sum(axis=1, keepdims=True), table.reshape(chance.shape))


def _near(one: Point, other: Point) -> bool:
    """Whether two points differ little, under one naming of the labels or the reverse."""
    turned = Point(one.prevalence[:, ::-1], one.chance[:, ::-1])
    return min(_distance(one, other), _distance(turned, other)) < NEAR


def _growing(one: Point, other: Point) -> bool:
    """Whether a probability near 0 is on its way up, which takes many small steps at first."""
    return bool(
        (other.chance > one.chance * (1 + 1e-4)).any() or (other.prevalence > one.prevalence * (1 + 1e-4)).any()
    )


def _distance(one: Point, other: Point) -> float:
    between = (np.abs(one.prevalence - other.prevalence), np.abs(one.chance - other.chance))
    return float(max(each.max() for each in between))
