"""Whether what stands in a report is what its records give: counts and words exactly, numbers up to rounding."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

TOLERANCE = 1e-6
"""How far a number may be off, as a share of it; in a curve, of the largest number of the curve.

Another processor rounds otherwise: numbers that are counted or summed then differ by 1e-15. People see three or four
digits, so that a forger gains from a thousandth and more.
"""

FITTED = 1e-4
"""The same for what a surrogate says. A fit ends where its rounding leaves it, which is elsewhere on another processor.

Most numbers then differ by 1e-7. Where evaluations all but repeat each other it is more: by up to 2e-5 of a number or
of its curve in 40 searches written on one kind of processor and recomputed on two others.
"""

_BESIDE = 0.01
"""What a number may be off by at least, in tolerances of the largest number beside it: some are differences."""

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?%?")


def compare(where: str, stands: Any, again: Any, tolerance: float = TOLERANCE) -> Iterator[str]:
    """Compare all values: an entry each, empty if they are the same, else what stands there and what it should be."""
    yield from _Comparison(tolerance, set(_floats(again))).of(where, stands, again, 0.0)


class _Comparison(NamedTuple):
    """How far numbers may be off, and all that were recomputed."""

    tolerance: float
    numbers: set[float]

    def of(self, where: str, stands: Any, again: Any, slack: float) -> Iterator[str]:
        """Compare all values; `slack` is by how much one may be off in any case."""
        if isinstance(stands, dict) and isinstance(again, dict):
            slack = _BESIDE * self.tolerance * _largest(again.values())
            for key in sorted({*stands, *again}):
                yield from self.of(f"{where}.{key}", stands.get(key), again.get(key), slack)
        elif isinstance(stands, list) and isinstance(again, list) and len(stands) == len(again):
            slack = self.tolerance * _largest(again)
            for place, (one, other) in enumerate(zip(stands, again, strict=True)):
                yield from self.of(f"{where}[{place}]", one, other, slack)
        else:
            same = self._same(stands, again, slack) or self._same_words(stands, again)
            yield "" if same else f"{where} says {_short(stands)}, the answers give {_short(again)}"

    def _same(self, one: Any, other: Any, slack: float) -> bool:
        if isinstance(one, float) and isinstance(other, float):
            return math.isclose(one, other, rel_tol=self.tolerance, abs_tol=max(slack, 1e-12))
        return type(one) is type(other) and bool(one == other)

    def _same_words(self, one: Any, other: Any) -> bool:
        """Whether two sentences differ at most in how a number was rounded that lies between two ways to write it."""
        if not (isinstance(one, str) and isinstance(other, str)) or _NUMBER.split(one) != _NUMBER.split(other):
            return False
        written = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
        return all(a == b or _is_edge(a, b, self.numbers, self.tolerance) for a, b in written)


def _is_edge(one: str, other: str, numbers: Iterable[float], tolerance: float = TOLERANCE) -> bool:
    """Whether two numbers are one step of the last digit apart, and one that was computed lies where the step is.

    The step is half-way between them or, where bounds are rounded outward, at either. A whole number is a count unless
    it is a percentage, and counts are never rounded.

    >>> _is_edge("0.4339", "0.4340", [0.43395]), _is_edge("0.4339", "0.4340", [0.4337]), _is_edge("48", "49", [48.5])
    (True, False, False)
    """
    if any(text.isdigit() for text in (one, other)) or one.endswith("%") != other.endswith("%"):
        return False
    a, b = (float(text.rstrip("%").replace(",", "")) for text in (one, other))
    unit = max(_last_place(one), _last_place(other))
    scale = 100.0 if one.endswith("%") else 1.0
    edges = ((a + b) / 2, a, b)
    return abs(a - b) <= 1.001 * unit and any(
        math.isclose(scale * abs(number), edge, rel_tol=tolerance) for number in numbers for edge in edges
    )


def _last_place(text: str) -> float:
    """What one step of the last digit is worth."""
    digits, _, power = text.rstrip("%").partition("e")
    return float(10.0 ** (int(power or 0) - len(digits.partition(".")[2])))


def _largest(values: Iterable[Any]) -> float:
    return max((abs(value) for value in values if isinstance(value, float)), default=0.0)


def _floats(value: Any) -> Iterator[float]:
    """All numbers in a value that are no counts."""
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _floats(one)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
