"""A classifier and a variational auto-encoder for each image set, trained once and kept beside this file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reliability._data import Images, images
from reliability.networks import load, logits, planes, save, train
from ringtrue.papers.reliability_assessment import VaeLatent

CACHE = Path(__file__).resolve().with_name(".cache")
SEED = 0
AXES = {"MNIST": 8, "CIFAR10": 16}
"""The axes of the latent space, as in the paper."""

_HIDDEN = {"MNIST": 256, "CIFAR10": 384}
_EPOCHS = {"MNIST": 12, "CIFAR10": 30}


@dataclass(frozen=True, eq=False)
class Trained:
    """Images with the model that labels them and what encodes and decodes them.

    `pixels` of the images stand in planes of colours, as the networks want them. `known_as` names the two networks.
    """

    name: str
    images: Images
    latent: VaeLatent
    logits: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    known_as: str

    def predict(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the label of some images."""
        return self.logits(values).argmax(axis=1)

    def wrong(self) -> NDArray[np.bool_]:
        """Return of every image whether the model errs on it."""
        rows = np.arange(len(self.images.labels))
        said = [self.predict(self.images.values(part)) for part in np.array_split(rows, max(1, len(rows) // 5000))]
        return np.concatenate(said) != self.images.labels


@cache
def trained(name: str, shared: Path | None = None) -> Trained:
    """Return the networks of an image set; they are trained first if they are not in the cache."""
    read = images(name, shared)
    of = Images(planes(read.pixels), read.labels, read.training)
    size = of.pixels.shape[1]
    weights, encoder = (CACHE / f"{name}-{kind}.npz" for kind in ("classifier", "vae"))
    if not weights.is_file():
        save(train(read.pixels[: of.training], of.labels[: of.training], SEED), weights)
    if not encoder.is_file():
        fitted = VaeLatent.fit(
            of.values(slice(of.training)), axes=AXES[name], hidden=_HIDDEN[name], epochs=_EPOCHS[name], seed=SEED
        )
        flat = {f"{layer} {part}": array for layer, both in fitted.weights.items() for part, array in enumerate(both)}
        np.savez(encoder, **{key: array.astype(np.float32) for key, array in flat.items()})
    network = load(weights, size)
    with np.load(encoder) as kept:
        layers = sorted({key.split()[0] for key in kept.files})
        latent = VaeLatent({layer: (kept[f"{layer} 0"], kept[f"{layer} 1"]) for layer in layers})
    known_as = hashlib.sha256(weights.read_bytes() + encoder.read_bytes()).hexdigest()[:12]
    return Trained(name, of, latent, lambda values: logits(network, values), known_as)
