"""The methods by name, and the one door to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.blind.distances._asker import Asker, Predict
from ringtrue.blind.distances._boundary import boundary
from ringtrue.blind.distances._box import Box, Codes, Inputs
from ringtrue.blind.distances._checks import check_inside, checked_items
from ringtrue.blind.distances._hopskipjump import STARTS, hopskipjump
from ringtrue.blind.distances._lines import LINES, lines
from ringtrue.blind.distances._noise_flips import noise_flips
from ringtrue.blind.distances._rays import rays
from ringtrue.blind.distances._result import Distances
from ringtrue.blind.distances._starts import nearest_of_another_label
from ringtrue.blind.distances._surfree import surfree
from ringtrue.core import InvalidInput


class Function(Protocol):
    """How every method is called.

    `starts` are items of another label: one for each item (n, ...), or several (n, k, ...) where it takes so many.
    `queries` bounds each item.
    """

    def __call__(
        self,
        asker: Asker,
        inputs: Inputs,
        labels: Codes,
        box: Box,
        rng: np.random.Generator,
        *,
        starts: Inputs | None = ...,
        queries: int = ...,
    ) -> Distances: ...


@dataclass(frozen=True, slots=True)
class Method:
    """A way to find the nearest changed input."""

    name: str
    function: Function
    queries: int
    """The usual bound for each item."""

    norm: str
    """The one its distances are usually given in."""

    about: str
    starts: int = 1
    """How many items of another label it sets out to."""


METHODS: Mapping[str, Method] = MappingProxyType({
    method.name: method
    for method in (
        Method("boundary", boundary, 30_000, "mae", "random walk along the boundary, as Bennette et al. used it"),
        Method("hopskipjump", hopskipjump, 500, "l2", "steps along estimates of the boundary's normal", starts=STARTS),
        Method("rays", rays, 50, "linf", "signs of all numbers, flipped block by block, with the radius bisected"),
        Method("surfree", surfree, 120, "l2", "turns along circles through the item, in random planes"),
        Method("lines", lines, 64, "l2", "bisection on lines to the nearest items of another label", starts=LINES),
        Method("flips", noise_flips, 80, "l2", "bisection on directions of low-frequency noise"),
    )
})  # fmt: skip


def measure(
    method: str,
    predict: Predict | Asker,
    inputs: ArrayLike,
    labels: ArrayLike,
    *,
    rng: np.random.Generator,
    box: Box | None = None,
    others: tuple[ArrayLike, ArrayLike] | None = None,
    queries: int | None = None,
) -> Distances:
    """The nearest changed input of each item, by the method of that name.

    `inputs` (n, ...) are arrays of one shape inside `box`, `labels` (n,) what `predict` says of them. `others` are
    items and their predicted labels, among which each item finds a start: the nearest that has another label. An
    `Asker` in place of a function counts on.

    >>> def above(points):
    ...     return (points.sum(axis=1) > 1.5).astype(int)
    >>> inputs = np.array([[0.5, 0.5], [0.9, 0.9]])
    >>> found = measure("hopskipjump", above, inputs, above(inputs), rng=np.random.default_rng(0))
    >>> found.measured("l2", Box(0, 1)).round(2)
    array([0.35, 0.21])
    """
    if method not in METHODS:
        raise InvalidInput(f"method={method!r} must be one of {', '.join(METHODS)}")
    chosen = METHODS[method]
    bound = chosen.queries if queries is None else queries
    if bound < 1:
        raise InvalidInput(f"queries={bound} must be at least 1: a distance needs the model's answers")
    items, codes = checked_items("inputs", inputs, labels)
    other_items, other_codes = checked_items("others", *others) if others is not None else (items[:0], codes[:0])
    if other_items.shape[1:] != items.shape[1:]:
        raise InvalidInput(f"others have the shape {other_items.shape[1:]}, inputs {items.shape[1:]}: give equal ones")
    if box is None:
        box = Box.of(np.concatenate([np.asarray(inputs), np.asarray(others[0])]) if others else np.asarray(inputs))
    for name, rows in {"inputs": items, "others": other_items}.items():
        check_inside(name, rows, box)
    starts = None
    if others is not None:
        starts = nearest_of_another_label(items, codes, other_items, other_codes, box, chosen.starts)
        starts = starts[:, 0] if chosen.starts == 1 else starts
    asker = predict if isinstance(predict, Asker) else Asker(predict, items=len(items))
    return chosen.function(asker, items, codes, box, rng, starts=starts, queries=bound)
