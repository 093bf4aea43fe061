"""Panels of judges on adult, mushroom and twonorm: small models, each trained on few items and few features.

A panel is a table of votes (items, judges) of 0 and 1 beside the truth (items,). Everything is a function of the seed.
"""

from __future__ import annotations

import csv
import gzip
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from ringtrue.stats import generator

DATASETS = ("twonorm", "adult", "mushroom")
TRIO_FEATURES = {"twonorm": 6, "adult": 3, "mushroom": 3}
"""How many features each judge of a trio sees."""

TRAINING_PER_LABEL = 300
TRAINING_EACH = 200

_NUMERIC = {"age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"}
_FILES = {"adult": ("income", ">50K"), "mushroom": ("class", "p")}
_TWONORM_ITEMS, _TWONORM_FEATURES = 7400, 20

KINDS: dict[str, Callable[[int], Any]] = {
    "logistic regression": lambda _: LogisticRegression(max_iter=50),
    "tree": lambda seed: DecisionTreeClassifier(max_depth=5, random_state=seed),
    "nearest neighbours": lambda _: KNeighborsClassifier(9, algorithm="brute"),
    "naive Bayes": lambda _: GaussianNB(var_smoothing=1e-2),
    "forest": lambda seed: RandomForestClassifier(12, max_depth=6, random_state=seed),
    "network": lambda seed: MLPClassifier((4,), solver="lbfgs", max_iter=25, alpha=0.01, random_state=seed),
}
"""Kinds of judges, each made from a seed. Small on purpose: they learn from 200 items, and thousands are trained."""


class Data(NamedTuple):
    """A dataset: per feature its columns as numbers, shape (items, columns), and the labels (items,) of 0 and 1.

    Categories are one-hot, a missing one is a category of its own; numbers have mean 0 and deviation 1.
    """

    features: dict[str, NDArray[np.float64]]
    labels: NDArray[np.int64]


class Panel(NamedTuple):
    """Votes (items, judges) and truth (items,), both of 0 and 1, items in random order."""

    votes: NDArray[np.int8]
    truth: NDArray[np.int8]


def shared_folder() -> Path:
    """Where the datasets lie unless said otherwise: in `shared`, beside the checkout."""
    return Path(__file__).resolve().parents[2].parent / "shared"


def load(name: str, shared: Path | str | None = None) -> Data:
    """A dataset by its name. Label 1 is ">50K" for adult, poisonous for mushroom, the positive mean for twonorm."""
    if name == "twonorm":
        return twonorm()
    if name not in _FILES:
        raise ValueError(f"name={name!r} is none of {', '.join(DATASETS)}: name one of them")
    target, positive = _FILES[name]
    path = Path(shared or shared_folder()) / "data" / f"uci_{name}" / f"{name}.csv.gz"
    with gzip.open(path, "rt", newline="") as file:
        header, *rows = csv.reader(file)
    columns = {title: np.array(column) for title, column in zip(header, zip(*rows, strict=True), strict=True)}
    labels = (columns.pop(target) == positive).astype(np.int64)
    columns.pop("split", None)
    return Data({title: _encoded(title, column) for title, column in columns.items()}, labels)


def twonorm(*, items: int = _TWONORM_ITEMS, seed: int = 0) -> Data:
    """Two unit Gaussians in 20 dimensions with all means 2/sqrt(20) for label 1 and minus that for label 0.

    Reference: Breiman, Bias, variance and arcing classifiers, Berkeley technical report 460, 1996.
    """
    random = generator(seed, "twonorm")
    labels = random.integers(0, 2, items)
    means = np.where(labels == 1, 2.0, -2.0) / np.sqrt(_TWONORM_FEATURES)
    values = random.standard_normal((items, _TWONORM_FEATURES)) + means[:, None]
    return Data({f"x{place}": values[:, [place]] for place in range(_TWONORM_FEATURES)}, labels)


def make_trio(data: Data, *, features_each: int, test_size: int, seed: int, run: int = 0) -> Panel:
    """Three judges on disjoint features and disjoint training items; see `make_panel`."""
    return make_panel(data, judges=3, features_each=features_each, test_size=test_size, seed=seed, run=run)


def make_panel(
    data: Data,
    *,
    judges: int = 10,
    features_each: int,
    test_size: int,
    seed: int,
    run: int = 0,
    kinds: Sequence[str] = tuple(KINDS),
    balanced: bool = False,
) -> Panel:
    """Train a panel and let it vote on items that no judge was trained on.

    The seed chooses each judge's features and kind; seed and run together choose the 600 training items (300 per
    label), the test items and each judge's 200 training items (100 per label). Features are disjoint as long as
    `judges * features_each` allows it, training items as long as `judges * 200` does; beyond, each judge draws its
    own. The first items of a panel are a panel of that size: test sets nest by slicing. They have the natural
    prevalence, or with `balanced` equally many of both labels.
    """
    random = generator(seed, "panel")
    groups = _groups(random, sorted(data.features), judges, features_each)
    chosen = [kinds[place] for place in random.integers(0, len(kinds), judges)]
    random = generator(seed, "items", run)
    order = random.permutation(len(data.labels))
    by_label = [order[data.labels[order] == label] for label in (0, 1)]
    training = [items[:TRAINING_PER_LABEL] for items in by_label]
    test = _test_items(random, by_label, balanced)[:test_size]
    if len(test) < test_size:
        raise ValueError(f"test_size={test_size} is more than the {len(test)} items left after training: take fewer")
    votes = np.empty((test_size, judges), dtype=np.int8)
    shares = [_groups(random, items, judges, TRAINING_EACH // 2) for items in training]
    # Models this small lose by a second thread. They stop early, so that thousands can be trained.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for place, (group, kind, *share) in enumerate(zip(groups, chosen, *shares, strict=True)):
            learn = np.concatenate(share)
            seen = {name: data.features[name] for name in group}
            model = KINDS[kind](int(random.integers(2**31))).fit(_rows(seen, learn), data.labels[learn])
            votes[:, place] = model.predict(_rows(seen, test))
    return Panel(votes, data.labels[test].astype(np.int8))


def _encoded(title: str, column: NDArray[np.str_]) -> NDArray[np.float64]:
    if title in _NUMERIC:
        values = column.astype(float)
        return ((values - values.mean()) / values.std())[:, None]
    return (column[:, None] == np.unique(column)[None, :]).astype(float)


def _rows(features: dict[str, NDArray[np.float64]], items: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.concatenate([columns[items] for columns in features.values()], axis=1)


def _groups(random: np.random.Generator, things: Sequence[Any], groups: int, each: int) -> list[NDArray[Any]]:
    """Groups of things, disjoint where there are enough, otherwise each drawn for itself."""
    pool = np.asarray(things)
    if groups * each <= len(pool):
        shuffled = random.permutation(pool)
        return [shuffled[place * each : (place + 1) * each] for place in range(groups)]
    return [random.choice(pool, each, replace=False) for _ in range(groups)]


def _test_items(random: np.random.Generator, by_label: list[NDArray[np.int64]], balanced: bool) -> NDArray[np.int64]:
    """What training left over, in an order that does not depend on the labels, or the labels in turn."""
    left = [items[TRAINING_PER_LABEL:] for items in by_label]
    if balanced:
        pairs = min(len(items) for items in left)
        return np.stack([items[:pairs] for items in left], axis=1).ravel()
    return random.permutation(np.concatenate(left))
