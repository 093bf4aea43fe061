"""The digits 0 to 8 of MNIST, read from files beside the checkout."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DIGITS = tuple(str(digit) for digit in range(9))
"""The nine tasks. The paper leaves out the 9, which is a 6 when it is turned."""

SIDE = 28
FILES = {"train": "mnist_train60k.npz", "test": "mnist_test10k.npz"}


@dataclass(frozen=True, eq=False)
class Digits:
    """Images (n, 28, 28) between 0 and 1, ordered by label, and the labels."""

    images: NDArray[np.float32]
    labels: NDArray[np.int64]

    def only(self, digit: int) -> Digits:
        """Those that show one digit."""
        first, last = np.searchsorted(self.labels, [digit, digit + 1])
        return Digits(self.images[first:last], self.labels[first:last])


def shared_folder() -> Path:
    """Where the data lies unless said otherwise: in `shared`, beside the checkout."""
    return Path(__file__).resolve().parents[2].parent / "shared"


def mnist_path(part: str, shared: Path | None = None) -> Path:
    return (shared or shared_folder()) / "data" / "mnist" / FILES[part]


def mnist(part: str, shared: Path | None = None) -> Digits:
    """The training or the test digits without the 9."""
    with np.load(mnist_path(part, shared)) as stored:
        images, labels = stored["X"], stored["y"].astype(np.int64)
    order = np.argsort(labels, kind="stable")
    order = order[labels[order] < len(DIGITS)]
    return Digits(images[order].astype(np.float32) / 255, labels[order])
