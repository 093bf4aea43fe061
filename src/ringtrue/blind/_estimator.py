"""Turns answers into a finding: errors beside those expected, how common they are, and where they gather."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._finding import BlindFinding
from ringtrue.blind._groups import BinCounts, groups
from ringtrue.blind._rate import METHOD, Answered, ErrorRate, answer_of
from ringtrue.blind._scope import Hunt
from ringtrue.blind.measures import expected_calibration_error, overconfidence_path, ratio_path
from ringtrue.core import LAST_ANSWERS, NO_SCORES, Claim, Deciding, Estimator, Interval, Json, Record, Scores, Verdict

_LEVEL = 0.95  # the level of intervals when no claim names one

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
        self._hunt, self._size, self._claim, self._scores = hunt, size, claim, scores
        self._level = _LEVEL if claim is None else claim.level
        self._records: list[Record] = []
        self._answers: list[Answered] = []
        self._seen = self._told = 0
        """Records of the pool, and answers about the scope; items that the oracle could not tell have none."""
        self._rate: ErrorRate | None = None
        self._bins = BinCounts()
        self._bounds: list[tuple[float, float]] = []
        self._decided: tuple[Verdict, int | None] = Verdict.NOT_YET_KNOWN, None
        self._one_sided: list[tuple[int, float, float]] = []
        """After how many answers either one-sided bound was looked at, and what it was."""

    @property
    def verdict(self) -> Verdict:
        """Once decided, a claim stays decided: the bound was valid at the moment it was reached."""
        return self._decided[0]

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking."""
        for record in records:
            left_in_pool = self._size - self._seen
            self._seen += 1
            if record.row is None or "scope" not in self._scores or not self._of("scope", record):
                continue
            if self._rate is None:
                self._rate = ErrorRate(int(self._of("scope", record)))
            left = self._rate.told.size - len(self._records)
            answer = answer_of(record, self._hunt.name, left=left, left_in_pool=left_in_pool)
            self._rate.add(answer)
            self._bins.add(answer, int(self._of("bin", record)), int(self._of("bin_items", record)))
            self._records.append(record)
            self._answers.append(answer)
            self._told += record.state == "answered"
            self._look(self._rate, bet=answer.random and is_due(self._rate.draws))

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
        if self._claim is None or self.done:
            return
        low, high = rate.bounds(alpha, alpha) if bet else rate.possible
        if high <= self._claim.limit + 1e-12:
            self._decided = Verdict.RINGS_TRUE, self._told
        elif low > self._claim.limit + 1e-12:
            self._decided = Verdict.RINGS_FALSE, self._told
        if bet or self.done:  # errors that the search picked can refute a claim by themselves
            self._one_sided.append((self._told, low, high))

    def finding(self) -> BlindFinding:
        """Return what the answers so far show."""
        confidence = np.array([self._of("confidence", record) for record in self._records])
        rate, (verdict, decided_at) = self._rate, self._decided
        return BlindFinding(
            hunt=self._hunt,
            claim=self._claim,
            verdict=verdict,
            population=self._size,
            scope=None if rate is None else rate.told.size,
            level=self._level,
            rate=None
            if rate is None
            else Interval(rate.estimate(), *self._bounds[-1], self._level, METHOD, rate.draws),
            random=0 if rate is None else rate.draws,
            path=self._path(confidence),
            groups=groups(self._records, self._scores, self._hunt.slices, self._level),
            reliability=self._bins.table(self._level),
            calibration_error=self._calibration_error(confidence),
            decided_at=decided_at,
            deciding=self._deciding(),
        )

    def _deciding(self) -> Deciding | None:
        """Return the bound that the verdict rests on, at the last random draws before it was reached."""
        if self._claim is None or not self._one_sided:
            return None
        answers, low, high = zip(*self._one_sided[-LAST_ANSWERS:], strict=True)
        false = self.verdict is Verdict.RINGS_FALSE
        return Deciding(answers, low if false else high, self._claim.limit, not false, self._decided[1])

    def _path(self, confidence: NDArray[np.float64]) -> dict[str, Json]:
        """Return every number of a hunt after each answer, as figures need them.

        An item that the oracle could not tell counts as right in what speaks for errors, and as wrong in what speaks
        against them: whether it can tell may depend on the truth.
        """
        wrong = [record.failed for record in self._records]
        told = np.array([answer is not None for answer in wrong], dtype=bool)
        made: dict[str, Json] = {
            "number": [record.number for record in self._records],
            "row": [record.row for record in self._records],
            "wrong": list(wrong),
            "random": [answer.random for answer in self._answers],
            "confidence": confidence.tolist(),
            "rate_low": [low for low, _ in self._bounds],
            "rate_high": [high for _, high in self._bounds],
            "answer": list(range(1, len(wrong) + 1)),
        }
        columns = ("errors", "expected", "ratio", "low", "high")
        if not told.any():
            return made | {name: [None] * len(wrong) for name in (*columns, "log_e")}
        level = self._level
        found = ratio_path(np.array([answer for answer in wrong if answer is not None]), confidence[told], level=level)
        fewest, most = (np.array([error if answer is None else answer for answer in wrong]) for error in (False, True))
        # An answer that the oracle could not give leaves all as it was, except that the ends of the interval allow for
        # it; where all were given, both ends are those of the answers themselves.
        last = np.cumsum(told) - 1
        numbers = {name: getattr(found, name)[last] for name in columns}
        if not told.all():
            numbers["low"] = np.minimum(numbers["low"], ratio_path(fewest, confidence, level=level).low)
            numbers["high"] = np.maximum(numbers["high"], ratio_path(most, confidence, level=level).high)
        for name, values in numbers.items():
            made[name] = [None if place < 0 else value for place, value in zip(last, values.tolist(), strict=True)]
        return made | {"log_e": overconfidence_path(fewest, confidence).tolist()}

    def _calibration_error(self, confidence: NDArray[np.float64]) -> float | None:
        """Return that of the random draws: what a search picked would say nothing of the rest."""
        drawn = [place for place, one in enumerate(self._answers) if one.random and one.low == one.high]
        right = np.array([self._answers[place].low == 0 for place in drawn])
        return expected_calibration_error(confidence[drawn], right) if drawn else None
