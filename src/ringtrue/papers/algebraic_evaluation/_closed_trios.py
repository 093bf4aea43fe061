"""Three judges in closed form beyond two labels of unknown share: any number of labels, and a share that is known."""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt

import numpy as np

from ringtrue.core import Argument, InvalidInput, Sketch, count, percent
from ringtrue.judges._evaluation import Evaluation, Told
from ringtrue.judges._trio import solve_trio
from ringtrue.judges.latent._em import arrays_of
from ringtrue.judges.latent._latent import naming
from ringtrue.judges.latent._starts import solve_eigen

_METHOD = "independent errors, known prevalence"
_EIGEN = "independent errors, eigenvectors"


@dataclass(frozen=True, slots=True, eq=False)
class KnownPrevalenceTrio(Told):
    """The solution for three judges at a known prevalence, and whether it is the same without it.

    `leftover` is the third moment of the votes less what the solution makes it, and `p` the chance of one so large for
    judges with independent errors at that prevalence, by the normal approximation. It sees correlation that differs
    between the labels, and is blind to correlation alike on both. `evaluation` may have shares outside [0, 1];
    it is None, like the others, where no skills give the judges' agreement, and `reason` says so.
    """

    judges: tuple[str, ...]
    labels: tuple[str, ...]
    prevalence: float
    evaluation: Evaluation | None
    leftover: float | None
    p: float | None
    reason: str

    def __str__(self) -> str:
        where = f"at {percent(self.prevalence)} {self.labels[0]!r}"
        if self.evaluation is None:
            return f"{where} independent errors do not explain the votes: {self.reason}"
        first, second = self.labels
        return f"{where} the accuracies on {first!r}/{second!r} are {self.evaluation.rates} ({self.reason})"


def solve_known_prevalence(sketch: Sketch, prevalence: float) -> KnownPrevalenceTrio:
    """Solve three judges with independent errors at a known share of the first label.

    With w = prevalence (1 - prevalence) and D the covariances of the votes, the skill of judge i is the root of
    D(ij) D(ik) / (w D(jk)), with the sign that makes most judges better than chance. Pairwise preferences shown in
    random order have a share of one half by design; a judge's two accuracies then differ by its bias to a position.

    >>> sketch = Sketch.from_cells(["ann", "bob", "cyd"], ["no", "yes"], [114, 26, 60, 60, 36, 24, 45, 85])
    >>> print(solve_known_prevalence(sketch, 4 / 9))
    at 44.4% 'no' the accuracies on 'no'/'yes' are ann 80%/60%, bob 75%/80%, cyd 90%/70% (the third moment fits, p = 1)
    """
    if not 0 < prevalence < 1:
        raise InvalidInput(Argument("prevalence", prevalence), " must lie between 0 and 1: both labels are needed")
    facts = solve_trio(sketch).facts
    n, spread = facts.items, prevalence * (1 - prevalence)
    pairs = facts.pairs[::-1]  # each at the place of the judge who is not in it
    if pairs[0] * pairs[1] * pairs[2] <= 0:
        reason = "some judges are not related, or disagree though both agree with the third"
        return KnownPrevalenceTrio(sketch.judges, sketch.labels, prevalence, None, None, None, reason)
    covariances = np.array([pair / n**2 for pair in pairs])
    seconds = np.array([vote / n for vote in facts.votes])
    # The product of the pairs is positive, so that either all judges' signs agree or one differs from the other two.
    scale = sqrt(covariances.prod() / spread) * (1 if sum(np.sign(covariances)) > 0 else -1)
    skill = scale / covariances
    rates = np.stack([1 - seconds + (1 - prevalence) * skill, seconds + prevalence * skill], axis=1)
    evaluation = Evaluation.binary(sketch.judges, sketch.labels, prevalence, rates, _METHOD)

    # The third moment of a solution is (2 prevalence - 1) times the scale; its error by the influence of each pattern.
    cells = np.array([count / n for count in sketch.cells()])
    away = np.indices((2, 2, 2)).reshape(3, -1) - seconds[:, None]
    product = away.prod(axis=0)
    triple = facts.triple / n**3
    leftover = triple - (2 * prevalence - 1) * scale
    influence = product - triple - (away * covariances[:, None]).sum(axis=0)
    relative = (product / away / covariances[:, None] - 1).sum(axis=0)
    influence -= (2 * prevalence - 1) * scale * relative / 2
    deviation = sqrt(float(cells @ influence**2) / n)
    p = erfc(abs(leftover) / deviation / sqrt(2)) if deviation else float(leftover == 0)
    fits = "fits" if p > 0.05 else "does not fit"
    reason = f"the third moment {fits}, p = {p:.2g}"
    return KnownPrevalenceTrio(sketch.judges, sketch.labels, prevalence, evaluation, leftover, p, reason)


def eigen_trio(sketch: Sketch) -> Evaluation:
    """Solve the equations of three judges with independent errors on any number of labels.

    Let M be the joint table of the first two judges' votes and M' the same with every item weighted by a number that
    the third judge's vote stands for. Then M' times the inverse of M has the first judge's chances of votes, given
    each true label, as eigenvectors; the rest follows by linear equations. Several weightings are tried and the one
    with the eigenvalues furthest apart is taken. Which eigenvector is which label is told by the greatest sum of
    accuracies. Not the maximum of the likelihood for more than two labels, but near it, and a start for `fit_latent`.

    >>> cells = [114, 26, 60, 60, 36, 24, 45, 85]
    >>> found = eigen_trio(Sketch.from_cells(["ann", "bob", "cyd"], ["no", "yes"], cells))
    >>> found.accuracies.round(9).tolist()
    [[0.8, 0.6], [0.75, 0.8], [0.9, 0.7]]

    References: Leurgans, Ross & Abel, SIAM Journal on Matrix Analysis 14 (1993); Anandkumar et al., Journal of Machine
    Learning Research 15 (2014).
    """
    if len(sketch.judges) != 3:
        raise InvalidInput(
            f"the sketch has {count(len(sketch.judges), 'judge')}, not three: take sketch.marginal() of three, or use "
            "fit_latent for more"
        )
    if sketch.abstentions:
        raise InvalidInput(
            f"{count(sketch.abstentions, 'vote')} missing: use sketch.complete() for the items with all three, or "
            "fit_latent, which takes missing votes"
        )
    patterns, counts = arrays_of(sketch)
    table = np.zeros((len(sketch.labels),) * 3)
    np.add.at(table, tuple(patterns.T), counts)
    solution = solve_eigen(table / max(float(counts.sum()), 1.0))
    if isinstance(solution, str) or solution.fault is not None:
        fault = solution if isinstance(solution, str) else solution.fault
        raise InvalidInput(f"no three judges with independent errors vote so: {fault}: use fit_latent, the nearest fit")
    order = naming(solution.prevalence, solution.confusion)
    return Evaluation(sketch.judges, sketch.labels, solution.prevalence[order], solution.confusion[:, order], _EIGEN)
