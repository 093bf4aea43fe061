"""Which items to label: all with known chances, the doubtful ones more often."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Draw, InvalidInput, Json, Prediction, Record, View
from ringtrue.risk._allocation import best_even_share
from ringtrue.risk._learning import failure_rates
from ringtrue.risk._methods import METHODS, Method
from ringtrue.risk._strata import Strata
from ringtrue.stats import GroupDraws, Left, Plan, settled

Floats = NDArray[np.float64]

_FIXED_EVEN = 0.5
"""The even share of draws that are never learnt: weights then stay within twice those of uniform draws."""

_HARDLY = 0.02
"""What operation never meets keeps a small chance, so that other questions can use the answers as well."""


class ScoredDraws(GroupDraws):
    """Draws items without replacement, by strata, with chances that are fixed before each draw and kept with it.

    A draw says what was predicted of it. From that alone the estimator can bet, without knowing the strata; the note
    says which stratum it was. As long as draws are even nothing is predicted, and the exact likelihood of the pool is
    used instead, which is the tighter while nothing has failed: all but the fixed draws begin so, and go by doubt from
    the first failure on, with the evidence earned so far.

    Reference: Neyman, Journal of the Royal Statistical Society 97 (1934), on the allocation.
    """

    def __init__(self, method: str, *, limit: float | None, profile: str | None) -> None:
        super().__init__(method, "risk/scored", "oracle")
        self._limit, self._profile = limit, profile

    def plan(self, view: View) -> Plan:
        """The items by stratum."""
        if not view.scores:
            raise InvalidInput("nothing was prepared to go by: call Study.prepare before asking")
        strata = Strata.of(view.scores, view.size)
        return Plan(strata.rows, lambda: _Rates(strata, METHODS[self.name], self._limit, self._profile))


class _Rates:
    """What the answers teach of the failure rate in each stratum, and how even the draws are to be."""

    def __init__(self, strata: Strata, method: Method, limit: float | None, profile: str | None) -> None:
        self._strata, self._method, self._limit, self._profile = strata, method, limit, profile
        self._answers, self._failures = np.zeros((2, len(strata.weight)))
        self._open: Floats = strata.rows.sizes.copy()
        self._known = 0.0
        self._drawn = 0
        self._rates = failure_rates(strata.doubt, self._answers, self._failures)
        self._even, self._predicting = 1.0, False
        self._learn()

    def learn(self, record: Record, row: int) -> None:
        """Count a label; what was picked by its looks says little of the others."""
        stratum, failed = int(self._strata.rows.group[row]), record.failed
        self._open[stratum] -= 1
        if failed is None:
            return
        self._known += float(self._strata.weight[stratum]) * failed / self._strata.size
        if record.probability is None:
            return
        self._answers[stratum] += 1
        self._failures[stratum] += failed
        self._drawn += 1
        first = failed and self._failures.sum() == 1
        if settled(self._drawn) != self._learnt or first:
            self._learn()

    def _learn(self) -> None:
        """Rates, and how even the draws are to be; from the first uneven or predicting draw on there is no way back."""
        self._learnt = settled(self._drawn)
        if self._method.draws == "fixed":
            self._even, self._predicting = _FIXED_EVEN, True
            return
        self._rates = failure_rates(self._strata.doubt, self._answers, self._failures)
        if not self._failures.any():
            return  # doubt has earned nothing yet: uneven draws and predictions take longer to show that nothing fails
        if self._method.draws == "optimised":
            mass = self._open * self._strata.weight / self._strata.size
            self._even = best_even_share(mass, self._rates, known=self._known, answers=self._drawn, limit=self._limit)
        self._predicting = self._predicting or self._even < 1 or self._method.draws == "even"

    def chances(self, left: Floats) -> Floats:
        """The chance of an item by stratum: as often as operation meets it, and the doubtful ones more often."""
        weight = np.maximum(self._strata.weight, _HARDLY)
        spread = weight * np.sqrt(self._rates * (1 - self._rates))
        chance: Floats = self._even * weight / (left @ weight) + (1 - self._even) * spread / (left @ spread)
        return chance

    def noted(self, draw: Draw, group: int, left: Left, chance: Floats) -> Draw:
        """The draw with its stratum, and with what was predicted of it."""
        return draw._replace(prediction=self._prediction(group, left.groups, chance), note=self._place(group))

    def _place(self, stratum: int) -> Mapping[str, Json]:
        strata = self._strata
        return {
            "profile": self._profile, "stratum": strata.names[stratum], "items": int(strata.rows.sizes[stratum]),
            "place": stratum, "strata": len(strata.names), "span": strata.spans[stratum].tolist(),
        }  # fmt: skip

    def _prediction(self, stratum: int, left: Floats, chance: Floats) -> Prediction | None:
        """What was predicted of this draw and of all that is left, in items of the pool."""
        if not self._predicting and self._profile is None:
            return None
        weight = self._strata.weight
        guess = self._rates if self._method.predicts and self._predicting else np.zeros(len(weight))
        here = left > 0
        return Prediction(
            guess=float(guess[stratum]),
            rest=float(left @ (weight * guess)),
            least=float(np.min((-weight * guess / chance)[here])),
            most=float(np.max((weight * (1 - guess) / chance)[here])),
        )
