"""What of a pool a hunt is about, also in words: items that the model answers with the critical class, confidently."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput, Labels, Quoted, Vectors, label_text, line, percent

EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Where the bins of the reliability diagram begin and end: narrower where confidence is high, since hunts go there."""


@dataclass(frozen=True, slots=True)
class Hunt:
    """What is hunted, and how, as the finding tells it."""

    name: str
    search: str
    critical: str | None
    threshold: float
    floor: float
    slices: Mapping[str, tuple[str, ...]]
    goal: str | None = None
    """What the learning search is after; None for another search, and in the first edition."""

    @property
    def about(self) -> str:
        """The scope in words."""
        if self.critical is None:
            return f"answers above {percent(self.threshold)} confidence"
        return f"answers {self.critical!r} above {percent(self.threshold)} confidence"


def label_code(label: Any) -> int:
    """Return a number for a label, the same in every process and for every way to write the label.

    >>> label_code(1) == label_code("1"), label_code("cat") == label_code("dog")
    (True, False)
    """
    return int.from_bytes(hashlib.blake2b(label_text(label).encode(), digest_size=7).digest(), "big")


def label_codes(answers: Labels | Vectors | None) -> NDArray[np.int64]:
    """Return the codes of a model's labels."""
    if not isinstance(answers, Labels):
        raise InvalidInput("the model gives numbers in place of labels: a hunt for errors needs a classifier")
    known: dict[Any, int] = {}
    return np.array([known.setdefault(label, label_code(label)) for label in answers.labels], dtype=np.int64)


def class_places(answers: Labels, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the column of probabilities that belongs to each label code, -1 where there is none."""
    column = {label_code(name): place for place, name in enumerate(answers.classes)}
    return np.array([column.get(int(code), -1) for code in codes], dtype=np.int64)


def scope_of(scores: Mapping[str, NDArray[Any]]) -> NDArray[np.int64]:
    """Return the rows in scope, in order."""
    return np.flatnonzero(scores["scope"] > 0)


def starts_of(scores: Mapping[str, NDArray[Any]], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows nearest to these that the model answers differently, as far as they are known."""
    starts = np.unique(scores["start"][rows]) if "start" in scores else np.zeros(0)
    return starts[starts >= 0].astype(np.int64)


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


def scope_words(finding: Mapping[str, Any]) -> tuple[str, ...]:
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
