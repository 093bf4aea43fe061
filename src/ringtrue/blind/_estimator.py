"""Turns answers into a finding: errors beside those expected, how common they are, and where they gather."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ringtrue.blind._finding import BlindFinding
from ringtrue.blind._groups import groups
from ringtrue.blind._rate import METHOD, Answered, ErrorRate
from ringtrue.blind._scope import Hunt
from ringtrue.blind._told import BinCounts, answer_of, calibration_error, path_of
from ringtrue.core import LAST_ANSWERS, NO_SCORES, Claim, Deciding, Estimator, Interval, Record, Scores, Verdict

_LEVEL = 0.95
"""The level of intervals when no claim names one."""


_EVERY = 100
"""Up to so many random draws there is a bet at each, then whenever they have grown by a hundredth: a bound costs time
in proportion to the draws before it."""


def is_due(draws: int) -> bool:
    """Return whether the rate is bounded anew at this random draw.

    >>> [draws for draws in range(300, 320) if is_due(draws)]
    [300, 303, 306, 309, 312, 315, 318]
    """
    return draws <= _EVERY or draws % max(1, draws // _EVERY) == 0


class ConfidentErrors(Estimator):
    """What a hunt has shown so far; every answer about an item in its scope counts, whichever question paid for it."""

    def __init__(self, hunt: Hunt, *, size: int, claim: Claim | None, scores: Scores = NO_SCORES) -> None:
        self._hunt, self._size, self._claim = hunt, size, claim
        self._level = _LEVEL if claim is None else claim.level
        self._scores = scores
        self._records: list[Record] = []
        self._answers: list[Answered] = []
        self._told = 0
        """How many answers there are; items that the oracle could not tell have none."""
        self._seen = 0
        self._rate: ErrorRate | None = None
        self._bins = BinCounts()
        self._bounds: list[tuple[float, float]] = []
        self._decided: tuple[Verdict, int] | None = None
        self._one_sided: list[tuple[int, float, float]] = []
        """After how many answers either one-sided bound was looked at, and what it was."""

    @property
    def verdict(self) -> Verdict:
        """Once decided, a claim stays decided: the bound was valid at the moment it was reached."""
        return Verdict.NOT_YET_KNOWN if self._decided is None else self._decided[0]

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking."""
        for record in records:
            left_in_pool = self._size - self._seen
            self._seen += 1
            scope = self._scope(record)
            if not scope:
                continue
            if self._rate is None:
                self._rate = ErrorRate(scope)
            left = scope - len(self._records)
            answer = answer_of(record, self._hunt.name, left=left, left_in_pool=left_in_pool)
            self._rate.add(answer)
            self._bins.add(answer, int(self._of("bin", record)), int(self._of("bin_items", record)))
            self._records.append(record)
            self._answers.append(answer)
            self._told += record.state == "answered"
            self._look(self._rate, bet=answer.random and is_due(self._rate.draws))

    def _scope(self, record: Record) -> int:
        """Return how many items the scope has, if this one is in it; 0 otherwise."""
        return 0 if record.row is None or "scope" not in self._scores else int(self._of("scope", record))

    def _of(self, name: str, record: Record) -> float:
        assert record.row is not None
        return float(self._scores[name][record.row])

    def _look(self, rate: ErrorRate, *, bet: bool) -> None:
        """Bound the rate as of now. What an earlier bound excluded stays excluded: the rate does not move."""
        alpha = 1 - self._level
        low, high = rate.bounds(alpha / 2, alpha / 2) if bet else rate.possible
        if self._bounds:
            low, high = max(low, self._bounds[-1][0]), min(high, self._bounds[-1][1])
        self._bounds.append((min(low, high), max(low, high)))
        if self._claim is not None and self._decided is None:
            one_low, one_high = rate.bounds(alpha, alpha) if bet else rate.possible
            if one_high <= self._claim.limit + 1e-12:
                self._decided = Verdict.RINGS_TRUE, self._told
            elif one_low > self._claim.limit + 1e-12:
                self._decided = Verdict.RINGS_FALSE, self._told
            if bet or self._decided is not None:  # errors that the search picked can refute a claim by themselves
                self._one_sided.append((self._told, one_low, one_high))

    def finding(self) -> BlindFinding:
        """Return what the answers so far show."""
        confidence = np.array([self._of("confidence", record) for record in self._records])
        path = path_of(self._records, self._answers, confidence, self._bounds, self._level)
        return BlindFinding(
            hunt=self._hunt,
            claim=self._claim,
            verdict=self.verdict,
            population=self._size,
            scope=self._scope(self._records[0]) if self._records else None,
            level=self._level,
            rate=self._interval(),
            random=0 if self._rate is None else self._rate.draws,
            path=path,
            groups=groups(self._records, confidence, self._scores, self._hunt.slices, self._level),
            reliability=self._bins.table(self._level),
            calibration_error=calibration_error(self._answers, confidence),
            decided_at=None if self._decided is None else self._decided[1],
            deciding=self._deciding(),
        )

    def _deciding(self) -> Deciding | None:
        """Return the bound that the verdict rests on, at the last random draws before it was reached."""
        if self._claim is None or not self._one_sided:
            return None
        answers, low, high = zip(*self._one_sided[-LAST_ANSWERS:], strict=True)
        false = self.verdict is Verdict.RINGS_FALSE
        decided_at = None if self._decided is None else self._decided[1]
        return Deciding(answers, low if false else high, self._claim.limit, not false, decided_at)

    def _interval(self) -> Interval | None:
        if self._rate is None:
            return None
        low, high = self._bounds[-1]
        estimate = self._rate.estimate()
        return Interval(estimate, low, high, self._level, METHOD, self._rate.draws)
