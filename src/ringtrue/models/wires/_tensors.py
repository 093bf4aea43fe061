"""Tensors as the Open Inference Protocol writes them: name, datatype, shape, and data in rows, nested or flat."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ringtrue.core import InvalidInput, count
from ringtrue.models.wires._wire import Columns, cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WHOLE = ("INT", "UINT")
_FLOATS = ("FP16", "FP32", "FP64", "BF16")
_DATATYPES = {"BOOL", "BYTES", *_FLOATS, *(f"{kind}{bits}" for kind in _WHOLE for bits in (8, 16, 32, 64))}

_LONGEST = 200
"""Characters of the name of a tensor."""


class Told(NamedTuple):
    """What a server tells of a tensor; a shape that it does not tell is empty."""

    name: str
    datatype: str
    shape: list[int]

    @property
    def is_float(self) -> bool:
        """Whether it holds numbers with a fraction."""
        return self.datatype in _FLOATS


def told_in(found: Any, key: str) -> list[Told]:
    """Return the tensors that an object lists under a key, without what is none.

    >>> told_in({"inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}]}, "inputs")
    [Told(name='x', datatype='FP32', shape=[-1, 4])]
    """
    listed = found.get(key) if isinstance(found, Mapping) else None
    tensors = []
    for one in listed if isinstance(listed, list) else []:
        told: Any = one if isinstance(one, dict) else {}
        name, kind, shape = told.get("name"), told.get("datatype"), told.get("shape")
        sized = isinstance(shape, list) and all(type(size) is int for size in shape)
        if isinstance(name, str) and len(name) <= _LONGEST and kind in _DATATYPES and sized:
            tensors.append(Told(name, kind, shape))
    return tensors


def is_numbers(column: NDArray[Any]) -> bool:
    """Return whether all cells of a column are numbers, truth values or missing."""
    if column.dtype.kind in "biuf":
        return True
    return all(cell is None or isinstance(cell, int | float) for cell in column.tolist())


def matrix(told: Told, columns: Columns) -> dict[str, Any]:
    """Return all columns as one tensor, an item a row; one column of arrays is such a tensor already.

    >>> import numpy as np
    >>> matrix(Told("x", "FP32", [-1, 2]), {"a": np.array([1, 2]), "b": np.array([0.5, np.nan])})
    {'name': 'x', 'shape': [2, 2], 'datatype': 'FP32', 'data': [1.0, 0.5, 2.0, None]}
    """
    arrays = list(columns.values())
    if len(arrays) == 1:
        return column_tensor(told, arrays[0])
    wide = [name for name, column in columns.items() if column.ndim > 1]
    if wide or not all(map(is_numbers, arrays)):
        odd = wide or [name for name, column in columns.items() if not is_numbers(column)]
        raise InvalidInput(
            f"takes one input {told.name!r}, and the column {odd[0]!r} does not hold one number per item: name the "
            "columns of numbers as its features"
        )
    width = math.prod(told.shape[1:]) if len(told.shape) > 1 else -1
    if 0 < width != len(columns):
        raise InvalidInput(
            f"takes {width} numbers per item in its input {told.name!r}, and {len(columns)} columns are sent "
            f"({', '.join(columns)}): name {width} of them, in the model's order, as its features"
        )
    rows = list(zip(*(_converted(told, name, cells(column)) for name, column in columns.items()), strict=True))
    return _tensor(told, [len(rows), *(told.shape[1:] if width > 0 else [len(columns)])], list(chain(*rows)))


def column_tensor(told: Told, column: NDArray[Any]) -> dict[str, Any]:
    """Return one column as the tensor that the server told of, as many dimensions as that has."""
    values = _converted(told, told.name, _flat(cells(column)))
    shape = list(column.shape)
    if column.ndim == 1 and told.shape:
        shape += [1] * (len(told.shape) - 1)
    elif column.ndim == 1:
        shape = [len(column), 1]
    return _tensor(told, shape, values)


def own_column(name: str, column: NDArray[Any]) -> dict[str, Any]:
    """Return one column as a tensor of the datatype that its cells have.

    >>> import numpy as np
    >>> own_column("town", np.array(["a", "b"]))["parameters"], own_column("n", np.array([1, 2]))["datatype"]
    ({'content_type': 'str'}, 'INT64')
    """
    kinds = {type(cell) for cell in cells(column)}
    if not is_numbers(column):
        return {**column_tensor(Told(name, "BYTES", [-1, 1]), column), "parameters": {"content_type": "str"}}
    kind = "BOOL" if kinds == {bool} else "INT64" if kinds == {int} else "FP64"
    return column_tensor(Told(name, kind, [-1, 1]), column)


def rows_of(told: Told, entry: Mapping[str, Any], items: int) -> list[list[Any]]:
    """Return the data of an output, one list per item, however it was nested.

    >>> rows_of(Told("p", "FP64", [2, 2]), {"data": [0.5, 0.5, 1.0, 0.0]}, 2)
    [[0.5, 0.5], [1.0, 0.0]]
    """
    data = _flat(entry["data"]) if isinstance(entry.get("data"), list) else None
    if data is None or not told.shape or math.prod(told.shape) != len(data):
        held = "no list" if data is None else count(len(data), "value")
        raise InvalidInput(
            f"sent an output {told.name!r} of the shape {told.shape} with {held} as its data: mend the service"
        )
    if told.shape[0] != items:
        raise InvalidInput(f"returned {told.shape[0]} answers for {items} items: return one per item, in their order")
    width = len(data) // items if items else 0
    return [data[start : start + width] for start in range(0, len(data), width or 1)]


def _tensor(told: Told, shape: list[int], data: list[Any]) -> dict[str, Any]:
    return {"name": told.name, "shape": shape, "datatype": told.datatype, "data": data}


def _flat(data: list[Any]) -> list[Any]:
    while any(isinstance(one, list) for one in data):
        data = list(chain.from_iterable(one if isinstance(one, list) else [one] for one in data))
    return data


def _converted(told: Told, name: str, values: list[Any]) -> list[Any]:
    """Return the values as JSON of a datatype; those that it cannot hold are refused."""
    try:
        return [None if value is None else _as(told, value) for value in values]
    except (TypeError, ValueError):
        raise InvalidInput(
            f"takes {told.datatype} in its input {told.name!r}, which the column {name!r} does not hold: convert the "
            "column, or name others as its features"
        ) from None


def _as(told: Told, value: Any) -> Any:
    if told.datatype == "BYTES":
        return value if isinstance(value, str) else str(value)
    if isinstance(value, str):
        raise ValueError
    if told.is_float:
        return float(value)
    if told.datatype == "BOOL":
        return bool(value)
    if told.datatype.startswith(_WHOLE) and value == int(value):
        return int(value)
    raise ValueError
