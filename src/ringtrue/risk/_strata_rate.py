"""The estimator of labels that were shared out between strata beforehand: an exact bound, told once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ringtrue.core import NO_SCORES, Claim, Interval, Scores, count
from ringtrue.risk._failure_rate import FixedRate
from ringtrue.risk._finding import RateFinding
from ringtrue.risk._grid import Ints
from ringtrue.stats import Bounds, Side, stratified_upper, tails

if TYPE_CHECKING:
    from ringtrue.risk._risk import Risk


class StrataRate(FixedRate):
    """Failure rate of a pool from samples of its strata, whose sizes were fixed beforehand: told after the last label.

    Each stratum's sample is a simple random one, so that the exact test of `stratified_upper` holds. An item that the
    oracle could not label counts as failed in the upper bound and as right in the lower one.
    """

    def __init__(self, *, size: int, claim: Claim | None, question: Risk, scores: Scores = NO_SCORES) -> None:
        super().__init__(size=size, claim=claim, question=question, scores=scores)
        self._found: dict[Side, Bounds] = {}

    @property
    def _fair(self) -> bool:
        """Whether all labels were drawn by this plan, from strata."""
        return super()._fair and len(self._table.notes) == len(self._rows)

    def _bounds(self, side: Side) -> Bounds:
        """Return the exact bounds after the last label; before it, what the known items leave possible."""
        if not (self.done and self._fair):
            return super()._bounds(side)
        if side not in self._found:  # a search, which takes a tenth of a second
            below, above = tails(self._level, side)
            answers, failed, untold, items = self._counts()
            low, high = np.zeros(1), np.ones(1)
            if below:
                low = stratified_upper(failed, answers, items, level=1 - below, side="lower").low.reshape(1)
            if above:
                high = stratified_upper(failed + untold, answers, items, level=1 - above).high.reshape(1)
            self._found[side] = Bounds(low, high)
        return self._found[side]

    def _counts(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Return by stratum: the items asked about, those that failed, those that nobody could tell, and all items."""
        notes = self._table.notes
        place = np.array([note["place"] for note in notes], dtype=np.int64)
        strata = int(place.max()) + 1
        failed = np.bincount(place, self._rows.read(False), strata).astype(np.int64)
        untold = np.bincount(place, ~self._rows.told, strata).astype(np.int64)
        items = np.zeros(strata, dtype=np.int64)
        items[place] = [note["items"] for note in notes]
        return np.bincount(place, minlength=strata), failed, untold, items

    def _interval(self, estimate: float, side: Side, how: str) -> Interval:
        """Return the interval that a side has, around the estimate that weighs each stratum by its items."""
        del how  # which names the bounds of other draws
        if self.done and self._fair:
            answers, failed, untold, items = self._counts()
            told = np.maximum(answers - untold, 1)
            estimate = float(items @ (failed / told)) / self._size
        ends = self._bounds(side)
        low, high = float(ends.low[0]), float(ends.high[0])
        named = f"exact stratified, {count(self._answers, 'answer')} fixed beforehand"
        named += "" if side == "both" else ", one-sided"
        return Interval(min(max(estimate, low), high), low, high, self._level, named, len(self._rows))

    def finding(self) -> RateFinding:
        """Return what the planned answers show: to this question none of them was a pick."""
        return replace(super().finding(), picked=0)
