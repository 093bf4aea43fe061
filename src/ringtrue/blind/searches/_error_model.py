"""A probabilistic model of error: the confidence is the prior guess, signals and answers bend it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular
from scipy.spatial.distance import cdist
from scipy.special import expit, log_expit, logit

from ringtrue.blind._checks import Floats, Ints
from ringtrue.blind.searches._editions import JITTER, length_of
from ringtrue.blind.searches._field import Field

SIGNAL_WEIGHTS = {"neighbours": 0.4, "nearness": 0.3, "variations": 0.3, "distance": 0.5}
"""What a signal adds to the log odds of error before any answer; a signal not named here has to earn its weight."""

_LEVEL_VARIANCE = 0.5
_SIGNAL_VARIANCE = 0.2
_LOCAL_VARIANCE = 5.0
"""Prior variances on the scale of log odds. The local one is large because a pocket of confident errors is a jump of
several units; what the search finds on image tasks changes little between 1 and 8."""

SMALLEST_DOUBT = 1e-3
"""Confidences beyond this are taken for rounding: a float32 softmax says exactly 1 about items it gets wrong."""

_ROWS_AT_ONCE = 4096


class ErrorModel:
    """Log odds of error = logit(1 - confidence) + weights . signals + level + a smooth function of the features.

    Weights, level and function are Gaussian beforehand. The smooth function is spanned by the items in `basis`;
    with all answered items in it the model is the exact Gaussian process, for Laplace's approximation.
    """

    def __init__(self, field: Field) -> None:
        n = len(field)
        self.doubt = 1 - field.confidence
        signals = np.array(list(field.signals.values())).reshape(len(field.signals), n)
        prior = np.array([SIGNAL_WEIGHTS.get(name, 0.0) for name in field.signals])
        self.offset = logit(np.clip(self.doubt, SMALLEST_DOUBT, 1 - SMALLEST_DOUBT)) + prior @ signals
        self.linear = np.vstack([np.full(n, _LEVEL_VARIANCE**0.5), _SIGNAL_VARIANCE**0.5 * signals]).T
        self.places = field.features / length_of(field)
        self.prior_variance = np.sum(self.linear**2, axis=1) + _LOCAL_VARIANCE

    def likeness(self, items: Ints, others: Ints) -> Floats:
        """Return prior covariance of the smooth function, (items, others)."""
        squares = cdist(self.places[items], self.places[others], "sqeuclidean")
        return np.asarray(_LOCAL_VARIANCE * np.exp(-0.5 * squares))

    def posterior(self, asked: Ints, wrong: Floats, basis: Ints) -> Posterior:
        """Return what the answers `wrong` about `asked` items leave to believe; a guess in [0, 1] may stand for one."""
        root = cholesky(self.likeness(basis, basis) + JITTER * np.eye(len(basis)), lower=True)
        local = solve_triangular(root, self.likeness(basis, asked), lower=True)
        design = np.hstack([self.linear[asked], local.T])
        weights, factor = laplace(design, self.offset[asked], wrong)
        return Posterior(self, basis, root, weights, factor)


@dataclass(frozen=True, eq=False)
class Posterior:
    """The model after some answers. `local` arguments are likenesses of the basis to the items, (basis, items)."""

    model: ErrorModel
    basis: Ints
    root: Floats
    weights: Floats
    factor: Floats
    """Lower Cholesky factor of the weights' inverse covariance."""

    def means(self, items: Ints, local: Floats) -> Floats:
        """Return mean log odds of error of the items."""
        model, split = self.model, self.model.linear.shape[1]
        pull = solve_triangular(self.root, self.weights[split:], lower=True, trans=1)
        return np.asarray(model.offset[items] + model.linear[items] @ self.weights[:split] + pull @ local)

    def variances(self, items: Ints, local: Floats) -> Floats:
        """Return variance of the log odds of error of the items."""
        spanned = solve_triangular(self.root, local, lower=True)
        design = np.vstack([self.model.linear[items].T, spanned])
        known = np.sum(solve_triangular(self.factor, design, lower=True) ** 2, axis=0)
        return np.asarray(known + np.maximum(_LOCAL_VARIANCE - np.sum(spanned**2, axis=0), 0))

    def chances(self) -> Floats:
        """Return probability of error of every item, in bounded memory."""
        chances = np.empty(len(self.model.doubt))
        for start in range(0, len(chances), _ROWS_AT_ONCE):
            items = np.arange(start, min(start + _ROWS_AT_ONCE, len(chances)))
            local = self.model.likeness(self.basis, items)
            chances[items] = chance(self.means(items, local), self.variances(items, local))
        return chances


def chance(mean: Floats, variance: Floats | float) -> Floats:
    """Return mean of the logistic function of a Gaussian (MacKay, Neural Computation 4, 1992)."""
    return np.asarray(expit(mean / np.sqrt(1 + np.pi * variance / 8)))


def laplace(design: Floats, offset: Floats, wrong: Floats) -> tuple[Floats, Floats]:
    """Return mode of logistic regression weights with standard normal priors, and the factor of the curvature there.

    Newton's method, halving steps that overshoot. By hand because scikit-learn's takes neither an offset nor
    answers between 0 and 1.
    """

    def height(weights: Floats) -> float:
        odds = offset + design @ weights
        return float(wrong @ log_expit(odds) + (1 - wrong) @ log_expit(-odds) - weights @ weights / 2)

    weights = np.zeros(design.shape[1])
    best = height(weights)
    while True:
        chances = expit(offset + design @ weights)
        curvature = np.eye(len(weights)) + (design.T * (chances * (1 - chances))) @ design
        factor = cho_factor(curvature, lower=True)
        step = cho_solve(factor, design.T @ (wrong - chances) - weights)
        reached = height(weights + step)
        while reached < best - 1e-12 and np.max(np.abs(step)) > 1e-9:
            step /= 2
            reached = height(weights + step)
        weights = weights + step
        if reached - best < 1e-9:
            return weights, np.tril(factor[0])
        best = reached
