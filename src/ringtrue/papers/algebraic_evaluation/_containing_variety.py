"""The surface that holds every evaluation of these judges, however correlated, and claims held against the votes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from ringtrue.core import InvalidInput, Json, Sketch, percent
from ringtrue.judges._evaluation import Evaluation, Floats, json_of
from ringtrue.judges._invariants import ExactPoint
from ringtrue.judges._labelled_sketch import two_sided
from ringtrue.judges._surd import Number, Surd
from ringtrue.judges._trio import Trio

Residual: TypeAlias = Number | float


@dataclass(frozen=True, slots=True)
class VarietyResiduals:
    """By how much a point misses the surface: zero everywhere on it.

    `single`[judge]: prevalence (a - share of first votes) - (1 - prevalence) (b - share of second votes), for the
    accuracies a and b on the two labels. `pair`, in the order (1, 2), (1, 3), ..., (2, 3), ...: the first judge's a
    term times the second's b term, less the first's b term times the second's a term.
    """

    single: tuple[Residual, ...]
    pair: tuple[Residual, ...]

    @property
    def largest(self) -> float:
        """The largest residual in size."""
        return max(_size(residual) for residual in (*self.single, *self.pair))


def variety_residuals(point: Evaluation | ExactPoint, sketch: Sketch) -> VarietyResiduals:
    """Return what equations 22 and 23 leave over at a point; exact for exact numbers.

    The first says that a judge votes for a label as often as its accuracies and the prevalence make it, which every
    judge does, with any other judge it errs with. The second follows from it wherever both labels are there.

    Reference: Corrada-Emmanuel, Streaming algorithms for evaluating noisy judges on unlabeled data, 2023, section 5.
    """
    if len(sketch.labels) != 2:
        raise InvalidInput(f"the sketch has {len(sketch.labels)} labels, not two: the surface is known for two")
    names = point.judges if isinstance(point, Evaluation) else sketch.judges
    shares = []
    for judge in names:
        votes = sketch.marginal([judge])
        given = votes[(0,)] + votes[(1,)]
        if not given:
            raise InvalidInput(f"judge {judge!r} has not voted: there is nothing to hold its accuracies against")
        shares.append(Fraction(votes[(1,)], given))
    if isinstance(point, Evaluation):
        return _residuals(float(point.prevalence[0]), point.accuracies.tolist(), [float(share) for share in shares])
    return _residuals(point.prevalence, point.accuracies, shares)


def variety_distance(trio: Trio) -> float:
    """Measure a trio's solutions' distance from the surface, as the paper's last filter does; it is always zero.

    The proof is short. A solution for independent errors has a skill J = a + b - 1 per judge, and the judge's share of
    votes for the first label is prevalence a + (1 - prevalence)(1 - b), because the solution explains the votes. So a
    less that share is (1 - prevalence) J, and b less the share of the other votes is prevalence J. Equation 22 then
    reads prevalence (1 - prevalence) J on both sides, and both sides of equation 23 are
    prevalence (1 - prevalence) J J'. This holds for real, complex and meaningless solutions alike. A filter by this
    distance keeps every trio: it is here so that this can be seen. It is worked out in exact numbers.
    """
    points = trio.exact()
    if not points:
        raise InvalidInput(f"the trio has no solution (status {trio.status!r}): look at its status first")
    shares = [Fraction(vote, trio.facts.items) for vote in trio.facts.votes]
    return max(_residuals(point.prevalence, point.accuracies, shares).largest for point in points)


def _residuals(prevalence: Any, accuracies: Iterable[Iterable[Any]], second_shares: Sequence[Any]) -> VarietyResiduals:
    """Return all residuals, in the kind of number that the arguments are."""
    firsts = [a - (1 - share) for (a, _), share in zip(accuracies, second_shares, strict=True)]
    seconds = [b - share for (_, b), share in zip(accuracies, second_shares, strict=True)]
    single = tuple(
        prevalence * first - (1 - prevalence) * second for first, second in zip(firsts, seconds, strict=True)
    )
    pair = tuple(firsts[i] * seconds[j] - seconds[i] * firsts[j] for i, j in combinations(range(len(firsts)), 2))
    return VarietyResiduals(single, pair)


def _size(residual: Residual) -> float:
    return abs(complex(residual)) if isinstance(residual, Surd) else abs(float(residual))


@dataclass(frozen=True, slots=True, eq=False)
class ClaimCheck:
    """The shares of each judge's votes under a claim, and those that were seen: shape (judges, labels).

    `p` is the chance of votes at least so far from the claim in some judge and label, if it were true: small means
    that the claim does not fit. It allows for looking at all judges and labels, and holds whatever the judges'
    errors have in common. A claim that fits is not thereby true: many do.
    """

    judges: tuple[str, ...]
    labels: tuple[str, ...]
    expected: Floats
    observed: Floats
    tails: Floats
    p: float

    def fits(self, *, level: float = 0.95) -> bool:
        """Say whether the claim stands at this level of confidence."""
        return self.p > 1 - level

    def __str__(self) -> str:
        judge, label = np.unravel_index(int(self.tails.argmin()), self.tails.shape)
        return (
            f"under the claim {self.judges[judge]} votes {self.labels[label]!r} on "
            f"{percent(self.expected[judge, label])} of items, and it did on {percent(self.observed[judge, label])} "
            f"(p = {self.p:.3g} over all judges)"
        )

    def to_json(self) -> dict[str, Json]:
        told = json_of(self)
        del told["tails"]
        return {"sentence": str(self), **told}


def check_claim(evaluation: Evaluation, sketch: Sketch) -> ClaimCheck:
    """Hold an evaluation from elsewhere (a vendor's figures, last year's) against the votes, without any labels.

    A judge's votes for a label come from right votes on it and wrong votes on the others, so the prevalences and the
    judge's rates fix their share, also where judges err together. Each share is tested by exact binomial tails, and
    the smallest tail is multiplied by the number of tests. The claim is about the judges in general; a claim about
    these very items must meet the shares exactly, see `variety_residuals`.

    >>> sketch = Sketch.from_cells(["ann", "bob"], ["no", "yes"], [40, 10, 20, 30])
    >>> claim = Evaluation.binary(("ann", "bob"), ("no", "yes"), 0.5, [[0.9, 0.9], [0.9, 0.5]], "brochure")
    >>> print(check_claim(claim, sketch))
    under the claim bob votes 'no' on 70% of items, and it did on 60% (p = 0.084 over all judges)
    """
    if evaluation.labels != sketch.labels:
        raise InvalidInput(
            f"the claim is about {list(evaluation.labels)}, the votes about {list(sketch.labels)}: give both one order"
        )
    n, r = len(evaluation.judges), len(sketch.labels)
    expected = np.clip(np.einsum("t,jtv->jv", evaluation.prevalence, evaluation.confusion), 0, 1)
    observed, tails = np.empty((n, r)), np.empty((n, r))
    for place, judge in enumerate(evaluation.judges):
        votes = sketch.marginal([judge])
        given = [votes[(label,)] for label in range(r)]
        total = sum(given)
        if not total:
            raise InvalidInput(f"judge {judge!r} has not voted: leave it out of the claim")
        observed[place] = np.array(given) / total
        tails[place] = [
            two_sided(seen, total, share, share) for seen, share in zip(given, expected[place], strict=True)
        ]
    tails[:, 1:] = tails[:, :1] if r == 2 else tails[:, 1:]  # one share is the other's complement
    tests = n if r == 2 else n * r
    return ClaimCheck(evaluation.judges, sketch.labels, expected, observed, tails, min(1.0, tests * float(tails.min())))
