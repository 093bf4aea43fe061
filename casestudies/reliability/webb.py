"""The paper's estimator for images: multilevel splitting in the ball around the decoded corner of a latent cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.papers.reliability_assessment import Unastuteness, webb_splitting
from ringtrue.papers.reliability_assessment._latent_failures import Balls
from ringtrue.stats import generator

Logits = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def margin_over(logits: Logits, label: int) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Return a score that is at least 0 where the model does not answer `label`: the best other logit less its own."""

    def score(inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        said = logits(inputs)
        own = said[:, label].copy()
        said[:, label] = -np.inf
        return said.max(axis=1) - own

    return score


@dataclass(frozen=True)
class WebbBalls:
    """Webb's splitting in the pixels around each cell, with so many particles and moves; it has no limits to give."""

    logits: Logits
    particles: int
    steps: int
    name: str = "webb"

    def __call__(
        self, balls: Balls, steps: NDArray[np.int64], truth: NDArray[np.int64], *, level: float, seed: int
    ) -> Unastuteness:
        del level
        middles = balls.centres(steps, np.zeros(steps.shape))
        share, calls = np.zeros(len(steps)), 0
        for place, (middle, label) in enumerate(zip(middles, truth.tolist(), strict=True)):
            low, high = np.maximum(middle - balls.radius, balls.low), np.minimum(middle + balls.radius, balls.high)
            number = int(generator(seed, "reliability/webb", place).integers(2**31))
            found = webb_splitting(
                margin_over(self.logits, label), low, high, radius=balls.radius, particles=self.particles,
                steps=self.steps, seed=number,
            )  # fmt: skip
            share[place], calls = np.exp(found.log_probability), calls + found.calls
        return Unastuteness(share, np.zeros(len(steps)), np.ones(len(steps)), calls)
