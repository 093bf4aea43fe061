"""The likelihood of a sketch in angles, for which 0 and 1 are points like others, and a panel's numbers as angles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ringtrue.judges._evaluation import Evaluation, Floats
from ringtrue.judges.latent._information import order_of

NEAREST = 1e-6
"""The nearest to 0 or pi that an angle comes, a probability of 2.5e-13: there its logarithm is still finite."""

_INSIDE = 0.1
"""Climbs start at least so far from the edges (a probability of 0.0025), where the likelihood may be flat."""

_AT_ONCE = 2**17
"""Numbers held at once while slopes are computed: 1 MB, which stays in a processor's cache."""


class Terms(NamedTuple):
    """Products of chances: sin(angle/2)**2 where `hits` is 1, cos(angle/2)**2 where `misses` is 1.

    Every distribution is broken into yes-or-no steps: the first outcome or another, then the second or another of
    the rest, and so on. Each step has an angle. So the chance of any outcome is such a product.
    """

    hits: Floats
    misses: Floats


def fold_angles(angles: Floats) -> Floats:
    """Return the same probabilities with angles between 0 and pi, off the ends by a hair."""
    within = np.abs(angles)
    return np.clip(np.where(within > np.pi, 2 * np.pi - within, within), NEAREST, np.pi - NEAREST)


def angle(share: float | Floats) -> Floats:
    """Return the angle whose half has this sine squared; from 0 to pi."""
    result: Floats = 2 * np.arcsin(np.sqrt(np.clip(share, 0.0, 1.0)))
    return result


class AngleLikelihood:
    """The log-likelihood of vote patterns if judges err independently, with its slopes, for many points at once.

    The angles are those of the prevalences, then for each judge and true label those of the votes, the right one
    first. For two labels: the prevalence of the first, and each judge's accuracy on either. With
    `prevalence_known` the first of them do not move.

    Reference: Louis, Journal of the Royal Statistical Society B 44 (1982), for the second derivatives.
    """

    def __init__(
        self, patterns: NDArray[np.int64], counts: Floats, labels: int, *, prevalence_known: bool = False
    ) -> None:
        self.counts = counts
        self.labels = labels
        self.judges = patterns.shape[1]
        self.steps = labels - 1
        self.size = self.steps * (1 + self.judges * labels)
        self.frozen = self.steps if prevalence_known else 0
        self.terms = [self._terms(patterns, label) for label in range(labels)]

    def _terms(self, patterns: NDArray[np.int64], label: int) -> Terms:
        hits, misses = np.zeros((2, len(patterns), self.size))
        steps = self.steps
        hits[:, :steps], misses[:, :steps] = self.share_of(label)
        for judge in range(self.judges):
            for place, vote in enumerate(order := order_of(label, self.labels)[:-1]):
                step = steps + (judge * self.labels + label) * steps + place
                hits[:, step] = patterns[:, judge] == vote
                misses[:, step] = (patterns[:, judge] >= 0) & ~np.isin(patterns[:, judge], order[: place + 1])
        return Terms(hits, misses)

    def share_of(self, label: int) -> tuple[Floats, Floats]:
        """Return the steps of the prevalence at which a label is the outcome, and those where it is among the rest."""
        places = np.arange(self.steps)
        return (places == label).astype(float), (places < label).astype(float)

    def angles_of(self, evaluation: Evaluation) -> Floats:
        """Return the angles of an evaluation."""
        rows = [evaluation.prevalence]
        for judge in range(self.judges):
            for label in range(self.labels):
                rows.append(evaluation.confusion[judge, label, order_of(label, self.labels)])
        chances = np.clip(np.array(rows), 0.0, 1.0)
        rest = np.cumsum(chances[:, ::-1], axis=1)[:, ::-1][:, :-1]
        return angle(np.divide(chances[:, :-1], rest, out=np.full(rest.shape, 0.5), where=rest > 0)).ravel()

    def evaluation_at(self, angles: Floats, like: Evaluation, method: str) -> Evaluation:
        """Return the evaluation at a point, with the names of another."""
        yes = np.sin(angles / 2).reshape(-1, self.steps) ** 2
        rest = np.cumprod(1 - yes, axis=1)
        rows = np.concatenate([yes, np.ones((len(yes), 1))], axis=1)
        rows[:, 1:] *= rest
        confusion = np.empty((self.judges, self.labels, self.labels))
        for label in range(self.labels):
            confusion[:, label, order_of(label, self.labels)] = rows[1 + label :: self.labels]
        return Evaluation(like.judges, like.labels, rows[0], confusion, method)

    def start_from(self, angles: Floats, *, toward_middle: float = 0.0) -> Floats:
        """Return points to climb from: off the edges, part of the way to the middle; a known prevalence stays."""
        inside = np.clip(angles, _INSIDE, np.pi - _INSIDE)
        inside += toward_middle * (np.pi / 2 - inside)
        inside[..., : self.frozen] = angles[..., : self.frozen]
        return inside

    def value(self, angles: Floats) -> Floats:
        """Return the log-likelihood at each point, shape (points,)."""
        return self._posterior(angles)[0]

    def _posterior(self, angles: Floats) -> tuple[Floats, Floats]:
        yes, no = np.log(np.sin(angles / 2) ** 2), np.log(np.cos(angles / 2) ** 2)
        logs = np.stack([yes @ hits.T + no @ misses.T for hits, misses in self.terms])
        highest = logs.max(axis=0)
        chances = np.exp(logs - highest)
        total = chances.sum(axis=0)
        return (highest + np.log(total)) @ self.counts, chances / total

    def slopes(self, angles: Floats) -> tuple[Floats, Floats, Floats]:
        """Return first derivatives, and two parts of minus the second: the complete, a diagonal, less the missing one.

        The complete part is what the true labels would tell; it is positive everywhere.
        """
        portion = max(1, _AT_ONCE // (len(self.counts) * self.size))
        parts = [self._slopes(angles[first : first + portion]) for first in range(0, len(angles), portion)]
        first, complete, missing = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        first[:, : self.frozen], complete[:, : self.frozen] = 0.0, 1.0
        missing[:, : self.frozen], missing[:, :, : self.frozen] = 0.0, 0.0
        return first, complete, missing

    def _slopes(self, angles: Floats) -> tuple[Floats, Floats, Floats]:
        _, posterior = self._posterior(angles)
        weights = posterior * self.counts
        hits = sum(weight @ terms.hits for weight, terms in zip(weights, self.terms, strict=True))
        misses = sum(weight @ terms.misses for weight, terms in zip(weights, self.terms, strict=True))
        tangent = np.tan(angles / 2)
        first = hits / tangent - misses * tangent
        complete = (hits / np.sin(angles / 2) ** 2 + misses / np.cos(angles / 2) ** 2) / 2
        each = [t.hits / tangent[:, None] - t.misses * tangent[:, None] for t in self.terms]
        if self.labels == 2:  # the variance of two values, in half the work
            off, weight = each[0] - each[1], weights[0] * posterior[1]
            return first, complete, np.swapaxes(off * weight[:, :, None], 1, 2) @ off
        mean = sum(share[:, :, None] * slope for share, slope in zip(posterior, each, strict=True))
        missing = np.zeros((len(angles), self.size, self.size))
        for weight, slope in zip(weights, each, strict=True):
            off = slope - mean
            missing += np.swapaxes(off * weight[:, :, None], 1, 2) @ off
        return first, complete, missing


class Quantities:
    """Prevalence by label, accuracy by judge and label, overall accuracy by judge: in this order, each as an angle.

    Each is a sum of products of chances; most have one product, an overall accuracy has one for each label.
    """

    def __init__(self, likelihood: AngleLikelihood) -> None:
        judges, labels, steps = likelihood.judges, likelihood.labels, likelihood.steps
        rows = labels + judges * labels + judges
        self.hits, self.misses = np.zeros((2, rows, labels, likelihood.size))
        self.used = np.zeros((rows, labels))
        self.used[:, 0] = 1.0
        self.used[-judges:] = 1.0
        for label in range(labels):
            hits, misses = likelihood.share_of(label)
            self.hits[label, 0, :steps], self.misses[label, 0, :steps] = hits, misses
            self.hits[-judges:, label, :steps], self.misses[-judges:, label, :steps] = hits, misses
            for judge in range(judges):
                right = steps + (judge * labels + label) * steps
                self.hits[labels + judge * labels + label, 0, right] = 1.0
                self.hits[rows - judges + judge, label, right] = 1.0

    def __len__(self) -> int:
        return len(self.hits)

    def at(self, angles: Floats, which: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return one quantity at each point, as an angle, shape (points,), and its slopes, shape (points, angles)."""
        hits, misses = self.hits[which], self.misses[which]
        yes, no, tangent = np.sin(angles / 2) ** 2, np.cos(angles / 2) ** 2, np.tan(angles / 2)
        logs = (hits @ np.log(yes)[:, :, None] + misses @ np.log(no)[:, :, None])[:, :, 0]
        products = np.exp(logs) * self.used[which]
        value = np.clip(products.sum(axis=1), 1e-13, 1 - 1e-13)
        slopes = (products[:, None] @ (hits / tangent[:, None] - misses * tangent[:, None]))[:, 0]
        return angle(value), slopes / np.sqrt(value * (1 - value))[:, None]
