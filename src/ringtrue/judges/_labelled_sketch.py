"""Labels beside votes: as arrays, and whether they contradict what was said of the judges without them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from ringtrue.core import ABSTAINED, InvalidInput, Sketch, count, percent
from ringtrue.judges._evaluation import Estimates, Evaluation, Floats, Values
from ringtrue.judges.latent._em import arrays_of


@dataclass(frozen=True, slots=True, eq=False)
class LabelledSketch:
    """Counts of all items by pattern, shape (k,), and of the labelled ones by pattern and label, shape (k, labels).

    The patterns are those of `arrays_of(votes)`.
    """

    votes: Sketch
    patterns: NDArray[np.int64]
    items: Floats
    labelled: Floats

    @classmethod
    def of(cls, sketch: Sketch, truth: str) -> LabelledSketch:
        """Split a sketch at the judge `truth`, whose votes are the labels."""
        place = sketch.place_of(truth)
        if len(sketch.judges) < 2:
            raise InvalidInput(f"truth={truth!r} is the only judge: give the votes of those to be judged, too")
        votes = sketch.without(truth)
        patterns, items = arrays_of(votes)
        where = {tuple(pattern): row for row, pattern in enumerate(patterns.tolist())}
        labelled = np.zeros((len(patterns), len(sketch.labels)))
        for pattern, times in sketch.items():
            if pattern[place] != ABSTAINED:
                labelled[where[pattern[:place] + pattern[place + 1 :]], pattern[place]] += times
        if not labelled.any():
            raise InvalidInput(f"truth={truth!r} has no label at all: label some items, chosen by chance")
        return cls(votes, patterns, items, labelled)

    @property
    def size(self) -> int:
        """The number of items."""
        return self.votes.size

    @property
    def labels(self) -> int:
        """The number of labelled items."""
        return int(self.labelled.sum())

    def ratios(self) -> list[Ratio]:
        """Return every number of the panel as a ratio, in the order of `Estimates.numbers`."""
        labels, every = np.eye(self.labelled.shape[1]), np.ones(self.labelled.shape)
        right = (self.patterns.T[:, :, None] == np.arange(len(labels))).astype(float)
        voted = (self.patterns.T != ABSTAINED)[:, :, None] * every
        judges = [Ratio(*one) for one in zip(right, voted, strict=True)]
        return [
            *(Ratio(every * label, every) for label in labels),
            *(Ratio(one.counts * label, one.of * label) for one in judges for label in labels),
            *judges,
        ]

    def counted(self, ratio: Ratio) -> tuple[int, int]:
        """Count the labelled items that could count, and those that do."""
        could, do = (round(float((self.labelled * part).sum())) for part in (ratio.of, ratio.counts))
        return could, do


@dataclass(frozen=True, slots=True, eq=False)
class Ratio:
    """One number to estimate: the items that count `of` those that could, by pattern and true label, 0 or 1 each."""

    counts: Floats
    of: Floats


@dataclass(frozen=True, slots=True)
class LabelAgreement(Values):
    """A test of an evaluation that was made without labels, by labels.

    `p` is the chance that labels are at least this far from some number of the evaluation although all its numbers
    are right; `what` names the number that is contradicted worst, which was `stated`, and `seen` to be something
    else on `n` labelled items. `tests` is how many numbers were looked at.
    """

    p: float
    what: str
    stated: float
    seen: float
    n: int
    tests: int
    labels: int

    def __str__(self) -> str:
        return (
            f"{self.what} was said to be {percent(self.stated)} and is {percent(self.seen)} on "
            f"{count(self.n, 'labelled item')} (p = {self.p:.2g} for the worst of {count(self.tests, 'number')})"
        )


def agreement_with_labels(
    sketch: Sketch, truth: str, evaluation: Evaluation, *, within: float = 0.0, estimates: Estimates | None = None
) -> LabelAgreement:
    """Test every prevalence and accuracy of an evaluation against the labels in a sketch, a random sample.

    Each number is tested by the exact binomial tails, doubled; the smallest p-value is multiplied by the number of
    tests (Bonferroni). What was not seen on any labelled item is not tested.

    >>> votes = Sketch(["ann", "bob", "truth"], ["no", "yes"], {(1, 1, 1): 10, (0, 1, 1): 10, (0, 0, -1): 80})
    >>> from ringtrue.judges import Evaluation
    >>> good = Evaluation.binary(("ann", "bob"), ("no", "yes"), 0.1, [[0.9, 0.9], [0.9, 0.95]], "example")
    >>> print(agreement_with_labels(votes, "truth", good))
    ann's accuracy on yes was said to be 90% and is 50% on 20 labelled items (p = 4.3e-05 for the worst of 3 numbers)

    Parameters
    ----------
    sketch
        The votes and the labels.
    truth
        The judge whose votes are the labels.
    evaluation
        What was said of the other judges.
    within
        A number that is off by at most so much is not contradicted: with thousands of labels every evaluation is a
        little wrong.
    estimates
        The evaluation's intervals. A number is not contradicted by labels that agree with some value in its interval: a
        judge with a dozen votes may be said to be perfect, give or take a lot.
    """
    if not 0 <= within < 1:
        raise InvalidInput(f"within={within!r} must lie in [0, 1): write 0.05 for five points")
    known = LabelledSketch.of(sketch, truth)
    evaluation.check_panel(known.votes, f"evaluate sketch.without({truth!r})")
    judges, labels = evaluation.judges, evaluation.labels
    names = [f"the share of {label}" for label in labels]
    names += [f"{judge}'s accuracy on {label}" for judge in judges for label in labels]
    numbers = [*evaluation.prevalence.tolist(), *evaluation.accuracies.ravel().tolist()]
    ends: Iterable[tuple[float, float]] = zip(numbers, numbers, strict=True)
    if estimates is not None:
        ends = ((one.low, one.high) for one in estimates.numbers)
    found = []
    for place, (what, stated, (low, high), ratio) in enumerate(zip(names, numbers, ends, known.ratios(), strict=False)):
        if len(labels) == 2 and place == 1:
            continue  # the two shares sum to one: the second says nothing new
        n, k = known.counted(ratio)
        if n and not math.isnan(stated):
            found.append((two_sided(k, n, low - within, high + within), what, stated, k / n, n))
    p, what, stated, seen, n = min(found, key=lambda entry: entry[0])
    return LabelAgreement(min(1.0, p * len(found)), what, stated, seen, n, len(found), known.labels)


def two_sided(k: int, n: int, low: float, high: float) -> float:
    """Double the tail beyond k of n under the nearest chance between two ends."""
    low, high = max(low, 0.0), min(high, 1.0)
    if low <= k / n <= high:
        return 1.0
    # The binomial tails as beta integrals, which take counts of any size.
    tail = betainc(n - k, k + 1, 1 - low) if k / n < low else betainc(k, n - k + 1, high)
    return min(1.0, 2 * float(tail))
