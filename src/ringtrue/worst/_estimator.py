"""The estimator: evaluations become a finding, with the worst point, the region around it, and what may be claimed."""

from __future__ import annotations

from collections.abc import Iterable

from ringtrue.core import Claim, Estimator, Record, Verdict
from ringtrue.stats import one_thread
from ringtrue.worst._arrays import Floats
from ringtrue.worst._bound import Bound, Looks, evaluated_everywhere
from ringtrue.worst._calibration import calibration, held_out, is_held_out
from ringtrue.worst._finding import WorstFinding
from ringtrue.worst._finding_parts import above_share, counterexample, region_found, tables, worst_point
from ringtrue.worst._history import History, worst_so_far
from ringtrue.worst._peaks import FEWEST, find_peaks
from ringtrue.worst._plan import Plan
from ringtrue.worst._region import Region, slices
from ringtrue.worst._surrogates import Surrogates


class WorstCase(Estimator):
    """All that a search has shown so far. Records count in the order of asking, however late they were answered."""

    def __init__(self, plan: Plan, claim: Claim | None) -> None:
        self._plan, self._claim = plan, claim
        self._surrogates = Surrogates(plan)
        self._records: dict[int, Record] = {}
        self._looks = None if claim is None or not plan.learns else Looks(plan, claim)

    def update(self, records: Iterable[Record]) -> None:
        """Take the next evaluations, answered or given up."""
        fresh = {record.number: record for record in records}
        self._records = dict(sorted((self._records | fresh).items()))

    @property
    def verdict(self) -> Verdict:
        """False once an evaluation deviates more than claimed; true once the surrogate excludes that anything does."""
        if self._claim is None:
            return Verdict.NOT_YET_KNOWN
        if counterexample(self._plan, self._history(), self._claim):
            return Verdict.RINGS_FALSE
        bound = self._bound()
        return Verdict.RINGS_TRUE if bound is not None and bound.holds else Verdict.NOT_YET_KNOWN

    def _bound(self) -> Bound | None:
        """Return what excludes a larger deviation: every point evaluated, or a checked surrogate not refuted yet."""
        if self._looks is None or self._claim is None:
            return None
        history = self._history()
        if history.size and evaluated_everywhere(self._plan, history):
            largest = worst_so_far(self._plan, history).deviation
            return Bound(self._claim.limit, largest, self._claim.level, "every point evaluated", history.size, None)
        bound = self._looks.last(list(self._records.values()))
        if bound is None or bound.upper is None:
            return bound
        largest = worst_so_far(self._plan, history).deviation
        return bound if largest <= bound.upper else bound.refuted(largest)

    @one_thread
    def finding(self) -> WorstFinding:
        """Return the worst point, what the surrogate says around it, and what may be claimed."""
        plan, history = self._plan, self._history()
        checked = [held_out(plan, history, task) for task in range(len(plan.tasks))] if plan.learns else []
        worst = worst_so_far(plan, history) if history.size else None
        known = worst is not None and plan.learns and len(history.of_task(worst.task)) >= FEWEST
        surrogate = self._surrogates.of(history, (worst.task,)) if worst is not None and known else None
        region, cuts, lengthscales = None, [], None
        if worst is not None and surrogate is not None:
            region = region_found(plan, history, Region.around(plan, surrogate, history, worst))
            cuts = slices(plan, surrogate, history, worst)
            lengthscales = self._lengthscales(surrogate.processes[0].shape.lengthscales)
        peaks = find_peaks(plan, self._surrogates, history) if known else []
        averages = find_peaks(plan, self._surrogates, history, averaged=True) if known and plan.input_noise else []
        return WorstFinding(
            plan=plan,
            claim=self._claim,
            verdict=self.verdict,
            answers=history.size,
            unanswerable=sum(record.state == "abandoned" for record in self._records.values()),
            worst=None if worst is None else worst_point(plan, history, worst, surrogate),
            region=region,
            peaks=tuple(peaks),
            robust=max(averages, key=lambda peak: peak.predicted, default=None),
            lengthscales=lengthscales,
            calibration=calibration(sum(map(is_held_out, history.records)), checked),
            bound=self._bound(),
            above=None if self._claim is None else above_share(plan, history, self._claim),
            tables={**tables(plan, history), "slices": cuts},
            moved=len(history.moved),
        )

    def _history(self) -> History:
        return History.of(self._plan, list(self._records.values()))

    def _lengthscales(self, found: Floats) -> dict[str, float]:
        """Return lengthscales by parameter, as shares of its range; of a choice, that of its options."""
        names = [parameter.name for parameter in self._plan.space.parameters for _ in range(parameter.width)]
        return {name: float(length) for name, length in zip(names, found, strict=True)}
