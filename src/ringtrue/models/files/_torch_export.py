"""Networks of torch.export (`.pt2`), run operator by operator from the graph in the file.

`torch.export.load` is not used: it unpickles, evaluates text of the file as Python, and calls any function below `torch` that
the file names. Here the weights are read as bytes, and the graph may call operators of ATen alone.
"""

from __future__ import annotations

import json
import math
import operator
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ringtrue.core import InvalidInput
from ringtrue.models.files._loaded import About, Cells, Opening, Said, Taken
from ringtrue.models.files._table import entries

_TYPES = {
    1: torch.uint8, 2: torch.int8, 3: torch.int16, 4: torch.int32, 5: torch.int64, 6: torch.float16, 7: torch.float32,
    8: torch.float64, 12: torch.bool, 13: torch.bfloat16,
}  # fmt: skip
_MEMORY = {1: torch.contiguous_format, 2: torch.channels_last, 3: torch.channels_last_3d, 4: torch.preserve_format}
"""The numbers by which the file calls types and orders in memory."""

_OPERATOR = re.compile(r"torch\.ops\.aten\.(\w+)\.(\w+)")
_WITH_TEXT = {"gelu", "gelu_", "div", "div_", "einsum", "pad", "conv1d", "conv2d", "conv3d", "_assert_scalar", "meshgrid"}
"""The operators that may be given a text: others could be told the name of a file."""

_OF_SIZES = ("add", "sub", "mul", "floordiv", "truediv", "mod", "neg", "eq", "ne", "lt", "le", "gt", "ge", "and_", "not_")
"""What may be done with sizes, by Python itself."""

_PLAIN = ("as_int", "as_ints", "as_bool", "as_bools", "as_string", "as_int_lists")
_VERSION = 8  # of the file's form; another may mean something else by the same words


class _Network:
    def __init__(self, graph: Mapping[str, Any], weights: Mapping[str, torch.Tensor], inputs: Sequence[str]) -> None:
        self._inputs, self._weights = inputs, weights
        self._steps = [_Step(node) for node in graph["nodes"]]
        self._output = graph["outputs"][0]["as_tensor"]["name"]
        declared = [graph["tensor_values"][name] for name in inputs]
        shapes = [[size.get("as_int") for size in one["sizes"]] for one in declared]
        self._at_once = shapes[0][0] if shapes[0] else None
        self._types = [_TYPES[one["dtype"]] for one in declared]
        final = next((step.name for step in self._steps if self._output in step.outputs), "")
        self.about = About(
            library=f"torch {torch.__version__}",
            inputs=[
                Taken(name, str(kind).removeprefix("torch."), [None, *shape[1:]])
                for name, kind, shape in zip(inputs, self._types, shapes, strict=True)
            ],
            features=list(inputs) if len(inputs) > 1 else None,
            gives="labels" if final in ("softmax", "_softmax", "argmax") else "scores",
        )

    def answer(self, inputs: Sequence[Cells]) -> Said:
        """Return the output of the network; one that was exported for so many items at once gets so many."""
        arrays = [torch.from_numpy(np.asarray(one)).to(kind) for one, kind in zip(inputs, self._types, strict=True)]
        items = len(arrays[0])
        size = self._at_once or items
        parts = []
        with torch.inference_mode():
            for start in range(0, items, size):
                some = [array[start : start + size] for array in arrays]
                short = size - len(some[0])
                filled = [torch.cat([one, one[-1:].expand(short, *one.shape[1:])]) if short else one for one in some]
                parts.append(self._run(filled)[: len(some[0])])
        found = torch.cat(parts)
        if not found.is_floating_point():
            return Said(labels=found.reshape(items).tolist())
        return Said(table=found.reshape(items, -1).to(torch.float64).numpy())

    def _run(self, inputs: Sequence[torch.Tensor]) -> torch.Tensor:
        known: dict[str, Any] = {**self._weights, **dict(zip(self._inputs, inputs, strict=True))}
        for step in self._steps:
            step(known)
        found: torch.Tensor = known[self._output]
        return found


class _Step:
    """One operator of the graph with its arguments, which are looked up when it is called."""

    def __init__(self, node: Mapping[str, Any]) -> None:
        self.name, self._call = _operator(node["target"])
        self._arguments = [(one["name"], one.get("kind") == 2, one["arg"]) for one in node["inputs"]]
        for name, _, argument in self._arguments:
            if "as_string" in argument and self.name not in _WITH_TEXT:
                raise InvalidInput(f"gives the operator {self.name} a text ({name}), which is not allowed")
        self.outputs = [name for one in node["outputs"] for name in _names(one)]
        self._several = len(node["outputs"]) > 1 or "as_tensors" in next(iter(node["outputs"]), {})

    def __call__(self, known: dict[str, Any]) -> None:
        by_place = [_value(told, known) for _, by_name, told in self._arguments if not by_name]
        by_name = {name: _value(told, known) for name, by_name, told in self._arguments if by_name}
        found = self._call(*by_place, **by_name)
        known.update(zip(self.outputs, found if self._several else [found], strict=False))


def _operator(target: str) -> tuple[str, Callable[..., Any]]:
    """Return an operator of ATen, or one for sizes; nothing else is called, whatever the file names."""
    found = _OPERATOR.fullmatch(target)
    if found is not None:
        call = getattr(getattr(torch.ops.aten, found[1], None), found[2], None)
        if isinstance(call, torch._ops.OpOverload):
            return found[1], call
    name = target.removeprefix("_operator.")
    if target != name and name in _OF_SIZES:
        return name, getattr(operator, name)
    raise InvalidInput(f"calls {target!r}, which is not an operator of ATen: export the network to ONNX instead")


def _names(output: Mapping[str, Any]) -> list[str]:
    """Return what an output of a step is called."""
    (kind, told), *_ = output.items()
    if kind == "as_tensors":
        return [one["name"] for one in told]
    return [told.get("name", told.get("as_name", ""))] if isinstance(told, dict) else [""]


def _value(argument: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    """Return an argument of a step: a tensor or a size by its name, or what it is."""
    (kind, told), *_ = argument.items()
    if kind in _PLAIN:
        return told
    if kind == "as_none":
        return None
    if kind in ("as_float", "as_floats"):  # infinite ones are written as text
        return [float(one) for one in told] if isinstance(told, list) else float(told)
    if kind == "as_tensor":
        return known[told["name"]]
    if kind == "as_optional_tensor":
        return _value(told, known)
    if kind in ("as_tensors", "as_optional_tensors"):
        return [_value(one, known) if "name" not in one else known[one["name"]] for one in told]
    if kind in ("as_sym_int", "as_sym_bool", "as_sym_float"):
        return known[told["as_name"]] if "as_name" in told else next(iter(told.values()))
    if kind in ("as_sym_ints", "as_sym_floats", "as_sym_bools"):
        return [known[one["as_name"]] if "as_name" in one else next(iter(one.values())) for one in told]
    if kind == "as_scalar_type":
        return _TYPES[told]
    if kind == "as_memory_format":
        return _MEMORY[told]
    if kind == "as_layout":
        return torch.strided
    if kind == "as_device":
        return torch.device("cpu")
    raise InvalidInput(f"gives an operator {kind}, which is not known: export the network to ONNX instead")


def load(opening: Opening) -> _Network:
    """Open a file of torch.export, of which only the graph and the weights are read."""
    path = Path(opening.path)
    entries(path)
    torch.set_num_threads(1)  # the same sums in the same order everywhere
    with zipfile.ZipFile(path) as archive:
        root = next(name.removesuffix("archive_format") for name in archive.namelist() if name.endswith("archive_format"))
        if archive.read(f"{root}byteorder") != b"little":
            raise InvalidInput("was written on another kind of processor: export it again")
        program = json.loads(archive.read(f"{root}models/model.json"))
        if program["schema_version"]["major"] != _VERSION:
            raise InvalidInput(f"is of another version of the format than {_VERSION}: export it again with torch 2.13")
        module = program["graph_module"]
        weights: dict[str, torch.Tensor] = {}
        for folder in ("weights", "constants"):
            weights |= _weights(archive, f"{root}data/{folder}/", f"model_{folder}_config.json")
    held, inputs = {}, []
    for spec in module["signature"]["input_specs"]:
        (kind, told), *_ = spec.items()
        if kind == "user_input" and "as_tensor" in told["arg"]:
            inputs.append(told["arg"]["as_tensor"]["name"])
        elif f"{kind}_name" in told and told[f"{kind}_name"] in weights:
            held[told["arg"]["name"]] = weights[told[f"{kind}_name"]]
        else:
            raise InvalidInput(f"has an input of the kind {kind}, which is not known: export the network to ONNX instead")
    graph = module["graph"]
    if [next(iter(one)) for one in module["signature"]["output_specs"]] != ["user_output"]:
        raise InvalidInput("must have one output and change none of its buffers: export it in eval mode, with one output")
    if not inputs or "as_tensor" not in graph["outputs"][0]:
        raise InvalidInput("must have a tensor as its input and as its output: export it so")
    return _Network(graph, held, inputs)


def _weights(archive: zipfile.ZipFile, folder: str, config: str) -> dict[str, torch.Tensor]:
    """Return the weights by name; those that are pickled are refused."""
    found, read = {}, {}
    for name, told in json.loads(archive.read(folder + config))["config"].items():
        place, meta = told["path_name"], told.get("tensor_meta")
        if told["use_pickle"] or meta is None:
            raise InvalidInput(f"keeps {name!r} as a pickle, which can run any code: export it with plain tensors")
        kind, sizes, strides = _TYPES[meta["dtype"]], *([one["as_int"] for one in meta[of]] for of in ("sizes", "strides"))
        if place not in read:
            read[place] = bytearray(archive.read(folder + place))
        if not read[place] or not math.prod(sizes):
            found[name] = torch.zeros(sizes, dtype=kind)
            continue
        flat = torch.frombuffer(read[place], dtype=kind)
        found[name] = torch.as_strided(flat, sizes, strides, meta["storage_offset"]["as_int"])
    return found
