"""Networks of torch.export (`.pt2`), run operator by operator from the graph in the file.

`torch.export.load` is not used: it unpickles, evaluates text of the file as Python, and calls any function below
`torch` that the file names. Here the weights are read as bytes, and the graph may call operators of ATen alone.
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

from ringtrue.core import InvalidInput
from ringtrue.models.files._loaded import About, Cells, Opening, Said, Taken
from ringtrue.models.files._table import entries

_VERSION = 8  # of the file's form; another may mean something else by the same words
_TYPES = {1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32", 8: "float64"}
_TYPES |= {12: "bool", 13: "bfloat16"}
_MEMORY = {1: "contiguous_format", 2: "channels_last", 3: "channels_last_3d", 4: "preserve_format"}
"""The numbers by which the file calls types and orders in memory."""

_OPERATOR = re.compile(r"torch\.ops\.aten\.(\w+)\.(\w+)")
_WITH_TEXT = {"gelu", "gelu_", "div", "div_", "einsum", "pad", "meshgrid", "_assert_scalar"}
_WITH_TEXT |= {"conv1d", "conv2d", "conv3d"}
"""The operators that may be given a text: others could be told the name of a file."""

_OF_SIZES = ("add", "sub", "mul", "floordiv", "truediv", "mod", "neg", "eq", "ne", "lt", "le", "gt", "ge", "not_")
"""What may be done with sizes, by Python itself."""

_AS_IT_IS = ("as_int", "as_ints", "as_bool", "as_bools", "as_string", "as_int_lists")
_INSTEAD = "export the network to ONNX instead"


class _Network:
    def __init__(self, graph: Mapping[str, Any], weights: Mapping[str, Any], inputs: Sequence[str]) -> None:
        import torch

        self._inputs, self._weights = inputs, weights
        self._steps = [_Step(node) for node in graph["nodes"]]
        self._output = graph["outputs"][0]["as_tensor"]["name"]
        declared = [graph["tensor_values"][name] for name in inputs]
        shapes = [[size.get("as_int") for size in one["sizes"]] for one in declared]
        kinds = [_TYPES[one["dtype"]] for one in declared]
        self._at_once = shapes[0][0] if shapes[0] else None
        self._types = [getattr(torch, kind) for kind in kinds]
        final = next((step.name for step in self._steps if self._output in step.outputs), "")
        self.about = About(
            library=f"torch {torch.__version__}",
            inputs=[
                Taken(name, "float32" if kind == "bfloat16" else kind, [None, *shape[1:]])
                for name, kind, shape in zip(inputs, kinds, shapes, strict=True)
            ],
            features=list(inputs) if len(inputs) > 1 else None,
            gives="labels" if final in ("softmax", "_softmax", "argmax") else "scores",
        )

    def answer(self, inputs: Sequence[Cells]) -> Said:
        """Return the output of the network; one that was exported for so many items at once gets so many."""
        import torch

        arrays = [torch.from_numpy(np.asarray(one)).to(kind) for one, kind in zip(inputs, self._types, strict=True)]
        items = len(arrays[0])
        size, parts = self._at_once or items, []
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

    def _run(self, inputs: Sequence[Any]) -> Any:
        known: dict[str, Any] = {**self._weights, **dict(zip(self._inputs, inputs, strict=True))}
        for step in self._steps:
            step(known)
        return known[self._output]


class _Step:
    """One operator of the graph with its arguments, of which tensors and sizes are looked up when it is called."""

    def __init__(self, node: Mapping[str, Any]) -> None:
        self.name, self._call = _operator(node["target"])
        for one in node["inputs"]:
            if {"as_string", "as_strings"} & set(one["arg"]) and self.name not in _WITH_TEXT:
                raise InvalidInput(f"gives the operator {self.name} a text ({one['name']}): {_INSTEAD}")
        told = [(one["name"], one.get("kind") == 2, _argument(one["arg"])) for one in node["inputs"]]
        self._by_place = [look for _, by_name, look in told if not by_name]
        self._by_name = [(name, look) for name, by_name, look in told if by_name]
        self.outputs = [name for one in node["outputs"] for name in _names(one)]
        self._several = len(node["outputs"]) > 1 or any("as_tensors" in one for one in node["outputs"])

    def __call__(self, known: dict[str, Any]) -> None:
        found = self._call(
            *[look(known) for look in self._by_place], **{name: look(known) for name, look in self._by_name}
        )
        known.update(zip(self.outputs, found if self._several else [found], strict=False))


def _operator(target: str) -> tuple[str, Callable[..., Any]]:
    """Return an operator of ATen, or one for sizes; nothing else is called, whatever the file names."""
    import torch

    found = _OPERATOR.fullmatch(target)
    if found is not None:
        call: Any = getattr(getattr(torch.ops.aten, found[1], None), found[2], None)
        if isinstance(call, torch._ops.OpOverload):
            return found[1], call
    name = target.removeprefix("_operator.")
    if target != name and name in _OF_SIZES:
        return name, getattr(operator, name)
    raise InvalidInput(f"calls {target!r}, which is not an operator of ATen: {_INSTEAD}")


def _names(output: Mapping[str, Any]) -> list[str]:
    """Return what an output of a step is called."""
    (kind, told), *_ = output.items()
    if kind == "as_tensors":
        return [str(one["name"]) for one in told]
    return [str(told.get("name", told.get("as_name", "")))] if isinstance(told, dict) else [""]


def _argument(argument: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Any]:
    """Return what looks up an argument of a step: a tensor or a size by its name, else what stands in the file."""
    import torch

    (kind, told), *_ = argument.items()
    if kind == "as_tensor":
        return operator.itemgetter(told["name"])
    if kind == "as_optional_tensor":
        return _argument(told)
    if kind in ("as_tensors", "as_optional_tensors"):
        looks = [operator.itemgetter(one["name"]) if "name" in one else _argument(one) for one in told]
        return lambda known: [look(known) for look in looks]
    if kind in ("as_sym_int", "as_sym_bool", "as_sym_float"):
        return _size(told)
    if kind in ("as_sym_ints", "as_sym_bools", "as_sym_floats"):
        sizes = [_size(one) for one in told]
        return lambda known: [size(known) for size in sizes]
    if kind in _AS_IT_IS:
        value = told
    elif kind in ("as_float", "as_floats"):  # infinite ones are written as text
        value = [float(one) for one in told] if isinstance(told, list) else float(told)
    elif kind == "as_scalar_type":
        value = getattr(torch, _TYPES[told])
    elif kind == "as_memory_format":
        value = getattr(torch, _MEMORY[told])
    elif kind in ("as_none", "as_layout", "as_device"):
        value = {"as_none": None, "as_layout": torch.strided, "as_device": torch.device("cpu")}[kind]
    else:
        raise InvalidInput(f"gives an operator {kind}, which is not known: {_INSTEAD}")
    return lambda _: value


def _size(told: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Any]:
    if "as_name" in told:
        return operator.itemgetter(told["as_name"])
    value = next(iter(told.values()))
    return lambda _: value


def load(opening: Opening) -> _Network:
    """Open a file of torch.export, of which only the graph and the weights are read."""
    import torch

    path = Path(opening.path)
    weights: dict[str, Any] = {}
    entries(path)
    torch.set_num_threads(1)  # the same sums in the same order everywhere
    with zipfile.ZipFile(path) as archive:
        root = next(name for name in archive.namelist() if name.endswith("/archive_format")).removesuffix(
            "archive_format"
        )
        if archive.read(f"{root}byteorder") != b"little":
            raise InvalidInput("was written on another kind of processor: export it again")
        program = json.loads(archive.read(f"{root}models/model.json"))
        if program["schema_version"]["major"] != _VERSION:
            raise InvalidInput(f"is of another version of the format than {_VERSION}: export it again with torch 2.13")
        for folder in ("weights", "constants"):
            weights |= _weights(archive, f"{root}data/{folder}/", f"model_{folder}_config.json")
    graph, signature = (program["graph_module"][part] for part in ("graph", "signature"))
    if [next(iter(one)) for one in signature["output_specs"]] != ["user_output"]:
        raise InvalidInput("has several outputs, or changes its buffers: export it in eval mode, with one output")
    inputs, held = [], {}
    for spec in signature["input_specs"]:
        (kind, told), *_ = spec.items()
        if kind == "user_input" and "as_tensor" in told["arg"]:
            inputs.append(told["arg"]["as_tensor"]["name"])
        elif told.get(f"{kind}_name") in weights:
            held[told["arg"]["name"]] = weights[told[f"{kind}_name"]]
        else:
            raise InvalidInput(f"has an input of the kind {kind}, which is not known: {_INSTEAD}")
    if not inputs or "as_tensor" not in graph["outputs"][0]:
        raise InvalidInput("must have a tensor as its input and as its output: export it so")
    return _Network(graph, held, inputs)


def _weights(archive: zipfile.ZipFile, folder: str, config: str) -> dict[str, Any]:
    """Return the weights by name; those that are pickled are refused."""
    import torch

    found: dict[str, Any] = {}
    read: dict[str, bytearray] = {}
    for name, told in json.loads(archive.read(folder + config))["config"].items():
        place, meta = told["path_name"], told.get("tensor_meta")
        if told["use_pickle"] or meta is None or not place.startswith(("weight_", "tensor_")):
            raise InvalidInput(f"keeps {name!r} as a pickle, which can run any code: export it with plain tensors")
        kind = getattr(torch, _TYPES[meta["dtype"]])
        sizes, strides = ([one["as_int"] for one in meta[of]] for of in ("sizes", "strides"))
        if place not in read:
            read[place] = bytearray(archive.read(folder + place))
        if not math.prod(sizes):
            found[name] = torch.zeros(sizes, dtype=kind)
            continue
        flat = torch.frombuffer(read[place], dtype=kind)
        found[name] = torch.as_strided(flat, sizes, strides, meta["storage_offset"]["as_int"]).clone()  # aligned
    return found
