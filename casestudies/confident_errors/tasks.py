"""The nine tasks: three data sets, and three ways in which a model comes to be confidently wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from confident_errors._data import MNIST_TEST, Images, load
from ringtrue.stats import generator

T_SHIRT, PULLOVER, DRESS, COAT, SHIRT = 0, 2, 3, 4, 6
CAT, DEER, DOG, HORSE = 3, 4, 5, 7


def _everything(images: Images) -> NDArray[np.bool_]:
    return np.ones(len(images), dtype=bool)


def _as_they_are(images: NDArray[np.float32]) -> NDArray[np.float32]:
    return images


@dataclass(frozen=True)
class Task:
    """A model tells `critical` classes from `other` ones; errors are looked for among what it calls critical.

    `kept` says which images it may be trained and calibrated on, `shifted` what happens to those it is tested on.
    """

    name: str
    data: str
    way: str
    critical: tuple[int, ...]
    other: tuple[int, ...]
    about: str
    train: int
    validation: int
    epochs: int
    kept: Callable[[Images], NDArray[np.bool_]] = _everything
    shifted: Callable[[NDArray[np.float32]], NDArray[np.float32]] = _as_they_are


@dataclass(frozen=True, eq=False)
class Parts:
    """Images to train, to calibrate and to test on; class 1 is the critical one, 0 the other."""

    train: Images
    validation: Images
    test: Images


def split(task: Task, seed: int, shared: Path | None = None) -> Parts:
    """The images of the task's classes in three parts, drawn at random; MNIST has test digits of its own."""
    everything = load(task.data, shared)
    ours = np.flatnonzero(np.isin(everything.classes, task.critical + task.other))
    order = generator(seed, f"split of {task.name}").permutation(ours)
    place = np.arange(len(order))
    tested = order < MNIST_TEST if task.data == "MNIST" else place >= task.train + task.validation
    known, test = everything.at(order[~tested]), everything.at(order[tested])
    known = known.at(np.flatnonzero(task.kept(known)))
    validation, train = known.at(np.arange(task.validation)), known.at(np.arange(task.validation, len(known)))
    return Parts(
        _coded(train.at(np.arange(min(task.train, len(train)))), task),
        _coded(validation, task),
        _coded(Images(task.shifted(test.images), test.classes), task),
    )


def _coded(images: Images, task: Task) -> Images:
    return Images(images.images, np.isin(images.classes, task.critical).astype(np.int64))


def _without_brightest_shirts(images: Images) -> NDArray[np.bool_]:
    return ~_extreme(images, SHIRT, 0.75, 1)


def _without_nines(images: Images) -> NDArray[np.bool_]:
    return images.classes != 9


def _without_dark_cats_and_light_dogs(images: Images) -> NDArray[np.bool_]:
    return ~_extreme(images, CAT, 0, 0.12) & ~_extreme(images, DOG, 0.88, 1)


def _extreme(images: Images, which: int, low: float, high: float) -> NDArray[np.bool_]:
    """The images of one class whose brightness lies between two of its quantiles."""
    brightness = images.images.reshape(len(images), -1).mean(axis=1)
    of_class = images.classes == which
    bottom, top = np.quantile(brightness[of_class], [low, high])
    return of_class & (brightness >= bottom) & (brightness <= top)


def _washed_out(images: NDArray[np.float32]) -> NDArray[np.float32]:
    return 0.2 + 0.8 * images


def _moved(images: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.roll(images, 2, axis=2)


def _grey(images: NDArray[np.float32]) -> NDArray[np.float32]:
    luma = images @ np.array([0.299, 0.587, 0.114], dtype=np.float32)
    return np.repeat(luma[..., None], 3, axis=-1)


EVEN, ODD = (0, 2, 4, 6, 8), (1, 3, 5, 7, 9)
SMALL, LARGE = (0, 1, 2, 3, 4), (5, 6, 7, 8, 9)
TOPS, REST = (T_SHIRT, SHIRT), (PULLOVER, DRESS, COAT)
PETS, GRAZERS = (CAT, DOG), (DEER, HORSE)

TASKS = (
    Task("M_bias", "MNIST", "bias", EVEN, ODD, "trained without the 9", 10_000, 4_000, 8, kept=_without_nines),
    Task("M_shift", "MNIST", "shift", SMALL, LARGE, "tested 2 pixels to the right", 10_000, 4_000, 8, shifted=_moved),
    Task("M_over", "MNIST", "overfitting", SMALL, LARGE, "75 epochs on 1,500 images", 1_500, 2_000, 75),
    Task("F_bias", "Fashion-MNIST", "bias", (PULLOVER, COAT), (T_SHIRT, DRESS, SHIRT),
         "trained without the brightest quarter of the shirts", 4_000, 1_000, 15, kept=_without_brightest_shirts),
    Task("F_shift", "Fashion-MNIST", "shift", TOPS, REST, "tested washed out", 4_000, 1_000, 15, shifted=_washed_out),
    Task("F_over", "Fashion-MNIST", "overfitting", REST, TOPS, "75 epochs on 3,000 images", 3_000, 1_000, 75),
    Task("C_bias", "CIFAR-10", "bias", (CAT,), (DOG,), "trained without the darkest cats and the lightest dogs",
         1_300, 300, 12, kept=_without_dark_cats_and_light_dogs),
    Task("C_shift", "CIFAR-10", "shift", PETS, GRAZERS, "tested in grey", 3_000, 600, 12, shifted=_grey),
    Task("C_over", "CIFAR-10", "overfitting", PETS, GRAZERS, "75 epochs on 1,000 images", 1_000, 600, 75),
)  # fmt: skip
