"""How a page writes the numbers of a hunt, and among which items it was."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ringtrue.core import Quoted, line, percent


def short(number: float | None) -> str:
    """Return a ratio with three digits, and one that is very large in words.

    >>> short(None), short(2_000_000.0), short(1234.6), short(0.12345)
    ('unbounded', 'over a million', '1,235', '0.123')
    """
    if number is None:
        return "unbounded"
    if number >= 1_000_000:
        return "over a million"
    return f"{round(number):,}" if number >= 100 else f"{number:.3g}"


def signed(number: float) -> str:
    """Return a number with its sign.

    >>> signed(12.34), signed(-0.1234)
    ('+12.3', '−0.12')
    """
    return (f"{number:+.1f}" if abs(number) >= 1 else f"{number:+.2g}").replace("-", "−")


def scope(finding: Mapping[str, Any]) -> tuple[str, ...]:
    """Return among which items the hunt was: what the model does with them."""
    sure = f"with a confidence above {percent(finding['threshold'])}"
    if finding["critical"] is None:
        return (f"answers {sure}",)
    return ("answers ", Quoted(line(finding["critical"])), f" {sure}")


def errors_in_scope(finding: Mapping[str, Any]) -> dict[str, int] | None:
    """Return how many items of the scope are wrong at least and at most, by the rate's interval and those found."""
    rate = finding.get("rate")
    if not rate or not finding["random"]:
        return None  # the interval says no more than what was asked about
    # Rounding first: 0.02 times 50 must not become 2 by the last bit.
    low, high = (round(finding["scope"] * rate[side], 9) for side in ("low", "high"))
    return {"low": max(finding["errors"], math.floor(low)), "high": max(finding["errors"], math.ceil(high))}
