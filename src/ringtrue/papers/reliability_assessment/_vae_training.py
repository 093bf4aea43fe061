"""Training of the variational auto-encoder. The one file that needs torch: import it only to train."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

from ringtrue.risk._grid import Floats
from ringtrue.stats import generator

Layer: TypeAlias = tuple[torch.Tensor, torch.Tensor]
"""A matrix of shape (into, out of) and a bias."""

_BATCH = 128
_RATE = 1e-3
"""Batch size and Adam's step: the usual ones for networks of this size."""


def train(inputs: Floats, sizes: tuple[int, int], *, epochs: int, seed: int) -> dict[str, tuple[Floats, Floats]]:
    """Train weights that minimise cross entropy of the decoded inputs plus the divergence of latents from normal ones.

    `sizes` are the axes of the latent space and the width of the hidden layers. It runs in one thread, because sums
    over several threads round differently from run to run; how many threads torch had before is restored. No randomness
    comes from torch's own state.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _train(inputs, *sizes, epochs, seed)
    finally:
        torch.set_num_threads(threads)


def _train(inputs: Floats, axes: int, hidden: int, epochs: int, seed: int) -> dict[str, tuple[Floats, Floats]]:
    features, start = inputs.shape[1], generator(seed, "vae/weights")
    shapes = {"hidden": (features, hidden), "mean": (hidden, axes), "spread": (hidden, axes)}
    shapes |= {"unhidden": (axes, hidden), "input": (hidden, features)}
    layers = {name: _layer(*shape, start) for name, shape in shapes.items()}
    adam = torch.optim.Adam([part for layer in layers.values() for part in layer], lr=_RATE)
    data = torch.from_numpy(inputs.astype(np.float32))
    for epoch in range(epochs):
        chance = generator(seed, "vae/epoch", epoch)
        for rows in torch.from_numpy(chance.permutation(len(inputs))).split(_BATCH):
            noise = torch.from_numpy(chance.standard_normal((len(rows), axes), dtype=np.float32))
            adam.zero_grad()
            _loss(layers, data[rows], noise).backward()
            adam.step()
    kept = ("hidden", "mean", "unhidden", "input")
    return {name: _plain(layers[name]) for name in kept}


def _loss(layers: dict[str, Layer], batch: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
    def through(name: str, values: torch.Tensor) -> torch.Tensor:
        matrix, bias = layers[name]
        return torch.addmm(bias, values, matrix)

    seen = through("hidden", batch).relu()
    mean, log_variance = through("mean", seen), through("spread", seen)
    latents = mean + noise * (log_variance / 2).exp()
    again = through("input", through("unhidden", latents).relu())
    divergence = (mean.square() + log_variance.exp() - 1 - log_variance).sum() / 2
    return (cross_entropy(again, batch, reduction="sum") + divergence) / len(batch)


def _layer(into: int, out_of: int, start: np.random.Generator) -> Layer:
    """Make a layer as torch itself would start it, uniform within one over the root of its inputs."""
    bound = into**-0.5
    matrix = start.uniform(-bound, bound, (into, out_of)).astype(np.float32)
    return torch.from_numpy(matrix).requires_grad_(), torch.zeros(out_of, requires_grad=True)


def _plain(layer: Layer) -> tuple[Floats, Floats]:
    matrix, bias = (part.detach().numpy().astype(float) for part in layer)
    return matrix, bias
