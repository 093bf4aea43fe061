"""How points are written for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import number


def where(point: Mapping[str, Any]) -> str:
    """A point in words.

    >>> where({"x": 0.123456, "solvent": "water", "layers": 3})
    'x=0.1235, solvent=water, layers=3'
    """
    return ", ".join(f"{name}={number(value) if isinstance(value, float) else value}" for name, value in point.items())
