"""Three judges, any number of labels: confusion matrices from an eigenvalue problem, without iteration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ringtrue.core import InvalidInput, Sketch, count
from ringtrue.judges._evaluation import Evaluation, Floats
from ringtrue.judges.latent._arrays import arrays_of
from ringtrue.judges.latent._naming import named
from ringtrue.stats import generator

METHOD = "independent errors, eigenvectors"

SINGULAR = 1e-12
"""A joint table whose smallest singular value is below this share of its largest cannot be inverted in numbers."""

OUTSIDE = 1e-9
"""By so much a solution may leave [0, 1] and be called rounding."""

MIXTURES = 4
"""How many mixtures of the third judge's labels are drawn besides the plain ones; the clearest one counts."""


@dataclass(frozen=True, slots=True)
class EigenSolution:
    """Prevalences and confusions that solve the equations, with `fault` saying what is wrong with them, if anything."""

    prevalence: Floats
    confusion: Floats
    fault: str | None


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
    solution = solve_eigen(joint_table(sketch))
    if isinstance(solution, str) or solution.fault is not None:
        fault = solution if isinstance(solution, str) else solution.fault
        raise InvalidInput(f"no three judges with independent errors vote so: {fault}: use fit_latent, the nearest fit")
    return named(Evaluation(sketch.judges, sketch.labels, solution.prevalence, solution.confusion, METHOD))


def joint_table(sketch: Sketch) -> Floats:
    """The shares of all patterns of three judges, shape (labels, labels, labels)."""
    patterns, counts = arrays_of(sketch)
    table = np.zeros((len(sketch.labels),) * 3)
    np.add.at(table, tuple(patterns.T), counts)
    return table / max(float(counts.sum()), 1.0)


def solve_eigen(table: Floats) -> EigenSolution | str:
    """The solution with eigenvalues furthest apart, one without fault first; if there is none, a sentence."""
    pair = table.sum(axis=2)
    scale = np.linalg.svd(pair, compute_uv=False)
    if scale[-1] <= SINGULAR * scale[0]:
        return "the joint table of the first two judges is singular, so a judge or a label says nothing"
    inverse = np.linalg.inv(pair)
    best: tuple[tuple[bool, float], EigenSolution] | None = None
    for weights in _mixtures(len(pair)):
        values, vectors = np.linalg.eig(table @ weights @ inverse)
        if np.abs(values.imag).max() > OUTSIDE or np.abs(vectors.sum(axis=0)).min() < SINGULAR:
            continue
        apart = np.diff(np.sort(values.real)).min() / np.ptp(weights)
        solution = _solution(table, pair, (vectors / vectors.sum(axis=0)).real)
        if apart > OUTSIDE and solution is not None:
            rank = (solution.fault is None, float(apart))
            best = (rank, solution) if best is None or rank > best[0] else best
    return "the eigenvalues are not real and different" if best is None else best[1]


def _mixtures(labels: int) -> Iterator[Floats]:
    """Numbers for the third judge's labels: the label's place, each label alone, and some by chance."""
    yield np.arange(labels, dtype=float)
    yield from np.eye(labels)[: labels if labels > 2 else 0]
    for step in range(MIXTURES if labels > 2 else 0):
        yield generator(0, "eigen mixture", step).standard_normal(labels)


def _solution(table: Floats, pair: Floats, first: Floats) -> EigenSolution | None:
    """All parameters, once the first judge's chances of votes (labels, true labels) are known."""
    try:
        prevalence = np.linalg.solve(first, pair.sum(axis=1))
        if np.abs(prevalence).min() <= SINGULAR:
            return None
        second = np.linalg.solve(first, pair) / prevalence[:, None]
        middle = np.linalg.solve(first, np.moveaxis(table, 2, 0)) @ np.linalg.inv(second)
    except np.linalg.LinAlgError:
        return None
    third = np.diagonal(middle, axis1=1, axis2=2).T / prevalence[:, None]
    confusion = np.stack([first.T, second, third])
    low = min(float(prevalence.min()), float(confusion.min()))
    fault = None if low >= -OUTSIDE else f"a probability would be {low:.4g}, below 0"
    return EigenSolution(prevalence, confusion, fault)
