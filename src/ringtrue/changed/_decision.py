"""What the answers decide: whether anything changed, beyond the noise of the model, and what to say of the claim."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ringtrue.changed._parts import Detected, Noise
from ringtrue.changed._reader import Told
from ringtrue.changed.evidence import (
    AccuracyTest,
    ChangeTest,
    LimitVerdict,
    PersistenceTest,
    Repeats,
    Said,
    ShiftDraws,
    outcome,
)
from ringtrue.changed.evidence._shift_draws import less
from ringtrue.core import Claim, Interval, Verdict
from ringtrue.stats import Guess

LEVEL = 0.95
"""The level of intervals and tests when no claim names one."""


class NoiseWatch:
    """Follows answers in the order of first asking, until a change is shown and the claim decided.

    Where the noise is not stated, an item whose answer is not the old one is due to be asked again, and holds up those
    asked after it: what is known early must not count before what is known late. Only uniform draws count: an item that
    was chosen for its old answer may differ from it by the luck of that answer. What is found speaks of the model's
    chances on items like these, not of the answers that it happened to give: an item may be asked again tomorrow.

    An unchanged model gives old and new answers alike. So a change is shown by changed answers that come again (or by
    more changes than the stated noise), and with true labels by more right answers that turn wrong than wrong ones that
    turn right, or fewer; the two tests share the chance of error.

    `noise` is the share of answers that vary by themselves, as stated; None to measure it. `tolerance` is the change
    that, without a claim, still counts as none.
    """

    def __init__(self, *, noise: float | None, claim: Claim | None, tolerance: float | None, labelled: bool) -> None:
        level = LEVEL if claim is None else claim.level
        each = 1 - (1 - level) / 2 if labelled else level
        self.test = PersistenceTest(level=each) if noise is None else ChangeTest(noise, level=each)
        self.accuracy = AccuracyTest(0.0, level=each) if labelled else None
        self.repeats = Repeats() if noise is None else None
        self.second: Counter[str] = Counter()
        """What became of the changed answers that were asked for again."""
        self._drop = claim is not None and claim.quantity == "accuracy drop"
        limit = tolerance if claim is None else claim.limit
        allowed = limit if limit is None or self._drop else min(limit + (noise or 0.0), 1.0)
        self.claim = None if allowed is None else LimitVerdict.at_most(allowed, level=level)
        self._queue: deque[Told] = deque()
        self._second: dict[int, int | None] = {}
        self._due: dict[int, None] = {}

    @property
    def found(self) -> bool:
        """Whether a change beyond the noise is shown."""
        by_accuracy = self.accuracy is not None and self.accuracy.detected_at is not None
        return self.test.detected_at is not None or by_accuracy

    @property
    def enough(self) -> bool:
        """Whether more uniform draws would decide nothing more."""
        return self.found and (self.claim is None or self.claim.verdict is not Verdict.NOT_YET_KNOWN)

    @property
    def due(self) -> list[int]:
        """The rows to ask again, in the order of first asking."""
        return [] if self.enough else list(self._due)

    def take(self, told: Told) -> None:
        """Take the next closed record."""
        if told.again:  # not due any more, whatever came back
            self._due.pop(told.row, None)
            self._second.setdefault(told.row, told.answer)
        elif not self.enough and told.uniform:
            self._queue.append(told)
            if told.changed and self.repeats is not None:
                self._due[told.row] = None
        while self._queue and not self.enough:
            if self.repeats is not None and self._queue[0].changed and self._queue[0].row not in self._second:
                break
            self._take_in(self._queue.popleft())

    def _take_in(self, told: Told) -> None:
        gain = Guess.of_stream(told.gain, lowest=-1.0)
        if self.accuracy is not None:
            self.accuracy.take(gain)
        if isinstance(self.test, ChangeTest):
            said = Guess.of_stream(None if told.answer is None else float(told.changed))
            self.test.take(said)
        else:
            said = self._take_repeat(told)
        if self.claim is not None:
            lost = None if told.gain is None else -told.gain
            self.claim.take(Guess.of_stream(lost, lowest=-1.0) if self._drop else said)

    def _take_repeat(self, told: Told) -> Guess:
        """Return what the second answer of a changed item says of the change beyond the noise."""
        second = self._second.get(told.row)
        unknown = told.answer is None or (told.changed and second is None)
        became = None if unknown else outcome(told.old, told.answer, second)
        if told.changed and second is not None:
            self.second[str(became)] += 1
            if isinstance(self.test, PersistenceTest):
                self.test.take(told.old, told.answer, second)
        return self.repeats.take(became) if self.repeats is not None else Guess.of_stream(None, lowest=-1.0)


_LOOK_STEP, _LOOK_GROWTH = 10, 1.2
"""What a claim speaks of is bounded every ten answers and, later, after a fifth more: each takes some milliseconds."""


class Decision:
    """Tests and a verdict that may be looked at after every answer.

    With a claim the verdict is the claim's. Without one it rings false as soon as a change is detected. It rings true
    when the change is shown to be at most `tolerance` or, if there is none, when the whole pool has answered as before.

    A steady model (noise 0) is judged by its answers to this pool. One whose answers vary is judged by its chances, as
    far as uniform draws show them (`NoiseWatch`).
    """

    def __init__(self, draws: ShiftDraws, *, claim: Claim | None, tolerance: float | None, noise: float | None) -> None:
        self.level = LEVEL if claim is None else claim.level
        self._draws, self._claim, self._noise = draws, claim, noise
        watch = noise_watch(noise, claim, tolerance, labelled=draws.census.labelled)
        self.watch = None if watch is None else watch()
        old = draws.old_accuracy
        self._steady = ChangeTest(0.0, level=self.level)
        self._accuracy = AccuracyTest(old, level=self.level) if draws.census.labelled else None
        self._limit: LimitVerdict | None = None
        if self.watch is not None:
            self._accuracy, self._limit = self.watch.accuracy, self.watch.claim
        elif claim is not None and claim.quantity == "accuracy drop":
            self._limit = LimitVerdict.accuracy_drop(claim.limit, old=old, level=self.level)
        elif claim is not None or tolerance is not None:
            self._limit = LimitVerdict.at_most(claim.limit if claim else tolerance or 0.0, level=self.level)
        self._test = self._steady if self.watch is None else self.watch.test
        self.path: dict[str, list[float]] = {"change": [], "accuracy": []}
        self.looks: list[tuple[int, float, float]] = []
        """After how many answers what the claim speaks of was bounded, and between what, until it was decided."""
        self._next_look = 1
        self._changed = self._answers = 0
        self.found_at: int | None = None
        """The answer at which a change was detected."""

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
        """Take a first answer, and what it says of the change and of the accuracy on the pool."""
        self._answers += 1
        self._changed += told.changed
        if self.watch is None:
            self._steady.take(said.changed)
            if self._accuracy is not None:
                self._accuracy.take(said.right)
            if self._limit is not None:
                drop = self._claim is not None and self._claim.quantity == "accuracy drop"
                self._limit.take(said.right if drop else said.changed)
        for path in self.path.values():
            path.append(0.0)
        self.again(told)

    def again(self, told: Told) -> None:
        """Take an answer that the watch over a noisy model may learn from, and note how things stand then."""
        if self.watch is not None:
            self.watch.take(told)
        found = self._steady.detected_at is not None if self.watch is None else self.watch.found
        if found and self.found_at is None:
            self.found_at = self._answers
        for name, test in (("change", self._test), ("accuracy", self._accuracy)):
            if test is not None and self.path[name]:
                self.path[name][-1] = test.log_evidence
        self._look()

    def _look(self) -> None:
        """Bound what the claim speaks of, for the figure: seldom, since that takes time, and when it is decided."""
        if self._claim is None or self._next_look == 0:
            return
        decided = self.verdict is not Verdict.NOT_YET_KNOWN
        if decided or self._answers >= self._next_look:
            self.looks.append(self.look(self._claim))
            self._next_look = 0 if decided else max(self._answers + _LOOK_STEP, int(self._answers * _LOOK_GROWTH))

    def look(self, claim: Claim) -> tuple[int, float, float]:
        """Return the answers so far, and the bounds from below and from above, each at the claim's level."""
        found = self._both_sides(claim)
        return self._answers, found.low, found.high

    def change_detected(self) -> Detected:
        """Return the test of "an answer changed beyond the noise"."""
        return Detected.by(self._test, self._test.detected_at and self.found_at)

    def accuracy_detected(self) -> Detected | None:
        """Return the test of "the accuracy changed", if there are true labels."""
        test = self._accuracy
        return None if test is None else Detected.by(test, test.detected_at)

    def noise(self) -> Noise:
        """Return what is stated or was measured of the noise."""
        watch = self.watch
        if watch is None or watch.repeats is None:
            return Noise(self._noise, 0, None, 0, 0, 0, None)
        floor, excess, second = watch.repeats.noise(self.level), watch.repeats.excess(self.level), watch.second
        persisted, reverted, third = (second[name] for name in ("persisted", "reverted", "third"))
        return Noise(None, second.total(), floor, persisted, reverted, third, excess)

    def bound(self) -> Interval | None:
        """Return the one-sided bound that speaks about the claim."""
        claim, verdict = self._claim, self.verdict
        if claim is None:
            return None
        found, false = self._both_sides(claim), verdict is Verdict.RINGS_FALSE
        low, high = (found.low, 1.0) if false else (-1.0, found.high)
        return replace(found, low=low, high=high, level=claim.level, method=f"{found.method}, one-sided")

    def _both_sides(self, claim: Claim) -> Interval:
        """Return what the claim speaks of, with a bound from either side that holds at the claim's level.

        What was shown when it was decided stays shown.
        """
        both = 2 * claim.level - 1  # each side of a two-sided interval at this level holds at the claim's
        if claim.quantity == "accuracy drop":
            moved = self._draws.accuracy_difference(both)
            found = replace(moved, estimate=-moved.estimate, low=-moved.high, high=-moved.low)
        elif self.watch is not None and self.watch.repeats is not None:
            found = self.watch.repeats.excess(both)
        else:
            found = less(self._draws.change(both), self._noise or 0.0)
        low = max(found.low, claim.limit) if self.verdict is Verdict.RINGS_FALSE else found.low
        high = min(found.high, claim.limit) if self.verdict is Verdict.RINGS_TRUE else found.high
        return replace(found, low=low, high=high)


def noise_watch(
    noise: float | None, claim: Claim | None, tolerance: float | None, *, labelled: bool
) -> Callable[[], NoiseWatch] | None:
    """Return a maker of the watch over a model whose answers vary; None for a steady one."""
    if noise == 0:
        return None
    return partial(NoiseWatch, noise=noise, claim=claim, tolerance=tolerance, labelled=labelled)
