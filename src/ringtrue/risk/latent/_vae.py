"""A small variational auto-encoder: torch fits it, plain arrays hold it and numpy runs it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats
from ringtrue.risk.latent._latent import table


@dataclass(frozen=True, slots=True, eq=False)
class VaeLatent:
    """Features - hidden - axes and back, one hidden layer each way, for inputs in [0, 1].

    `weights` are the layers by name, each a matrix of shape (into, out of) and a bias: "hidden" and "mean" encode,
    "unhidden" and "input" decode. They are plain arrays, so `numpy.savez` keeps them and nothing is unpickled.
    An input is encoded as the mean of its latents.

    Reference: Kingma & Welling, Auto-encoding variational Bayes, ICLR 2014.
    """

    weights: dict[str, tuple[Floats, Floats]]

    @classmethod
    def fit(cls, inputs: ArrayLike, *, axes: int = 8, epochs: int = 20, hidden: int = 256, seed: int = 0) -> VaeLatent:
        """Train on `inputs`, shape (n, features), `epochs` times over. Needs the extra `torch`.

        Eight axes are what the paper takes for MNIST. Equal inputs and seeds give equal weights on one machine.
        """
        found = table("inputs", inputs)
        for name, number in {"axes": axes, "epochs": epochs, "hidden": hidden}.items():
            if int(number) != number or number < 1:
                raise InvalidInput(f"{name}={number} must be a whole number of at least 1")
        if found.min() < 0 or found.max() > 1:
            raise InvalidInput(f"inputs span [{found.min():g}, {found.max():g}] and must lie in [0, 1]: scale them")
        try:
            from ringtrue.risk.latent._vae_training import train
        except ImportError as missing:
            if missing.name != "torch":
                raise
            raise InvalidInput("VaeLatent.fit needs torch, which is not installed: install ringtrue[torch]") from None
        return cls(train(found, axes=axes, epochs=epochs, hidden=hidden, seed=seed))

    def encode(self, inputs: ArrayLike) -> Floats:
        return self._layer("mean", np.maximum(self._layer("hidden", inputs), 0.0))

    def decode(self, latents: ArrayLike) -> Floats:
        found: Floats = expit(self._layer("input", np.maximum(self._layer("unhidden", latents), 0.0)))
        return found

    def _layer(self, name: str, values: ArrayLike) -> Floats:
        matrix, bias = self.weights[name]
        found: Floats = np.asarray(values, dtype=float) @ matrix + bias
        return found
