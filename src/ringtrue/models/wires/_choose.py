"""Which shape an address speaks: the end of its path tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from ringtrue.models.wires._instances import Instances
from ringtrue.models.wires._mlflow import MlflowScoring
from ringtrue.models.wires._open_inference import OpenInference
from ringtrue.models.wires._wire import Wire

_WIRES: tuple[tuple[re.Pattern[str], type[Wire]], ...] = (
    (re.compile(r"/v2/models/[^/]+(/versions/[^/]+)?/infer/?$"), OpenInference),
    (re.compile(r"/invocations/?$"), MlflowScoring),
    (re.compile(r""), Instances),
)
"""By the end of the path, the first that fits: every other address is asked as it always was."""


def wire_of(url: str, labels: Sequence[str] | None = None, hide: Callable[[str], str] = str) -> Wire:
    """Return the shape of an address, made for one model with what a `Wire` takes.

    >>> [wire_of(f"https://host/{path}").name for path in ("v2/models/m/infer", "invocations", "v1/models/m:predict")]
    ['KServe v2', 'MLflow', 'v1']
    """
    path = urlsplit(url).path
    kind = next(kind for ending, kind in _WIRES if ending.search(path))
    return kind(url, labels, hide)
