"""Maximum likelihood over strata: one set of accuracies, a prevalence of its own in each stratum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from ringtrue.core import InvalidInput, Sketch, count, percent
from ringtrue.judges._evaluation import Evaluation, Floats
from ringtrue.judges.latent._climb import highest
from ringtrue.judges.latent._em import Point, Votes, arrays_of, posterior_of
from ringtrue.judges.latent._fit_test import FitTest, expects_enough
from ringtrue.judges.latent._latent import ACCURATE, BETTER, Fit, naming, on_boundary
from ringtrue.judges.latent._starts import starts_of

METHOD = "maximum likelihood, independent errors, alike in all strata"


@dataclass(frozen=True, slots=True, eq=False)
class StrataFit(Fit):
    """The accuracies, shared by all strata, and the prevalences that make the votes most likely.

    `evaluations` has one entry per stratum, all with the same confusions. `test` asks whether the votes contradict
    independent errors that are alike in all strata; two judges in two strata leave nothing to ask.
    """

    evaluations: tuple[Evaluation, ...]
    test: FitTest

    def __str__(self) -> str:
        first = self.evaluations[0].labels[0]
        shares = ", ".join(percent(float(each.prevalence[0])) for each in self.evaluations)
        return (
            f"if the judges err independently and alike in all strata, the votes are likeliest with {shares} {first!r} "
            f"({self.reason}); {self.test}"
        )


def fit_strata(sketches: Sequence[Sketch]) -> StrataFit:
    """Fit two or more strata of items at once, for any number of judges and labels; missing votes are by chance.

    Two judges need two strata with different prevalence (`hui_walter` has the closed form), and three judges gain
    degrees of freedom: two strata have 14 free frequencies for 8 unknowns. G-squared is compared with chi-square if
    all votes are there, no probability is on the boundary, every pattern is expected at least once in every stratum
    and four in five patterns five times; otherwise the fit is not tested.

    >>> cells = [[201, 249, 94, 456], [372, 228, 118, 282]]
    >>> fit = fit_strata([Sketch.from_cells(["ann", "bob"], ["no", "yes"], each) for each in cells])
    >>> fit.evaluations[1].prevalence.round(6), fit.evaluations[1].accuracies.round(6).tolist()
    (array([0.6, 0.4]), [[0.8, 0.7], [0.75, 0.9]])
    """
    _check(sketches)
    judges, labels = sketches[0].judges, sketches[0].labels
    arrays = [arrays_of(sketch) for sketch in sketches]
    patterns, counts = (np.concatenate([each[part] for each in arrays]) for part in (0, 1))
    stratum = np.repeat(np.arange(len(sketches)), [len(sketch) for sketch in sketches])
    votes = Votes.of(patterns, counts, len(labels), stratum=stratum)
    start, top = highest(votes, starts_of(judges, patterns, counts, votes), fixed=False)
    order = naming(top.point.prevalence.mean(axis=0), top.point.by_truth())
    point = Point(top.point.prevalence[:, order], top.point.chance[:, order])
    _, logs = posterior_of(votes, point)
    evaluations = tuple(
        Evaluation(judges, labels, share, point.by_truth().copy(), METHOD) for share in point.prevalence
    )
    boundary = tuple(dict.fromkeys(line for each in evaluations for line in on_boundary(each)))
    return StrataFit(
        evaluations=evaluations,
        log_likelihood=float(counts @ logs),
        path=tuple((np.array(top.path) * (counts @ (votes.weights > 0))).tolist()),
        converged=top.converged,
        start=start,
        on_boundary=boundary,
        reason=BETTER if len(labels) == 2 else ACCURATE,
        test=_test(patterns, counts, stratum, logs, evaluations, on_edge=bool(boundary)),
    )


def _test(
    patterns: NDArray[np.int64],
    counts: Floats,
    stratum: NDArray[np.int64],
    logs: Floats,
    evaluations: tuple[Evaluation, ...],
    *,
    on_edge: bool,
) -> FitTest:
    strata, judges, labels = len(evaluations), patterns.shape[1], len(evaluations[0].labels)
    free = strata * (int(labels**judges) - labels) - judges * labels * (labels - 1)
    if free <= 0:
        few = f"with {count(judges, 'judge')}, {count(labels, 'label')} and {strata} strata the fit cannot be checked"
        return FitTest(None, None, None, f"{few}: there are as many unknowns as frequencies, or more")
    items = np.bincount(stratum, weights=counts)
    if (patterns < 0).any():
        return FitTest(None, None, None, "the fit was not checked: votes are missing")
    if on_edge or not all(
        expects_enough(Point.of(each), judges, size) for each, size in zip(evaluations, items, strict=True)
    ):
        return FitTest(None, None, None, "the fit was not checked: too few items for so many patterns")
    statistic = 2 * float(counts @ (np.log(counts / items[stratum]) - logs))
    return FitTest(statistic, free, float(gammaincc(free / 2, max(statistic, 0.0) / 2)), "G-squared against chi-square")


def _check(sketches: Sequence[Sketch]) -> None:
    if len(sketches) < 2:
        raise InvalidInput(f"sketches has {len(sketches)} of them: give two strata or more, or use fit_latent for one")
    first = sketches[0]
    for sketch in sketches:
        if (sketch.judges, sketch.labels) != (first.judges, first.labels):
            raise InvalidInput(
                f"the strata have judges {first.judges} on {first.labels} and {sketch.judges} on {sketch.labels}: give "
                "the same judges and labels in the same order"
            )
        if sketch.abstentions == sketch.size * len(sketch.judges):
            raise InvalidInput(f"a stratum of {count(sketch.size, 'item')} has no votes: leave it out")
