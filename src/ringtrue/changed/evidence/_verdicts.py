"""Claims about a change: decided once, at the answer that sufficed, and decided from then on."""

from __future__ import annotations

import math

from ringtrue.core import Verdict
from ringtrue.stats import Guess, Wealth
from ringtrue.stats._bounds import checked_level


class LimitVerdict:
    """Whether a mean keeps a limit: "change <= 1%", or "new accuracy >= 88%" for a claim on its drop.

    Only one of the two sides can be wrong, so each is tested at the whole level: the chance that the verdict is ever
    wrong is at most 1 - level, however often one looks. An answer costs the same whatever came before.

    >>> claim = LimitVerdict.at_most(0.1)
    >>> for _ in range(40):
    ...     claim.take(Guess.of_stream(0))
    >>> claim.verdict, claim.decided_at
    (<Verdict.RINGS_TRUE: 'rings true'>, 40)
    """

    def __init__(self, limit: float, *, upper: bool, level: float = 0.95) -> None:
        self.threshold = -math.log1p(-checked_level(level))
        self.decided_at: int | None = None
        self._verdict = Verdict.NOT_YET_KNOWN
        self._limit, self._upper = limit, upper
        self._wealth = Wealth(limit)
        self._answers = 0

    @classmethod
    def at_most(cls, limit: float, *, level: float = 0.95) -> LimitVerdict:
        """The claim that a share of changed answers, or an excess over the noise, is at most `limit`."""
        return cls(limit, upper=True, level=level)

    @classmethod
    def accuracy_drop(cls, limit: float, *, old: float, level: float = 0.95) -> LimitVerdict:
        """The claim that the accuracy fell by at most `limit` from `old`; told of the new accuracy."""
        return cls(old - limit, upper=False, level=level)

    @property
    def verdict(self) -> Verdict:
        return self._verdict

    @property
    def evidence(self) -> tuple[float, float]:
        """Log evidence for the claim, and against it."""
        below, above = float(self._wealth.log_below[0]), float(self._wealth.log_above[0])
        return (below, above) if self._upper else (above, below)

    def take(self, guess: Guess) -> None:
        """What the next answer says of the mean."""
        if self._verdict is not Verdict.NOT_YET_KNOWN:
            return
        self._answers += 1
        self._wealth.take(guess)
        pro, contra = self.evidence
        # Once every value that is still possible keeps the limit, the limit itself included, the claim is proved.
        proved = bool(guess.most <= self._limit + 1e-9 if self._upper else guess.least >= self._limit - 1e-9)
        if contra >= self.threshold and not proved:
            self._verdict, self.decided_at = Verdict.RINGS_FALSE, self._answers
        elif pro >= self.threshold or proved:
            self._verdict, self.decided_at = Verdict.RINGS_TRUE, self._answers
