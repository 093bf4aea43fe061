"""Encoders and decoders between inputs of many features and a space of few axes: principal components, and a VAE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats


class Latent(Protocol):
    """An encoder and a decoder between inputs of shape (n, features) and a space of few axes, shape (n, axes).

    `encode` gives one point per input, the same each time; `decode` gives an input back, which is rarely the one that
    was encoded. Any object with the two methods will do.
    """

    def encode(self, inputs: Floats) -> Floats: ...

    def decode(self, latents: Floats) -> Floats: ...


def table(name: str, values: ArrayLike) -> Floats:
    """Return finite numbers of shape (rows, columns), or one line that says what they are instead."""
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be numbers of shape (rows, columns): turn other values into numbers") from None
    if found.ndim != 2 or not found.size:
        raise InvalidInput(f"{name} have the shape {found.shape}, not (rows, columns): flatten each input to one row")
    if not np.all(np.isfinite(found)):
        row = int(np.argmin(np.isfinite(found).all(axis=1)))
        raise InvalidInput(f"{name} row {row} holds a value that is not finite: fill it in or leave the row out")
    return found


def encoded(latent: Latent, inputs: Floats) -> Floats:
    """Return the latents of some inputs, one row each."""
    latents = table("encoded latents", latent.encode(inputs))
    if len(latents) != len(inputs):
        raise InvalidInput(f"encode gave {len(latents)} rows for {len(inputs)} inputs: it must give one row per input")
    return latents


def decoded(latent: Latent, latents: Floats, features: int) -> Floats:
    """Return the inputs of some latents, one row each."""
    inputs = table("decoded inputs", latent.decode(latents))
    if inputs.shape != (len(latents), features):
        raise InvalidInput(
            f"decode gave the shape {inputs.shape} for {len(latents)} latents of inputs with {features} features: "
            f"it must give {(len(latents), features)}"
        )
    return inputs


@dataclass(frozen=True, slots=True, eq=False)
class PcaLatent:
    """The plane through `mean` along `components`, shape (axes, features), of unit length and at right angles.

    Distances within the plane are those of the inputs: no axis is rescaled.

    >>> line = PcaLatent.fit([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]], axes=1)
    >>> np.allclose(line.decode(line.encode([[0.5, 1.0]])), [[0.5, 1.0]])
    True
    """

    mean: Floats
    components: Floats

    @classmethod
    def fit(cls, inputs: ArrayLike, *, axes: int) -> PcaLatent:
        """Find the plane of `axes` axes in which `inputs`, shape (n, features), vary most."""
        from sklearn.decomposition import PCA  # here, because it takes longer to load than all else together

        found = table("inputs", inputs)
        most = min(len(found) - 1, found.shape[1])  # so many directions are left once the mean is taken away
        if int(axes) != axes or not 1 <= axes <= most:
            raise InvalidInput(f"axes={axes} must be a whole number in [1, {most}]: inputs {found.shape} have no more")
        # The solver for large tables starts from random numbers; a fixed state keeps the answer a function of inputs.
        fitted = PCA(n_components=axes, random_state=0).fit(found)
        return cls(np.asarray(fitted.mean_, dtype=float), np.asarray(fitted.components_, dtype=float))

    def encode(self, inputs: ArrayLike) -> Floats:
        found: Floats = (np.asarray(inputs, dtype=float) - self.mean) @ self.components.T
        return found

    def decode(self, latents: ArrayLike) -> Floats:
        found: Floats = np.asarray(latents, dtype=float) @ self.components + self.mean
        return found


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
        """Train on inputs. This needs the extra `torch`.

        Equal inputs and seeds give equal weights on one machine.

        Parameters
        ----------
        inputs
            The inputs, (n, features), in [0, 1].
        axes
            The axes of the latent space. Eight are what the paper takes for MNIST.
        epochs, hidden, seed
            How often all inputs are gone through, the width of the hidden layers, and the seed of the training.
        """
        found = table("inputs", inputs)
        for name, number in {"axes": axes, "epochs": epochs, "hidden": hidden}.items():
            if int(number) != number or number < 1:
                raise InvalidInput(f"{name}={number} must be a whole number of at least 1")
        if found.min() < 0 or found.max() > 1:
            raise InvalidInput(f"inputs span [{found.min():g}, {found.max():g}] and must lie in [0, 1]: scale them")
        try:
            from ringtrue.papers.reliability_assessment._vae_training import train
        except ImportError as missing:
            if missing.name != "torch":
                raise
            raise InvalidInput("VaeLatent.fit needs torch, which is not installed: install ringtrue[torch]") from None
        return cls(train(found, (axes, hidden), epochs=epochs, seed=seed))

    def encode(self, inputs: ArrayLike) -> Floats:
        return self._layer("mean", np.maximum(self._layer("hidden", inputs), 0.0))

    def decode(self, latents: ArrayLike) -> Floats:
        found: Floats = expit(self._layer("input", np.maximum(self._layer("unhidden", latents), 0.0)))
        return found

    def _layer(self, name: str, values: ArrayLike) -> Floats:
        matrix, bias = self.weights[name]
        found: Floats = np.asarray(values, dtype=float) @ matrix + bias
        return found
