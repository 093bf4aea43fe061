"""The shape of TensorFlow Serving, KServe (protocol v1) and Vertex AI: `instances` go out, `predictions` come back."""

from __future__ import annotations

from typing import Any

from ringtrue.models.wires._wire import Columns, Wire, cells


class Instances(Wire):
    """`{"instances": [{column: value}, …]}`, answered by `{"predictions": […]}`.

    >>> import numpy as np
    >>> Instances("https://host/").body({"x": np.array([0.5, np.nan])})
    {'instances': [{'x': 0.5}, {'x': None}]}
    """

    name = "v1"

    def body(self, columns: Columns) -> dict[str, Any]:
        """Return an object per item."""
        lists = [cells(column) for column in columns.values()]
        return {"instances": [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]}

    def predictions(self, said: Any, items: int) -> list[Any]:  # noqa: ARG002 - the number is checked for all shapes
        """Return the predictions as they came: this shape is that of a prediction."""
        return self.listed(said, "predictions")
