"""The estimator: from labels bought one at a time to every judge's errors and accuracies on the pool."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from ringtrue.core import Claim, Estimator, Interval, InvalidInput, Record, Sketch, Verdict
from ringtrue.judges._evaluation import Evaluation, Floats
from ringtrue.judges._majority import majority_vote
from ringtrue.judges.bought._draws import BoughtDraws, PatternIndex
from ringtrue.judges.bought._finding import BoughtFinding, Contradiction, JudgedError
from ringtrue.judges.bought._numbers import METHOD, BoughtNumbers, Shares
from ringtrue.judges.latent._latent import fit_latent
from ringtrue.judges.latent._uncertainty import beyond_votes
from ringtrue.stats import SPREAD, Means, Wealth, ranked

_LEVEL = 0.95
"""The level of intervals when no claim names one."""


class PanelEstimator(Estimator):
    """What is known of a panel and its pool before the first label."""

    def __init__(self, sketch: Sketch, *, size: int, claim: Claim | None) -> None:
        if size != sketch.size:
            raise InvalidInput(
                f"sketch has {sketch.size:,} items and the pool {size:,}: make the sketch from this very pool"
            )
        self._index, self._claim = PatternIndex(sketch), claim
        self._level = _LEVEL if claim is None else claim.level

    @cached_property
    def _unlabelled(self) -> Evaluation | None:
        """What the votes alone say, to be held against the labels: the majority's word if no fit can be told."""
        sketch = self._index.sketch
        if len(sketch.judges) < 3 or beyond_votes(sketch):
            return majority_vote(sketch).evaluation
        return fit_latent(sketch).evaluation

    def _unclaimed(self, errors: Iterable[Interval]) -> tuple[JudgedError, ...]:
        """Return each judge's error where no claim asks for a bound."""
        named = zip(self._index.sketch.judges, errors, strict=True)
        return tuple(JudgedError(name, error, None, None, None) for name, error in named)


class BoughtAccuracies(PanelEstimator):
    """Errors and accuracies of a panel from labels drawn with known chances, valid after every answer.

    A claim such as `error <= 20%` says of every judge that at most this share of its votes on the pool is wrong. It
    rings true when that is shown of each judge, and false when the contrary is shown of one, at a level that allows
    for their number. An item that the oracle could not label counts against both.
    """

    def __init__(self, sketch: Sketch, *, size: int, claim: Claim | None) -> None:
        super().__init__(sketch, size=size, claim=claim)
        index = self._index
        self._draws = BoughtDraws(index)
        judges = len(index.sketch.judges)
        self._errors = slice(len(index.sketch.labels), len(index.sketch.labels) + judges)
        voted = index.items @ (index.patterns >= 0)
        self._limits = (0.5 if claim is None else claim.limit) * voted / size
        self._wealth, self._enough = Wealth(self._limits, bets=SPREAD), -math.log1p(-self._level)
        self._passed = np.zeros(judges, dtype=np.int64)
        self._failed = np.zeros(judges, dtype=np.int64)
        self._decided: tuple[Verdict, int] | None = None

    @property
    def verdict(self) -> Verdict:
        """Once decided, a claim stays decided: the evidence was valid at the moment it was reached."""
        return Verdict.NOT_YET_KNOWN if self._decided is None else self._decided[0]

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking."""
        for record in records:
            self._draws.take(record)
            if self._claim is not None and self._decided is None:
                self._wealth.take(self._draws.means.last(self._errors))
                if self._wealth.may_reach(self._enough):
                    self._decide()

    def _decide(self) -> None:
        """Judge what each judge has shown by now; what it has shown before stays shown."""
        enough, slack = self._enough, 1e-9 / self._draws.size
        least, most = (end[self._errors] for end in self._draws.means.possible())
        passes = (self._wealth.log_below >= enough) | (most <= self._limits + slack)
        fails = (self._wealth.log_above >= enough + math.log(len(least))) | (least > self._limits + slack)
        now = self._draws.answers
        self._passed[(self._passed == 0) & passes & ~fails] = now
        self._failed[(self._failed == 0) & fails] = now
        if self._failed.any():
            self._decided = Verdict.RINGS_FALSE, now
        elif self._passed.all():
            self._decided = Verdict.RINGS_TRUE, now

    def finding(self) -> BoughtFinding:
        """Return what the labels so far show."""
        numbers = BoughtNumbers(self._draws)
        errors = numbers.error_intervals(self._level)
        return BoughtFinding(
            claim=self._claim,
            verdict=self.verdict,
            estimates=numbers.estimates(errors),
            judged=self._judged(numbers, errors),
            population=self._draws.size,
            answers=self._draws.answered,
            unanswerable=self._draws.answers - self._draws.answered,
            picked=self._draws.picked,
            decided_at=None if self._decided is None else self._decided[1],
            unlabelled=self._unlabelled,
            contradiction=self._contradiction(numbers),
            price=numbers.price(errors),
        )

    def _judged(self, numbers: BoughtNumbers, errors: tuple[Interval, ...]) -> tuple[JudgedError, ...]:
        """Return each judge's error, and the one-sided bound that speaks about the claim, taken when it was reached."""
        if self._claim is None:
            return self._unclaimed(errors)
        alpha, limit, method = 1 - self._level, self._claim.limit, f"{METHOD}, one-sided"
        at = {0: numbers}
        judged = []
        for judge, (name, error) in enumerate(zip(self._index.sketch.judges, errors, strict=True)):
            passed, failed = int(self._passed[judge]), int(self._failed[judge])
            moment = failed or passed
            if moment not in at:
                at[moment] = BoughtNumbers(self._draws, moment)
            if failed:
                found = at[moment].error_interval(judge, alpha / len(errors), 0.0, self._level)
                bound = Interval(error.estimate, max(found.low, limit), 1.0, self._level, method, failed)
            else:
                found = at[moment].error_interval(judge, 0.0, alpha, self._level)
                high = min(found.high, limit) if passed else found.high
                bound = Interval(error.estimate, 0.0, high, self._level, method, found.n)
            judged.append(JudgedError(name, error, bound, passed or None, failed or None))
        return tuple(judged)

    def _contradiction(self, numbers: BoughtNumbers) -> Contradiction | None:
        """Return the number of the unlabelled evaluation that the labels speak against most."""
        evaluation = self._unlabelled
        if evaluation is None:
            return None
        stated = np.vstack([evaluation.prevalence, evaluation.accuracies])  # a column per label: its share, every judge
        accuracies = _against(numbers.accuracies, stated[1:].ravel()).reshape(-1, stated.shape[1])
        against = np.vstack([_against(numbers.prevalences, stated[0]), accuracies])
        worst = ranked(against.T.ravel())[0]
        label, row = divmod(int(worst), len(stated))
        name = evaluation.labels[label]
        what = f"{evaluation.judges[row - 1]}'s accuracy on {name}" if row else f"the share of {name}"
        p = min(1.0, 2 * stated.size * math.exp(-min(float(against[row, label]), 700.0)))
        return Contradiction(what, float(stated[row, label]), p, p <= 1 - self._level)


def _against(numbers: Means | Shares, stated: Floats) -> Floats:
    """Return the log evidence that each number lies above or below the stated one, the larger of the two."""
    return np.maximum(numbers.log_below(stated), numbers.log_above(stated))
