"""What the tables of bench_changed_methods.py are made of: the lines of a method, and the cells of a row."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from changed_tasks import use_of

Line = Mapping[str, Any]


def of_method(lines: Sequence[Line], part: str, use: str, method: str, wants: Callable[[str], bool]) -> list[Line]:
    return [
        line
        for line in lines
        if line["part"] == part and line["method"] == method and use_of(line["task"]) == use and wants(line["task"])
    ]


def mean_told(values: np.ndarray, form: str = "{:.2f}", *, scale: float = 1.0, after: str = "") -> str:
    """Return a mean over seeds with its standard error."""
    if not len(values):
        return ""
    error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{form.format(scale * values.mean())}{after} ± {form.format(scale * error)}"


def row_of(name: str, cells: Sequence[str], used: Sequence[Line]) -> tuple[str, str, str, str]:
    runs = sum(line["seeds"] for line in used)
    return name, cells[0], cells[1], f"{sum(line['seconds'] for line in used) / runs:.3f}" if runs else ""


def head_of(text: str) -> tuple[str, str, str, str]:
    return f"*{text}*", "", "", ""


def numbers_of(line: Line) -> np.ndarray:
    return np.array([math.inf if one is None else one for one in line["found"]], dtype=float)
