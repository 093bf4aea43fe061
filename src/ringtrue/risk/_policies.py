"""Which items to label: all with known chances, evenly or the doubtful ones more often."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit, logit

from ringtrue.core import Draw, InvalidInput, Json, Policy, Prediction, Record, View
from ringtrue.risk._grid import Floats
from ringtrue.risk._strata import Strata
from ringtrue.stats import GroupDraws, Left, Plan, even_draws, settled

SIMPLE, MAP = "simple-random", "map"
"""Even draws, which go by nothing, and picks for a better map: each stands by itself."""


@dataclass(frozen=True, slots=True)
class Method:
    """How items are drawn, and whether what the answers teach is taken out of the noise.

    `draws` is "even", "fixed" (half even, half by the doubt as it was before any label) or "optimised" (as makes the
    bound move fastest, learnt anew as answers come). With `predicts`, a stratum's learnt rate is predicted for each of
    its items and only what it misses is noise: the difference estimator, known as prediction-powered inference.
    """

    draws: Literal["even", "fixed", "optimised"]
    predicts: bool
    says: str


METHODS: Mapping[str, Method] = {
    "stratified": Method("optimised", True, "strata by doubt, drawn as makes the bound move fastest"),
    "importance": Method("fixed", False, "doubtful items drawn more often, and weighted"),
    "prediction-powered": Method("even", True, "even draws, less what was predicted"),
}
"""Methods that go by doubt. A new one is one row here."""


_FIXED_EVEN = 0.5
"""The even share of draws that are never learnt: weights then stay within twice those of uniform draws."""

_HARDLY = 0.02
"""What operation never meets keeps a small chance, so that other questions can use the answers as well."""


class SimpleRandom(Policy):
    """Walks along one random order of the pool and skips what other questions have asked meanwhile."""

    name = "simple-random"
    foresees = True

    def propose(self, view: View, n: int) -> list[Draw]:
        """Propose the next `n` items of the order that were not asked yet."""
        return even_draws(view, n, "risk/simple-random")


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
        """Return the items by stratum."""
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
        self._weight: Floats = np.maximum(strata.weight, _HARDLY)
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
        """Learn the rates, and how even the draws are to be; after the first uneven or predicting draw it stays so."""
        self._learnt, fixed = settled(self._drawn), self._method.draws == "fixed"
        if fixed and self._predicting:
            return
        self._rates = failure_rates(self._strata.doubt, self._answers, self._failures)
        self._spread: Floats = self._weight * np.sqrt(self._rates * (1 - self._rates))
        if fixed:
            self._even, self._predicting = _FIXED_EVEN, True
        if not self._failures.any():
            return  # doubt has earned nothing yet: uneven draws and predictions take longer to show that nothing fails
        if self._method.draws == "optimised":
            mass = self._open * self._strata.weight / self._strata.size
            self._even = _best_even_share(mass, self._rates, known=self._known, answers=self._drawn, limit=self._limit)
        self._predicting = self._predicting or self._even < 1 or self._method.draws == "even"

    def chances(self, left: Floats) -> Floats:
        """Return the chance of an item by stratum: as often as operation meets it, and the doubtful ones more often."""
        weight, spread = self._weight, self._spread
        return self._even * weight / (left @ weight) + (1 - self._even) * spread / (left @ spread)

    def noted(self, draw: Draw, group: int, left: Left, chance: Floats) -> Draw:
        """Return the draw with its stratum, and with what was predicted of it."""
        strata = self._strata
        note: dict[str, Json] = {
            "profile": self._profile,
            "stratum": strata.names[group],
            "items": int(strata.rows.sizes[group]),
            "place": group,
            "strata": len(strata.names),
            "span": strata.spans[group].tolist(),
        }
        return draw._replace(prediction=self._prediction(group, left.groups, chance), note=note)

    def _prediction(self, stratum: int, left: Floats, chance: Floats) -> Prediction | None:
        """Return what was predicted of this draw and of all that is left, in items of the pool."""
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


_SPREAD = np.array([2.0, 0.5])
"""How far the level and the slope of a model's doubt are from the truth: a model may be overconfident sevenfold."""

_STEPS = 12
"""Newton steps; the log posterior is concave, so that a handful suffices."""

_OWN = 4.0
"""A stratum is believed on its own after about as many answers; before that, as the curve has it."""


def failure_rates(doubt: Floats, answers: Floats, failures: Floats) -> Floats:
    """Return the failure rate of each stratum: a logistic curve over the doubt, then each stratum's own answers.

    The curve starts as the doubt itself, level 0 and slope 1 on the log odds, and bends as answers come. Whatever it
    says is only used to choose and to predict: no bound rests on its being right.

    >>> failure_rates(np.array([0.01, 0.5]), np.zeros(2), np.zeros(2)).round(3).tolist()
    [0.01, 0.5]
    """
    design = np.stack([np.ones_like(doubt), logit(doubt)], axis=1)
    start = np.array([0.0, 1.0])
    curve = start.copy()
    for _ in range(_STEPS):
        rate = expit(design @ curve)
        slope = design.T @ (failures - answers * rate) - (curve - start) / _SPREAD**2
        bend = (design.T * (answers * rate * (1 - rate))) @ design + np.diag(1 / _SPREAD**2)
        step = np.linalg.solve(bend, slope)
        curve = curve + step / max(1.0, float(np.abs(step).max()))  # a long step may overshoot where the curve is flat
    return np.asarray((failures + _OWN * expit(design @ curve)) / (answers + _OWN))


EVEN = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)
"""Shares of the drawing that are even; never below a half, so that no answer weighs more than twice a uniform one."""

_STAKES = np.array([0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99])
"""Shares of the largest bet among which the best is taken: the bound plays many at once."""

_NEAREST = 0.1
"""The limit is taken to be at least so far from the rate, as a share of the rate: nearer ones are out of reach."""

_WORTH = 1.1
"""Uneven draws must promise so much more, because even ones have the exact likelihood of the pool to go by."""

_EVIDENCE = 6.0
"""Twice the log evidence that excludes a limit at 95%."""

_SOON = 50
"""Without a claim the bound is aimed at where twice as many answers, and at first so many, may bring it."""


def _best_even_share(mass: Floats, rates: Floats, *, known: float, answers: int, limit: float | None) -> float:
    """Return the even share under which evidence about `limit` is expected to grow fastest.

    The least error of the estimate and the tightest bound want different draws: a bound must also exclude failures
    where none was seen, which takes even ones. `mass` is the share of the population in each stratum that was not asked
    about, `rates` its supposed failure rates, `known` what the answers so far contribute to the rate.

    >>> _best_even_share(np.array([0.9, 0.1]), np.array([1e-4, 1e-4]), known=0.0, answers=0, limit=0.05)
    1.0
    >>> _best_even_share(np.array([0.95, 0.05]), np.array([1e-4, 0.3]), known=0.0, answers=0, limit=0.02)
    0.7

    """
    present = mass > 0
    mass, rates = mass[present], rates[present]
    if len(mass) < 2:
        return 1.0
    rate = known + float(mass @ rates)
    gap = math.sqrt(_EVIDENCE * rate / (2 * (answers + _SOON))) if limit is None else limit - rate
    gap = math.copysign(max(abs(gap), _NEAREST * rate), gap)
    growth = [_growth(mass, rates, even, gap) for even in EVEN]
    return EVEN[int(np.argmax(growth))] if max(growth) > _WORTH * growth[0] else 1.0


def _growth(mass: Floats, rates: Floats, even: float, gap: float) -> float:
    """Return the expected growth per draw of the best bet that the mean is `gap` away, downwards if it is positive.

    A draw falls into a stratum evenly in part, the rest as Neyman allocates it.
    """
    spread = mass * np.sqrt(rates * (1 - rates))
    chance = even * mass / mass.sum() + (1 - even) * spread / spread.sum()
    weight = mass / chance
    failed, passed = weight * (1 - rates), -weight * rates
    if gap > 0:
        position, reach = (failed.max() - failed, failed.max() - passed), failed.max() - gap
    else:
        position, reach = (failed - passed.min(), passed - passed.min()), gap - passed.min()
    if reach <= 0:
        return float("inf")  # the bound is already there
    stake = _STAKES[:, None]
    grown = chance * (
        rates * np.log1p(stake * (position[0] / reach - 1)) + (1 - rates) * np.log1p(stake * (position[1] / reach - 1))
    )
    return float(grown.sum(axis=1).max())
