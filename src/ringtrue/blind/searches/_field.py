"""What a search is and what it knows: the pool it searches, and what has been asked and answered so far."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ringtrue.blind._checks import Bools, Floats, Ints, checked_column, checked_confidence, checked_table
from ringtrue.core import InvalidInput
from ringtrue.stats import generator


@dataclass(eq=False)
class Field:
    """The n items of a pool as a search sees them, without their truth.

    `confidence` (n,) lies in [0, 1]; `features` (n, k) say which items are alike; each of `signals` (n,) grows with
    the suspicion of an error and is standardised given the confidence; `residual` (n,) is the adversarial distance
    above what the confidence lets expect, or None where no distance was measured; `disagreement` (n,) is the share of
    the nearest items that the model answers differently, or None where nothing tells which are near.
    """

    confidence: Floats
    features: Floats
    signals: Mapping[str, Floats]
    residual: Floats | None
    seed: int
    disagreement: Floats | None = None

    def __post_init__(self) -> None:
        self.confidence = checked_confidence(self.confidence)
        n = len(self.confidence)
        self.features = checked_table("features", self.features, n, columns=0)
        self.signals = {name: checked_column(f"signals[{name!r}]", one, n) for name, one in self.signals.items()}
        if self.residual is not None:
            self.residual = checked_column("residual", self.residual, n, endless=True)
        if self.disagreement is not None:
            self.disagreement = checked_confidence(self.disagreement, n)

    def __len__(self) -> int:
        return len(self.confidence)


def shuffled_ranks(field: Field) -> Ints:
    """Return the place of every item in an order drawn from the seed."""
    return generator(field.seed, "blind: order of equals").permutation(len(field))


@dataclass(eq=False)
class History:
    """The items asked, in order, whether the model was wrong about each, and the items asked without answer yet.

    >>> History([3, 1], [True, False]).free(5)
    array([ True, False,  True, False,  True])
    """

    asked: Ints
    wrong: Bools
    open: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __post_init__(self) -> None:
        self.asked = np.asarray(self.asked, dtype=np.int64)
        self.wrong = np.asarray(self.wrong, dtype=np.bool_)
        self.open = np.asarray(self.open, dtype=np.int64)
        if self.asked.shape != self.wrong.shape:
            raise InvalidInput(f"wrong has {self.wrong.size} answers for {self.asked.size} asked items: give one each")

    def free(self, n: int) -> Bools:
        """Return which of n items have been neither asked nor left open."""
        free = np.ones(n, dtype=np.bool_)
        free[self.asked] = False
        free[self.open] = False
        return free


class Chooser(ABC):
    """A search at work on one pool. What it returns depends on the pool and the history alone."""

    doubt: Floats
    """1 - confidence of every item."""

    @abstractmethod
    def choose(self, history: History, n: int) -> list[int]:
        """Return the next n items to ask, none asked or open before; fewer when none are left."""

    def chances(self, history: History) -> Floats:  # noqa: ARG002 - most searches learn no chance of an item
        """Return the probability of error of every item, as this search believes it: the doubt unless it learns."""
        return self.doubt


@dataclass(frozen=True)
class Search(ABC):
    """A way to look for errors."""

    name: str
    needs_distance: bool = False
    """Whether it needs the residual of the adversarial distance."""

    adjusted: bool = False
    """Whether what an image's brightness, contrast and edges explain is to be taken out of the distance."""

    @abstractmethod
    def on(self, field: Field) -> Chooser:
        """Return the search at work on a pool."""
