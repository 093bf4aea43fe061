"""Real and made-up items with their truth, for hunts: images, tables and answers that services gave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from confident_errors._data import load, missing, shared_folder
from ringtrue.stats import generator

Floats = NDArray[Any]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Items:
    """Items of which a model sees `seen`, (n, ...), and what each is, `truth`.

    The first `free` columns of a table may be changed, all of an image. `told` is what may choose what a model is
    trained on: the class of an image, a column of a table.
    """

    seen: Floats
    truth: Ints
    told: NDArray[Any]
    free: int = 0

    def __len__(self) -> int:
        return len(self.truth)

    def at(self, places: NDArray[Any]) -> Items:
        """Return some of them."""
        return Items(self.seen[places], self.truth[places], self.told[places], self.free)


def data() -> Path:
    """Return where the data lies, if it is there: beside the checkout."""
    return shared_folder() / "data"


def has_images() -> bool:
    """Return whether the images are there."""
    return not missing()


def has(*names: str) -> Callable[[], bool]:
    """Return what says whether these files are there."""
    return lambda: all((data() / name).is_file() for name in names)


def images(name: str, ones: tuple[int, ...], others: tuple[int, ...]) -> Items:
    """Return the images of some classes, told apart into 1 and 0."""
    every = load(name)
    ours = every.at(np.flatnonzero(np.isin(every.classes, ones + others)))
    return Items(ours.images, np.isin(ours.classes, ones).astype(np.int64), ours.classes)


@cache
def adult(told: str) -> Items:
    """Return who earns more than 50,000: six numbers, and the others as indicators."""
    table = pd.read_csv(data() / "uci_adult" / "adult.csv.gz", skipinitialspace=True)
    numbers = ["age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"]
    free = table[numbers].to_numpy(dtype=float)
    free[:, [1, 3, 4]] = np.log1p(free[:, [1, 3, 4]])
    words = ["workclass", "marital_status", "occupation", "relationship", "race", "sex"]
    fixed = pd.get_dummies(table[words]).to_numpy(dtype=float)
    truth = table["income"].str.startswith(">50K").to_numpy(dtype=np.int64)
    return Items(np.hstack([_scaled(free), fixed]), truth, table[told].to_numpy(), len(numbers))


@cache
def working() -> Items:
    """Return who works more than 40 hours a week: four numbers, and the others as indicators."""
    table = pd.read_csv(data() / "uci_adult" / "adult.csv.gz", skipinitialspace=True)
    free = table[["age", "education_num", "capital_gain", "capital_loss"]].to_numpy(dtype=float)
    free[:, 2:] = np.log1p(free[:, 2:])
    fixed = pd.get_dummies(table[["workclass", "marital_status", "occupation", "sex", "income"]]).to_numpy(dtype=float)
    truth = (table["hours_per_week"] > 40).to_numpy(dtype=np.int64)
    return Items(np.hstack([_scaled(free), fixed]), truth, np.zeros(len(table)), free.shape[1])


@cache
def mushrooms(columns: tuple[str, ...], told: str) -> Items:
    """Return which mushrooms are poisonous, seen by a few columns; none is a number, so that none may be changed."""
    table = pd.read_csv(data() / "uci_mushroom" / "mushroom.csv.gz")
    seen = pd.get_dummies(table[list(columns)]).to_numpy(dtype=float)
    return Items(seen, (table["class"] == "p").to_numpy(dtype=np.int64), table[told].to_numpy())


def straight(seed: int, noise: float) -> Items:
    """Return a made-up table, in which a line through eight numbers tells what an item is, but for some noise."""
    rng = generator(seed, "straight table")
    seen = rng.standard_normal((9_000, 8))
    height = seen @ np.array([1.5, -1.2, 1.0, 0.8, -0.5, 0.3, 0.0, 0.0])
    return Items(seen, (height + noise * rng.standard_normal(len(seen)) > 0).astype(np.int64), np.zeros(len(seen)), 8)


def pocketed(seed: int, share: float) -> Items:
    """Return a made-up table with two rings, and a share of the items in a ball whose truth is turned round.

    They are told as 1, so that a model may be trained without them.
    """
    rng = generator(seed, "pocketed table")
    seen = rng.standard_normal((9_000, 6))
    truth = (np.linalg.norm(seen[:, :3], axis=1) + 0.3 * rng.standard_normal(len(seen)) > 1.6).astype(np.int64)
    apart = np.linalg.norm(seen[:, 2:5] - seen[rng.integers(len(seen)), 2:5], axis=1)
    inside = apart < np.quantile(apart, share)
    return Items(seen, np.where(inside, 1 - truth, truth), inside.astype(np.int64), 6)


def steps(seed: int) -> Items:
    """Return a made-up table of ten numbers of which some act together, with labels that are wrong now and then."""
    rng = generator(seed, "stepped table")
    seen = rng.uniform(-1, 1, (9_000, 10))
    turned = (seen[:, 0] > 0) ^ (seen[:, 1] > 0.3) ^ (seen[:, 2] + seen[:, 3] > 0.8)
    return Items(seen, (turned ^ (rng.random(len(seen)) < 0.04)).astype(np.int64), np.zeros(len(seen)), 10)


def waves(seed: int) -> Items:
    """Return a made-up table of numbers that tell in waves what an item is; labels are noisier to one side."""
    rng = generator(seed, "waved table")
    seen = rng.normal(size=(9_000, 5))
    height = np.sin(2.5 * seen[:, 0]) + np.cos(2 * seen[:, 1]) + 0.4 * seen[:, 2]
    wrong = rng.random(len(seen)) < 0.12 / (1 + np.exp(-2 * seen[:, 3]))
    return Items(seen, ((height > 0.3) ^ wrong).astype(np.int64), np.zeros(len(seen)), 5)


def crowds(seed: int) -> Items:
    """Return a made-up table of forty crowds of unequal size, each mostly of one class; told is the crowd."""
    rng = generator(seed, "crowded table")
    share = rng.gamma(2.0, size=40)
    crowd = rng.choice(40, size=9_000, p=share / share.sum())
    middles, widths, lean = rng.normal(0, 2, (40, 7)), rng.uniform(0.4, 1.2, (40, 1)), rng.beta(0.4, 0.4, 40)
    seen = middles[crowd] + widths[crowd] * rng.normal(size=(len(crowd), 7))
    return Items(seen, (rng.random(len(crowd)) < lean[crowd]).astype(np.int64), crowd, 7)


@dataclass(frozen=True, eq=False)
class Stored:
    """What a service answered: its label, how sure it said it was, the truth, and numbers that stand beside it."""

    label: Ints
    confidence: Floats
    truth: Ints
    features: Floats


@cache
def service(name: str, which: int) -> Stored:
    """Return what one of four services answered, beside what the free model says and how sure it is.

    Beside the free model, the last, stands what the first service says.
    """
    table = pd.read_csv(data() / "frugalml" / f"{name}.csv.gz")
    services = [column.removeprefix("pred_") for column in table.columns if column.startswith("pred_")]
    chosen, other = services[which], services[-1 if which < len(services) - 1 else 0]
    sure = table[f"conf_{chosen}"].to_numpy(dtype=float)
    said = table[f"pred_{other}"].astype(int)
    features = np.hstack([pd.get_dummies(said).to_numpy(dtype=float), table[[f"conf_{other}"]].to_numpy(dtype=float)])
    return Stored(
        table[f"pred_{chosen}"].to_numpy(dtype=np.int64), np.clip(sure, 0, 1), table["y"].to_numpy(dtype=np.int64),
        features,
    )  # fmt: skip


@cache
def held_out(name: str) -> Stored:
    """Return probabilities of a network for items it was not trained on; features are their logarithms."""
    with np.load(data() / "cleanlab_label_errors" / f"{name}_test_set.npz") as kept:
        chances, truth = kept["probs"].astype(float), kept["y"].astype(np.int64)
    chances /= chances.sum(axis=1, keepdims=True)
    return Stored(chances.argmax(axis=1), chances.max(axis=1), truth, np.log(np.maximum(chances, 1e-6)))


def _scaled(table: Floats) -> Floats:
    return np.asarray((table - table.mean(axis=0)) / table.std(axis=0))
