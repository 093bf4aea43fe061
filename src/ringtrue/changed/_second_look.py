"""Changed answers asked for once more: what tells a change from the noise of the answers, and when that is enough."""

from __future__ import annotations

from collections import deque

from ringtrue.changed._told import Told
from ringtrue.changed.evidence import LimitVerdict, PersistenceTest, Repeats, outcome
from ringtrue.core import Verdict


class SecondLook:
    """Follows first and second answers in the order of first asking, until a change is shown and the claim decided.

    An item whose answer is not the old one is due to be asked again, and holds up those asked after it: what is known
    early must not count before what is known late. Items of which nobody knows the first or the second answer count
    both ways. Once it is `enough`, nothing more is asked again and nothing more is taken in.

    `limit` is that of a claim on the change beyond the noise, None if there is no such claim.
    """

    def __init__(self, size: int, *, limit: float | None, level: float) -> None:
        self.test = PersistenceTest(level=level)
        self.repeats = Repeats(size)
        self.claim = None if limit is None else LimitVerdict.at_most(limit, level=level)
        self.taken = 0
        self.found_at: int | None = None
        """The answer, in the order of first asking, at which a change beyond the noise was shown."""
        self._queue: deque[Told] = deque()
        self._second: dict[int, int | None] = {}
        self._due: dict[int, None] = {}

    @property
    def found(self) -> bool:
        return self.found_at is not None

    @property
    def enough(self) -> bool:
        """Whether asking again would decide nothing more."""
        return self.found and (self.claim is None or self.claim.verdict is not Verdict.NOT_YET_KNOWN)

    @property
    def due(self) -> list[int]:
        """The rows to ask again, in the order of first asking."""
        return [] if self.enough else list(self._due)

    @property
    def asked_twice(self) -> int:
        return len(self._second)

    def asked(self, row: int) -> None:
        """A row was asked again: it is not due any more, whatever comes back."""
        self._due.pop(row, None)

    def take(self, told: Told) -> None:
        """The next closed record."""
        if self.enough:
            return
        if told.again:
            self.asked(told.row)
            self._second.setdefault(told.row, told.answer)
        else:
            self._queue.append(told)
            if told.changed:
                self._due[told.row] = None
        while self._queue and not self.enough and self._resolved(self._queue[0]):
            self._take_in(self._queue.popleft())

    def _resolved(self, told: Told) -> bool:
        return not told.changed or told.row in self._second

    def _take_in(self, told: Told) -> None:
        self.taken += 1
        second = self._second.get(told.row)
        unknown = told.answer is None or (told.changed and second is None)
        became = None if unknown else outcome(told.old, told.answer, second)
        excess, _ = self.repeats.take(became, probability=told.record.probability, floor=told.record.floor)
        if self.claim is not None:
            self.claim.take(excess)
        # Only where the old answer had no say in the choice is a changed answer as likely to come again as to go back.
        if told.changed and told.uniform and second is not None:
            self.test.take(told.old, told.answer, second)
            if self.test.detected_at is not None and self.found_at is None:
                self.found_at = self.taken
