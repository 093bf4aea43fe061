"""What an encoder and decoder must offer, and the checks of what they give back."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

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
    """Finite numbers of shape (rows, columns), or one line that says what they are instead."""
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
    """The latents of some inputs, one row each."""
    latents = table("encoded latents", latent.encode(inputs))
    if len(latents) != len(inputs):
        raise InvalidInput(f"encode gave {len(latents)} rows for {len(inputs)} inputs: it must give one row per input")
    return latents


def decoded(latent: Latent, latents: Floats, features: int) -> Floats:
    """The inputs of some latents, one row each."""
    inputs = table("decoded inputs", latent.decode(latents))
    if inputs.shape != (len(latents), features):
        raise InvalidInput(
            f"decode gave the shape {inputs.shape} for {len(latents)} latents of inputs with {features} features: "
            f"it must give {(len(latents), features)}"
        )
    return inputs
