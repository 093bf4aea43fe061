"""A bound of the deviation over the whole space at once, by a surrogate that has been checked.

It is looked at seldom, so that a claim may be watched.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq
from scipy.special import eval_hermitenorm, ndtr, ndtri

from ringtrue.core import Claim, Record, count, number, percent
from ringtrue.stats import generator, one_thread
from ringtrue.worst._acquisition import acquisition_of, maximise, two_tailed_upper_bound, upper_bound
from ringtrue.worst._arrays import Floats
from ringtrue.worst._calibration import FEWEST, calibration, held_out, inflation, is_held_out
from ringtrue.worst._hidden import WIDTH, unseen
from ringtrue.worst._history import History
from ringtrue.worst._plan import Plan
from ringtrue.worst.surrogate import GaussianProcess

METHOD = "Gaussian process band over the whole space, widened by held-out residuals, with room for bumps"

NARROW = f"a bump with a standard deviation of {percent(WIDTH)} of each range"
"""The narrowest that a claim answers for, in words."""

_PLACES = 4096
"""Places at which a bump is looked for: a share of 2.5 % of the space is known to a quarter of a point."""

_ROUGHNESS = {"squared-exponential": 1.0, "matern-5/2": 5 / 3}
"""The variance of a unit process's slope, in squares of one lengthscale."""

_CANDIDATES, _STARTS = 2048, 16


def excursion_chance(height: float, roughness: Floats) -> float:
    """Return the chance that a smooth Gaussian process of unit variance exceeds a height somewhere in the unit cube.

    By the expected Euler characteristic of the set above the height, which is close for chances that matter here:
    the sum over j of the j-th intrinsic volume of the cube, in units of the process, times a density of order j.

    >>> round(excursion_chance(1.96, np.array([])), 4), round(excursion_chance(3.0, np.array([2.0])), 4)
    (0.025, 0.0049)

    Reference: Adler & Taylor, Random Fields and Geometry, Springer 2007, theorem 12.4.1.
    """
    volumes = np.array([1.0])
    for side in roughness:  # the elementary symmetric polynomials of the sides
        volumes = np.append(volumes, 0.0) + side * np.append(0.0, volumes)
    chance = float(ndtr(-height))
    for order, volume in enumerate(volumes[1:], start=1):
        density = (2 * math.pi) ** (-(order + 1) / 2) * eval_hermitenorm(order - 1, height) * math.exp(-(height**2) / 2)
        chance += float(volume * density)
    return chance


def band_width(plan: Plan, process: GaussianProcess, chance: float) -> float:
    """Return how many standard deviations the band around a process's mean must be wide to hold the whole function.

    The process is taken to be as rough as it is before any evaluation, along the numbers; each combination of choices
    has a process of its own. Both sides of the band count.
    """
    roughness = math.sqrt(_ROUGHNESS[plan.kernel]) / process.shape.lengthscales[plan.space.number_coordinates]
    sides = 2 * plan.space.combinations

    def excess(height: float) -> float:
        return sides * excursion_chance(height, roughness) - chance

    # The sum wiggles at low heights and falls for good beyond the root of the number of dimensions.
    start = math.sqrt(len(roughness)) + 1.0
    return start if excess(start) <= 0 else float(brentq(excess, start, 60.0))


def largest_possible(plan: Plan, process: GaussianProcess, factor: float, chance: float) -> float:
    """Return the upper end of the band at its highest in the space, as a deviation; `factor` widens the spread."""
    width = factor * band_width(plan, process, chance)
    edge = two_tailed_upper_bound if plan.deviation.signed else upper_bound
    upper = acquisition_of(process, lambda mean, sd: edge(mean, sd, width))
    rng = generator(0, "upper bound", process.n)
    best = maximise(upper, plan.space, rng, around=process.inputs, candidates=_CANDIDATES, starts=_STARTS)
    return float(plan.deviation.size(np.array([best.value]))[0])


@dataclass(frozen=True, slots=True)
class Bound:
    """The largest deviation that is possible anywhere, as of the last look; `refused` says why there is none."""

    limit: float
    upper: float | None
    level: float
    method: str
    looked_at: int
    refused: str | None

    @property
    def holds(self) -> bool:
        return self.upper is not None and self.upper <= self.limit

    def refuted(self, deviation: float) -> Bound:
        """Return this bound after an evaluation that it had excluded."""
        return replace(
            self, upper=None, refused=f"a bound of {number(self.upper or 0.0)} was refuted by {number(deviation)}"
        )

    @property
    def why(self) -> str:
        """The reason why the claim is not yet known."""
        if self.refused is not None:
            return f"no bound is given: {self.refused}"
        most = 0.0 if self.upper is None else self.upper
        seen = count(self.looked_at, "evaluation")
        return f"the surrogate cannot exclude {number(most)} ({percent(self.level)}, {seen})"


def evaluated_everywhere(plan: Plan, history: History) -> bool:
    """Say whether a finite space was evaluated everywhere, for every task, by a gold standard that repeats itself."""
    size = plan.space.size
    if size is None or plan.noise or history.size < size:
        return False
    # What was set between the points of the space is none of them.
    its_own = np.all(plan.space.decode(history.units) == history.points, axis=1)
    places = [history.of_task(task) for task in range(len(plan.tasks))]
    return min(len(np.unique(history.points[own[its_own[own]]], axis=0)) for own in places) == size


def before_open(records: Sequence[Record]) -> list[Record]:
    """Return the records before the first query that is still out: each notes which place it was asked at."""
    kept: list[Record] = []
    for record in records:
        if record.note.get("place", len(kept)) != len(kept):
            break
        kept.append(record)
    return kept


class Looks:
    """The bound of a claim, looked at when ten evaluations are held out and then whenever these have doubled.

    Each look sees what was asked up to then, so that it comes out the same however often the study is opened, and may
    err by its share 1/(k(k+1)) of what the level allows: the shares add up to one, however often the user looks.
    """

    def __init__(self, plan: Plan, claim: Claim) -> None:
        self._plan, self._claim = plan, claim
        self._known: dict[tuple[object, ...], Bound] = {}

    def last(self, records: Sequence[Record]) -> Bound | None:
        """Return the first bound that holds the claim, unless a later look was refused; else that of the last look."""
        bounds = list(self.all(records))
        if not bounds or bounds[-1].refused is not None:
            return bounds[-1] if bounds else None
        return next((bound for bound in bounds if bound.holds), bounds[-1])

    def all(self, records: Sequence[Record]) -> Iterator[Bound]:
        """Give the bounds of all looks, one after the other; none looks beyond a query that is still out."""
        records = before_open(records)
        checks = [place for place, record in enumerate(records) if is_held_out(record)]
        turn, due = 1, FEWEST
        while due <= len(checks):
            seen = records[: checks[due - 1] + 1]
            key = tuple((record.number, record.point, repr(record.value)) for record in seen)
            if key not in self._known:
                self._known[key] = self._look(seen, turn)
            yield self._known[key]
            turn, due = turn + 1, 2 * due

    @one_thread
    def _look(self, records: Sequence[Record], turn: int) -> Bound:
        """Make the bound from these evaluations: half of the chance is for the residuals, half for the band.

        A function with a bump errs in another way, and shares its chance otherwise: half is for a bump whose place is
        among those that are left out here because a bump there would not have been seen.
        """
        plan, claim = self._plan, self._claim
        history = History.of(plan, records)
        checked = [held_out(plan, history, task) for task in range(len(plan.tasks))]
        state = calibration(sum(map(is_held_out, records)), checked)
        if state.calibrated is not True:
            return Bound(claim.limit, None, claim.level, METHOD, history.size, state.reason)
        chance = (1 - claim.level) / (turn * (turn + 1)) / 2 / len(checked)
        unnoticed = (1 - claim.level) / 2
        tops = plan.space.sample(_PLACES, generator(0, "bumps", history.size))
        upper, edges, blind = -math.inf, np.full(len(tops), -math.inf), np.zeros(len(tops), dtype=np.bool_)
        for task, own in enumerate(checked):
            if own is not None:  # none is, or the surrogate would not have passed for calibrated
                places = history.of_task(task)
                values = history.values[places, task, None]
                process = GaussianProcess.of(history.units[places], values, own.shape, kernel=plan.kernel)
                factor = inflation(own, chance)
                upper = max(upper, largest_possible(plan, process, factor, chance))
                left = unseen(plan, process, tops, -factor * float(ndtri(chance / 2)))
                edges, blind = np.maximum(edges, left.edges), blind | left.blind
        if np.mean(blind) > unnoticed:
            reason = f"{NARROW} could hide in {percent(float(np.mean(blind)))} of the space"
            return Bound(claim.limit, None, claim.level, METHOD, history.size, reason)
        bumps = plan.deviation.size(np.quantile(edges, 1 - unnoticed, method="higher"))
        return Bound(claim.limit, max(upper, float(bumps)), claim.level, METHOD, history.size, None)
