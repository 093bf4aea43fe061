"""A model whose answers vary: what tells a change from the noise, from items drawn alike, and when that is enough."""

from __future__ import annotations

from collections import Counter, deque

from ringtrue.changed._reader import Told
from ringtrue.changed.evidence import (
    AccuracyTest,
    ChangeTest,
    LimitVerdict,
    PersistenceTest,
    Repeats,
    outcome,
)
from ringtrue.core import Claim, Verdict
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
        while self._queue and not self.enough and self._resolved(self._queue[0]):
            self._take_in(self._queue.popleft())

    def _resolved(self, told: Told) -> bool:
        return self.repeats is None or not told.changed or told.row in self._second

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
