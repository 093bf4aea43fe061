"""Has anything changed, has it for good, and does a claim hold? Tests that may be looked at after every answer."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaincc, betaln

from ringtrue.changed._baseline import Floats
from ringtrue.core import Argument, InvalidInput, Verdict
from ringtrue.stats import Grid, Guess, Wealth
from ringtrue.stats._bounds import checked_level
from ringtrue.stats._guesses import STEP


class Test:
    """Log evidence against "nothing changed" after each answer, and the answer at which it sufficed.

    If nothing changed, the evidence ever reaches the threshold log(1 / (1 - level)) with a chance of at most
    1 - level, however often one looks. What was detected stays detected.
    """

    __test__ = False  # it is not a test of pytest's

    def __init__(self, level: float) -> None:
        self.threshold = -math.log1p(-checked_level(level))
        self.path: list[float] = []
        self.detected_at: int | None = None

    @property
    def log_evidence(self) -> float:
        """The evidence as of now; infinite for a proof."""
        return self.path[-1] if self.path else 0.0

    def _look(self, log_evidence: float) -> None:
        self.path.append(log_evidence)
        if self.detected_at is None and log_evidence >= self.threshold:
            self.detected_at = len(self.path)


def _shares(noise: float) -> Floats:
    """Return the bets that are best if the rate is one of a few multiples of the noise.

    Chosen among seven grids and mixtures by the median of answers to detect rates of 2 to 50 times a noise of 0.1% to
    5%, in simulated streams: it is within a third of knowing the rate in advance at 3% against 0.5%, and needs 10-20%
    fewer answers than grids over all of (0, 1).
    """
    rates = noise * np.array([1.5, 2.5, 4.0, 8.0, 16.0, 40.0, 100.0, 300.0])
    rates = np.append(rates[rates < 0.9], (1 + noise) / 2)
    return (rates - noise) / (1 - noise)


class ChangeTest(Test):
    """Did more than a share `noise` of the answers change? Needs no true labels.

    With a noise of 0, for a model that always gives the same answer, a single changed answer is a proof and nothing
    else is evidence. The null speaks of the population of the guesses. Guesses from a pool: of all its items, at most
    this share has new answers that differ from the old ones, as they are or would be given when asked once. Guesses
    from a stream (`Guess.of_stream`): an answer differs with at most this chance. A model that answers at random with
    a noise near the limit exceeds it in a small pool by bad luck; `PersistenceTest` measures the noise instead.

    >>> test = ChangeTest(0.01)
    >>> for changed in (0, 0, 1, 0, 1, 1):
    ...     test.take(Guess.of_stream(changed))
    >>> test.detected_at
    5
    """

    def __init__(self, noise: float = 0.0, *, level: float = 0.95) -> None:
        if not 0 <= noise < 1:
            rule = " must lie in [0, 1): give the share of answers that changes by chance"
            raise InvalidInput(Argument("noise", noise), rule)
        super().__init__(level)
        self._wealth = Wealth(noise, bets=Grid(_shares(noise), _shares(noise))) if noise else None

    def take(self, guess: Guess) -> None:
        """Take what the next answer says of the share of changed answers."""
        if self._wealth is None:
            seen = guess.least > 0 or (np.isinf(guess.least) and guess.rows[STEP][0, -1, 0] > 0)
            self._look(math.inf if seen else self.log_evidence)
            return
        # Only the plain way: rare changes are bet on boldly, which predictions of a long reach forbid.
        self._wealth.take(guess.by(len(guess.rows[0]) - 1))
        self._look(float(self._wealth.log_above[0]))


class AccuracyTest(Test):
    """Did the accuracy change, up or down? The null is that the new accuracy equals the old one.

    Half of the stake bets that the accuracy rose and half that it fell. Guesses from a pool speak of the new accuracy
    on that pool, whose old accuracy is `old`. In a stream the guesses are differences, new right less old right, and
    `old` is 0.

    >>> test = AccuracyTest(0.0)
    >>> for difference in (-1, 0, -1, -1, -1, 0, -1, -1, -1, -1):
    ...     test.take(Guess.of_stream(difference, lowest=-1.0))
    >>> test.detected_at
    10
    """

    def __init__(self, old: float, *, level: float = 0.95) -> None:
        super().__init__(level)
        self._wealth = Wealth(old)

    def take(self, guess: Guess) -> None:
        """Take what the next answer says of the new accuracy."""
        self._wealth.take(guess)
        self._look(float(np.logaddexp(self._wealth.log_above, self._wealth.log_below)[0]) - math.log(2))


class PersistenceTest(Test):
    """Evidence that answers changed for good, from items whose first new answer differs from the old one.

    Such an item is asked again. The second answer confirms the first (it *persisted*), or is the old one again (it
    *reverted*), or is a third one, which says nothing here. The null is that the model did not change: the old answer
    and both new ones are three answers of one model to one question, in no order (exchangeable). Then

        P(first = a, second = a, old = b) = P(first = b, second = a, old = a)    for all a and b that differ,

    since exchanging the old and the first answer turns one into the other. Summed over a and b: a changed answer
    persists as often as it reverts, whatever the noise of each item. So among those that did either the chance of
    persisting is 1/2, and a mixture of bets on higher chances, with Jeffreys' prior cut to [1/2, 1], has a closed form.

    The chance is also taken over the old answer. It holds for items drawn without regard to what the old model said:
    uniformly, or by true label. It does NOT hold for items chosen by the old answer or its confidence: old answers
    that were rare by bad luck change back for good, and look like a change. Nor may it depend on the direction of a
    change whether an item is asked again. So tell this test of the uniform draws only, and of all that changed.

    On average, over items, persisted less reverted is the agreement of two new answers less the agreement of an old
    and a new one: the rate of change beyond the noise of the new model. A model that merely became noisier changes and
    then changes again; this test has no power against that.

    >>> test = PersistenceTest()
    >>> for _ in range(6):
    ...     test.take("old", "new", "new")
    >>> test.detected_at
    6

    Reference: Ramdas, Grünwald, Vovk & Shafer, Game-theoretic statistics and safe anytime-valid inference,
    Statistical Science 38 (2023).
    """

    def __init__(self, *, level: float = 0.95) -> None:
        super().__init__(level)
        self.persisted = self.reverted = 0

    def take(self, old: object, first: object, second: object) -> None:
        """Take both new answers to an item that was asked again; a missing answer counts as an answer."""
        if first != old:
            self.persisted += second == first
            self.reverted += second == old
        self._look(log_persistence(self.persisted, self.reverted))


def log_persistence(persisted: int, reverted: int) -> float:
    """Return the log of the expected likelihood of a chance from Jeffreys' prior on [1/2, 1], over that of 1/2.

    >>> round(log_persistence(5, 0), 3), round(log_persistence(5, 5), 3)
    (2.75, -1.402)
    """
    if not persisted + reverted:
        return 0.0
    a, b = persisted + 0.5, reverted + 0.5
    with_prior = betaln(a, b) - math.log(math.pi) + math.log(max(betaincc(a, b, 0.5), 1e-300))
    return float(with_prior + math.log(2) * (1 + persisted + reverted))


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
        self.verdict = Verdict.NOT_YET_KNOWN
        self._limit, self._upper = limit, upper
        self._wealth = Wealth(limit)
        self._answers = 0

    @classmethod
    def at_most(cls, limit: float, *, level: float = 0.95) -> LimitVerdict:
        """Return the claim that a share of changed answers, or an excess over the noise, is at most `limit`."""
        return cls(limit, upper=True, level=level)

    @classmethod
    def accuracy_drop(cls, limit: float, *, old: float, level: float = 0.95) -> LimitVerdict:
        """Return the claim that the accuracy fell by at most `limit` from `old`; told of the new accuracy."""
        return cls(old - limit, upper=False, level=level)

    @property
    def evidence(self) -> tuple[float, float]:
        """Log evidence for the claim, and against it."""
        below, above = float(self._wealth.log_below[0]), float(self._wealth.log_above[0])
        return (below, above) if self._upper else (above, below)

    def take(self, guess: Guess) -> None:
        """Take what the next answer says of the mean."""
        if self.verdict is not Verdict.NOT_YET_KNOWN:
            return
        self._answers += 1
        self._wealth.take(guess)
        pro, contra = self.evidence
        # Once every value that is still possible keeps the limit, the limit itself included, the claim is proved.
        proved = bool(guess.most <= self._limit + 1e-9 if self._upper else guess.least >= self._limit - 1e-9)
        if contra >= self.threshold and not proved:
            self.verdict, self.decided_at = Verdict.RINGS_FALSE, self._answers
        elif pro >= self.threshold or proved:
            self.verdict, self.decided_at = Verdict.RINGS_TRUE, self._answers
