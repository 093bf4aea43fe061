"""Small fully connected networks: fitted with torch, and kept and evaluated as plain arrays without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ACTIVATIONS: Mapping[str, Callable[[Floats], Floats]] = {"relu": lambda values: np.maximum(values, 0), "tanh": np.tanh}


@dataclass(frozen=True, eq=False)
class Network:
    """Layers of weights (out, in) and biases, with an activation between them."""

    activation: str
    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]

    def predict(self, points: Floats) -> Floats:
        """Outputs at the points, one to a row."""
        values = np.asarray(points, dtype=float)
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            values = values @ weight.T + bias
            if layer < len(self.weights) - 1:
                values = ACTIVATIONS[self.activation](values)
        return values

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, *self.weights, *self.biases, activation=self.activation)


def load(path: Path) -> Network:
    with np.load(path, allow_pickle=False) as stored:
        layers = [stored[f"arr_{place}"] for place in range(len(stored.files) - 1)]
        half = len(layers) // 2
        return Network(str(stored["activation"]), tuple(layers[:half]), tuple(layers[half:]))


def train(
    points: Floats, outputs: Floats, hidden: Sequence[int], *, activation: str = "relu", dropout: float = 0.0,
    batch: int, epochs: int, seed: int, cooling: bool = False,
) -> Network:  # fmt: skip
    """Fit by Adam to the mean squared error, with dropout before the last layer.

    With `cooling` the learning rate falls to zero along a cosine. The same data and seed give the same network.
    """
    import torch
    from torch import nn

    torch.set_num_threads(1)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        between = {"relu": nn.ReLU, "tanh": nn.Tanh}[activation]
        linear = [nn.Linear(*sizes) for sizes in pairwise((points.shape[1], *hidden, outputs.shape[1]))]
        network = nn.Sequential(
            *(step for layer in linear[:-1] for step in (layer, between())), nn.Dropout(dropout), linear[-1]
        )
        optimiser = torch.optim.Adam(network.parameters(), fused=True)  # fused: a step in one call, for tiny batches
        rate = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs if cooling else 10**9)
        inputs, targets = (torch.from_numpy(np.asarray(each, dtype=np.float32)) for each in (points, outputs))
        for _ in range(epochs):
            for part in torch.randperm(len(inputs)).split(batch):
                optimiser.zero_grad()
                nn.functional.mse_loss(network(inputs[part]), targets[part]).backward()
                optimiser.step()
            rate.step()
    arrays = [[values.detach().numpy().astype(float) for values in (each.weight, each.bias)] for each in linear]
    weights, biases = zip(*arrays, strict=True)
    return Network(activation, weights, biases)
