"""Distances for texts and other inputs without coordinates, by a perturbation that the user gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import InvalidInput
from ringtrue.stats import generator

Perturb = Callable[[Any, float, np.random.Generator], Any]
"""(item, amount in (0, 1], generator) -> the item changed by that amount."""


@dataclass(frozen=True, slots=True)
class GivenDistances:
    """The smallest amount of a given perturbation that changed each answer, NaN where none did."""

    amount: NDArray[np.float64]
    changed: NDArray[np.bool_]
    queries: NDArray[np.int64]
    nearest: list[Any]
    """The changed item at that amount; the item itself where the answer never changed."""


def given(
    predict_items: Callable[[list[Any]], ArrayLike],
    items: Sequence[Any],
    labels: ArrayLike,
    perturb: Perturb,
    rng: np.random.Generator,
    *,
    steps: int = 10,
    tries: int = 8,
) -> GivenDistances:
    """Bisect the amount of perturbation that changes each answer, with several draws at each amount.

    The answer has changed at an amount if any of its draws changed it. All items advance together: a model call holds
    one draw of every item that has none at this amount yet. An item is asked at most tries * (steps + 1) times.
    Each item has its own generator, so that its draws do not depend on what happens to the others.

    >>> def shout(text, amount, rng):
    ...     return text[: round(amount * len(text))].upper() + text[round(amount * len(text)) :]
    >>> def loud(texts):
    ...     return [sum(map(str.isupper, text)) > 3 for text in texts]
    >>> found = given(loud, ["abcdefgh", "ab"], [0, 0], shout, np.random.default_rng(0))
    >>> found.nearest, found.changed.tolist(), round(float(found.amount[0]), 2)
    (['ABCDefgh', 'ab'], [True, False], 0.44)

    Parameters
    ----------
    predict_items
        The model, which gives a list of items one label each.
    items
        The items, of any type.
    labels
        What the model says of them, (n,).
    perturb
        Changes an item by an amount in (0, 1], with a generator.
    rng
        Draws the seed of the items' generators.
    steps
        How often the range of the amount is halved after the full amount was tried.
    tries
        The most draws at each amount.
    """
    codes = np.asarray(labels)
    if codes.shape != (len(items),):
        raise InvalidInput(f"labels have shape {codes.shape}, items {len(items)}: give one label an item")
    for name, value in (("steps", steps), ("tries", tries)):
        if value < 1:
            raise InvalidInput(f"{name}={value} must be at least 1")
    seed = int(rng.integers(2**62))
    draws = [generator(seed, "perturbation", place) for place in range(len(items))]
    nearest = list(items)
    queries = np.zeros(len(items), dtype=np.int64)

    def changed_at(amounts: NDArray[np.float64], places: NDArray[np.intp]) -> NDArray[np.bool_]:
        changed = np.zeros(len(items), dtype=bool)
        for _ in range(tries):
            if not len(places):
                break
            moved = [perturb(items[place], float(amounts[place]), draws[place]) for place in places]
            answers = np.asarray(predict_items(moved))
            if answers.shape != places.shape:
                raise InvalidInput(f"the model gave {answers.shape} answers to {len(places)} items: give one an item")
            queries[places] += 1
            new = answers != codes[places]
            for draw in np.flatnonzero(new):
                nearest[places[draw]] = moved[draw]
            changed[places[new]] = True
            places = places[~new]
        return changed

    ever = changed_at(np.ones(len(items)), np.arange(len(items)))
    low, high = np.zeros(len(items)), np.ones(len(items))
    for _ in range(steps):
        middle = (low + high) / 2
        changed = changed_at(middle, np.flatnonzero(ever))
        low, high = np.where(changed, low, middle), np.where(changed, middle, high)
    return GivenDistances(np.where(ever, high, np.nan), ever, queries, nearest)
