"""The way up the likelihood: EM steps, strides along them and Newton steps, of which none may lower it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.judges._evaluation import Floats
from ringtrue.judges.latent._em import Point, Votes, fit_point, posterior_of

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

LARGEST = 200
"""With more parameters a step costs more than the EM steps it saves."""

FLAT = 1e-9
"""Curvature below this share of the parameters' own is none: the maximum is not a point, and Newton has no step to it.

Far above rounding, so that what passes can be solved. The curvature with known labels does not serve as a yardstick: of
a vote that was never given on the items of a label it is itself next to none in some direction."""

DAMPING = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0)
"""How much of the curvature with known labels is added; with all of it the sum always bends down."""

ROUNDS = 5
"""How often the step is solved anew because a probability would fall below 0."""

SILENT = 1e-14
"""A probability of which no vote speaks has no curvature and stays where it is."""

EDGE = 1e-11
"""A probability so near to 0 is left to EM, which keeps it there or leads it away."""


@dataclass(frozen=True, slots=True)
class Climb:
    """The end of a climb: `path` holds the mean log-likelihood per item after each iteration."""

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
    """Find the highest top that the starts lead to, and its start: all go a short way, the highest go on.

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
    the likelihood.

    Reference for the stride: Varadhan & Roland, Scandinavian Journal of Statistics 35 (2008), SQUAREM.

    Parameters
    ----------
    votes, start
        The patterns, and where to begin.
    fixed
        Holds the prevalence.
    iterations
        How many there may be.
    tolerance
        Where an EM step moves no probability by more than this is the top.
    beat
        The height of a top that is known.
    """

    def place(point: Point) -> _Place:
        posterior, logs = posterior_of(votes, point)
        return _Place(point, posterior, float(votes.weights @ logs), fit_point(votes, posterior, point, fixed=fixed))

    parameters = (votes.strata + votes.judges * votes.labels) * (votes.labels - 1)
    patience = PATIENCE if len(votes.weights) * parameters**2 < DEAR else 10 * PATIENCE
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
    """Set probabilities next to 0 to 0 if that does not lower the likelihood: there the top is on the boundary."""
    prevalence, chance = (np.where(each < NEXT_TO_ZERO, 0.0, each) for each in (point.prevalence, point.chance))
    table = chance.reshape(-1, votes.labels, votes.labels)
    table = table / table.sum(axis=1, keepdims=True)
    cut = Point(prevalence / prevalence.sum(axis=1, keepdims=True), table.reshape(chance.shape))
    height, before = (float(votes.weights @ posterior_of(votes, each)[1]) for each in (cut, point))
    return cut if height >= before - ROUNDING * abs(before) else point


def _stride(start: Point, first: Point, second: Point) -> Point:
    """Go where two steps lead if they go on shrinking as they do; at most nine tenths of the way to a zero."""
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
    """Say whether two points differ little, under one naming of the labels or the reverse."""
    turned = Point(one.prevalence[:, ::-1], one.chance[:, ::-1])
    return min(_distance(one, other), _distance(turned, other)) < NEAR


def _growing(one: Point, other: Point) -> bool:
    """Say whether a probability near 0 is on its way up, which takes many small steps at first."""
    return bool(
        (other.chance > one.chance * (1 + 1e-4)).any() or (other.prevalence > one.prevalence * (1 + 1e-4)).any()
    )


def _distance(one: Point, other: Point) -> float:
    between = (np.abs(one.prevalence - other.prevalence), np.abs(one.chance - other.chance))
    return float(max(each.max() for each in between))


def newton_steps(votes: Votes, point: Point, posterior: Floats, *, fixed: bool) -> Iterator[Point]:
    """Yield the top of the paraboloid that touches the log-likelihood here, then ever more cautious steps toward it.

    Cautious by adding the curvature that the likelihood would have with known labels, which bends it down where it
    does not bend down by itself. No probability goes further than nine tenths of its way to 0. In each distribution
    the largest probability follows from the others. A pattern's probability, given the true label, is a product
    with one factor from each distribution: its second derivatives are products of first ones for two distributions,
    and 0 within one. With too many parameters there are no steps.
    """
    rows = np.concatenate([point.prevalence, point.by_truth().reshape(-1, votes.labels)])
    top = rows.argmax(axis=1)
    free = rows > EDGE
    free[np.arange(len(rows)), top] = False
    if fixed:
        free[: votes.strata] = False
    row, place = np.nonzero(free)
    if not 0 < len(row) <= LARGEST:
        return
    gradient, curve, full = _derivatives(votes, rows, posterior, row, place, top[row])
    heard = np.diagonal(full) > SILENT
    row, place, gradient = row[heard], place[heard], gradient[heard]
    curve, full = (each[np.ix_(heard, heard)] for each in (curve, full))
    scale = np.sqrt(np.diagonal(full))
    curve = -curve / np.outer(scale, scale)
    full = full / np.outer(scale, scale)
    for damping in DAMPING:
        try:
            np.linalg.cholesky(curve + damping * full - FLAT * np.eye(len(full)))
        except np.linalg.LinAlgError:
            continue
        room = 0.9 * rows[row, place]
        change = np.zeros(rows.shape)
        change[row, place] = _bounded(curve + damping * full, gradient / scale, -room * scale) / scale
        change[np.arange(len(rows)), top] = -change.sum(axis=1)
        after = np.maximum(rows + change, rows / 10)
        yield Point.from_rows(after / after.sum(axis=1, keepdims=True), votes)


def _bounded(curve: Floats, gradient: Floats, lowest: Floats) -> Floats:
    """Find the top of a paraboloid; what would go below its lowest stops there, and the rest is solved anew."""
    step = np.linalg.solve(curve, gradient)
    stopped = step < lowest
    for _ in range(ROUNDS):
        step = np.where(stopped, lowest, 0.0)
        left = np.flatnonzero(~stopped)
        if not len(left):
            break
        step[left] = np.linalg.solve(curve[np.ix_(left, left)], gradient[left] - curve[left] @ step)
        if not (step < lowest).any():
            break
        stopped |= step < lowest
    bounded: Floats = np.maximum(step, lowest)
    return bounded


def _derivatives(
    votes: Votes,
    rows: Floats,
    posterior: Floats,
    row: NDArray[np.int64],
    place: NDArray[np.int64],
    top: NDArray[np.int64],
) -> tuple[Floats, Floats, Floats]:
    """Differentiate the mean log-likelihood at (row, place): gradient, curvature, and that with known labels."""
    score = np.zeros((len(posterior), len(row)))
    curve = np.zeros((len(row), len(row)))
    full = np.zeros(curve.shape)
    inverse = np.divide(1.0, rows, out=np.zeros(rows.shape), where=rows > EDGE)
    for truth in range(votes.labels):
        mine = np.flatnonzero((row < votes.strata) | ((row - votes.strata) % votes.labels == truth))
        r, v, t = row[mine], place[mine], top[mine]
        slope = _factor(votes, r, v, truth) * inverse[r, v] - _factor(votes, r, t, truth) * inverse[r, t]
        pulled = slope * posterior[:, truth : truth + 1]
        score[:, mine] += pulled
        both = (pulled * votes.weights[:, None]).T @ slope
        same = r[:, None] == r
        curve[np.ix_(mine, mine)] += np.where(same, 0.0, both)
        full[np.ix_(mine, mine)] += np.where(same, both, 0.0)
    return votes.weights @ score, curve - (score * votes.weights[:, None]).T @ score, full


def _factor(votes: Votes, row: NDArray[np.int64], place: NDArray[np.int64], truth: int) -> Floats:
    """Say of each pattern whether, given its true label, the probability at (row, place) is one of its factors."""
    share = row < votes.strata
    column = np.where(share, 0, (row - votes.strata) // votes.labels * votes.labels + place)
    said = votes.said[:, column]
    said = said if isinstance(said, np.ndarray) else said.toarray()
    return np.where(share, (votes.stratum[:, None] == row) & (place == truth), said)
