"""Has anything changed? Tests that may be looked at after every answer."""

from __future__ import annotations

import math

import numpy as np

from ringtrue.changed._levels import Floats
from ringtrue.core import InvalidInput
from ringtrue.stats import Grid, Guess, Wealth
from ringtrue.stats._bounds import checked_level
from ringtrue.stats._guesses import STEP


class Test:
    """Log evidence against "nothing changed" after each answer, and the answer at which it sufficed.

    If nothing changed, the evidence ever reaches the threshold log(1 / (1 - level)) with a chance of at most
    1 - level, however often one looks. What was detected stays detected.
    """

    __test__ = False  # this is no test of pytest's

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
    """Bets that are best if the rate is one of a few multiples of the noise.

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
            raise InvalidInput(f"noise={noise!r} must lie in [0, 1): give the share of answers that changes by chance")
        super().__init__(level)
        self._wealth = Wealth(noise, bets=Grid(_shares(noise), _shares(noise))) if noise else None

    def take(self, guess: Guess) -> None:
        """What the next answer says of the share of changed answers."""
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
        """What the next answer says of the new accuracy."""
        self._wealth.take(guess)
        self._look(float(np.logaddexp(self._wealth.log_above, self._wealth.log_below)[0]) - math.log(2))
