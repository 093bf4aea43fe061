"""What the answers decide: whether anything changed, whether the accuracy did, and what to say of the claim."""

from __future__ import annotations

from dataclasses import replace

from ringtrue.changed._numbers import beyond
from ringtrue.changed._parts import Detected, Noise
from ringtrue.changed._second_look import SecondLook
from ringtrue.changed._told import Told
from ringtrue.changed.evidence import AccuracyTest, ChangeTest, LimitVerdict, ShiftDraws
from ringtrue.changed.evidence import Told as Said
from ringtrue.core import Claim, Interval, Verdict

LEVEL = 0.95
"""The level of intervals and tests when no claim names one."""


class Decision:
    """Tests and a verdict that may be looked at after every answer.

    With a claim the verdict is the claim's. Without one it rings false as soon as a change is detected. It rings true
    when the change is shown to be at most `tolerance` or, if there is none, when the whole pool has answered as before.
    """

    def __init__(self, draws: ShiftDraws, *, claim: Claim | None, tolerance: float | None, noise: float | None) -> None:
        self.level = LEVEL if claim is None else claim.level
        self._draws, self._claim, self._noise = draws, claim, noise
        old = draws.old_accuracy
        self.second = second_look(draws.census.size, claim, tolerance) if noise is None else None
        self._change = ChangeTest(noise or 0.0, level=self.level)
        self._accuracy = AccuracyTest(old, level=self.level) if draws.census.labelled else None
        self._limit: LimitVerdict | None = None
        share = limit_of(claim, tolerance)
        if claim is not None and claim.quantity == "accuracy drop":
            self._limit = LimitVerdict.accuracy_drop(claim.limit, old=old, level=self.level)
        elif self.second is not None:
            self._limit = self.second.claim
        elif share is not None:
            self._limit = LimitVerdict.at_most(min(share + (noise or 0.0), 1.0), level=self.level)
        self.path: dict[str, list[float]] = {"change": [], "accuracy": []}
        self._changed = self._answers = 0
        self._second_at: int | None = None

    @property
    def found_at(self) -> int | None:
        """The answer at which a change was detected."""
        return self._change.detected_at if self.second is None else self._second_at

    @property
    def verdict(self) -> Verdict:
        """Once decided, a claim stays decided: the evidence was valid at the moment it was reached."""
        if self._claim is not None and self._limit is not None:
            return self._limit.verdict
        if self.found_at is not None:
            return Verdict.RINGS_FALSE
        same = self._draws.answered == self._draws.census.size and not self._changed
        small = self._limit is not None and self._limit.verdict is Verdict.RINGS_TRUE
        return Verdict.RINGS_TRUE if same or small else Verdict.NOT_YET_KNOWN

    @property
    def decided_at(self) -> int | None:
        """The answer at which the verdict was reached."""
        if self._claim is None and self.found_at is not None:
            return self.found_at
        decided = self._limit is not None and self.verdict is self._limit.verdict
        return self._limit.decided_at if decided and self._limit is not None else None

    def first(self, told: Told, said: Said) -> None:
        """A first answer, and what it says of the change and of the accuracy."""
        self._answers += 1
        self._changed += told.changed
        self._change.take(said.changed)
        if self._accuracy is not None:
            self._accuracy.take(said.right)
        if self._claim is not None and self._claim.quantity == "accuracy drop" and self._limit is not None:
            self._limit.take(said.right)
        elif self.second is None and self._limit is not None:
            self._limit.take(said.changed)
        self.again(told)
        test = self._change if self.second is None else self.second.test
        self.path["change"].append(test.log_evidence)
        if self._accuracy is not None:
            self.path["accuracy"].append(self._accuracy.log_evidence)

    def again(self, told: Told) -> None:
        """An answer that a second look may learn from."""
        if self.second is not None:
            self.second.take(told)
            if self.second.found and self._second_at is None:
                self._second_at = self._answers

    def change_detected(self) -> Detected:
        """The test of "an answer changed beyond the noise"."""
        test = self._change if self.second is None else self.second.test
        return Detected(test.log_evidence, test.threshold, self.found_at)

    def accuracy_detected(self) -> Detected | None:
        """The test of "the accuracy changed", if there are true labels."""
        test = self._accuracy
        return None if test is None else Detected(test.log_evidence, test.threshold, test.detected_at)

    def noise(self) -> Noise:
        """What is stated or was measured of the noise."""
        second = self.second
        if second is None:
            return Noise(self._noise, 0, None, 0, 0, None)
        floor, excess = second.repeats.noise(self.level), second.repeats.excess(self.level)
        return Noise(None, second.asked_twice, floor, second.test.persisted, second.test.reverted, excess)

    def bound(self) -> Interval | None:
        """The one-sided bound that speaks about the claim; what was shown when it was decided stays shown."""
        claim, verdict = self._claim, self.verdict
        if claim is None:
            return None
        both = 2 * claim.level - 1  # each side of a two-sided interval at this level holds at the claim's
        if claim.quantity == "accuracy drop":
            moved = self._draws.accuracy_difference(both)
            found = replace(moved, estimate=-moved.estimate, low=-moved.high, high=-moved.low)
        elif self.second is not None:
            found = self.second.repeats.excess(both)
        else:
            found = beyond(self._draws.change(both), self._noise or 0.0)
        low = max(found.low, claim.limit) if verdict is Verdict.RINGS_FALSE else -1.0
        high = 1.0 if verdict is Verdict.RINGS_FALSE else found.high
        high = min(high, claim.limit) if verdict is Verdict.RINGS_TRUE else high
        return replace(found, low=low, high=high, level=claim.level, method=f"{found.method}, one-sided")


def limit_of(claim: Claim | None, tolerance: float | None) -> float | None:
    """The share of changed answers that a claim, or a tolerance in its place, allows."""
    if claim is None:
        return tolerance
    return claim.limit if claim.quantity == "change" else None


def second_look(size: int, claim: Claim | None, tolerance: float | None) -> SecondLook:
    """The second look at a model whose answers vary."""
    return SecondLook(size, limit=limit_of(claim, tolerance), level=LEVEL if claim is None else claim.level)
