"""One latent class model for two samples of votes, in which some parts differ between them and the rest is shared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringtrue.core import ABSTAINED, Sketch
from ringtrue.judges._evaluation import Evaluation, Floats
from ringtrue.judges.latent._arrays import arrays_of
from ringtrue.judges.latent._climb import climb
from ringtrue.judges.latent._em import Point, Votes, posterior_of

PREVALENCE = -1
"""Stands for the prevalence where parts are named by a judge's place."""


@dataclass(frozen=True, slots=True, eq=False)
class TwoSampleFit:
    """The likeliest parameters: prevalence (2, labels) and confusion (2, judges, labels, labels), before and since."""

    prevalence: Floats
    confusion: Floats
    log_likelihood: float


class TwoSamples:
    """Two samples of the same judges, to be fitted with any set of parts moving between them.

    A judge who moves is two judges, of whom one never votes in the second sample and the other never in the first.
    """

    def __init__(self, before: Sketch, since: Sketch) -> None:
        old, times = arrays_of(before)
        new, more = arrays_of(since)
        self._patterns = np.concatenate([old, new])
        self._counts = np.concatenate([times, more])
        self._second = np.concatenate([np.zeros(len(old), dtype=np.int64), np.ones(len(new), dtype=np.int64)])
        self._labels = len(before.labels)
        self._judges = len(before.judges)

    def fit(self, moved: frozenset[int], start: Evaluation | TwoSampleFit) -> TwoSampleFit:
        judges = sorted(moved - {PREVALENCE})
        second = self._second[:, None] == 1
        twins = np.where(second, self._patterns[:, judges], ABSTAINED)
        own = self._patterns.copy()
        own[:, judges] = np.where(second, ABSTAINED, own[:, judges])
        stratum = self._second if PREVALENCE in moved else np.zeros_like(self._second)
        votes = Votes.of(np.concatenate([own, twins], axis=1), self._counts, self._labels, stratum=stratum)
        prevalence, confusion = _both(start)
        rows = np.concatenate([confusion[0], confusion[1][judges]])
        point = Point(prevalence[: votes.strata].copy(), rows.transpose(0, 2, 1).reshape(-1, self._labels).copy())
        run = climb(votes, point, fixed=False)
        return self._read(run.point, judges, run.height * self._weight)

    def _read(self, point: Point, judges: list[int], log_likelihood: float) -> TwoSampleFit:
        table = point.chance.reshape(-1, self._labels, self._labels).transpose(0, 2, 1)
        confusion = np.stack([table[: self._judges]] * 2)
        confusion[1][judges] = table[self._judges :]
        return TwoSampleFit(np.broadcast_to(point.prevalence, (2, self._labels)).copy(), confusion, log_likelihood)

    @property
    def _weight(self) -> float:
        """Items with a vote; the others say nothing."""
        return float(self._counts @ (self._patterns != ABSTAINED).any(axis=1))

    def likely_movers(self, shared: TwoSampleFit, most: int) -> list[int]:
        """The judges whose votes differ most between the samples, given what each pattern says of the truth."""
        votes = Votes.of(self._patterns, self._counts, self._labels)
        chance = shared.confusion[0].transpose(0, 2, 1).reshape(-1, self._labels)
        posterior, _ = posterior_of(votes, Point(shared.prevalence[:1], chance))
        weights = self._counts[:, None] * posterior
        # Votes by sample, judge, vote and truth: items that each sample would have if the posterior were the truth.
        said = np.stack([votes.said.T @ np.where(self._second[:, None] == sample, weights, 0.0) for sample in (0, 1)])
        said = said.reshape(2, self._judges, self._labels, self._labels)
        cast = np.maximum(said.sum(axis=2, keepdims=True), 1e-9)
        pooled = said.sum(axis=0) / cast.sum(axis=0)
        variance = np.maximum(pooled * (1 - pooled), 1e-9) * (1 / cast).sum(axis=0)
        score = (np.diff(said / cast, axis=0)[0] ** 2 / variance).sum(axis=(1, 2))
        return [int(judge) for judge in np.argsort(-score, kind="stable")[:most]]


def _both(start: Evaluation | TwoSampleFit) -> tuple[Floats, Floats]:
    if isinstance(start, Evaluation):
        return np.stack([start.prevalence] * 2), np.stack([start.confusion] * 2)
    return start.prevalence, start.confusion
