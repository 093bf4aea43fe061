"""How deviations and points are written for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def number(value: float) -> str:
    """Four digits that matter.

    >>> number(2.4341234), number(0.00012344), number(1234567.0)
    ('2.434', '0.0001234', '1.235e+06')
    """
    return f"{value:.4g}"


def where(point: Mapping[str, Any]) -> str:
    """A point in words.

    >>> where({"x": 0.123456, "solvent": "water", "layers": 3})
    'x=0.1235, solvent=water, layers=3'
    """
    return ", ".join(f"{name}={number(value) if isinstance(value, float) else value}" for name, value in point.items())
