"""MNIST, Fashion-MNIST and CIFAR-10, read from files beside the checkout."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MNIST_TEST = 10_000
"""The test digits of MNIST, which `load` puts first."""


@dataclass(frozen=True, eq=False)
class Images:
    """Images (n, 28, 28) or (n, 32, 32, 3) between 0 and 1, and the class each of them shows."""

    images: NDArray[np.float32]
    classes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.classes)

    def at(self, places: NDArray[np.int64]) -> Images:
        return Images(self.images[places], self.classes[places])


def shared_folder() -> Path:
    """Where the data lies unless said otherwise: in `shared`, beside the checkout."""
    return Path(__file__).resolve().parents[2].parent / "shared"


@cache
def load(name: str, shared: Path | None = None) -> Images:
    """All images of one of the three data sets, in the order of its files."""
    return LOADERS[name]((shared or shared_folder()) / "data")


def missing(shared: Path | None = None) -> list[Path]:
    """The files that are not there."""
    folder = (shared or shared_folder()) / "data"
    return [folder / name for name in FILES if not (folder / name).is_file()]


def _mnist(data: Path) -> Images:
    """The 10,000 test digits first: models are tried on these, and trained on the rest."""
    parts = [_arrays(data / "mnist" / name) for name in ("mnist_test10k.npz", "mnist_train60k.npz")]
    return Images(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _fashion(data: Path) -> Images:
    return Images(*_arrays(data / "fashion_mnist" / "fashion_20k.npz"))


def _cifar10(data: Path) -> Images:
    parts = [
        _pictures(data / "cifar10" / picture, data / "cifar10" / labels)
        for picture, labels in (
            ("test_batch.png", "test_labels.json"),
            ("train_6k_from_batch1.png", "train_6k_labels.json"),
        )
    ]
    return Images(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _arrays(path: Path) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    with np.load(path) as stored:
        return stored["X"].astype(np.float32) / 255, stored["y"].astype(np.int64)


def _pictures(picture: Path, labels: Path) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """A picture whose every row is one image of 32 x 32 pixels."""
    from matplotlib.image import imread

    images = imread(picture)[..., :3].reshape(-1, 32, 32, 3)
    return images.astype(np.float32), np.array(json.loads(labels.read_text(encoding="utf-8")), dtype=np.int64)


LOADERS: Mapping[str, Callable[[Path], Images]] = {"MNIST": _mnist, "Fashion-MNIST": _fashion, "CIFAR-10": _cifar10}
FILES = (
    "mnist/mnist_test10k.npz",
    "mnist/mnist_train60k.npz",
    "fashion_mnist/fashion_20k.npz",
    "cifar10/test_batch.png",
    "cifar10/test_labels.json",
    "cifar10/train_6k_from_batch1.png",
    "cifar10/train_6k_labels.json",
)
