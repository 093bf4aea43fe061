"""The estimator: from the new model's answers in the order of asking to what changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ringtrue.changed._census import Census
from ringtrue.changed._finding import Detected, Noise, ShiftFinding
from ringtrue.changed._flips import FlipList
from ringtrue.changed._methods import METHODS
from ringtrue.changed._numbers import accuracy_of, beyond, cells_of, slices_of, thinned
from ringtrue.changed._precision import Precision
from ringtrue.changed._second_look import SecondLook
from ringtrue.changed._told import Reading, Told
from ringtrue.changed.evidence import AccuracyTest, ChangeTest, LimitVerdict, ShiftDraws
from ringtrue.changed.paired import expected_answers
from ringtrue.core import Claim, Interval, InvalidInput, Record, Verdict
from ringtrue.stats import Remaining, labels_to_decide

LEVEL = 0.95
"""The level of intervals and tests when no claim names one."""


class ShiftEstimator:
    """What changed, from answers drawn with known chances, valid after every answer.

    The claim `change <= 1%` says that at most this share of the pool's answers changed beyond the noise, and
    `accuracy drop <= 1%` that the accuracy on the pool fell by at most so much. Without a claim the verdict rings
    false as soon as a change is detected, and true once the whole pool has answered as before.
    """

    def __init__(
        self, census: Census, *, size: int, method: str, claim: Claim | None, error: float | None, noise: float | None
    ) -> None:
        if size != census.size:
            raise InvalidInput(f"census has {census.size:,} items and the pool {size:,}: count this very pool")
        self._census, self._method, self._claim = census, METHODS[method], claim
        self._level = LEVEL if claim is None else claim.level
        self._noise = noise
        self._reading = Reading(census)
        self._draws = ShiftDraws(census, predict=expected_answers)
        self._accuracy = AccuracyTest(self._draws.old_accuracy, level=self._level) if census.labelled else None
        self._second = second_look(census.size, claim) if noise is None else None
        self._change = ChangeTest(noise or 0.0, level=self._level) if self._second is None else None
        self._test = self._change or self._second.test  # type: ignore[union-attr]
        self._limit = self._claimed()
        self._precision = Precision(census, self._method, error)
        self._flips = FlipList(census)
        self._evidence: dict[str, list[float]] = {"change": [], "accuracy": []}
        self._calls = 0

    def _claimed(self) -> LimitVerdict | None:
        """The verdict on the claim; a claim on the change beyond a measured noise is the second look's."""
        claim = self._claim
        if claim is None or (claim.quantity == "change" and self._second is not None):
            return None if self._second is None else self._second.claim
        if claim.quantity == "change":
            return LimitVerdict.at_most(min(claim.limit + (self._noise or 0.0), 1.0), level=claim.level)
        return LimitVerdict.accuracy_drop(claim.limit, old=self._draws.old_accuracy, level=claim.level)

    @property
    def _found_at(self) -> int | None:
        """The answer at which a change was detected."""
        return self._test.detected_at if self._second is None else self._second.found_at

    @property
    def verdict(self) -> Verdict:
        """Once decided, a claim stays decided: the evidence was valid at the moment it was reached."""
        if self._claim is not None and self._limit is not None:
            return self._limit.verdict
        if self._found_at is not None:
            return Verdict.RINGS_FALSE
        same = self._draws.answered == self._census.size and not self._flips.total
        return Verdict.RINGS_TRUE if same else Verdict.NOT_YET_KNOWN

    @property
    def satisfied(self) -> bool:
        """Whether the question is settled: a change shown or the claim decided, and the shift known well enough."""
        known = self.verdict is not Verdict.NOT_YET_KNOWN
        if self._precision.required is None:
            return known
        return self._precision.holds_at is not None and (known or self._found_at is not None)

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking."""
        for record in records:
            told = self._reading.read(record)
            self._calls += told.answer is not None
            if not told.again:
                self._first(told)
            if self._second is not None:
                self._second.take(told)
            if not told.again:
                self._look(told)

    def _first(self, told: Told) -> None:
        record = told.record
        words: dict[str, Any] = record.predicted if isinstance(record.predicted, dict) else {}
        said = self._draws.take(
            told.kind, told.answer, probability=record.probability, floor=record.floor, share=words.get("share"),
            slices=words.get("slices"), slice_shares=words.get("slice_shares"),
        )  # fmt: skip
        if self._change is not None:
            self._change.take(said.changed)
        if self._accuracy is not None:
            self._accuracy.take(said.right)
        if self._limit is not None and self._claim is not None:
            if self._claim.quantity == "accuracy drop":
                self._limit.take(said.right)
            elif self._second is None:
                self._limit.take(said.changed)
        self._flips.take(told, self._reading.names)

    def _look(self, told: Told) -> None:
        """Note how things stand after this answer."""
        self._evidence["change"].append(self._test.log_evidence)
        if self._accuracy is not None:
            self._evidence["accuracy"].append(self._accuracy.log_evidence)
        if told.answer is not None:
            self._precision.look(self._draws.answered, self._reading)

    def finding(self) -> ShiftFinding:
        """What the answers so far show."""
        census, level = self._census, self._level
        counts, names = self._reading.counts, self._reading.names
        old, shift = census.old_matrix(len(names)), self._method.shift(census, counts)
        test, accuracy = self._test, self._accuracy
        return ShiftFinding(
            claim=self._claim,
            verdict=self.verdict,
            method=self._method.name,
            labelled=census.labelled,
            population=census.size,
            answers=self._draws.answered,
            unanswerable=self._draws.unanswerable,
            picked=self._draws.picked,
            calls=self._calls,
            labels=census.answers[: census.labels],
            answer_names=names,
            old=old,
            shift=shift,
            cells=cells_of(self._draws, names, old, level),
            change=self._draws.change(level),
            bound=self._bound(),
            accuracy=accuracy_of(self._draws, level),
            noise=self._noise_found(),
            changed=Detected(test.log_evidence, test.threshold, self._found_at),
            accuracy_changed=None
            if accuracy is None
            else Detected(accuracy.log_evidence, accuracy.threshold, accuracy.detected_at),
            evidence=thinned(self._evidence),
            error=self._precision.path(self._draws.answered, self._reading),
            flips=self._flips.flips(),
            slices=slices_of(self._draws, level),
            decided_at=None if self._limit is None else self._limit.decided_at,
            remaining=self._remaining(),
        )

    def _bound(self) -> Interval | None:
        """The one-sided bound that speaks about the claim; what was shown when it was decided stays shown."""
        claim, verdict = self._claim, self.verdict
        if claim is None:
            return None
        both = 2 * claim.level - 1  # each side of a two-sided interval at this level holds at the claim's
        if claim.quantity == "accuracy drop":
            moved = self._draws.accuracy_difference(both)
            found = replace(moved, estimate=-moved.estimate, low=-moved.high, high=-moved.low)
        elif self._second is not None:
            found = self._second.repeats.excess(both)
        else:
            found = beyond(self._draws.change(both), self._noise or 0.0)
        low = max(found.low, claim.limit) if verdict is Verdict.RINGS_FALSE else -1.0
        high = min(found.high, claim.limit) if verdict is Verdict.RINGS_TRUE else found.high
        high = 1.0 if verdict is Verdict.RINGS_FALSE else high
        return replace(found, low=low, high=high, level=claim.level, method=f"{found.method}, one-sided")

    def _noise_found(self) -> Noise:
        second = self._second
        if second is None:
            return Noise(self._noise, 0, None, 0, 0, None)
        floor, beyond = second.repeats.noise(self._level), second.repeats.excess(self._level)
        return Noise(None, second.asked_twice, floor, second.test.persisted, second.test.reverted, beyond)

    def _remaining(self) -> Remaining | None:
        """How many more calls decide a claim on the change, by the share that changed so far; as if uniformly drawn."""
        claim = self._claim
        undecided = claim is not None and claim.quantity == "change" and self.verdict is Verdict.NOT_YET_KNOWN
        if claim is None or not undecided or self._second is not None or self._draws.picked:
            return None
        limit = min(claim.limit + (self._noise or 0.0), 1 - 1e-9)
        changed, answers = self._flips.total, self._draws.answered
        return labels_to_decide(changed, answers, limit, level=claim.level, population=self._census.size)


def second_look(size: int, claim: Claim | None) -> SecondLook:
    """The second look that a claim needs."""
    limit = claim.limit if claim is not None and claim.quantity == "change" else None
    return SecondLook(size, limit=limit, level=LEVEL if claim is None else claim.level)
