"""How numbers are written for people, the same in the terminal, the report and the errors."""

from __future__ import annotations

import math


def percent(rate: float) -> str:
    """A rate as a percentage with three significant digits, counted from the nearer end of the scale.

    >>> percent(0.05), percent(0.0123456), percent(0.95), percent(0.99987), percent(0.0), percent(1.0)
    ('5%', '1.23%', '95%', '99.987%', '0%', '100%')
    """
    value = rate * 100
    distance = min(abs(value), abs(100 - value))
    decimals = max(0, 2 - math.floor(math.log10(distance))) if distance > 1e-12 else 0
    text = f"{value:.{decimals}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "%"


def count(number: float, noun: str) -> str:
    """A number with its noun in the right form.

    >>> count(1, "label"), count(1200, "label")
    ('1 label', '1,200 labels')
    """
    return f"{number:,.0f} {noun}" + ("" if number == 1 else "s")
