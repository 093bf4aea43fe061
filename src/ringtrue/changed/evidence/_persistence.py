"""Has the model changed, or does it answer at random? Changed answers asked for once more tell."""

from __future__ import annotations

import math

from scipy.special import betaincc, betaln

from ringtrue.changed.evidence._detection import Test


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
        """An item whose first new answer differs from the old one was asked again; a missing answer is told as one."""
        if first != old:
            self.persisted += second == first
            self.reverted += second == old
        self._look(log_persistence(self.persisted, self.reverted))


def log_persistence(persisted: int, reverted: int) -> float:
    """Log of the expected likelihood of a chance from Jeffreys' prior on [1/2, 1], over that of 1/2.

    >>> round(log_persistence(5, 0), 3), round(log_persistence(5, 5), 3)
    (2.75, -1.402)
    """
    if not persisted + reverted:
        return 0.0
    a, b = persisted + 0.5, reverted + 0.5
    with_prior = betaln(a, b) - math.log(math.pi) + math.log(max(betaincc(a, b, 0.5), 1e-300))
    return float(with_prior + math.log(2) * (1 + persisted + reverted))
