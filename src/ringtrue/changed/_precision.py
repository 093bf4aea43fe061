"""How precisely the shift is known after so many answers, and since when that is enough."""

from __future__ import annotations

import math

from ringtrue.changed._census import Census
from ringtrue.changed._levels import Floats
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
        found = self._at(answers, reading.counts)
        self._looks.append(found)
        if self.required is not None and self.holds_at is None and found[1] <= self.required:
            self.holds_at = answers

    def _at(self, answers: int, counts: Floats) -> tuple[int, float, float]:
        bound = min(_WORST, float(self._method.bound(self._census, counts)))
        uniform = min(_WORST, float(uniform_bound(self._census, counts)))
        return answers, bound, uniform

    def path(self, answers: int, reading: Reading) -> ErrorPath:
        """All looks so far, and one more for now."""
        now = self._at(answers, reading.counts)
        looks = self._looks if self._looks and self._looks[-1][0] == answers else [*self._looks, now]
        columns = tuple(zip(*looks, strict=True))
        return ErrorPath(self.required, now[1], self.holds_at, *columns)
