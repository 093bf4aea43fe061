"""A small convolutional network for two classes: training, logits, and keeping it as plain arrays. Needs torch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

LEARNING_RATE = 2e-3
_BATCH = 64
_AT_ONCE = 2048
"""Images in one call: enough that the cost of the call itself does not show."""


def network_for(shape: tuple[int, ...]) -> nn.Sequential:
    """Two convolutions and two full layers for grey images (28, 28) or photographs (32, 32, 3)."""
    if len(shape) == 2:
        return nn.Sequential(
            nn.Conv2d(1, 8, 5, stride=2), nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(), nn.Flatten(),
            nn.Linear(16 * 5 * 5, 32), nn.ReLU(), nn.Linear(32, 2),
        )  # fmt: skip
    # With few photographs to learn from, a network without pooling and dropout hardly tells a cat from a dog.
    return nn.Sequential(
        nn.Conv2d(3, 16, 5, stride=2, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.3),
        nn.Linear(32 * 4 * 4, 64), nn.ReLU(), nn.Linear(64, 2),
    )  # fmt: skip


def train(images: NDArray[np.float32], classes: NDArray[np.int64], seed: int, *, epochs: int) -> nn.Sequential:
    """Fit by Adam to the cross entropy; photographs also in the mirror, where a cat is still a cat.

    The same images, classes and seed give the same network on the same machine.
    """
    if images.ndim == 4:
        images, classes = np.concatenate([images, images[:, :, ::-1]]), np.concatenate([classes, classes])
    torch.set_num_threads(1)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = network_for(images.shape[1:])
        optimiser = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
        inputs, targets = _tensor(images), torch.from_numpy(classes)
        for _ in range(epochs):
            for batch in torch.randperm(len(inputs)).split(_BATCH):
                optimiser.zero_grad()
                nn.functional.cross_entropy(network(inputs[batch]), targets[batch]).backward()
                optimiser.step()
    return network.eval()


def logits(network: nn.Sequential, images: NDArray[np.float32]) -> NDArray[np.float64]:
    """What the network says of each image, before it is made a probability, as (n, 2)."""
    with torch.inference_mode():
        parts = [network(part) for part in _tensor(images).split(_AT_ONCE)]
    return torch.cat(parts).numpy().astype(np.float64)


def save(network: nn.Sequential, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **{name: values.numpy() for name, values in network.state_dict().items()})


def load(path: Path, shape: tuple[int, ...]) -> nn.Sequential:
    torch.set_num_threads(1)
    network = network_for(shape)
    with np.load(path) as stored:
        network.load_state_dict({name: torch.from_numpy(stored[name]) for name in stored.files})
    return network.eval()


def _tensor(images: NDArray[np.float32]) -> torch.Tensor:
    """Channels first, as torch has them."""
    tensor = torch.from_numpy(np.ascontiguousarray(images, dtype=np.float32))
    return tensor.unsqueeze(1) if tensor.ndim == 3 else tensor.permute(0, 3, 1, 2)
