"""Two judges, two strata of items with different prevalence: accuracies in closed form, exactly, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, sqrt
from typing import TypeAlias

import numpy as np

from ringtrue.core import Interval, InvalidInput, Sketch, count, percent
from ringtrue.judges._evaluation import Estimates, Evaluation, Floats, Reserve, Told
from ringtrue.judges._invariants import Status
from ringtrue.stats import generator

METHOD = "independent errors in two strata, closed form"

Number: TypeAlias = Fraction | float

_RESAMPLED = 2_000

INTERVAL_METHOD = f"Hui and Walter, bootstrap percentiles, {Reserve.CONDITIONAL.value} and are as good in both strata"


@dataclass(frozen=True, slots=True)
class HuiWalter(Told):
    """The solution for two judges on two strata, if they err independently and equally well in both.

    `prevalences` are the shares of the first label by stratum, `accuracies` the two judges' accuracies on the first
    and the second label: Fractions where the solution is rational, else floats, and None where there is none. The
    status is that of a trio: outside means that a number leaves [0, 1]. Six unknowns meet six free frequencies: a
    solution has shown nothing about independence.
    """

    judges: tuple[str, ...]
    labels: tuple[str, ...]
    status: Status
    reason: str
    prevalences: tuple[Number, ...] | None = None
    accuracies: tuple[tuple[Number, Number], ...] | None = None

    @property
    def valid(self) -> bool:
        """True if there is a solution inside [0, 1]."""
        return self.status in ("ok", "irrational")

    @property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """One evaluation per stratum, with the same accuracies; none where there is no solution inside [0, 1]."""
        if not self.valid or self.prevalences is None or self.accuracies is None:
            return ()
        rates = np.array([[float(rate) for rate in judge] for judge in self.accuracies])
        return tuple(
            Evaluation.binary(self.judges, self.labels, float(share), rates, METHOD) for share in self.prevalences
        )

    def __str__(self) -> str:
        one, other = self.judges
        if not self.evaluations or self.prevalences is None:
            return f"two strata do not tell the accuracies of {one} and {other} ({self.status}): {self.reason}"
        first, second = self.labels
        shares = " and ".join(percent(float(share)) for share in self.prevalences)
        return (
            f"if {one} and {other} err independently and alike in both strata, {shares} of the items are {first!r} and "
            f"the accuracies on {first!r}/{second!r} are {self.evaluations[0].rates} ({self.reason}); two judges "
            "cannot show this"
        )


def hui_walter(first: Sketch, second: Sketch, *, better: str | None = None) -> HuiWalter:
    """Solve for two judges on two labels, from sketches of two strata in which the first label is not equally common.

    Of the votes for the first label, let d1 and d2 be the differences of the two judges' rates between the strata, c1
    and c2 the covariances in the strata, A = c1 / (d1 d2), B = c2 / (d1 d2) and k = 1 + B - A. The difference of the
    prevalences is 1 / sqrt(4 A + k^2), up to its sign; the first prevalence is half of 1 plus k times that; a judge's
    skill is its d over that. The sign is the one that makes the judge named by `better` better than chance, else both
    judges, else the sum of their skills positive.

    >>> first = Sketch.from_cells(["ann", "bob"], ["no", "yes"], [201, 249, 94, 456])
    >>> second = Sketch.from_cells(["ann", "bob"], ["no", "yes"], [372, 228, 118, 282])
    >>> found = hui_walter(first, second)
    >>> [str(share) for share in found.prevalences], [[str(a), str(b)] for a, b in found.accuracies]
    (['3/10', '3/5'], [['4/5', '7/10'], ['3/4', '9/10']])

    Reference: Hui & Walter, Estimating the error rates of diagnostic tests, Biometrics 36 (1980).
    """
    for sketch in (first, second):
        _check(sketch, first)
    judges, labels = first.judges, first.labels
    if better is not None:
        first.place_of(better)
    rates, covariances = zip(*(_moments(sketch) for sketch in (first, second)), strict=True)
    d1, d2 = rates[0][0] - rates[1][0], rates[0][1] - rates[1][1]
    if not d1 or not d2:
        return HuiWalter(judges, labels, *_degenerate(judges, d1, d2, covariances))
    a, b = covariances[0] / (d1 * d2), covariances[1] / (d1 * d2)
    k = 1 + b - a
    square = 4 * a + k * k
    if square <= 0:
        status: Status = "complex" if square < 0 else "empty"
        return HuiWalter(judges, labels, status, "the equations have no real solution: the strata differ in more")
    sign, reason = _sign(judges, d1, d2, better)
    root = _root(square)
    gap: Number = sign / root
    share = (1 + k * gap) / 2
    prevalences = (share, share - gap)
    skills = (d1 / gap, d2 / gap)
    accuracies = tuple(
        (rate + (1 - share) * skill, 1 - rate + share * skill) for rate, skill in zip(rates[0], skills, strict=True)
    )
    outside = [
        value for value in (*prevalences, *(rate for pair in accuracies for rate in pair)) if not 0 <= value <= 1
    ]
    status = "ok" if isinstance(root, Fraction) else "irrational"
    if outside:
        status, reason = "outside", f"a share or accuracy would be {float(outside[0]):.4g}, outside [0, 1]"
    return HuiWalter(judges, labels, status, reason, prevalences, accuracies)


def _check(sketch: Sketch, first: Sketch) -> None:
    if len(sketch.judges) != 2 or len(sketch.labels) != 2:
        raise InvalidInput(
            f"a sketch has {count(len(sketch.judges), 'judge')} and {len(sketch.labels)} labels, not two and two: take "
            "sketch.marginal() of two judges, or use fit_strata"
        )
    if (sketch.judges, sketch.labels) != (first.judges, first.labels):
        raise InvalidInput(
            f"the strata have judges {first.judges} on {first.labels} and {sketch.judges} on {sketch.labels}: give the "
            "same judges and labels in the same order"
        )
    if sketch.abstentions:
        raise InvalidInput(
            f"{count(sketch.abstentions, 'vote')} missing: use sketch.complete() for the items with both votes, or "
            "fit_strata, which takes missing votes"
        )
    if not sketch.size:
        raise InvalidInput("a stratum has no items: give two strata with votes")


def _moments(sketch: Sketch) -> tuple[tuple[Fraction, Fraction], Fraction]:
    """Return the rates of votes for the first label, and their covariance."""
    both, one, other, _ = sketch.cells()
    rates = Fraction(both + one, sketch.size), Fraction(both + other, sketch.size)
    return rates, Fraction(both, sketch.size) - rates[0] * rates[1]


def _degenerate(
    judges: tuple[str, ...], d1: Fraction, d2: Fraction, covariances: tuple[Fraction, ...]
) -> tuple[Status, str]:
    if not d1 and not d2:
        return "unidentified", "both judges vote alike in the two strata: the prevalence must differ between them"
    judge = judges[0] if not d1 else judges[1]
    if any(covariances):
        return "empty", f"{judge} votes the same in both strata, yet its votes go with the other's: that cannot be"
    return "unidentified", f"{judge} says nothing about the labels"


def _sign(judges: tuple[str, ...], d1: Fraction, d2: Fraction, better: str | None) -> tuple[int, str]:
    """Return the sign of the difference of prevalences, and why."""
    if better is not None:
        return (1 if (d1, d2)[judges.index(better)] > 0 else -1), f"{better} is better than chance"
    if (d1 > 0) == (d2 > 0):
        return (1 if d1 > 0 else -1), "both judges are better than chance"
    if d1 + d2:
        return (1 if d1 + d2 > 0 else -1), "one judge is worse than chance, and less so than the other is better"
    return 1, "one judge is worse than chance by as much as the other is better: votes do not tell which"


def _root(square: Fraction) -> Number:
    above, below = isqrt(square.numerator), isqrt(square.denominator)
    exact = above * above == square.numerator and below * below == square.denominator
    return Fraction(above, below) if exact else sqrt(square)


def strata_estimates(
    first: Sketch, second: Sketch, found: HuiWalter, *, level: float = 0.95, seed: int = 0
) -> tuple[Estimates, Estimates]:
    """Estimate both strata in general: intervals are percentiles of the solutions of resampled votes.

    A resample without a solution inside [0, 1] says nothing, so it counts as every value at once: it widens both ends.
    The accuracies are the same in both strata.

    Parameters
    ----------
    first, second
        The votes in the two strata.
    found
        The solution of `hui_walter` for them.
    level
        The level of each interval.
    seed
        The seed of the resamples.
    """
    if not found.valid or found.prevalences is None or found.accuracies is None:
        raise InvalidInput(f"found has no solution ({found.status}): there is nothing to put an interval around")
    rng = generator(seed, "strata")
    cells = [np.array(sketch.cells(), dtype=float) for sketch in (first, second)]
    drawn = [rng.multinomial(int(one.sum()), one / one.sum(), _RESAMPLED) / one.sum() for one in cells]
    solved = _solutions(*drawn, sign=1.0 if found.prevalences[0] > found.prevalences[1] else -1.0)
    given = np.array(
        [float(share) for share in found.prevalences] + [float(a) for pair in found.accuracies for a in pair]
    )
    wrong = ~np.all((solved >= 0) & (solved <= 1), axis=1) | np.isnan(solved).any(axis=1)
    tail = (1 - level) / 2
    low = np.quantile(np.where(wrong[:, None], 0.0, solved), tail, axis=0)
    high = np.quantile(np.where(wrong[:, None], 1.0, solved), 1 - tail, axis=0)
    sizes = (first.size, second.size)
    ends = np.stack([given, np.minimum(low, given), np.maximum(high, given)])
    one, other = (_estimates(first, ends, stratum, sizes, level) for stratum in (0, 1))
    return one, other


def _solutions(one: Floats, other: Floats, *, sign: float) -> Floats:
    """Solve pairs of tables, a row each: prevalences by stratum, accuracies by judge and label; NaN where none is."""
    rates = [np.stack([table[:, 0] + table[:, 1], table[:, 0] + table[:, 2]]) for table in (one, other)]
    covariances = [table[:, 0] - rate[0] * rate[1] for table, rate in zip((one, other), rates, strict=True)]
    gaps = rates[0] - rates[1]
    product = np.where(gaps[0] * gaps[1] == 0, np.nan, gaps[0] * gaps[1])
    k = 1 + (covariances[1] - covariances[0]) / product
    square = 4 * covariances[0] / product + k * k
    gap = sign / np.sqrt(np.where(square > 0, square, np.nan))
    share = (1 + k * gap) / 2
    columns = [share, share - gap]
    for judge in (0, 1):
        skill = gaps[judge] / gap
        columns += [rates[0][judge] + (1 - share) * skill, 1 - rates[0][judge] + share * skill]
    return np.stack(columns, axis=1)


def _estimates(panel: Sketch, ends: Floats, stratum: int, sizes: tuple[int, int], level: float) -> Estimates:
    """Estimate one stratum from the given numbers and their lower and upper ends, a row each."""

    def interval(row: Floats, n: int) -> Interval:
        value, low, high = map(float, row)
        return Interval(value, low, high, level, INTERVAL_METHOD, n)

    share, accuracies = ends[:, stratum], ends[:, 2:]
    given = float(share[0])
    # An overall accuracy is a mix of the two accuracies: between the mixes of their ends.
    overall = accuracies.reshape(3, 2, 2) @ np.array([given, 1 - given])
    numbers = [
        interval(share, sizes[stratum]),
        interval(1 - share[[0, 2, 1]], sizes[stratum]),
        *(interval(column, sum(sizes)) for column in accuracies.T),
        *(interval(column, sizes[stratum]) for column in overall.T),
    ]
    return Estimates.of(panel, numbers, "in general", INTERVAL_METHOD)
