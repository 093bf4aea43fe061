"""The part of an item that can be changed a little: an image, or a row of numbers, in a box."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind.distances import Box
from ringtrue.core import Argument, Batch, InvalidInput, Json, Pool

_CHUNK = 1_000


@dataclass(frozen=True)
class Inputs:
    """Which columns make up the input of an item, and between which bounds they may be changed.

    One column of arrays, such as images, or several columns of numbers, which make a row. `low` and `high` are one
    number for all, or one per column. Images whose colours come first are turned, so that all else sees them last.

    >>> Inputs(("age", "income"), (18.0, 0.0), (90.0, 1e6)).array(
    ...     Batch(["a"], {"age": np.array([40]), "income": np.array([3e4])})
    ... ).tolist()
    [[40.0, 30000.0]]
    """

    columns: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def box(self) -> Box:
        if len(self.low) == 1:
            return Box(self.low[0], self.high[0])
        return Box(np.array(self.low), np.array(self.high))

    def array(self, batch: Batch) -> NDArray[np.float32]:
        """Return the inputs of some items, shape (items, ...); refuses what cannot be changed."""
        found = raw_inputs(batch, self.columns)
        if _colours_come_first(found.shape[1:]):
            found = np.moveaxis(found, 1, -1)
        if len(self.low) not in (1, found.shape[-1]):
            raise InvalidInput(
                f"box with {len(self.low)} bounds for inputs of shape {found.shape[1:]}: give one, or as many"
            )
        clipped = self.box.clip(found)
        # A pool that was measured for its bounds may hold values that float32 rounds across them.
        far = np.abs(clipped - found) > 1e-5 * np.broadcast_to(self.box.width, found.shape)
        if far.any():
            place = tuple(int(index) for index in np.argwhere(far)[0])
            raise InvalidInput(
                f"item {batch.ids[place[0]]!r} has the input {found[place]:g}, outside the box of the pool: "
                "widen the box, or mend the item"
            )
        return np.asarray(clipped, dtype=np.float32)

    def batch(self, points: NDArray[Any], items: Batch, owners: NDArray[np.int64]) -> Batch:
        """Return changed inputs as items: all other columns are those of the item each was made from."""
        columns = {name: column[owners] for name, column in items.columns.items()}
        cell = next(iter(items.columns[self.columns[0]]))
        if np.ndim(cell):
            turned = _colours_come_first(np.shape(cell))
            columns[self.columns[0]] = np.moveaxis(points, -1, 1) if turned else points
        else:
            columns |= {name: points[:, place] for place, name in enumerate(self.columns)}
        return Batch([f"{items.ids[owner]}~{place}" for place, owner in enumerate(owners.tolist())], columns)

    def to_json(self) -> dict[str, Json]:
        return {"columns": list(self.columns), "low": list(self.low), "high": list(self.high)}

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> Inputs:
        return cls(tuple(entry["columns"]), tuple(entry["low"]), tuple(entry["high"]))


def _colours_come_first(shape: tuple[int, ...]) -> bool:
    """Return whether an item of this shape is an image of one, three or four colours before its rows.

    >>> _colours_come_first((3, 32, 32)), _colours_come_first((32, 32, 3)), _colours_come_first((32, 32))
    (True, False, False)
    """
    return len(shape) == 3 and shape[0] in (1, 3, 4) and shape[2] not in (1, 3, 4)


def raw_inputs(batch: Batch, columns: tuple[str, ...], argument: str = "inputs") -> NDArray[np.float64]:
    """Return the columns as one array of finite numbers, one row per item."""
    for name in columns:
        check_column(argument, name, batch.columns)
    if len(set(columns)) < len(columns):
        raise InvalidInput(Argument(argument, list(columns)), " names a column twice: name each once")
    cells = [_numbers(batch, name, argument) for name in columns]
    if len(cells) > 1 and any(cell.ndim != 1 for cell in cells):
        raise InvalidInput(
            Argument(argument, list(columns)),
            ": an image stands alone: name one column of arrays, or columns of numbers",
        )
    found = cells[0] if len(cells) == 1 and cells[0].ndim > 1 else np.stack(cells, axis=1)
    bad = ~np.isfinite(found)
    if bad.any():
        row, place = np.argwhere(bad)[0][:2].tolist()
        raise InvalidInput(
            Argument(argument, columns[place if len(columns) > 1 else 0]),
            f": item {batch.ids[row]!r} has a number that is not finite (NaN, infinite or empty): mend it, or remove "
            "the item",
        )
    return found


def _numbers(batch: Batch, name: str, argument: str) -> NDArray[np.float64]:
    column = batch.columns[name]
    if column.dtype == object and len(column) and all(np.ndim(cell) for cell in column):
        shapes = [np.shape(cell) for cell in column]
        for item, shape in zip(batch.ids, shapes, strict=True):
            if shape != shapes[0]:
                raise InvalidInput(
                    f"item {item!r} has an input of shape {shape}, item {batch.ids[0]!r} of {shapes[0]}: "
                    "bring all to one size"
                )
        column = np.stack([np.asarray(cell) for cell in column])
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        rule = " holds no numbers: name images or columns of numbers"
        raise InvalidInput(Argument(argument, name), rule) from None


def check_column(argument: str, name: str, columns: Iterable[str]) -> None:
    """Refuse the name of a column that the pool does not have."""
    if name not in columns:
        raise InvalidInput(Argument(argument, name), f" is not a column of the pool: name some of {', '.join(columns)}")


def inputs_of(pool: Pool, columns: tuple[str, ...]) -> Inputs:
    """Return the inputs in these columns, in the box that all items of the pool lie in.

    It has a pair of bounds per column for rows, and one for images: 0 and 255 if they are bytes. Numbers that all lie
    between 0 and 1 have these bounds.
    """
    ends: list[tuple[Any, Any]] = []
    shape: tuple[int, ...] = ()
    for batch in pool.chunks(_CHUNK):
        found, cells = raw_inputs(batch, columns), batch.columns[columns[0]]
        if ends and found.shape[1:] != shape:
            raise InvalidInput(
                f"item {batch.ids[0]!r} has an input of shape {found.shape[1:]}, those before it of {shape}: "
                "bring all to one size"
            )
        shape, axes = found.shape[1:], 0 if found.ndim == 2 else None
        ends.append((found.min(axis=axes), found.max(axis=axes)))
    low, high = np.min([least for least, _ in ends], axis=0), np.max([most for _, most in ends], axis=0)
    if np.asarray(cells[0]).dtype == np.uint8 and (cells.dtype == object or cells.ndim > 1):
        return Inputs(columns, (0.0,), (255.0,))
    if np.all(low >= 0) and np.all(high <= 1):
        return Inputs(columns, (0.0,), (1.0,))
    wide = np.where(high > low, high, low + 1.0)
    return Inputs(columns, *(tuple(np.atleast_1d(end).tolist()) for end in (low, wide)))
