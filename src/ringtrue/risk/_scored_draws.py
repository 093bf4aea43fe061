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
from ringtrue.stats import generator, settled

Floats = NDArray[np.float64]

_FIXED_EVEN = 0.5
"""The even share of draws that are never learnt: weights then stay within twice those of uniform draws."""

_HARDLY = 0.02
"""What operation never meets keeps a small chance, so that other questions can use the answers as well."""


class ScoredDraws:
    """Draws items without replacement, by strata, with chances that are fixed before each draw and kept with it.

    A draw says what was predicted of it. From that alone the estimator can bet, without knowing the strata; the note
    says which stratum it was. As long as draws are even nothing is predicted, and the exact likelihood of the pool is
    used instead, which is the tighter while nothing has failed: all but the fixed draws begin so, and go by doubt from
    the first failure on, with the evidence earned so far.

    Reference: Neyman, Journal of the Royal Statistical Society 97 (1934), on the allocation.
    """

    def __init__(self, method: str, *, limit: float | None, profile: str | None) -> None:
        self.name = method
        self._method, self._limit, self._profile = METHODS[method], limit, profile
        self._followed: _Followed | None = None

    def propose(self, view: View, n: int) -> list[Draw]:
        """The next items, each with its chance given all before."""
        if self._followed is None or self._followed.records is not view.records:
            self._followed = _Followed(view, self._method, self._limit, self._profile)
        self._followed.advance()
        return self._followed.draws(view, n)


class _Followed:
    """What is left and what was learnt after the records so far. A study's records only grow: they are read once."""

    def __init__(self, view: View, method: Method, limit: float | None, profile: str | None) -> None:
        if not view.scores:
            raise InvalidInput("nothing was prepared to go by: call Study.prepare before asking")
        self.records = view.records
        self._method, self._limit, self._profile = method, limit, profile
        self._strata = Strata.of(view.scores, view.size)
        self._left: Floats = self._strata.rows.sizes.copy()
        self._seen = 0
        self._restart()

    def _restart(self) -> None:
        count = len(self._strata.weight)
        self._answers, self._failures = np.zeros(count), np.zeros(count)
        self._open: Floats = self._strata.rows.sizes.copy()
        self._known = 0.0
        self._closed = self._drawn = 0
        self._given_up: list[Record] = []
        self._rates = failure_rates(self._strata.doubt, self._answers, self._failures)
        self._even, self._predicting = 1.0, False
        self._learn()

    def advance(self) -> None:
        """Take in what was asked and answered since."""
        for record in self.records[self._seen :]:
            if record.responder == "oracle" and record.row is not None:
                self._left[self._strata.rows.group[record.row]] -= 1
        self._seen = len(self.records)
        if any(record.state != "abandoned" for record in self._given_up):
            self._restart()  # answered after all
        while self._closed < len(self.records) and self._read(self.records[self._closed]):
            self._closed += 1

    def _read(self, record: Record) -> bool:
        """Learn from a record; what is still open holds up those after it, so that every process learns the same."""
        if record.responder != "oracle" or record.row is None:
            return True
        if record.state not in ("answered", "abandoned"):
            return False
        stratum = self._strata.rows.group[record.row]
        self._open[stratum] -= 1
        if record.state == "abandoned":
            self._given_up.append(record)
            return True
        failed = bool(record.failed)
        self._known += self._strata.weight[stratum] * failed / self._strata.size
        if record.probability is not None:  # what was picked by its looks says little of the others
            self._answers[stratum] += 1
            self._failures[stratum] += failed
            self._drawn += 1
            first = failed and self._failures.sum() == 1
            if settled(self._drawn) != self._learnt or first:
                self._learn()
        return True

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

    def draws(self, view: View, n: int) -> list[Draw]:
        """The next items; what is taken for them is given back, because the journal has the last word."""
        left, gone = self._left.copy(), set[int]()

        def taken(row: int) -> bool:
            return row in view.asked or row in gone

        found: list[Draw] = []
        # Counted over the whole study: no two questions may draw by the same random number.
        first = len(view.records)
        for step in range(first, first + min(n, view.size - len(view.asked))):
            chance = self._chances(left)
            row = self._strata.rows.draw(left, chance, generator(view.seed, "risk/scored", step), taken)
            stratum = int(self._strata.rows.group[row])
            floor = float(chance[left > 0].min())
            prediction = self._prediction(stratum, left, chance)
            found.append(
                Draw(
                    row=row,
                    probability=float(chance[stratum]),
                    floor=floor,
                    prediction=prediction,
                    note=self._place(stratum),
                )
            )
            gone.add(row)
            left[stratum] -= 1
        return found

    def _chances(self, left: Floats) -> Floats:
        """The chance of an item by stratum: as often as operation meets it, and the doubtful ones more often."""
        weight = np.maximum(self._strata.weight, _HARDLY)
        spread = weight * np.sqrt(self._rates * (1 - self._rates))
        chance: Floats = self._even * weight / (left @ weight) + (1 - self._even) * spread / (left @ spread)
        return chance

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
