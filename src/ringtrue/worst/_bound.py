"""Whether the largest deviation is below a limit: looked at seldom, and only with a surrogate that has been checked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from scipy.special import ndtri

from ringtrue.core import Claim, Json, Record, count, number, percent
from ringtrue.stats import generator
from ringtrue.worst._calibration import FEWEST, calibration, held_out, inflation, is_held_out
from ringtrue.worst._hidden import WIDTH, unseen
from ringtrue.worst._history import History, noted
from ringtrue.worst._plan import Plan
from ringtrue.worst._upper_bound import largest_possible
from ringtrue.worst.surrogate import GaussianProcess

METHOD = "Gaussian process band over the whole space, widened by held-out residuals, with room for bumps"

NARROW = f"a bump with a standard deviation of {percent(WIDTH)} of each range"
"""The narrowest that a claim answers for, in words."""

_PLACES = 4096
"""Places at which a bump is looked for: a share of 2.5 % of the space is known to a quarter of a point."""


@dataclass(frozen=True, slots=True)
class Bound:
    """How large the deviation can be anywhere, as it was at the last look; `refused` says why there is none."""

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
        """This bound after an evaluation that it had excluded."""
        return replace(
            self, upper=None, refused=f"a bound of {number(self.upper or 0.0)} was refuted by {number(deviation)}"
        )

    @property
    def why(self) -> str:
        """What stands between the claim and a verdict."""
        if self.refused is not None:
            return f"no bound is given: {self.refused}"
        most = 0.0 if self.upper is None else self.upper
        seen = count(self.looked_at, "evaluation")
        return f"the surrogate cannot exclude {number(most)} ({percent(self.level)}, {seen})"

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


def evaluated_everywhere(plan: Plan, history: History) -> bool:
    """Whether a finite space was evaluated at every point, for every task, by a gold standard that repeats itself."""
    size = plan.space.size
    if size is None or plan.noise or history.size < size:
        return False
    known = [len(np.unique(history.points[history.of_task(task)], axis=0)) for task in range(len(plan.tasks))]
    return min(known) == size


def settled(records: Sequence[Record]) -> list[Record]:
    """Those before the first query that is still out: each notes which place it was asked at."""
    kept: list[Record] = []
    for record in records:
        if noted(record).get("place", len(kept)) != len(kept):
            break
        kept.append(record)
    return kept


class Looks:
    """The bound of a claim, looked at when ten evaluations are held out and then whenever these have doubled.

    Each look sees what was asked up to then, so that it comes out the same however often the study is opened, and may
    err by its share 1/(k(k+1)) of what the level allows: the shares add up to one, whoever looks how often.
    """

    def __init__(self, plan: Plan, claim: Claim) -> None:
        self._plan, self._claim = plan, claim
        self._known: dict[tuple[object, ...], Bound] = {}

    def last(self, records: Sequence[Record]) -> Bound | None:
        """The first bound that holds the claim, unless a later look was refused; else that of the last look."""
        bounds = list(self.all(records))
        if not bounds or bounds[-1].refused is not None:
            return bounds[-1] if bounds else None
        return next((bound for bound in bounds if bound.holds), bounds[-1])

    def all(self, records: Sequence[Record]) -> Iterator[Bound]:
        """The bounds of all looks, one after the other; none looks beyond a query that is still out."""
        records = settled(records)
        checks = [place for place, record in enumerate(records) if is_held_out(record)]
        turn, due = 1, FEWEST
        while due <= len(checks):
            seen = records[: checks[due - 1] + 1]
            key = tuple((record.number, record.point, repr(record.value)) for record in seen)
            if key not in self._known:
                self._known[key] = self._look(seen, turn)
            yield self._known[key]
            turn, due = turn + 1, 2 * due

    def _look(self, records: Sequence[Record], turn: int) -> Bound:
        """The bound from these evaluations: half of the chance is for the residuals, half for the band.

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
