"""How far decoded inputs are from the data they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringtrue.risk._grid import Floats, Ints
from ringtrue.risk.cells._answers import answers
from ringtrue.risk.cells._shares import Predict
from ringtrue.risk.latent._latent import Latent, decoded


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """What encoding and decoding does to the inputs: what is judged near a decoded input is not judged near data.

    `rms` is the root mean square error over all features and `largest` the largest error of any. `within_radius` is
    the share of inputs that lie in the ball around their own image, `relabelled` the share of inputs whose image the
    model labels otherwise.
    """

    rms: float
    largest: float
    within_radius: float
    relabelled: float

    @classmethod
    def of(
        cls, inputs: Floats, latents: Floats, latent: Latent, radius: float, low: Floats, high: Floats,
        predict: Predict, predicted: Ints, classes: Sequence[Any],
    ) -> Reconstruction:  # fmt: skip
        """Decode the latents of the inputs, cut off at the domain, and ask the model about them once more."""
        again = np.clip(decoded(latent, latents, inputs.shape[1]), low, high)
        farthest = np.abs(again - inputs).max(axis=1)
        return cls(
            rms=float(np.sqrt(np.mean((again - inputs) ** 2))),
            largest=float(farthest.max()),
            within_radius=float(np.mean(farthest <= radius)),
            relabelled=float(np.mean(answers(predict, again, classes) != predicted)),
        )
