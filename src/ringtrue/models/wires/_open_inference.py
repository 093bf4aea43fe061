"""The shape of the Open Inference Protocol, version 2: KServe, Triton, MLServer, OpenVINO and others. Tensors go out.

What is sent depends on the metadata of the model, read once: see `_tensors.py` for the tensors themselves.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import InvalidInput, RingtrueWarning, is_missing, meant, read_json
from ringtrue.models.wires._tensors import Told, column_tensor, is_numbers, matrix, own_column, rows_of, told_in
from ringtrue.models.wires._wire import Columns, Wire, as_numbers, beside, by_place, with_chances

_BOTH = ("predict", "predict_proba")
"""The outputs that are asked for by name where the metadata lists them: MLServer sends the first alone otherwise."""


class OpenInference(Wire):
    """`{"inputs": [tensor, …]}`, answered by `{"outputs": [tensor, …]}`; a tensor's first dimension are the items.

    Where the metadata lists inputs, these are sent: columns of those names, or all columns as one matrix where it lists
    one input that is not a column. Where it lists none, columns of numbers go out as one matrix in the pool's order,
    and others as one tensor each, marked as a table (`"content_type": "pd"`), which is what MLServer needs.

    Of the outputs, whole numbers, text and truth values are labels; numbers in an output whose name holds "prob", or as
    many as there are named classes, are probabilities; other numbers are a regressor's.
    """

    name = "KServe v2"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._inputs: list[Told] = []
        self._outputs: list[Told] = []
        self._versions: list[Any] = []
        self._warned = False

    @property
    def about(self) -> str | None:
        """The metadata of the model."""
        return beside(self.url, "/infer", "")

    def learn(self, text: str | None) -> None:
        """Keep the inputs, outputs and versions that the metadata lists, as far as it is metadata."""
        try:
            found = read_json(text or "null")
        except ValueError:
            found = None
        if isinstance(found, dict):
            self._inputs, self._outputs = told_in(found, "inputs"), told_in(found, "outputs")
            versions = found.get("versions")
            self._versions = versions if isinstance(versions, list) else []

    def sent(self, names: Sequence[str]) -> list[str]:
        """Return the columns that the metadata lists as inputs; where it lists none, or one for all, every column."""
        listed = [one.name for one in self._inputs]
        if not listed or (len(listed) == 1 and listed[0] not in names):
            return list(names)
        for name in listed:
            if name not in names:
                raise InvalidInput(
                    f"takes the inputs {self.shown(', '.join(listed))}, and no column {self._hide(repr(name))} is "
                    f"sent{meant(name, list(names))} columns: {', '.join(names)}"
                )
        return listed

    def body(self, columns: Columns) -> dict[str, Any]:
        """Return the tensors of a batch."""
        listed = {one.name: one for one in self._inputs}
        wanted = {"outputs": [{"name": name} for name in _BOTH]} if self._lists_both() else {}
        if listed and set(listed) == set(columns):
            tensors = [column_tensor(listed[name], column) for name, column in columns.items()]
            table = {} if len(tensors) == 1 else {"parameters": {"content_type": "pd"}}
            return {**table, "inputs": tensors, **wanted}
        if listed:
            [one] = listed.values()
            return {"inputs": [matrix(one, columns)], **wanted}
        if all(map(is_numbers, columns.values())):
            return {"inputs": [matrix(Told("input-0", "FP64", []), columns)], **wanted}
        tensors = [own_column(name, column) for name, column in columns.items()]
        return {"parameters": {"content_type": "pd"}, "inputs": tensors, **wanted}

    def predictions(self, said: Any, items: int) -> list[Any]:
        """Return what the outputs mean for each item."""
        outputs = {one.name: (one, rows_of(one, entry, items)) for one, entry in self._sent_outputs(said)}
        labels = [one for one, rows in outputs.values() if not one.is_float and (not rows or len(rows[0]) == 1)]
        chances = [one for one, rows in outputs.values() if one.is_float and "prob" in one.name.lower()]
        if len(outputs) == 1 and not labels:
            [(only, rows)] = outputs.values()
            by_class = only in chances and (not rows or len(rows[0]) > 1)
            return [with_chances(None, row, self.labels) if by_class else as_numbers(row, self.labels) for row in rows]
        if len(labels) > 1 or len(chances) > 1 or not labels + chances:
            raise InvalidInput(
                f"sent the outputs {self.shown(', '.join(outputs))}: have it send one of labels, one whose name holds "
                '"prob", or one of each'
            )
        named = [by_place(row[0], self.labels) for row in outputs[labels[0].name][1]] if labels else [None] * items
        if not chances:
            return named
        pairs = list(zip(named, outputs[chances[0].name][1], strict=True))
        if labels and any(is_missing(label) for label, _ in pairs):
            return named
        told = [with_chances(label, row, self.labels) for label, row in pairs]
        if not self._warned and not all(isinstance(one, dict) for one in told):
            self._warned = True
            warnings.warn(
                f"{beside(self.url, '', '')}: its labels are not its most likely classes, so that its probabilities "
                "are left out: name its classes with --labels, in its order",
                RingtrueWarning,
                stacklevel=2,
            )
        return told

    def versions(self, said: Any) -> dict[str, Any]:
        """Return the version that answered, and those that the server has."""
        told = said.get("model_version") if isinstance(said, Mapping) else None
        return {"model_version": told, "versions": ", ".join(map(str, self._versions))}

    def _lists_both(self) -> bool:
        return set(_BOTH) <= {one.name for one in self._outputs}

    def _sent_outputs(self, said: Any) -> list[tuple[Told, Mapping[str, Any]]]:
        told = told_in(said, "outputs") if self.listed(said, "outputs") else []
        if not told or len(told) < len(said["outputs"]) or len({one.name for one in told}) < len(told):
            raise InvalidInput(f"sent outputs that are not tensors ({self.shown(said['outputs'])}): mend the service")
        return list(zip(told, said["outputs"], strict=True))
