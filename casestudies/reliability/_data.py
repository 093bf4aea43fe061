"""The points of the Siemens challenge and the images of MNIST and CIFAR-10, read from files beside the checkout."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FILES = (
    "siemens_challenge/running_example.csv",
    "siemens_challenge/ds1.csv",
    "siemens_challenge/ds2.csv.gz",
    "mnist/mnist_train60k.npz",
    "mnist/mnist_test10k.npz",
    "cifar10/train_6k_from_batch1.png",
    "cifar10/train_6k_labels.json",
    "cifar10/test_batch.png",
    "cifar10/test_labels.json",
)

_PHOTOGRAPHS_TO_LEARN_FROM = 7000
"""So many of the 10,000 test photographs are learnt from, because 6,000 of the training ones are all there are."""


@dataclass(frozen=True, eq=False)
class Points:
    """Points (n, 2) in the unit square and their labels."""

    points: NDArray[np.float64]
    labels: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Images:
    """Images (n, pixels) as bytes, those to learn from first, their labels, and how many are learnt from."""

    pixels: NDArray[np.uint8]
    labels: NDArray[np.int64]
    training: int

    def values(self, rows: slice | NDArray[np.int64] = slice(None)) -> NDArray[np.float64]:
        """Return some images as numbers between 0 and 1."""
        return self.pixels[rows] / 255.0


def shared_folder() -> Path:
    """Return where the data lies unless said otherwise: in `shared`, beside the checkout."""
    return Path(__file__).resolve().parents[2].parent / "shared"


def missing(shared: Path) -> list[Path]:
    """Return the files that are not there."""
    return [path for path in (shared / "data" / name for name in FILES) if not path.is_file()]


def points(name: str, shared: Path | None = None) -> Points:
    """Read `running_example`, `ds1` or `ds2`."""
    folder = (shared or shared_folder()) / "data" / "siemens_challenge"
    path = folder / f"{name}.csv"
    if path.is_file():
        text = path.read_text(encoding="utf-8")
    else:
        text = gzip.decompress((folder / f"{name}.csv.gz").read_bytes()).decode("utf-8")
    heads, *lines = text.splitlines()
    columns = heads.split(",")
    values = np.array([line.split(",") for line in lines])
    x1, x2, label = (values[:, columns.index(column)] for column in ("x1", "x2", "label"))
    return Points(np.stack([x1, x2], axis=1).astype(float), label.astype(np.int64))


def _mnist(data: Path) -> Images:
    parts = []
    for name in ("mnist_train60k.npz", "mnist_test10k.npz"):
        with np.load(data / "mnist" / name) as stored:
            parts.append((stored["X"].reshape(-1, 28 * 28), stored["y"].astype(np.int64)))
    (train, known), (test, truth) = parts
    return Images(np.concatenate([train, test]), np.concatenate([known, truth]), len(train))


def _cifar10(data: Path) -> Images:
    """Read six thousand photographs for training and ten thousand for tests: most of both are learnt from."""
    parts = []
    for picture, labels in (
        ("train_6k_from_batch1.png", "train_6k_labels.json"),
        ("test_batch.png", "test_labels.json"),
    ):
        known = json.loads((data / "cifar10" / labels).read_text(encoding="utf-8"))
        parts.append((_picture(data / "cifar10" / picture), np.array(known, dtype=np.int64)))
    (train, known), (test, truth) = parts
    training = len(train) + _PHOTOGRAPHS_TO_LEARN_FROM
    return Images(np.concatenate([train, test]), np.concatenate([known, truth]), training)


def _picture(path: Path) -> NDArray[np.uint8]:
    """Read a picture whose every row is one image of 32 x 32 pixels."""
    from matplotlib.image import imread

    return np.rint(imread(path)[..., :3] * 255).astype(np.uint8).reshape(-1, 32 * 32 * 3)


LOADERS: Mapping[str, Callable[[Path], Images]] = {"MNIST": _mnist, "CIFAR10": _cifar10}


def images(name: str, shared: Path | None = None) -> Images:
    """Read all images of a set."""
    return LOADERS[name]((shared or shared_folder()) / "data")
