"""Whether what stands in a report is what its records give: counts and words exactly, numbers up to rounding."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ringtrue.core import shortened

TOLERANCE = 1e-6
"""How far a number may be off, as a share of it.

Another processor rounds otherwise: numbers that are counted or summed then differ by 1e-15. People see three or four
digits, so that a forger gains from a thousandth and more.
"""

FITTED = 1e-4
"""The same for what a surrogate says. A fit ends where its rounding leaves it, which is elsewhere on another processor.

Most numbers then differ by 1e-7. Where evaluations all but repeat each other it is more: by up to 2e-5 of a number or
of its curve in 40 searches written on one kind of processor and recomputed on two others.
"""

_NOT_FITTED = frozenset({"limit", "level", "share", "nearest", "at", "seen_at", "seen"})
"""What stands within these parts although it was measured or given, too."""

_BY_PARAMETER = frozenset({"point", "extent", "lengthscales", "spread", "inputs"})
"""What has an entry per parameter of the space: a parameter may have any name, such as "level" or "noise"."""

_BESIDE = 0.01
"""What a number that may be nothing but rounding may be off by at least, in tolerances of what it is measured by."""

_MEASURED_BY = {"sd": "predicted", "noise": "deviation"}
"""What a surrogate is unsure by may be the rounding of what it predicts."""

_ROUNDING = 1e-12
"""What rounding may do to a number that was counted or summed; below what `percent` takes for a whole step."""

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?%?")

Numbers = Iterable[tuple[float, float]]
"""Numbers that were computed, each with the share of it by which another processor's may be off."""


def compare(where: str, stands: Any, again: Any, fitted: Iterable[str] = ()) -> Iterator[str]:
    """Compare all values: an entry each, empty if they are the same, else what stands there and what it should be.

    `stands` are the values in the report, `again` those that its records give. `fitted` are the parts, by key, that a
    surrogate says; without any, all numbers are rates and the like.
    """
    fitted, found = frozenset(fitted), again.get("finding") if isinstance(again, dict) else None
    found = found if isinstance(found, dict) else {}
    space = (found.get("space") if fitted else None) or {"parameters": []}
    ranges = {  # a parameter on a logarithmic scale is measured by itself
        one["name"]: float(one["high"] - one["low"])
        for one in space["parameters"]
        if "low" in one and not one.get("log")
    }
    comparison = _Comparison(fitted, found.get("limit"), ranges, set(_numbers(again, fitted)))
    yield from comparison.of(where, stands, again, TOLERANCE, 0.0)


class _Comparison(NamedTuple):
    """Which parts are fitted, what the claim's limit is, how wide parameters range, and all that was recomputed."""

    fitted: frozenset[str]
    limit: float | None
    ranges: Mapping[str, float]
    numbers: Numbers

    def of(self, where: str, stands: Any, again: Any, tolerance: float, slack: float) -> Iterator[str]:
        """Compare all values; `slack` is by how much one may be off in any case."""
        if isinstance(stands, dict) and isinstance(again, dict):
            for key in sorted({*stands, *again}):
                own = _own(where.rpartition(".")[2], key, self.fitted, tolerance, TOLERANCE)
                slack = self._beside(where, key, again, own)
                yield from self.of(f"{where}.{key}", stands.get(key), again.get(key), own, slack)
        elif isinstance(stands, list) and isinstance(again, list) and len(stands) == len(again):
            slack = self._curve(again, tolerance)
            for place, (one, other) in enumerate(zip(stands, again, strict=True)):
                yield from self.of(f"{where}[{place}]", one, other, tolerance, slack)
        elif self._same(stands, again, tolerance, slack) or self._same_words(stands, again):
            yield ""
        else:
            said, gives = (shortened(json.dumps(value, ensure_ascii=False)) for value in (stands, again))
            yield f"{where} says {said}, the answers give {gives}"

    def _beside(self, where: str, key: str, values: Mapping[str, Any], tolerance: float) -> float:
        """Return by how much a number among others may be off in any case.

        In a search numbers of any unit stand beside each other, so that none of them measures the rest by itself.
        """
        if not self.fitted:
            return max(_BESIDE * tolerance * min(1.0, _largest(values.values())), _ROUNDING)
        if tolerance != FITTED:
            return 0.0
        whole = self.ranges.get(key) if where.endswith(".point") else values.get(_MEASURED_BY.get(key, ""))
        return _BESIDE * tolerance * abs(whole) if isinstance(whole, float) else 0.0

    def _curve(self, values: Iterable[Any], tolerance: float) -> float:
        """Return how far off a number of a curve may be: a share of the largest, unless that was measured."""
        if not self.fitted:
            return max(tolerance * min(1.0, _largest(values)), _ROUNDING)
        return tolerance * _largest(values) if tolerance == FITTED else 0.0

    def _same(self, one: Any, other: Any, tolerance: float, slack: float) -> bool:
        if isinstance(one, float) and isinstance(other, float):
            return math.isclose(one, other, rel_tol=tolerance, abs_tol=slack) and not self._crosses(one, other)
        return type(one) is type(other) and bool(one == other)

    def _crosses(self, one: float, other: float) -> bool:
        """Return whether the claim's limit lies between two numbers so that a reader would decide otherwise."""
        if self.limit is None or math.isclose(one, other, rel_tol=_ROUNDING, abs_tol=_ROUNDING * abs(self.limit)):
            return False
        return (one <= self.limit) is not (other <= self.limit)

    def _same_words(self, one: Any, other: Any) -> bool:
        """Return whether two sentences differ at most in how a number between two roundings was written."""
        if not (isinstance(one, str) and isinstance(other, str)) or _NUMBER.split(one) != _NUMBER.split(other):
            return False
        written = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
        return all(a == b or _is_edge(a, b, self.numbers) for a, b in written)


def _own(part: str, key: str, fitted: frozenset[str], tolerance: float, measured: float) -> float:
    """Return how far off a part under a key may be: as all around it, unless it is fitted or within what is."""
    if not fitted or part in _BY_PARAMETER:
        return tolerance
    return measured if key in _NOT_FITTED else FITTED if key in fitted else tolerance


def _is_edge(one: str, other: str, numbers: Numbers) -> bool:
    """Return whether both are ways to write one number that was computed: as it is, and as far off as it may be.

    Percentages are counted, never fitted, and may be rounded outward. Two whole numbers were not rounded: they are
    counts, or percentages that were given, since those that are computed have decimals.

    >>> _is_edge("0.4339", "0.4340", [(0.43396, 1e-4)]), _is_edge("0.4339", "0.4340", [(0.43396, 1e-6)])
    (True, False)
    >>> _is_edge("96%", "95%", [(0.95, 1e-4)]), _is_edge("48", "49", [(48.5, 1e-4)])
    (False, False)
    """
    share = one.endswith("%")
    if share != other.endswith("%") or all(text.rstrip("%").replace(",", "").isdigit() for text in (one, other)):
        return False
    unit = min(_last_place(one), _last_place(other))
    written = {round(float(text.rstrip("%").replace(",", "")) / unit) for text in (one, other)}
    for number, tolerance in numbers:
        steps = abs(number) * (100.0 if share else 1.0) / unit
        off = steps * (_ROUNDING if share else tolerance)
        near = (steps - off, steps, steps + off)
        ways = [{round(one) for one in near}]
        if share:  # outward as `percent` does: what rounding left above a whole step is none
            ways += [{outward(round(one, 6)) for one in near} for outward in (math.ceil, math.floor)]
        if any(written <= way for way in ways):
            return True
    return False


def _last_place(text: str) -> float:
    """Return what one step of the last digit is worth."""
    digits, _, power = text.rstrip("%").partition("e")
    return float(10.0 ** (int(power or 0) - len(digits.partition(".")[2])))


def _largest(values: Iterable[Any]) -> float:
    return max((abs(value) for value in values if isinstance(value, float)), default=0.0)


def _numbers(
    value: Any, fitted: frozenset[str], part: str = "", tolerance: float = _ROUNDING
) -> Iterator[tuple[float, float]]:
    """Yield the numbers in a value that sentences may speak of, with how far off they may be: no counts, no curves.

    A level is given, and no sentence rounds it: .95 does not excuse a 0.9 in the place of a 1.0.
    """
    if isinstance(value, dict):
        for key, one in value.items():
            if key == "level" and part not in _BY_PARAMETER:
                continue
            own = _own(part, key, fitted, tolerance, _ROUNDING)
            if isinstance(one, float):
                yield one, own
            else:
                yield from _numbers(one, fitted, key, own)
    elif isinstance(value, list):
        for one in value:
            yield from _numbers(one, fitted, part, tolerance)
