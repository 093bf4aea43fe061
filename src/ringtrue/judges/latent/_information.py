"""How much one item tells of a panel: Fisher information of the votes alone, and of the votes with the true label."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.linalg import block_diag

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges._evaluation import Evaluation, Floats, Target
from ringtrue.judges.latent._em import Point, Votes, arrays_of, posterior_of

MOST_CELLS = 2**12
"""Up to so many patterns the votes of a panel are listed; beyond, only those that were seen."""

_EDGE = 1e-9
"""Probabilities nearer to 0 or 1 than this are moved away from it: there a score has no finite value."""


@dataclass(frozen=True, slots=True, eq=False)
class Information:
    """The information that one item holds about the free parameters of an evaluation.

    The parameters are the prevalences of all labels but the last; then for each judge and true label the chances of
    each vote, the right one first, leaving out the last. For two labels: the prevalence of the first label, and each
    judge's accuracy on the first and on the second. `observed` is what the votes tell, `complete` what they would
    tell if the true labels were known; both have the shape (parameters, parameters).

    >>> judges, labels = ("ann", "bob", "cyd"), ("no", "yes")
    >>> panel = Evaluation.binary(judges, labels, 0.3, np.full((3, 2), 0.9), "assumed")
    >>> round(float(information(panel).covariance("in general")[0, 0] / 0.02**2), 1)
    701.1

    References: Louis, Journal of the Royal Statistical Society B 44 (1982); Pepe & Janes, Biostatistics 8 (2007).
    """

    observed: Floats
    complete: Floats
    labels: int
    prevalence_known: bool = False

    def covariance(self, target: Target) -> Floats:
        """Return the covariance of the maximum likelihood estimates, times the number of items.

        In general: estimates around the truth, the inverse of `observed`. On this test: estimates less the values
        realised on these very items, which are the estimates one would have with all labels known. The scores of
        the votes are the expected scores of votes and labels, hence both estimates have the covariance
        inverse `complete`, and the difference has inverse `observed` less inverse `complete`.

        A direction of which the votes tell nothing has a huge variance, never an undefined one.
        """
        free = np.arange(len(self.observed)) >= (self.labels - 1 if self.prevalence_known else 0)
        general = np.zeros_like(self.observed)
        general[np.ix_(free, free)] = self._inverse(free)
        if target == "in general":
            return general
        complete = np.linalg.inv(self.complete)
        shared = general @ self.observed @ complete
        return general + complete - shared - shared.T

    def _inverse(self, free: np.ndarray) -> Floats:
        """Invert `observed` for the free parameters, in units in which `complete` is the unit matrix.

        In these the eigenvalues are the shares of the information that the votes alone retain, between 0 and 1.
        """
        scale = np.linalg.cholesky(np.linalg.inv(self.complete[np.ix_(free, free)]))
        shares, directions = np.linalg.eigh(scale.T @ self.observed[np.ix_(free, free)] @ scale)
        directions = scale @ directions
        inverse: Floats = (directions / np.clip(shares, 1e-12, 1.0)) @ directions.T
        return inverse


def information(evaluation: Evaluation, *, sketch: Sketch | None = None, prevalence_known: bool = False) -> Information:
    """Compute the information per item at an evaluation: expected over all patterns, or observed on a sketch's.

    Expected information needs no votes at all, and serves planning. Give the sketch if judges abstain or if there
    are too many patterns to list. By Louis's identity, either is the complete information less the mean variance of
    the complete score given the votes.
    """
    judges, labels = evaluation.confusion.shape[:2]
    prevalence, confusion = _inside(evaluation.prevalence), _inside(evaluation.confusion)
    if sketch is not None:
        patterns, counts = arrays_of(sketch)
        weights = counts / counts.sum()
    elif labels**judges <= MOST_CELLS:
        patterns, weights = np.array(list(product(range(labels), repeat=judges))), None
    else:
        raise InvalidInput(
            f"{judges} judges with {labels} labels have more than {MOST_CELLS:,} patterns: give the sketch, of which "
            "only the patterns that were seen are used"
        )
    voted = patterns >= 0
    votes = Votes.of(patterns, np.ones(len(patterns)), labels)
    posterior, logs = posterior_of(votes, Point.tabled(prevalence[None], confusion))
    weights = np.exp(logs) if weights is None else weights
    scores = _complete_scores(patterns, prevalence, confusion)
    mean = np.einsum("et,tep->ep", posterior, scores)
    missing = np.zeros((mean.shape[1], mean.shape[1]))
    for label in range(labels):
        off = scores[label] - mean
        missing += (off * (weights * posterior[:, label])[:, None]).T @ off
    complete = _complete_information(prevalence, confusion, (weights[:, None] * voted).T @ posterior)
    return Information(complete - missing, complete, labels, prevalence_known)


def slopes_of(evaluation: Evaluation) -> Floats:
    """Differentiate prevalences, accuracies and overall accuracies by the parameters, one row each.

    In the order: prevalence by label, accuracy by judge and label, overall accuracy by judge.
    """
    judges, labels = evaluation.confusion.shape[:2]
    free = labels - 1
    prevalence = np.zeros((labels, free + judges * labels * free))
    prevalence[:free, :free], prevalence[free, :free] = np.eye(free), -1.0
    rows = np.arange(judges * labels)
    accuracy = np.zeros((len(rows), prevalence.shape[1]))
    accuracy[rows, free + rows * free] = 1.0
    by_label = np.einsum("t,jtp->jp", evaluation.prevalence, accuracy.reshape(judges, labels, -1))
    return np.concatenate([prevalence, accuracy, evaluation.accuracies @ prevalence + by_label])


def order_of(label: int, labels: int) -> list[int]:
    """List the votes on items of a true label, the right one first."""
    return [label, *(other for other in range(labels) if other != label)]


def _inside(chances: Floats) -> Floats:
    kept = np.clip(chances, _EDGE, 1.0)
    inside: Floats = kept / kept.sum(axis=-1, keepdims=True)
    return inside


def _complete_scores(patterns: np.ndarray, prevalence: Floats, confusion: Floats) -> Floats:
    """Return the score of a pattern with its true label, shape (labels, patterns, parameters)."""
    judges, labels = confusion.shape[:2]
    free = labels - 1
    scores = np.zeros((labels, len(patterns), free + judges * labels * free))
    for label in range(labels):
        if label < free:
            scores[label, :, label] = 1 / prevalence[label]
        else:
            scores[label, :, :free] = -1 / prevalence[label]
        *kept, last = order_of(label, labels)
        for judge in range(judges):
            first = free + (judge * labels + label) * free
            chances, votes = confusion[judge, label], patterns[:, judge]
            for place, vote in enumerate(kept):
                scores[label, :, first + place] = (votes == vote) / chances[vote] - (votes == last) / chances[last]
    return scores


def _complete_information(prevalence: Floats, confusion: Floats, voted: Floats) -> Floats:
    """Return multinomial information: of every item on the prevalence, of the share voted on a judge's votes."""
    judges, labels = confusion.shape[:2]
    votes = (
        max(voted[judge, label], _EDGE) * _multinomial(confusion[judge, label, order_of(label, labels)])
        for judge in range(judges)
        for label in range(labels)
    )
    complete: Floats = block_diag(_multinomial(prevalence), *votes)
    return complete


def _multinomial(chances: Floats) -> Floats:
    information: Floats = np.diag(1 / chances[:-1]) + 1 / chances[-1]
    return information
