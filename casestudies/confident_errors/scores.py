"""What is known of the measured items before anybody is asked about one: the model's answers, signals and distances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confident_errors.measured import BOX, Measured, distances
from confident_errors.trained import Judged
from ringtrue.blind.signals import compact, image_traits, neighbour_scores, principal, variations
from ringtrue.stats import generator

Floats = NDArray[np.float64]

COMPONENTS = 15
"""Principal components in which items are alike, and in which spread is measured; neighbours are sought in 30."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Arrays over the measured items; `boundary` is None where the Boundary Attack was not run."""

    confidence: Floats
    wrong: NDArray[np.bool_]
    features: Floats
    neighbours: Floats
    nearness: Floats
    steadiness: Floats
    traits: Floats
    rays: Measured
    boundary: Measured | None

    def __len__(self) -> int:
        return len(self.confidence)


def scores(of: Judged, items: int, *, attack: bool = True) -> Scores:
    """The scores of the first items of the scope; neighbours are looked for among all test images."""
    measured = of.scope[:items]
    space = principal(compact(of.images), dims=30)
    near = neighbour_scores(space, of.codes, measured, seed=of.seed)
    images = of.images[measured]
    return Scores(
        confidence=of.confidence[measured],
        wrong=of.wrong[measured],
        features=space[measured, :COMPONENTS],
        neighbours=near.disagreement,
        nearness=near.nearness,
        steadiness=_steadiness(of, images),
        traits=np.asarray(image_traits(images)),
        rays=distances("rays", of, len(measured)),
        boundary=distances("boundary", of, len(measured)) if attack else None,
    )


def _steadiness(of: Judged, images: NDArray[np.float32]) -> Floats:
    """The mean logit of the critical class over eight small changes of every image."""
    changed = variations(images, BOX, generator(of.seed, f"variations {of.task.name}"))
    return of.margins(changed.reshape(-1, *images.shape[1:])).reshape(len(changed), len(images)).mean(axis=0)
