"""LeNet-5 for nine digits: training, classifying, and keeping it in a file of plain arrays. Needs torch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from digits.distortion import FRAME

EPOCHS = 20
LEARNING_RATE = 1e-3
_BATCH = 256
_AT_ONCE = 1000
"""Images classified at a time: more than this leaves the processor's cache."""


def lenet5() -> nn.Sequential:
    """The layers of LeCun et al. (1998), with rectified units and the largest of four in place of their average."""
    return nn.Sequential(
        nn.Conv2d(1, 6, 5), nn.MaxPool2d(2), nn.ReLU(),  # the order makes no difference, and this one is faster
        nn.Conv2d(6, 16, 5), nn.MaxPool2d(2), nn.ReLU(),
        nn.Conv2d(16, 120, 5), nn.ReLU(), nn.Flatten(),
        nn.Linear(120, 84), nn.ReLU(),
        nn.Linear(84, 9),
    ).to(memory_format=torch.channels_last)  # fmt: skip


def train(images: NDArray[np.float32], labels: NDArray[np.int64], seed: int, *, epochs: int = EPOCHS) -> nn.Sequential:
    """Fit by Adam to the cross entropy. The same images, labels and seed give the same network on the same machine."""
    torch.set_num_threads(1)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = lenet5()
        optimiser = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
        inputs, targets = _tensor(images), torch.from_numpy(labels)
        for _ in range(epochs):
            for batch in torch.randperm(len(inputs)).split(_BATCH):
                optimiser.zero_grad()
                nn.functional.cross_entropy(network(inputs[batch]), targets[batch]).backward()
                optimiser.step()
    return network


def classify(network: nn.Sequential, images: NDArray[np.float32]) -> NDArray[np.int64]:
    """The digit that the network sees in each image (n, 32, 32)."""
    with torch.inference_mode():
        parts = [network(part).argmax(dim=1) for part in _tensor(images).split(_AT_ONCE)]
    return torch.cat(parts).numpy()


def save(network: nn.Sequential, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **{name: values.contiguous().numpy() for name, values in network.state_dict().items()})


def load(path: Path) -> nn.Sequential:
    torch.set_num_threads(1)
    network = lenet5()
    with np.load(path) as stored:
        network.load_state_dict({name: torch.from_numpy(stored[name]) for name in stored.files})
    return network


def _tensor(images: NDArray[np.float32]) -> torch.Tensor:
    return torch.from_numpy(images).reshape(-1, 1, FRAME, FRAME)
