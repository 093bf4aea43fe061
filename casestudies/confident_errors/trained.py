"""The models of the nine tasks, trained once and kept, and what they say of the images they are tested on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from confident_errors.tasks import Task, split
from ringtrue.blind.measures import fit_temperature
from ringtrue.stats import generator

CACHE = Path(__file__).resolve().with_name(".cache")

CONFIDENCE = 0.65
"""Only what the model is surer of than this is searched, as in the paper."""

CRITICAL = 1


@dataclass(frozen=True, eq=False)
class Judged:
    """Test images, and what a calibrated model says of them; arrays over all of them.

    `scope` are the items that are called critical with more than 65 % confidence, in random order: the first of them
    are those whose distances are measured. `margins` gives the logit of the critical class for any images.
    """

    task: Task
    seed: int
    images: NDArray[np.float32]
    codes: NDArray[np.int64]
    confidence: NDArray[np.float64]
    wrong: NDArray[np.bool_]
    scope: NDArray[np.int64]
    margins: Callable[[NDArray[np.float32]], NDArray[np.float64]]
    temperature: float
    accuracy_validation: float

    @property
    def accuracy_test(self) -> float:
        return float(1 - self.wrong.mean())

    def predict(self, images: NDArray[np.float32]) -> NDArray[np.int64]:
        """The label of any images, which is all that distances are measured from."""
        return (self.margins(images) > 0).astype(np.int64)


@cache
def judged(task: Task, seed: int, shared: Path | None = None) -> Judged:
    """The task's model on its test images; it is trained first if it is not in the cache."""
    from confident_errors import network  # torch, which takes seconds to import

    parts = split(task, seed, shared)
    path = CACHE / f"{task.name}-{seed}.npz"
    if not path.is_file():
        network.save(network.train(parts.train.images, parts.train.classes, seed, epochs=task.epochs), path)
    model = network.load(path, parts.train.images.shape[1:])
    held_out = softmax(network.logits(model, parts.validation.images), axis=1)
    temperature = fit_temperature(held_out, parts.validation.classes).value

    def margins(images: NDArray[np.float32]) -> NDArray[np.float64]:
        other, critical = network.logits(model, images).T
        return (critical - other) / temperature

    tested = margins(parts.test.images)
    codes = (tested > 0).astype(np.int64)
    confidence = 1 / (1 + np.exp(-np.abs(tested)))
    order = generator(seed, f"scope of {task.name}").permutation(len(codes))
    scope = order[(codes[order] == CRITICAL) & (confidence[order] > CONFIDENCE)]
    return Judged(
        task=task,
        seed=seed,
        images=parts.test.images,
        codes=codes,
        confidence=confidence,
        wrong=codes != parts.test.classes,
        scope=scope,
        margins=margins,
        temperature=temperature,
        accuracy_validation=float(np.mean(held_out.argmax(axis=1) == parts.validation.classes)),
    )
