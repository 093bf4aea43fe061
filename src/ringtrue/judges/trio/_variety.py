"""The surface that holds every evaluation of these judges, however correlated: residuals and distance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, TypeAlias

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges._evaluation import Evaluation
from ringtrue.judges.trio._roots import ExactPoint
from ringtrue.judges.trio._surd import Number, Surd
from ringtrue.judges.trio._trio import Trio

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
    """What equations 22 and 23 leave over at a point; exact for exact numbers.

    The first says that a judge votes for a label as often as its accuracies and the prevalence make it, which every
    judge does, whoever it errs with. The second follows from it wherever both labels are there.

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
    """The distance of a trio's solutions from the surface, as the paper's last filter takes it; it is always zero.

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
    """All residuals, in whatever kind of number the arguments are."""
    firsts = [a - (1 - share) for (a, _), share in zip(accuracies, second_shares, strict=True)]
    seconds = [b - share for (_, b), share in zip(accuracies, second_shares, strict=True)]
    single = tuple(
        prevalence * first - (1 - prevalence) * second for first, second in zip(firsts, seconds, strict=True)
    )
    pair = tuple(firsts[i] * seconds[j] - seconds[i] * firsts[j] for i, j in combinations(range(len(firsts)), 2))
    return VarietyResiduals(single, pair)


def _size(residual: Residual) -> float:
    return abs(complex(residual)) if isinstance(residual, Surd) else abs(float(residual))
