"""ONNX files, run by onnxruntime on the processor: classifiers as scikit-learn is converted to, and networks."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput
from ringtrue.models.files._loaded import About, Cells, Opening, Said, Taken
from ringtrue.models.files._onnx_parts import check_outside, classes_in, outputs_of

_KINDS = {
    "float": "float32", "double": "float64", "float16": "float16", "bool": "bool", "string": "text",
    "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64",
    "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64",
}  # fmt: skip
"""The types of tensors, as numpy calls them."""


class _Session:
    def __init__(self, session: Any, classes: list[Any] | None, shares: set[str]) -> None:
        import onnxruntime

        self._session = session
        self._inputs, outputs = session.get_inputs(), session.get_outputs()
        self._labels = next((one.name for one in outputs if _kind(one) in _WHOLE and len(one.shape) < 3), None)
        tables = [one.name for one in outputs if _kind(one) in _FLOATS or _is_map(one)]
        self._table = tables[0] if tables else None
        if self._labels is None and self._table is None:
            raise InvalidInput("has neither labels nor numbers as outputs: export it with one of them")
        named = len(self._inputs) > 1
        self.about = About(
            library=f"onnxruntime {onnxruntime.__version__}",
            inputs=[Taken(one.name, _taken(one), _shape(one)) for one in self._inputs],
            features=[one.name for one in self._inputs] if named else None,
            classes=classes if self._labels is not None else None,
            gives="labels" if self._labels is not None or self._table in shares else "scores",
        )

    def answer(self, inputs: Sequence[Cells]) -> Said:
        """Return labels, probabilities, or scores of which only the user knows the classes."""
        taken = zip(self._inputs, inputs, strict=True)
        fed = {one.name: self._shaped(one, cells) for one, cells in taken}
        wanted = [name for name in (self._labels, self._table) if name is not None]
        found = dict(zip(wanted, self._session.run(wanted, fed), strict=True))
        table = None if self._table is None else found[self._table]
        classes = None
        if isinstance(table, list):  # a dictionary per item, in which the classes are named
            classes = list(table[0])
            table = np.array([[row[name] for name in classes] for row in table])
        labels = None if self._labels is None else np.asarray(found[self._labels]).reshape(-1).tolist()
        return Said(labels, table, classes)

    def _shaped(self, declared: Any, cells: Cells) -> NDArray[Any]:
        array = np.asarray(cells, dtype=object) if isinstance(cells, list) else cells
        return array.reshape(-1, 1) if array.ndim == 1 and len(declared.shape) == 2 else array


def load(opening: Opening) -> _Session:
    """Open an ONNX file, of which no part may lie outside of its folder."""
    import onnxruntime

    path = Path(opening.path)
    with path.open("rb") as file:
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        check_outside(whole, path)
        classes, shares = classes_in(whole), outputs_of(whole, "Softmax")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # the same sums in the same order everywhere
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return _Session(session, classes, shares)


_WHOLE = ("text", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_FLOATS = ("float16", "float32", "float64")


def _kind(declared: Any) -> str:
    """Return the type of a tensor; an empty text for what is not one."""
    return _KINDS.get(declared.type.removeprefix("tensor(").removesuffix(")"), "")


def _is_map(declared: Any) -> bool:
    return bool(declared.type.startswith("seq(map("))


def _taken(declared: Any) -> str:
    kind = _kind(declared)
    if not kind:
        raise InvalidInput(f"takes {declared.type} in the input {declared.name!r}: export it with tensors as inputs")
    return kind


def _shape(declared: Any) -> list[int | None]:
    """Return the dimensions of an input; a free one has a name, or nothing."""
    shape = [size if isinstance(size, int) and size > 0 else None for size in declared.shape]
    return shape or [None]
