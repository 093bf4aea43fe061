"""The methods by name, and the one door to them: items are checked before anything is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.blind.distances._asker import Asker, Box, Codes, Decisions, Distances, Inputs, Predict
from ringtrue.blind.distances._boundary import boundary
from ringtrue.blind.distances._circles import STARTS, hopskipjump, surfree
from ringtrue.blind.distances._lines import LINES, lines, noise_flips, rays
from ringtrue.blind.distances._starts import nearest_of_another_label
from ringtrue.core import Argument, InvalidInput


def checked_items(name: str, inputs: ArrayLike, labels: ArrayLike) -> tuple[Inputs, Codes]:
    """Return items in float32, of one shape and finite, and one code for each."""
    try:
        items = np.asarray(inputs)
    except ValueError:  # numpy makes no array of items of different shapes
        items = np.array(None)
    if items.ndim < 2 or items.dtype.kind not in "iuf":
        raise InvalidInput(f"{name} must be numbers in arrays of one shape, one for each item: resize them to one size")
    codes = np.asarray(labels)
    if codes.shape != (len(items),):
        raise InvalidInput(f"labels of shape {codes.shape} for {len(items)} {name}: give one label code for each")
    if len(codes) and not np.issubdtype(codes.dtype, np.integer):
        raise InvalidInput(f"labels of {codes.dtype} for {name} must be integer codes: number the labels")
    items = items.astype(np.float32)
    _refuse(name, ~np.isfinite(items), "holds NaN or infinite numbers: leave it out or fill it in")
    return items, codes.astype(np.int64)


def check_inside(name: str, items: Inputs, box: Box) -> None:
    """Refuse items that leave the box, and a box of another shape."""
    shape = np.broadcast_shapes(box.low.shape, box.high.shape)
    try:
        fits = np.broadcast_shapes(shape, items.shape[1:]) == items.shape[1:]
    except ValueError:
        fits = False
    if not fits:
        raise InvalidInput(f"box of shape {shape} does not fit {name} of shape {items.shape[1:]}: give low and high")
    _refuse(name, (items < box.low) | (items > box.high), "lies outside the box: give the box it comes from")


def _refuse(name: str, broken: NDArray[np.bool_], rule: str) -> None:
    items = np.flatnonzero(broken.any(axis=tuple(range(1, broken.ndim))))
    if len(items):
        raise InvalidInput(f"{name}[{items[0]}] {rule} ({len(items)} of {len(broken)})")


class Function(Protocol):
    """How every method is called.

    `rng` makes its random choices, if it has any. `starts` are items of another label, if it needs some: one for each
    item (n, ...), or several (n, k, ...) where it takes so many. `queries` bounds each item.
    """

    def __call__(
        self, decisions: Decisions, rng: np.random.Generator, *, starts: Inputs | None = ..., queries: int = ...
    ) -> Distances: ...


@dataclass(frozen=True, slots=True)
class Method:
    """A way to find the nearest changed input: how it is called, the usual bound on the queries of each item, the norm
    its distances are usually given in, and how many items of another label it sets out to.
    """

    function: Function
    queries: int
    norm: str
    starts: int = 1


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "boundary": Method(boundary, 30_000, "mae"),
        "hopskipjump": Method(hopskipjump, 500, "l2", starts=STARTS),
        "rays": Method(rays, 50, "linf"),
        "surfree": Method(surfree, 120, "l2"),
        "lines": Method(lines, 64, "l2", starts=LINES),
        "flips": Method(noise_flips, 80, "l2"),
    }
)


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
    """Return the nearest changed input of each item, by the method of that name.

    >>> def above(points):
    ...     return (points.sum(axis=1) > 1.5).astype(int)
    >>> inputs = np.array([[0.5, 0.5], [0.9, 0.9]])
    >>> found = measure("hopskipjump", above, inputs, above(inputs), rng=np.random.default_rng(0))
    >>> found.measured("l2", Box(0, 1)).round(2)
    array([0.35, 0.21])

    Parameters
    ----------
    method
        The name of the method, one of `METHODS`.
    predict
        The model as a function of points; an `Asker` in its place counts on.
    inputs
        The items, (n, ...), arrays of one shape inside the box.
    labels
        What the model says of them, (n,).
    rng
        Makes the random choices of the method.
    box
        The range of every number; by default that of the inputs and the others.
    others
        Items and their predicted labels, among which each item finds a start: the nearest that has another label.
    queries
        The most queries per item; by default the usual bound of the method.
    """
    if method not in METHODS:
        raise InvalidInput(f"method={method!r} must be one of {', '.join(METHODS)}")
    chosen = METHODS[method]
    bound = chosen.queries if queries is None else queries
    if bound < 1:
        raise InvalidInput(Argument("queries", bound), " must be at least 1: a distance needs the model's answers")
    items, codes = checked_items("inputs", inputs, labels)
    other_items, other_codes = checked_items("others", *others) if others is not None else (items[:0], codes[:0])
    if other_items.shape[1:] != items.shape[1:]:
        raise InvalidInput(f"others have the shape {other_items.shape[1:]}, inputs {items.shape[1:]}: give equal ones")
    if box is None:
        box = Box.of(np.concatenate([np.asarray(inputs), np.asarray(others[0])]) if others else np.asarray(inputs))
    for name, rows in {"inputs": items, "others": other_items}.items():
        check_inside(name, rows, box)
    asker = predict if isinstance(predict, Asker) else Asker(predict, items=len(items))
    decisions, starts = Decisions(asker, items, codes, box), None
    if others is not None:
        starts = nearest_of_another_label(decisions, other_items, other_codes, chosen.starts)
        starts = starts[:, 0] if chosen.starts == 1 else starts
    return chosen.function(decisions, rng, starts=starts, queries=bound)
