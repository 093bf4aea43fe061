"""Three judges, any number of labels: confusion matrices from an eigenvalue problem, without iteration."""

from __future__ import annotations

import numpy as np

from ringtrue.core import InvalidInput, Sketch, count
from ringtrue.judges._evaluation import Evaluation, Floats
from ringtrue.judges.latent._em import arrays_of
from ringtrue.judges.latent._latent import naming
from ringtrue.judges.latent._starts import solve_eigen

METHOD = "independent errors, eigenvectors"


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
    """Return the shares of all patterns of three judges, shape (labels, labels, labels)."""
    patterns, counts = arrays_of(sketch)
    table = np.zeros((len(sketch.labels),) * 3)
    np.add.at(table, tuple(patterns.T), counts)
    return table / max(float(counts.sum()), 1.0)


def named(evaluation: Evaluation) -> Evaluation:
    """Return the same evaluation with its classes in the order of the labels."""
    order = naming(evaluation.prevalence, evaluation.confusion)
    prevalence, confusion = evaluation.prevalence[order], evaluation.confusion[:, order]
    return Evaluation(evaluation.judges, evaluation.labels, prevalence, confusion, evaluation.method)
