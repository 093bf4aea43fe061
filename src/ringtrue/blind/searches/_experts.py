"""Several models of error that trust different things beforehand, each weighted by how well it foretold the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve, solve_triangular
from scipy.spatial.distance import cdist
from scipy.special import expit, log_expit, logit

from ringtrue.blind._checks import Bools, Floats, Ints
from ringtrue.blind.searches._editions import JITTER, length_of
from ringtrue.blind.searches._error_model import SIGNAL_WEIGHTS, SMALLEST_DOUBT, chance, laplace
from ringtrue.blind.searches._field import Field


class Trust(NamedTuple):
    """What one model believes before any answer; variances are on the scale of log odds.

    Log odds of error = base + weights . signals + level + slope . standardised base + a smooth function of the
    features. The base is logit(1 - confidence); `neighbours` is the share in it of the log odds that neighbours are
    answered differently. Weights begin at `signals` times `SIGNAL_WEIGHTS`, all else at 0.
    """

    neighbours: float
    signals: float
    weight: float
    level: float
    slope: float
    local: float


TRUSTS = (
    Trust(neighbours=0.0, signals=1.0, weight=0.2, level=0.5, slope=0.0, local=5.0),
    Trust(neighbours=0.0, signals=0.0, weight=0.0, level=1.0, slope=1.0, local=0.0),
    Trust(neighbours=0.0, signals=0.0, weight=1.0, level=1.0, slope=1.0, local=1.0),
    Trust(neighbours=0.5, signals=0.0, weight=0.2, level=1.0, slope=1.0, local=1.0),
)
"""One goes by the signals as they helped on other tasks, and by pockets of errors; one by the confidence alone; one
learns all weights from the answers; one goes by the neighbours as they are. Chosen on the tuning tasks of
`benchmarks/blind_tasks.py`."""

CONFIDENCE_ALONE = 1
"""The place in `TRUSTS` of the model that goes by the confidence alone."""

MOST_BENT = 200
"""Answers at which the smooth function can bend; beyond these, errors alone, half as many again."""


class Prior:
    """One model before the first answer: its log odds of error for every item, and what can move them together."""

    def __init__(self, trust: Trust, field: Field) -> None:
        odds = logit(np.clip(1 - field.confidence, SMALLEST_DOUBT, 1 - SMALLEST_DOUBT))
        if field.disagreement is not None:
            # Of twenty neighbours, as if half of one more was answered differently.
            odds = (1 - trust.neighbours) * odds + trust.neighbours * logit((20 * field.disagreement + 0.5) / 21)
        signals = np.array(list(field.signals.values())).reshape(len(field.signals), len(field))
        weights = np.array([SIGNAL_WEIGHTS.get(name, 0.0) for name in field.signals])
        self.offset: Floats = odds + trust.signals * weights @ signals
        spread = float(odds.std())
        parts = [
            (trust.level, np.ones(len(field))),
            (trust.slope, (odds - odds.mean()) / (spread if spread > JITTER else 1.0)),
            *((trust.weight, signal) for signal in signals),
        ]
        self.linear: Floats = np.stack([np.sqrt(size) * part for size, part in parts if size], axis=1)
        self.local = trust.local

    def chances(self) -> Floats:
        """Return the chance of error of every item before the first answer."""
        return chance(self.offset, np.sum(self.linear**2, axis=1) + self.local)


class Bends:
    """Where the smooth functions can bend: a basis of answered items, and what each spans of every candidate.

    The basis is orthogonal, each item less what those before it span, and only grows: an answer adds one row.
    """

    def __init__(self, places: Floats, candidates: Ints) -> None:
        self._places, self._at = places, places[candidates]
        self.basis: list[int] = []
        self._root = np.zeros((0, 0))
        self._rows = self._squares = np.zeros((0, len(candidates)))

    @property
    def spanned(self) -> Floats:
        """Return what the basis spans of the candidates, (basis, candidates)."""
        return self._rows[: len(self.basis)]

    @property
    def squares(self) -> Floats:
        """Return the squares of that: shares of the variance of a candidate."""
        return self._squares[: len(self.basis)]

    def likeness(self, item: int) -> Floats:
        """Return how like an item the candidates are, from 0 to 1."""
        return np.asarray(np.exp(-0.5 * cdist(self._places[[item]], self._at, "sqeuclidean")[0]))

    def of(self, items: Ints) -> Floats:
        """Return what the basis spans of some items, (basis, items)."""
        if not self.basis:
            return np.zeros((0, len(items)))
        alike = np.exp(-0.5 * cdist(self._places[self.basis], self._places[items], "sqeuclidean"))
        count = len(self.basis)
        return np.asarray(solve_triangular(self._root[:count, :count], alike, lower=True))

    def to(self, basis: list[int]) -> None:
        """Make this the basis: what it begins with in common with the last one is kept."""
        same = 0
        while same < min(len(basis), len(self.basis)) and basis[same] == self.basis[same]:
            same += 1
        self.basis = self.basis[:same]
        for item in basis[same:]:
            self._add(item)

    def _add(self, item: int) -> None:
        count = len(self.basis)
        if count == len(self._rows):
            room = np.empty((max(16, count), self._rows.shape[1]))
            self._rows, self._squares = np.vstack([self._rows, room]), np.vstack([self._squares, room])
            self._root = np.pad(self._root, (0, len(room)))
        own = self.of(np.array([item]))[:, 0]
        last = np.sqrt(1 + JITTER - own @ own)
        row = (self.likeness(item) - own @ self._rows[:count]) / last
        self._rows[count], self._squares[count] = row, row * row
        self._root[count, :count], self._root[count, count] = own, last
        self.basis.append(item)


@dataclass(frozen=True, eq=False)
class Fit:
    """One model after some answers: the mode of its weights, linear ones first, with their covariance around it."""

    weights: Floats
    covariance: Floats
    evidence: float


class Experts:
    """Several models of error on one pool, and what the answers leave of each.

    The candidates are the items for which the smooth functions are worked out; of the others the linear part alone.
    The share of a model is the one `before` any answer, times the probability that it gave to the answers by Laplace's
    approximation. The log loss of the mixture is then at most that of the best model less the log of its share before,
    whatever was asked.
    """

    def __init__(self, field: Field, candidates: Ints, priors: list[Prior], before: tuple[float, ...]) -> None:
        self.priors, self._candidates, self._before = priors, candidates, np.log(before)
        self.bends = Bends(field.features / length_of(field), candidates)
        self._offsets = [prior.offset[candidates] for prior in priors]
        self._linear = [prior.linear[candidates] for prior in priors]
        self._fits: list[Fit] = []
        self._means: list[Floats] = []
        self.shares: Floats = np.zeros(0)
        self.each: list[Floats] = []
        self.chances: Floats = np.zeros(0)
        """Of error, for every candidate: by each of the models, and by all."""
        self._likely: Floats | None = None

    def learn(self, asked: Ints, wrong: Bools) -> None:
        """Take these answers for all there are."""
        self._likely = None
        self.bends.to(bent(asked, wrong))
        local, truth = self.bends.of(asked), wrong.astype(np.float64)
        self._fits = [_fitted(prior, asked, local, truth) for prior in self.priors]
        logs = self._before + np.array([fit.evidence for fit in self._fits])
        self.shares = np.exp(logs - logs.max())
        self.shares /= self.shares.sum()
        self._means, self.each = [], []
        for prior, fit, offset, linear, (bend, known) in zip(
            self.priors, self._fits, self._offsets, self._linear, self._bent(), strict=True
        ):
            split = linear.shape[1]
            self._means.append(offset + linear @ fit.weights[:split] + bend)
            variance = np.sum((linear @ fit.covariance[:split, :split]) * linear, axis=1)
            self.each.append(chance(self._means[-1], variance + prior.local - known))
        self.chances = self._mixed(self.each)

    @property
    def trusted(self) -> float:
        """Return how far the confidence alone is trusted: the share of the model that goes by it."""
        return float(self.shares[CONFIDENCE_ALONE])

    def _bent(self) -> list[tuple[Floats, Floats]]:
        """Return by how much each model's smooth function moves the candidates, and of how much variance it is sure.

        Without the covariances of its weights, which are orthogonal beforehand: they would cost the square of the
        answers for each candidate.
        """
        counts = [prior.linear.shape[1] for prior in self.priors]
        sizes = [prior.local for prior in self.priors]
        moved = np.array([
            np.sqrt(size) * (fit.weights[split:] if size else np.zeros(len(self.bends.basis)))
            for size, split, fit in zip(sizes, counts, self._fits, strict=True)
        ])  # fmt: skip
        sure = np.array([
            size * (1 - np.diag(fit.covariance)[split:] if size else np.zeros(len(self.bends.basis)))
            for size, split, fit in zip(sizes, counts, self._fits, strict=True)
        ])  # fmt: skip
        return list(zip(moved @ self.bends.spanned, sure @ self.bends.squares, strict=True))

    def likely(self) -> Floats:
        """Return the chance of error of every item at the likeliest weights: quick, for what must be had of all.

        It is worked out once for all random draws until the models learn again: of a large pool it costs more than a
        pick.
        """
        if self._likely is None:
            found = []
            for prior, fit, mean in zip(self.priors, self._fits, self._means, strict=True):
                if len(mean) < len(prior.offset):
                    every = prior.offset + prior.linear @ fit.weights[: prior.linear.shape[1]]
                    every[self._candidates] = mean
                    found.append(expit(every))
                else:
                    found.append(expit(mean))
            self._likely = self._mixed(found)
            self._likely.flags.writeable = False
        return self._likely

    def _mixed(self, chances: list[Floats]) -> Floats:
        return np.asarray(self.shares @ np.array(chances))


def bent(asked: Ints, wrong: Bools) -> list[int]:
    """Return the answered items at which a smooth function can bend; with more answers, more of them or the same.

    >>> len(bent(np.arange(250), np.arange(250) >= 240))
    210
    """
    later = asked[MOST_BENT:][wrong[MOST_BENT:]][: MOST_BENT // 2]
    chosen: list[int] = np.concatenate([asked[:MOST_BENT], later]).tolist()
    return chosen


def _fitted(prior: Prior, asked: Ints, local: Floats, wrong: Floats) -> Fit:
    design = prior.linear[asked]
    if prior.local:
        design = np.hstack([design, np.sqrt(prior.local) * local.T])
    offset = prior.offset[asked]
    weights, factor = laplace(design, offset, wrong)
    odds = offset + design @ weights
    height = wrong @ log_expit(odds) + (1 - wrong) @ log_expit(-odds) - weights @ weights / 2
    covariance = cho_solve((factor, True), np.eye(len(weights)))
    return Fit(weights, covariance, float(height - np.log(np.diag(factor)).sum()))
