"""The columns of a batch as the inputs of a model file: matched by name, cast as the file declares, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, count, meant

if TYPE_CHECKING:
    from numpy.typing import NDArray

TEXT, ANY = "text", "any"
_BY = "with --input A,B (changed: --features A,B; Python: features=[…])"


class Inputs:
    """The inputs that a file declares, and how columns fill them.

    Parameters
    ----------
    model
        What errors call the model.
    declared
        Name, type and shape of each input.
    features
        The columns that fill them, where the file names them.
    """

    def __init__(self, model: str, declared: Sequence[Sequence[Any]], features: Sequence[str] | None) -> None:
        self.model, self.features = model, features
        self._inputs = [(str(name), str(kind), list(shape)) for name, kind, shape in declared]
        shape = self._inputs[0][2]
        self._is_matrix = len(self._inputs) == 1 and len(shape) == 2
        self._width = len(features) if features else shape[1] if self._is_matrix else 1

    def chosen(self, columns: Sequence[str] | None, *, offered: bool = False) -> list[str] | None:
        """Return the columns to send, in the order of the inputs; None where neither the file nor the user says.

        Those of the file's names go by name, others by their place. `offered` says that a pool has these columns, and
        that the user did not choose them.
        """
        if columns is None:
            return None if self.features is None else list(self.features)
        if self.features is not None and set(columns) == set(self.features):
            return list(self.features)
        if self._width is not None and len(columns) != self._width:
            takes = f"takes {', '.join(self.features)}" if self.features else f"takes {count(self._width, 'column')}"
            if self._takes_array and len(columns) > 1:
                takes = "takes one column of arrays"
            remedy = "name those that it takes, in their order" if offered else "name as many"
            raise InvalidInput(
                f"the model {self.model} {takes} and is given {len(columns)} ({', '.join(columns)}): {remedy}, {_BY}"
            )
        return list(columns)

    def check_there(self, names: Sequence[str], columns: Sequence[str]) -> None:
        """Refuse a pool that lacks a column, with both lists."""
        for name in names:
            if name not in columns:
                raise InvalidInput(
                    f"the model {self.model} takes {', '.join(names)}, and the pool has no {name!r}"
                    f"{meant(name, list(columns))} columns: {', '.join(columns)}"
                )

    @property
    def _takes_array(self) -> bool:
        return len(self._inputs) == 1 and len(self._inputs[0][2]) > 2

    def of(self, batch: Batch, names: Sequence[str]) -> tuple[list[Any], list[NDArray[Any]]]:
        """Return the inputs, each a list of texts or the place of an array, and the arrays."""
        cells = [batch.columns[name] for name in names]
        if len(self._inputs) == 1 and self._inputs[0][1] != ANY:
            _, kind, shape = self._inputs[0]
            if len(cells) == 1 and _holds_arrays(cells[0]):
                return [0], [self._stacked(names[0], cells[0], kind, shape)]
            if self._takes_array:
                raise InvalidInput(
                    f"the model {self.model} takes arrays of the shape {_shown(shape[1:])}, and column {names[0]!r} "
                    f"holds none: name the column of the arrays, {_BY}"
                )
            if kind == TEXT:
                return self._texts(names, cells), []
            table = np.empty((len(batch), len(cells)), dtype=kind)
            with np.errstate(over="ignore"):
                for place, (name, column) in enumerate(zip(names, cells, strict=True)):
                    plain = column.dtype.kind in "biuf" and column.ndim == 1 and table.dtype.kind == "f"
                    table[:, place] = column if plain else self._numbers(batch, name, column, kind)
            return [0], [table if len(shape) == 2 else table.reshape(-1)]
        columns: list[Any] = []
        arrays: list[NDArray[Any]] = []
        for name, column, (_, kind, _) in zip(names, cells, self._inputs, strict=True):
            if kind == TEXT or (kind == ANY and _is_text(column)):
                columns.append([None if cell is None else str(cell) for cell in column.tolist()])
                continue
            columns.append(len(arrays))
            arrays.append(self._numbers(batch, name, column, "float64" if kind == ANY else kind))
        return columns, arrays

    def _texts(self, names: Sequence[str], cells: Sequence[NDArray[Any]]) -> list[Any]:
        if len(cells) > 1:
            raise InvalidInput(
                f"the model {self.model} takes one column of text and is given {len(cells)} ({', '.join(names)}): name "
                f"it, {_BY}"
            )
        texts = ["" if cell is None else str(cell) for cell in cells[0].tolist()]
        return [texts]

    def _numbers(self, batch: Batch, name: str, column: NDArray[Any], kind: str) -> NDArray[Any]:
        """Return a column as numbers of a type; None is NaN where there is one."""
        if column.dtype.kind in "biuf":
            numbers = column
        else:
            values = column.tolist()
            wrong = next((at for at, one in enumerate(values) if not (one is None or _is_number(one))), None)
            if wrong is not None or column.ndim > 1:
                shown = "an array" if column.ndim > 1 else repr(values[wrong or 0])
                raise InvalidInput(
                    f"the model {self.model} takes numbers, and item {batch.ids[wrong or 0]!r} has {shown} in column "
                    f"{name!r}: leave the column out, or turn it into numbers"
                )
            numbers = np.array([np.nan if one is None else one for one in values], dtype=np.float64)
        target = np.dtype(kind)
        if target.kind in "iub" and numbers.dtype.kind == "f" and not np.all(numbers == np.rint(numbers)):
            at = int(np.argmax(~(numbers == np.rint(numbers))))
            raise InvalidInput(
                f"the model {self.model} takes whole numbers in {name!r}, and item {batch.ids[at]!r} has "
                f"{numbers[at]:g}: fill it in, or round it"
            )
        with np.errstate(over="ignore"):
            return numbers.astype(target)

    def _stacked(self, name: str, column: NDArray[Any], kind: str, shape: Sequence[int | None]) -> NDArray[Any]:
        """Return a column of arrays as one array, checked against the declared shape."""
        if kind == TEXT:
            raise InvalidInput(f"the model {self.model} takes text, and column {name!r} holds arrays: name another")
        if column.dtype == object:
            shapes = sorted({np.shape(cell) for cell in column})
            if len(shapes) > 1:
                raise InvalidInput(
                    f"column {name!r} holds arrays of {len(shapes)} shapes, such as {shapes[0]} and {shapes[1]}: bring "
                    "all to one size"
                )
            column = np.stack([np.asarray(cell) for cell in column])
        wanted, found = list(shape[1:]), column.shape[1:]
        fits = len(wanted) == len(found) and all(one in (None, size) for one, size in zip(wanted, found, strict=True))
        if not fits:
            raise InvalidInput(
                f"the model {self.model} takes arrays of the shape {_shown(wanted)}, and those in column {name!r} have "
                f"{_shown(found)}: bring them to that"
            )
        return column.astype(kind)


def _holds_arrays(column: NDArray[Any]) -> bool:
    return column.ndim > 1 or (column.dtype == object and len(column) > 0 and np.ndim(column[0]) > 0)


def _is_text(column: NDArray[Any]) -> bool:
    if column.dtype.kind in "biuf":
        return False
    return not all(one is None or _is_number(one) for one in column.tolist())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _shown(shape: Sequence[int | None]) -> str:
    return "(" + ", ".join("any" if size is None else str(size) for size in shape) + ")"
