"""Checks a report: recomputes every number from the recorded answers, without model or oracle."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringtrue.core import InvalidInput, Json, count
from ringtrue.report._contents import content_digest
from ringtrue.report._document import FORMAT, computed, hashes
from ringtrue.report._order import asked_and_proposed
from ringtrue.report._panel import panel_computed, panel_hashes
from ringtrue.study import make_question

_TOLERANCE = 1e-9
"""Relative difference that another processor or library version may make in the last digits of a float."""


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether a report agrees with its own records, and where it does not."""

    numbers: int
    differences: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        if self.agrees:
            return f"agrees: {count(self.numbers, 'value')} recomputed from the recorded answers, all the same"
        first = "; ".join(self.differences[:5])
        more = f"; and {len(self.differences) - 5:,} more" if len(self.differences) > 5 else ""
        return f"does not agree in {count(len(self.differences), 'place')} of {self.numbers:,}: {first}{more}"

    def to_json(self) -> dict[str, Json]:
        return {"agrees": self.agrees, "values": self.numbers, "differences": list(self.differences)}


def verify_report(path: Path) -> Verification:
    """Verify the JSON twin in a file."""
    where = f"report {str(path)!r}"
    try:
        made = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInput(f"{where} does not exist: give the JSON twin of a report") from None
    except OSError as error:
        raise InvalidInput(f"{where} cannot be read ({error.strerror}): give the JSON twin of a report") from None
    except (ValueError, RecursionError) as error:
        what = " ".join(str(error).split())
        twin = str(Path(path).with_suffix(".json"))
        remedy = (
            f"give the JSON twin of the page, {twin}" if twin != str(path) else "give the file as ringtrue wrote it"
        )
        raise InvalidInput(f"{where} is no JSON ({what}): {remedy}") from None
    if not isinstance(made, dict) or made.get("format") != FORMAT:
        raise InvalidInput(f"{where} is no report of format {FORMAT}: give the JSON twin of a report")
    try:
        return verify(made)
    except (KeyError, TypeError, AttributeError, ValueError, LookupError, ArithmeticError) as error:
        # Something was taken out or is of another kind, so that there is nothing to compare any more.
        what = " ".join(f"{type(error).__name__} {error}".split())
        raise InvalidInput(f"{where} cannot be recomputed ({what}): give the file as ringtrue wrote it") from None


def verify(made: Mapping[str, Any]) -> Verification:
    """Recompute everything a report says and compare it with what stands there."""
    if made.get("kind") == "panel":
        found = list(_recomputed(made, panel_computed))
        found += _compare("hashes", made["hashes"], panel_hashes(made))
        return Verification(len(found), tuple(difference for difference in found if difference))
    question = make_question(made["question"])
    found = list(_recomputed(made, lambda entries: computed(entries, question)))
    found += _compare("asked", *asked_and_proposed(made, question))
    digests = {entry["id"]: entry["digest"] for entry in made["records"]}
    for name, shown in made["items"].items():
        found += _compare(f"items.{name}", content_digest(shown), digests.get(name))
    found += _compare("hashes", made["hashes"], hashes(made))
    return Verification(len(found), tuple(difference for difference in found if difference))


def _recomputed(made: Mapping[str, Any], compute: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Iterator[str]:
    """Every computed value; records that contradict each other give none, which is a difference like others."""
    try:
        again = compute(made)
    except (InvalidInput, ArithmeticError, IndexError) as error:
        yield f"computed says something, the answers give nothing ({' '.join(str(error).split())})"
    else:
        yield from _compare("computed", made["computed"], again)


def _compare(where: str, stands: Any, again: Any) -> Iterator[str]:
    """One entry per value: empty if it is the same, else what stands there and what it should be."""
    if isinstance(stands, dict) and isinstance(again, dict):
        for key in sorted({*stands, *again}):
            yield from _compare(f"{where}.{key}", stands.get(key), again.get(key))
    elif isinstance(stands, list) and isinstance(again, list) and len(stands) == len(again):
        for place, (one, other) in enumerate(zip(stands, again, strict=True)):
            yield from _compare(f"{where}[{place}]", one, other)
    else:
        yield "" if _same(stands, again) else f"{where} says {_short(stands)}, the answers give {_short(again)}"


def _same(one: Any, other: Any) -> bool:
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (one, other))
    if numbers:
        return math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=1e-12)
    return type(one) is type(other) and bool(one == other)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
