"""An alarm for a model that is asked the same few questions for months: evidence that its answers became others."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from ringtrue.changed._baseline import Floats
from ringtrue.core import Argument, InvalidInput
from ringtrue.stats import generator
from ringtrue.stats._bounds import checked_level

_WIDTHS = 1, 4, 16
"""Bets are that the next answer is among so many strangest of all: few if the model hardly varies, many if it does.

Simulated changes of a half and a quarter of the sentinels, without noise and with two noises, are found as soon with
these as with the six powers of two up to 32, and with one hope of a half somewhat later.
"""

_HOPES = 0.25, 0.75
"""The shares of answers that are bet to be as strange as that."""

_PROOF = 700.0
"""The log of a stake that no bet makes larger, so that numbers stay finite."""


class Strangeness:
    """How strange each answer is among all answers to the same questions, and the p-values that follow from it.

    An answer is as strange as the other answers to its question disagree with it. A model that did not change gives
    question and answer pairs that may stand in any order: each is as likely the last one as any other. So the share
    of pairs that are at least as strange as the last, ties broken by chance, is uniform on [0, 1], and these shares are
    independent of one another, whatever the noise of each question. Questions must be chosen by chance, each time anew.

    Reference: Vovk, Gammerman & Shafer, Algorithmic Learning in a Random World (2005), chapter 8.
    """

    def __init__(self, questions: int) -> None:
        self._asked = np.zeros(questions)
        self._code: dict[tuple[int, object], int] = {}
        self._question: list[int] = []
        self._given: list[int] = []

    @property
    def pairs(self) -> int:
        """How many answers there are in all."""
        return int(self._asked.sum())

    def take(self, question: int, answer: object, tie: float) -> float:
        """Return the p-value of the next answer to a question; `tie` is drawn uniformly from [0, 1]."""
        code = self._code.setdefault((question, answer), len(self._code))
        if code == len(self._given):
            self._given.append(0)
            self._question.append(question)
        self._given[code] += 1
        self._asked[question] += 1
        given, others = np.array(self._given, dtype=float), self._asked[self._question] - 1
        # Nobody disagrees with the only answer to a question.
        agreeing = np.divide(given - 1, others, out=np.ones(len(given)), where=others > 0)
        stranger, alike = given[agreeing < agreeing[code]].sum(), given[agreeing == agreeing[code]].sum()
        return float((stranger + tie * alike) / self.pairs)


class Alarm:
    """Log evidence that the answers of a year are no longer those of before, after each answer.

    The first `baseline` answers only show how the model answers before. After that, a part of the stake begins with
    each call to bet that the answers have become strange, because nobody knows when a change will come. If the model
    does not change, the evidence reaches log(1 / (1 - level)) at any time of the year with a chance of at most
    1 - level. A new year begins with a new stake; what was learnt of the answers stays.

    >>> alarm = Alarm(questions=5, baseline=50, year=365, seed=1)
    >>> for call in range(50 + 12):
    ...     alarm.take(call % 5, "before" if call < 50 else "after")
    >>> alarm.raised_at
    55

    Reference: Vovk, Testing randomness online, Statistical Science 36 (2021); Shin, Ramdas & Rinaldo, E-detectors,
    New England Journal of Statistics in Data Science 2 (2024), for bets that begin at any time.

    Parameters
    ----------
    questions, baseline, year
        How many items are watched, after how many answers the watch begins, and how many calls a year has.
    seed, level
        The seed by which ties are broken, and one less the chance of a false alarm within a year.
    steady
        Whether the model always gives the same answer to the same question: then an answer that differs from an earlier
        one to its question is a proof.
    """

    def __init__(
        self,
        *,
        questions: int,
        baseline: int,
        year: int,
        seed: int,
        level: float = 0.95,
        steady: bool = False,
    ) -> None:
        if year < 1:
            raise InvalidInput(Argument("year", year), " must be at least 1: give the calls of a year")
        self.threshold = -math.log1p(-checked_level(level))
        self.path: list[float] = []
        """The log evidence after each answer that follows the baseline."""
        self.raised_at: int | None = None
        """After how many answers the alarm was raised, those of the baseline included."""
        self._seen = Strangeness(questions)
        self._baseline, self._year, self._seed, self._steady = baseline, year, seed, steady
        self._first: dict[int, object] = {}
        self._answers = 0
        self._begin()

    @property
    def log_evidence(self) -> float:
        """The evidence as of now."""
        return self.path[-1] if self.path else 0.0

    def expect(self, question: int, answer: object) -> None:
        """Say what a steady model answered to a question before the watch."""
        self._first[question] = answer

    def take(self, question: int, answer: object) -> None:
        """Take the next answer; `question` is its place among the sentinels."""
        self._answers += 1
        if self._steady:
            same = self._first.setdefault(question, answer) == answer
            self._look(0.0 if same else math.inf)
            return
        before = self._seen.pairs
        tie = float(generator(self._seed, "changed/watch tie", self._answers).random())
        share = self._seen.take(question, answer, tie)
        if self._answers > self._baseline:
            self._bet(share, before)

    def _begin(self) -> None:
        """Begin a year: the stake is whole, and nothing of it bets yet."""
        self._calls = 0
        self._betting: Floats = np.full(len(_WIDTHS) * len(_HOPES), -math.inf)

    def _bet(self, share: float, before: int) -> None:
        if self._calls == self._year:
            self._begin()
        self._calls += 1
        each = -math.log(self._year * len(self._betting))
        self._betting = np.minimum(np.logaddexp(self._betting, each) + _gains(share, before + 1), _PROOF)
        waiting = 1 - self._calls / self._year
        self._look(float(np.logaddexp.reduce([math.log(waiting) if waiting > 0 else -math.inf, *self._betting])))

    def _look(self, log_evidence: float) -> None:
        self.path.append(log_evidence)
        if self.raised_at is None and log_evidence >= self.threshold:
            self.raised_at = self._answers


def _gains(share: float, pairs: int) -> Floats:
    """Return the log of what each bet pays at a p-value: `hope` of it lies on the lowest `width` of the pairs."""
    paid = []
    for width, hope in product(_WIDTHS, _HOPES):
        part = min(width / pairs, 0.5)
        hope = max(hope, part)  # to hope for less than chance gives would be a bet on the opposite
        paid.append(hope / part if share <= part else (1 - hope) / (1 - part))
    return np.log(paid)
