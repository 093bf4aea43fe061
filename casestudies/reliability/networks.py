"""The classifiers of the two image rows: training, logits, and keeping them as plain arrays. Needs torch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

_BATCH = 128
_LEARNING_RATE = 1e-3
EPOCHS = {784: 10, 3072: 40}
"""Digits: until the errors are about the paper's. Photographs: until the held-out error no longer falls."""


def network_for(pixels: int) -> nn.Sequential:
    """Return the network of the paper's program for digits, 784 - 256 - 10, or a small convolutional one."""
    if pixels == 784:
        return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    return nn.Sequential(
        nn.Unflatten(1, (3, 32, 32)),
        nn.Conv2d(3, 32, 5, stride=2, padding=2), nn.ReLU(),
        nn.Conv2d(32, 48, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(48, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.3),
        nn.Linear(64 * 4 * 4, 64), nn.ReLU(), nn.Linear(64, 10),
    )  # fmt: skip


def train(pixels: NDArray[np.uint8], labels: NDArray[np.int64], seed: int) -> nn.Sequential:
    """Fit by Adam to the cross entropy; photographs also in the mirror."""
    torch.set_num_threads(1)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = network_for(pixels.shape[1])
        optimiser = torch.optim.Adam(network.parameters(), lr=_LEARNING_RATE)
        inputs, targets = torch.from_numpy(planes(pixels).astype(np.float32) / 255), torch.from_numpy(labels)
        for _ in range(EPOCHS[pixels.shape[1]]):
            for batch in torch.randperm(len(inputs)).split(_BATCH):
                seen = inputs[batch]
                if seen.shape[1] == 3072 and torch.rand(()) < 0.5:
                    seen = seen.reshape(-1, 3, 32, 32).flip(3).reshape(-1, 3072)
                optimiser.zero_grad()
                nn.functional.cross_entropy(network(seen), targets[batch]).backward()
                optimiser.step()
    return network.eval()


def planes(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Put the three colours of a photograph one after the other, as torch has them."""
    if pixels.shape[1] != 3072:
        return pixels
    return np.ascontiguousarray(pixels.reshape(-1, 1024, 3).transpose(0, 2, 1)).reshape(-1, 3072)


def logits(network: nn.Sequential, values: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return what the network says of each image, (n, 10), before it is made a probability."""
    with torch.inference_mode():
        parts = [network(part) for part in torch.from_numpy(np.asarray(values, dtype=np.float32)).split(1024)]
    found: NDArray[np.float64] = torch.cat(parts).numpy().astype(np.float64)
    return found


def save(network: nn.Sequential, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **{name: values.numpy() for name, values in network.state_dict().items()})


def load(path: Path, pixels: int) -> nn.Sequential:
    torch.set_num_threads(1)
    network = network_for(pixels)
    with np.load(path) as stored:
        network.load_state_dict({name: torch.from_numpy(stored[name]) for name in stored.files})
    return network.eval()
