"""The share of test digits that a network gets wrong under a distortion: worked out once, and kept in a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from digits._data import DIGITS, SIDE, Digits
from digits.distortion import distorted

Classifier = Callable[[NDArray[np.float32]], NDArray[np.int64]]
"""Images (n, 32, 32) to the digits seen in them."""


@dataclass(frozen=True, eq=False)
class Lost:
    """A digit as it was distorted, and as what it is then seen."""

    original: NDArray[np.float32]
    image: NDArray[np.float32]
    seen: int


class ErrorRates:
    """Error rates by distortion (shear x, shear y, degrees): of all digits, of each of them, or of one.

    A distortion of every digit answers later questions about a single one. `kept` is a file of JSON lines that is
    read at the beginning and added to; it belongs to one network and one set of digits. `known_as` names the network.
    """

    def __init__(
        self, classify: Classifier, digits: Digits, kept: Path | None = None, *, known_as: str | None = None
    ) -> None:
        self._classify, self.known_as = classify, known_as
        self._labels = [digits.only(digit).labels for digit in range(len(DIGITS))]
        self._pixels = [_pixels_first(digits.only(digit)) for digit in range(len(DIGITS))]
        self._kept = kept
        self._wrong = dict(_read(kept)) if kept is not None and kept.is_file() else {}

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many test digits there are of each kind."""
        return np.array([len(labels) for labels in self._labels])

    def overall(self, distortion: Sequence[float]) -> float:
        """The share of all test digits that are seen wrongly."""
        return float(self.each(distortion) @ self.counts / self.counts.sum())

    def each(self, distortion: Sequence[float]) -> NDArray[np.float64]:
        """The share seen wrongly of each of the nine digits."""
        return np.array([self.one(distortion, digit) for digit in range(len(DIGITS))])

    def one(self, distortion: Sequence[float], digit: int) -> float:
        """The share seen wrongly of one digit."""
        key = (*(float(value) for value in distortion), digit)
        if key not in self._wrong:
            seen = self._classify(distorted(self._pixels[digit], distortion))
            self._wrong[key] = int(np.sum(seen != self._labels[digit]))
            self._keep(key)
        return self._wrong[key] / len(self._labels[digit])

    def lost(self, distortion: Sequence[float], digit: int, most: int) -> list[Lost]:
        """The first test digits of a kind that are seen rightly as they are, and wrongly under a distortion."""
        plain, moved = (distorted(self._pixels[digit], each) for each in ((0.0, 0.0, 0.0), distortion))
        before, after = self._classify(plain), self._classify(moved)
        places = np.flatnonzero((before == digit) & (after != digit))[:most]
        return [Lost(plain[place], moved[place], int(after[place])) for place in places]

    def _keep(self, key: tuple[float, ...]) -> None:
        if self._kept is not None:
            self._kept.parent.mkdir(parents=True, exist_ok=True)
            with self._kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps([*key, self._wrong[key]]) + "\n")


def _pixels_first(digits: Digits) -> NDArray[np.float32]:
    return np.ascontiguousarray(digits.images.reshape(-1, SIDE**2).T)


def _read(kept: Path) -> Iterable[tuple[tuple[float, ...], int]]:
    """What was kept; a last line cut short by a kill is left out."""
    for line in kept.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.endswith("\n"):
            *key, wrong = json.loads(line)
            yield tuple(key), wrong
