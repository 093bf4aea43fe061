"""How precisely the shift is known after so many answers, and since when that is enough."""

from __future__ import annotations

import math

from ringtrue.changed._census import Census
from ringtrue.changed._methods import Method
from ringtrue.changed._parts import ErrorPath
from ringtrue.changed._told import Reading
from ringtrue.changed.paired import uniform_bound

_STEP, _GROWTH = 10, 1.05
"""The bound is looked at every ten answers and, later, after a twentieth more: it takes some milliseconds."""


_WORST = math.sqrt(2)
"""Two matrices of shares are never further apart than this."""


class Precision:
    """The bound on the error of the shift at fixed numbers of answers, the same in whatever portions they come."""

    def __init__(self, census: Census, method: Method, required: float | None) -> None:
        self.required = required
        self.holds_at: int | None = None
        self._census, self._method = census, method
        self._next = _STEP
        self._looks: list[tuple[int, float, float]] = []

    def look(self, answers: int, reading: Reading) -> None:
        """Called after every answer."""
        if answers < self._next:
            return
        self._next = max(answers + _STEP, int(answers * _GROWTH))
        found = self._at(answers, reading)
        self._looks.append(found)
        kept = self.required is None or found[1] <= self.required
        self.holds_at = (self.holds_at or answers) if kept else None

    @property
    def holds(self) -> bool:
        """Whether what is required holds at the last look, or nothing is required."""
        return self.required is None or self.holds_at is not None

    def _at(self, answers: int, reading: Reading) -> tuple[int, float, float]:
        counts = reading.counts
        # An item that nobody could answer may have changed in any way.
        lost = _WORST * (len(reading.first) - answers) / self._census.size
        bound = min(_WORST, float(self._method.bound(self._census, counts)) + lost)
        uniform = min(_WORST, float(uniform_bound(self._census, counts)))
        return answers, bound, uniform

    def path(self, answers: int, reading: Reading) -> ErrorPath:
        """All looks so far, and one more for now."""
        now = self._at(answers, reading)
        looks = self._looks if self._looks and self._looks[-1][0] == answers else [*self._looks, now]
        columns = tuple(zip(*looks, strict=True))
        return ErrorPath(self.required, now[1], None if self.required is None else self.holds_at, *columns)
