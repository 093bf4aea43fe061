"""A claim about judges, held against their votes: can judges this good, on labels this common, vote like that?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc

from ringtrue.core import InvalidInput, Json, Sketch, percent
from ringtrue.judges._evaluation import Evaluation, Floats


@dataclass(frozen=True, slots=True, eq=False)
class ClaimCheck:
    """How often each judge should vote for each label under a claim, and how often it did: shape (judges, labels).

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
        """Whether the claim stands at this level of confidence."""
        return self.p > 1 - level

    def __str__(self) -> str:
        judge, label = np.unravel_index(int(self.tails.argmin()), self.tails.shape)
        return (
            f"under the claim {self.judges[judge]} votes {self.labels[label]!r} on "
            f"{percent(self.expected[judge, label])} of items, and it did on {percent(self.observed[judge, label])} "
            f"(p = {self.p:.3g} over all judges)"
        )

    def to_json(self) -> dict[str, Json]:
        return {
            "sentence": str(self),
            "judges": list(self.judges),
            "labels": list(self.labels),
            "expected": self.expected.tolist(),
            "observed": self.observed.tolist(),
            "p": self.p,
        }


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
        given = np.array([votes[(label,)] for label in range(r)], dtype=float)
        if not (total := given.sum()):
            raise InvalidInput(f"judge {judge!r} has not voted: leave it out of the claim")
        observed[place] = given / total
        for label in range(r):
            if r == 2 and label == 1:  # one share is the other's complement
                tails[place, 1] = tails[place, 0]
                continue
            share, seen = float(expected[place, label]), float(given[label])
            at_most = betainc(total - seen, seen + 1, 1 - share) if seen < total else 1.0
            at_least = betainc(seen, total - seen + 1, share) if seen else 1.0
            tails[place, label] = min(1.0, 2 * float(min(at_most, at_least)))
    tests = n if r == 2 else n * r
    return ClaimCheck(evaluation.judges, sketch.labels, expected, observed, tails, min(1.0, tests * float(tails.min())))
