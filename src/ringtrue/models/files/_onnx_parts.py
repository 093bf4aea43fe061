"""The few things that are read of an ONNX file itself: where it keeps weights outside, and what its classes are called.

An ONNX file is a message of protocol buffers. Its fields are walked by number, all occurrences of each, as a parser
that merges them would; no tensor is copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ringtrue.core import InvalidInput

_PARTS: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node", 11: "attribute"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
}
"""Which fields of a message are messages that may hold a tensor."""

_DEEPEST = 64
_TORN = "is not a whole ONNX model: export it again"


def fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """Yield the fields of a message by number: numbers as such, everything else as its bytes."""
    place, end = 0, len(message)
    while place < end:
        key, place = _number(message, place)
        kind = key & 7
        if kind == 0:
            value, place = _number(message, place)
            yield key >> 3, value
            continue
        if kind == 2:
            size, place = _number(message, place)
        else:
            size = {1: 8, 5: 4}.get(kind, -1)
        if size < 0 or place + size > end:
            raise InvalidInput(_TORN)
        yield key >> 3, message[place : place + size]
        place += size


def _number(message: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while place < len(message) and shift < 70:
        byte = message[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
    raise InvalidInput(_TORN)


def walk(message: memoryview, kind: str = "model", depth: int = 0) -> Iterator[tuple[str, memoryview]]:
    """Yield every part of a model that may hold a tensor, with what it is."""
    if depth > _DEEPEST:
        raise InvalidInput("holds graphs within graphs, too many: export it again")
    yield kind, message
    parts = _PARTS.get(kind, {})
    for number, value in fields(message) if parts else ():
        if number in parts and isinstance(value, memoryview):
            yield from walk(value, parts[number], depth + 1)


def check_outside(message: memoryview, path: Path) -> None:
    """Refuse weights that are kept anywhere but in the folder of the model."""
    folder = path.parent.resolve()
    for kind, part in walk(message):
        for number, value in fields(part) if kind == "tensor" else ():
            if number != 13:
                continue
            entry = {name: bytes(text).decode(errors="replace") for name, text in fields(value)}
            if entry.get(1) != "location":
                continue
            place = entry.get(2, "")
            target = (folder / place).resolve()
            if Path(place).is_absolute() or ".." in Path(place).parts or not target.is_relative_to(folder):
                raise InvalidInput(
                    f"keeps weights in {place!r}, which is not in its own folder: save it with its weights beside it"
                )
            if not target.is_file():
                raise InvalidInput(f"keeps weights in {place!r}, which is not there: bring the file back")


def classes_in(message: memoryview) -> list[Any] | None:
    """Return the classes of a classifier as scikit-learn's converters write them; None where they are not told."""
    found: dict[str, list[list[Any]]] = {}
    for kind, part in walk(message):
        if kind == "node":
            operator = _text(part, 4)
            for number, attribute in fields(part):
                if number == 5 and _text(attribute, 1).startswith("classlabels_"):
                    labels = _listed(attribute)
                    found.setdefault("ZipMap" if operator == "ZipMap" else "others", []).extend([labels] * bool(labels))
        elif kind == "tensor" and _text(part, 8) == "classes":
            found.setdefault("initial", []).append(_cells(part))
    for source in ("ZipMap", "initial", "others"):
        told = found.get(source, [])
        if told and all(one == told[0] for one in told):
            return told[0]
    return None


def outputs_of(message: memoryview, operator: str) -> set[str]:
    """Return the names of all that nodes of this operator give."""
    nodes = [part for kind, part in walk(message) if kind == "node" and _text(part, 4) == operator]
    return {bytes(value).decode(errors="replace") for node in nodes for number, value in fields(node) if number == 2}


def _text(message: memoryview, number: int) -> str:
    return next((bytes(value).decode(errors="replace") for at, value in fields(message) if at == number), "")


def _listed(attribute: memoryview) -> list[Any]:
    """Return the numbers or texts of an attribute."""
    found: list[Any] = []
    for number, value in fields(attribute):
        if number == 9:
            found.append(bytes(value).decode(errors="replace"))
        elif number == 8 and isinstance(value, int):
            found.append(_signed(value))
        elif number == 8:
            found += _packed(value)
    return found


def _cells(tensor: memoryview) -> list[Any]:
    """Return the cells of a tensor of whole numbers or texts."""
    told: dict[int, Any] = dict(fields(tensor))
    found: list[Any] = []
    raw, kind = told.get(9), {6: np.int32, 7: np.int64}.get(told.get(2, 0))
    if raw is not None and kind is not None and len(raw) % np.dtype(kind).itemsize == 0:
        return [int(one) for one in np.frombuffer(raw, dtype=kind)]
    for number, value in fields(tensor):
        if number == 6:
            found.append(bytes(value).decode(errors="replace"))
        elif number in (5, 7):
            found += [_signed(value)] if isinstance(value, int) else _packed(value)
    return found


def _packed(value: memoryview) -> list[int]:
    found, place = [], 0
    while place < len(value):
        number, place = _number(value, place)
        found.append(_signed(number))
    return found


def _signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number
