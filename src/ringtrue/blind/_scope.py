"""What of a pool a hunt is about: the items that the model answers with the critical class, and confidently."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput, Labels, Vectors, label_text, percent

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
