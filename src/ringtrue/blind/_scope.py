"""What of a pool a hunt is about: the items that the model answers with the critical class, and confidently."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput, Labels, Vectors, label_text

EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Where the bins of the reliability diagram begin and end: narrower where confidence is high, since hunts go there."""


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


def scope_of(scores: Mapping[str, NDArray[Any]]) -> NDArray[np.int64]:
    """Return the rows in scope, in order."""
    return np.flatnonzero(scores["scope"] > 0)


def bins_of(confidence: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the bin of every confidence; one of exactly 1 is in the last.

    >>> bins_of(np.array([0.65, 0.9, 1.0])).tolist()
    [2, 5, 7]
    """
    return np.clip(np.searchsorted(EDGES, confidence, side="right") - 1, 0, len(EDGES) - 2)


def counted(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count, for every item, the items that have its code.

    >>> counted(np.array([3, 1, 3])).tolist()
    [2, 1, 2]
    """
    _, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse], dtype=np.int64)
