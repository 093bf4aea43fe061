"""Three judges, two labels, no known truth: the closed-form solution for judges with independent errors."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

from ringtrue.core import Argument, InvalidInput, Json, Sketch, count, percent
from ringtrue.judges._evaluation import Evaluation, as_json, json_of
from ringtrue.judges._invariants import (
    ExactPoint,
    Invariants,
    Status,
    exact_root,
    float_root,
    invariants,
    majority_root,
    status_of,
)

CONTRADICT = " may contradict each other: give one of them"

_METHOD = "independent errors, closed form"
_PATTERNS = tuple(product((0, 1), repeat=3))


@dataclass(frozen=True)
class Trio:
    """The solutions for three judges, if their errors are independent.

    `facts` are the integers it rests on, `status` is decided by them alone. There are two solutions, one the other's
    `mirror`; `reason` says why one was chosen, or why none. `offender` says in words which judges break it, where the
    status is complex, outside or empty. Seven unknowns meet seven free counts: a trio that is ok has shown nothing
    about independence, for which four judges or more are needed.
    """

    judges: tuple[str, ...]
    labels: tuple[str, ...]
    facts: Invariants
    status: Status
    reason: str
    offender: str | None
    choice: int | None

    @property
    def valid(self) -> bool:
        """True if the solutions are real and inside the unit cube."""
        return self.status in ("ok", "irrational")

    @property
    def quadratic(self) -> tuple[Fraction, Fraction, Fraction]:
        """The coefficients of prevalence^2, prevalence and 1 in the equation whose roots are the two prevalences."""
        items = max(1, self.facts.items)
        square = Fraction(self.facts.hyperdeterminant, items**4)
        pair_12, pair_13, pair_23 = self.facts.pairs
        return square, -square, Fraction(pair_12 * pair_13 * pair_23, items**6)

    @cached_property
    def points(self) -> tuple[Evaluation, ...]:
        """Both solutions where they are real, also outside the unit cube; otherwise none."""
        if not self.valid and self.status != "outside":
            return ()
        return self._point(0), self._point(1)

    @property
    def chosen(self) -> Evaluation | None:
        """The solution that `reason` speaks for; None where there is none inside the unit cube."""
        return None if self.choice is None else self.points[self.choice]

    def exact(self) -> tuple[ExactPoint, ...]:
        """Solve in exact numbers, complex ones too; nothing where the status is empty or unidentified."""
        if self.status in ("empty", "unidentified"):
            return ()
        return exact_root(self.facts, 0), exact_root(self.facts, 1)

    def _point(self, place: int) -> Evaluation:
        return Evaluation.binary(self.judges, self.labels, *float_root(self.facts, place), _METHOD)

    def __str__(self) -> str:
        names = f"{self.judges[0]}, {self.judges[1]} and {self.judges[2]}"
        if self.status == "unidentified":
            return f"many evaluations explain the votes of {names} equally well (unidentified): {self.reason}"
        if self.chosen is None:
            return f"independent errors of {names} do not explain their votes ({self.status}): {self.reason}"
        first, second = self.labels
        return (
            f"if the errors of {names} are independent, {percent(self.chosen.prevalence[0])} of "
            f"{count(self.facts.items, 'item')} are {first!r} and the accuracies on {first!r}/{second!r} are "
            f"{self.chosen.rates} ({self.reason}); three judges cannot show whether they are"
        )

    def to_json(self) -> dict[str, Json]:
        told = {**json_of(self), **{name: as_json(value) for name, value in self.facts._asdict().items()}}
        points: list[Json] = [point.to_json() for point in self.points]
        left = {name: value for name, value in told.items() if name not in ("facts", "slices", "choice")}
        return {"sentence": str(self), "points": points, "chosen": self.choice, **left}


def solve_trio(sketch: Sketch, *, better: str | None = None, prevalence: float | None = None) -> Trio:
    """Solve the equations of three judges with independent errors on two labels, and say which solution to take.

    For votes for the second label, let D(jk) be the covariance of judges j and k, T the third central moment and R a
    square root of T^2 + 4 D(12) D(13) D(23). The share of the first label is (1 + T/R) / 2. Judge i, with j and k the
    others, is right on the first label as often as it votes for it plus (R - T) / (2 D(jk)), and on the second as
    often as it votes for that plus (R + T) / (2 D(jk)). The other sign of R gives the `mirror`.

    By default the solution is chosen in which most judges are better than chance; there is always such a one. `better`
    names a judge known to be; `prevalence` is a rough share of the first label, which tells by its side of one half.

    >>> sketch = Sketch.from_cells(["ann", "bob", "cyd"], ["no", "yes"], [114, 26, 60, 60, 36, 24, 45, 85])
    >>> trio = solve_trio(sketch)
    >>> trio.status, str(trio.exact()[0].prevalence), trio.chosen.accuracies.tolist()
    ('ok', '4/9', [[0.8, 0.6], [0.75, 0.8], [0.9, 0.7]])
    >>> print(trio)
    if the errors of ann, bob and cyd are independent, 44.4% of 450 items are 'no' and the accuracies on 'no'/'yes' \
are ann 80%/60%, bob 75%/80%, cyd 90%/70% (all three judges are better than chance); three judges cannot show whether \
they are

    References: Corrada-Emmanuel, Streaming algorithms for evaluating noisy judges on unlabeled data, 2023 (its Table
    1 prints the root for judges worse than chance); Pepe & Janes, Biostatistics 8, 2007.
    """
    if len(sketch.judges) != 3:
        raise InvalidInput(
            f"the sketch has {count(len(sketch.judges), 'judge')}, not three: take sketch.marginal() of three, or use "
            "fit_latent for more"
        )
    if len(sketch.labels) != 2:
        raise InvalidInput(f"the sketch has {len(sketch.labels)} labels, not two: use eigen_trio for more labels")
    cells = [sketch[pattern] for pattern in _PATTERNS]
    if sum(cells) != sketch.size:
        raise InvalidInput(
            f"{count(sketch.abstentions, 'vote')} missing: use sketch.complete() for the items with all three, or "
            "fit_latent, which takes missing votes"
        )
    if better is not None and prevalence is not None:
        raise InvalidInput(Argument("better", better), " and ", Argument("prevalence", prevalence), CONTRADICT)
    if prevalence is not None and not 0 <= prevalence <= 1:
        raise InvalidInput(
            Argument("prevalence", prevalence), f" must lie in [0, 1]: give the share of {sketch.labels[0]!r}"
        )
    place = None if better is None else sketch.place_of(better)

    facts = invariants(cells)
    status = status_of(facts)
    offender, choice = None, None
    if status not in ("ok", "irrational"):
        reason = explain_failure(facts, status, sketch.judges, sketch.labels)
        offender = None if status == "unidentified" else reason
    elif place is not None:
        choice, reason = int(facts.pairs[2 - place] < 0), f"{better} is better than chance, as stated"
    elif prevalence is not None and facts.triple and prevalence != 0.5:
        choice = int((facts.triple > 0) != (prevalence > 0.5))
        reason = f"of the two solutions its share of {sketch.labels[0]!r} is nearer to the stated {percent(prevalence)}"
    else:
        choice, reason = _majority_choice(facts, sketch.judges)
        if prevalence is not None:
            reason += f"; a share of {percent(prevalence)} does not tell the two solutions apart"
    return Trio(sketch.judges, sketch.labels, facts, status, reason, offender, choice)


def mirror(evaluation: Evaluation) -> Evaluation:
    """Exchange the two labels' truth: the evaluation that explains the same votes.

    Prevalence p becomes 1 - p, accuracies (a, b) become (1 - b, 1 - a). Votes alone cannot tell the two apart.
    """
    if len(evaluation.labels) != 2:
        raise InvalidInput(
            Argument("labels", list(evaluation.labels)), " must be two: more labels have more than one mirror"
        )
    return Evaluation(
        evaluation.judges,
        evaluation.labels,
        evaluation.prevalence[::-1].copy(),
        evaluation.confusion[:, ::-1].copy(),
        f"{evaluation.method}, mirrored",
    )


def _majority_choice(facts: Invariants, judges: tuple[str, ...]) -> tuple[int, str]:
    choice = majority_root(facts)
    signs = [(pair > 0) == (choice == 0) for pair in reversed(facts.pairs)]
    able = [judge for judge, better in zip(judges, signs, strict=True) if better]
    if len(able) == 3:
        return choice, "all three judges are better than chance"
    return choice, f"most judges, {able[0]} and {able[1]}, are better than chance"


def explain_failure(facts: Invariants, status: Status, judges: tuple[str, ...], labels: tuple[str, ...]) -> str:
    """Say why there is no solution to choose, naming the pair or the judge that breaks it."""
    one, two, three = judges
    named = ((one, two, three), (one, three, two), (two, three, one))  # a pair, and who is left
    negative = [names for names, pair in zip(named, facts.pairs, strict=True) if pair < 0]
    unrelated = [names for names, pair in zip(named, facts.pairs, strict=True) if pair == 0]
    if not facts.items:
        return "no item has been counted"
    if len(unrelated) == 3:
        if status == "unidentified":
            return "no two judges are related: only one label is there, or the judges guess"
        return "no two judges are related, yet the three together are"
    if len(unrelated) == 2:
        alone = next(judge for judge in judges if all(judge in names[:2] for names in unrelated))
        if status == "unidentified":
            return f"{alone} is related to no other judge, and two judges are too few"
        return f"{alone} is related to no other judge, yet to what the other two say together"
    if unrelated:
        left, right, other = unrelated[0]
        return f"{left} and {right} are not related, yet both are related to {other}"
    if status == "empty":
        return "the two solutions meet where no judge is better than chance, yet the judges are related"
    if len(negative) == 3:
        return f"{one}, {two} and {three} disagree, each with each other, more than by chance"
    if len(negative) == 1:
        left, right, other = negative[0]
        return f"{left} and {right} disagree more than by chance, yet both agree with {other}"
    return _broken_slice(facts, judges, labels)


def _broken_slice(facts: Invariants, judges: tuple[str, ...], labels: tuple[str, ...]) -> str:
    """Name the vote that most turns round how the other two judges are related."""
    against = {
        (place, vote): -table if pair > 0 else table
        for place, pair in enumerate(reversed(facts.pairs))
        for vote, table in enumerate(facts.slices[place])
    }
    place, vote = max(against, key=against.__getitem__)
    left, right = (judge for judge in judges if judge != judges[place])
    overall, within = ("agree", "disagree") if facts.pairs[2 - place] > 0 else ("disagree", "agree")
    return (
        f"{left} and {right} {overall} more than by chance over all items, but {within} more than by chance where "
        f"{judges[place]} votes {labels[vote]!r}"
    )
