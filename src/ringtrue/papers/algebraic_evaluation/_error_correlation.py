"""With the truth known: how good judges are, how their errors go together, and what that does to estimates."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod
from operator import sub

import numpy as np

from ringtrue.core import ABSTAINED, Argument, InvalidInput, Json, Sketch, count
from ringtrue.judges._evaluation import Evaluation, Floats, Told
from ringtrue.judges._shared_errors import check_binary, correlation_response


@dataclass(frozen=True, slots=True)
class ErrorCorrelations:
    """Joint central moments of being right, by true label, in exact fractions.

    For judges i, j and a true label: the mean, over the items of that label on which both voted, of
    (i is right - how often i is right) times (j is right - how often j is right); for three judges likewise. All are
    zero for judges whose errors are independent on this test. `right`[label] counts the items of a label by who is
    right: 1, 0, or -1 for an abstention.
    """

    judges: tuple[str, ...]
    labels: tuple[str, ...]
    right: tuple[dict[tuple[int, ...], int], ...]

    def items(self, label: str) -> int:
        """Count the items that truly have this label."""
        return sum(self._counts(label).values())

    def accuracy(self, judge: str, label: str) -> Fraction | None:
        """Return a judge's share of right votes on the items of this label; None where it voted on none of them."""
        rows = self._rows((judge,), label)
        return Fraction(rows[1,], sum(rows.values())) if rows else None

    def pair(self, judge: str, other: str, label: str) -> Fraction | None:
        """Return the error correlation of two judges on a label; None where they never voted together on one."""
        return self._moment((judge, other), label)

    def triple(self, judge: str, other: str, third: str, label: str) -> Fraction | None:
        """Return the joint error correlation of three judges on a label."""
        return self._moment((judge, other, third), label)

    def pairs(self, label: str) -> dict[tuple[str, str], Fraction | None]:
        """Return the error correlations of all pairs of judges on a label."""
        return {pair: self._moment(pair, label) for pair in combinations(self.judges, 2)}

    def largest(self) -> tuple[str, str, str, Fraction] | None:
        """Return the two judges and the label with the largest correlation in size, and that correlation."""
        found = [
            (judge, other, label, gamma)
            for label in self.labels
            for (judge, other), gamma in self.pairs(label).items()
            if gamma is not None
        ]
        return max(found, key=lambda entry: abs(entry[3]), default=None)

    def __str__(self) -> str:
        largest = self.largest()
        if largest is None:
            return "no two judges voted together on an item with a known label"
        judge, other, label, gamma = largest
        items = count(self.items(label), "item")
        return f"largest error correlation {float(gamma):+.4f}: {judge} and {other} on {label!r} ({items})"

    def to_json(self) -> dict[str, Json]:
        pairs: list[Json] = [
            [judge, other, label, None if gamma is None else float(gamma)]
            for label in self.labels
            for (judge, other), gamma in self.pairs(label).items()
        ]
        return {
            "sentence": str(self),
            "judges": list(self.judges),
            "labels": list(self.labels),
            "items": [self.items(label) for label in self.labels],
            "pairs": pairs,
        }

    def _moment(self, judges: tuple[str, ...], label: str) -> Fraction | None:
        """Average the product of (right - share right) over the items on which all of these voted."""
        if len(set(judges)) < len(judges):
            raise InvalidInput(Argument("judges", list(judges)), " must be different ones: name each once")
        rows = self._rows(judges, label)
        if not rows:
            return None
        total = sum(rows.values())
        shares = [Fraction(sum(times * row[i] for row, times in rows.items()), total) for i in range(len(judges))]
        away = (times * prod(map(sub, row, shares)) for row, times in rows.items())
        return sum(away, start=Fraction(0)) / total

    def _rows(self, judges: tuple[str, ...], label: str) -> Counter[tuple[int, ...]]:
        """Count the items on which all of these voted, by which of them are right."""
        for judge in set(judges) - set(self.judges):
            raise InvalidInput(f"judge={judge!r} is none of {', '.join(self.judges)}: mend the name")
        places = [self.judges.index(judge) for judge in judges]
        rows: Counter[tuple[int, ...]] = Counter()
        for pattern, times in self._counts(label).items():
            row = tuple(pattern[place] for place in places)
            if ABSTAINED not in row:
                rows[row] += times
        return rows

    def _counts(self, label: str) -> dict[tuple[int, ...], int]:
        if label not in self.labels:
            raise InvalidInput(f"label={label!r} is none of {', '.join(self.labels)}: mend the name")
        return self.right[self.labels.index(label)]


def supervised(sketch: Sketch, truth: str) -> Evaluation:
    """Grade the judges by a truth that is known: `truth` names the judge of the sketch who holds it.

    Items without a truth are left out. A vote's rate is among the items of a true label on which the judge voted.
    `error_correlations` gives the accuracies as exact fractions.

    >>> sketch = Sketch(["ann", "truth"], ["no", "yes"], {(0, 0): 3, (1, 0): 1, (1, 1): 4})
    >>> supervised(sketch, "truth").accuracies.tolist()
    [[0.75, 1.0]]
    """
    parts = [sketch.given(truth, label) for label in sketch.labels]
    total = sum(part.size for part in parts)
    if not total:
        raise InvalidInput(f"truth={truth!r} has labelled no item: give the sketch labelled items")
    judges, r = parts[0].judges if parts else (), len(sketch.labels)
    confusion = np.empty((len(judges), r, r))
    for t, part in enumerate(parts):
        for j, judge in enumerate(judges):
            votes = part.marginal([judge])
            given = [votes[(vote,)] for vote in range(r)]
            if not sum(given):
                raise InvalidInput(
                    f"judge {judge!r} voted on no item that is truly {sketch.labels[t]!r}: its accuracy there is "
                    "undefined; label such items, or leave the judge out"
                )
            confusion[j, t] = [times / sum(given) for times in given]
    prevalence = np.array([part.size / total for part in parts])
    return Evaluation(judges, sketch.labels, prevalence, confusion, "graded by known labels")


def error_correlations(sketch: Sketch, truth: str) -> ErrorCorrelations:
    """Compare the judges' errors on items whose label is known: `truth` names the judge who holds it.

    >>> sketch = Sketch(["ann", "bob", "truth"], ["no", "yes"], {(0, 0, 0): 2, (1, 1, 0): 2, (1, 1, 1): 3})
    >>> correlations = error_correlations(sketch, "truth")
    >>> str(correlations.pair("ann", "bob", "no")), str(correlations.accuracy("ann", "no"))
    ('1/4', '1/2')
    """
    right = []
    for place, label in enumerate(sketch.labels):
        counts: Counter[tuple[int, ...]] = Counter()
        for pattern, times in sketch.given(truth, label).items():
            counts[tuple(ABSTAINED if vote == ABSTAINED else int(vote == place) for vote in pattern)] += times
        right.append(dict(counts))
    judges = tuple(judge for judge in sketch.judges if judge != truth)
    return ErrorCorrelations(judges, sketch.labels, tuple(right))


@dataclass(frozen=True, slots=True, eq=False)
class Bias(Told):
    """Estimate less truth, to first order: of the first label's share, and of the accuracies (judges, 2)."""

    judges: tuple[str, ...]
    labels: tuple[str, ...]
    prevalence: float
    accuracies: Floats

    def __str__(self) -> str:
        return (
            f"correlated errors move the estimated share of {self.labels[0]!r} by about {100 * self.prevalence:+.2f} "
            f"points and an accuracy by up to {100 * np.abs(self.accuracies).max():.2f} points"
        )


def first_order_bias(evaluation: Evaluation, correlations: ErrorCorrelations) -> Bias:
    """Estimate how far estimates that assume independent errors are off, for small error correlations.

    With P the share of the first label, J a judge's skill and G an error correlation on the first or second label,
    the share of three judges moves by the sum over pairs j, k of ((1 - P) G2(jk) - P G1(jk)) / (J_j J_k), plus
    2 ((1 - P) G2(123) - P G1(123)) / (J_1 J_2 J_3). So it grows without limit as a judge nears chance, and for weak
    judges it soon says too much: it is a slope, not a bound. `evaluation` is the truth, or the nearest to it there is.
    With 4 to 12 judges it is the answer of the maximum-likelihood estimates to the pairs alone; correlations of three
    and more judges are left out.

    Reference: Corrada-Emmanuel, Streaming algorithms for evaluating noisy judges on unlabeled data, 2023, section 5,
    which gives the linear term's blind spot; the whole term is worked out here.
    """
    judges = evaluation.judges
    if set(judges) != set(correlations.judges) or evaluation.labels != correlations.labels:
        raise InvalidInput(
            f"the evaluation is of {', '.join(judges)}, the correlations are of {', '.join(correlations.judges)}: give "
            "the same judges and labels to both"
        )
    check_binary(evaluation)
    share, skill = float(evaluation.prevalence[0]), evaluation.skill
    if not 0 < share < 1 or not np.all(skill):
        raise InvalidInput(
            f"prevalence={share} and skill={skill.tolist()} leave the estimates undetermined: both labels must occur "
            "and every judge must differ from chance"
        )
    pairs = [(j, k) for j, k in combinations(range(len(judges)), 2)]
    gammas = np.array(
        [[_defined(correlations.pair(judges[j], judges[k], t), t) for t in evaluation.labels] for j, k in pairs]
    )
    if len(judges) > 3:
        moves = np.einsum("apt,pt->a", correlation_response(evaluation), gammas)
        return Bias(judges, evaluation.labels, float(moves[0]), moves[1:].reshape(2, -1).T)
    one, two, three = judges
    first, second = (_defined(correlations.triple(one, two, three, label), label) for label in evaluation.labels)
    return _trio_bias(evaluation, gammas, (1 - share) * second - share * first)


def _trio_bias(evaluation: Evaluation, gammas: Floats, joint: float) -> Bias:
    """Return the closed form for three judges; `joint` is (1 - P) G2(123) - P G1(123)."""
    share, skill = float(evaluation.prevalence[0]), evaluation.skill
    gamma = {pair: gammas[place] for place, pair in enumerate(((0, 1), (0, 2), (1, 2)))}
    prevalence = 2 * joint / skill.prod()
    accuracies = np.empty((3, 2))
    for i in range(3):
        j, k = (place for place in range(3) if place != i)
        others = gamma[j, k]
        product = skill[j] * skill[k]
        prevalence += ((1 - share) * others[1] - share * others[0]) / product
        own = gamma[min(i, j), max(i, j)] / skill[j] + gamma[min(i, k), max(i, k)] / skill[k]
        odds = (1 - share) / share
        accuracies[i, 0] = own[0] - odds * others[1] * skill[i] / product - joint / (share * product)
        accuracies[i, 1] = own[1] - others[0] * skill[i] / (odds * product) + joint / ((1 - share) * product)
    return Bias(evaluation.judges, evaluation.labels, float(prevalence), accuracies)


def _defined(gamma: Fraction | None, label: str) -> float:
    if gamma is None:
        raise InvalidInput(f"no item truly {label!r} has all the votes: its error correlations are undefined")
    return float(gamma)
