"""The training sample: a thousand random compositions, the phases that matter in them, and the scale of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from alloy.gold import Gold
from alloy.space import SPACE
from ringtrue.stats import generator

Floats = NDArray[np.float64]

SIZE = 1000
PHASES = 16
"""How many phases are looked at, at most: as many as the paper's experts chose."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Compositions as points of the unit cube (n, 7), and how much of each phase is in them (n, C).

    `shares` says how many compositions a phase is in. Amounts are scaled for the network and for all deviations: 0 is
    the smallest amount of a phase in the training sample and 1 the largest, so that rare phases count like others.
    """

    points: Floats
    amounts: Floats
    phases: tuple[str, ...]
    shares: Floats

    @property
    def scaled(self) -> Floats:
        return self.scale(self.amounts)

    def scale(self, amounts: Floats) -> Floats:
        low, high = self.amounts.min(axis=0), self.amounts.max(axis=0)
        return (amounts - low) / (high - low)

    def amounts_in(self, fractions: Mapping[str, float]) -> Floats:
        """Scaled amounts (C,) of the phases of one composition."""
        return self.scale(np.array([fractions.get(phase, 0.0) for phase in self.phases]))


def training_sample(gold: Gold, size: int = SIZE) -> Sample:
    """Uniformly random compositions, and the phases that occur in most of them."""
    points, fractions = zip(*draw(gold, "training", size), strict=True)
    found = Counter(phase for each in fractions for phase in each)
    phases = tuple(sorted(sorted(found), key=lambda phase: -found[phase])[:PHASES])
    amounts = np.array([[each.get(phase, 0.0) for phase in phases] for each in fractions])
    return Sample(np.array(points), amounts, phases, (amounts > 0).mean(axis=0))


def draw(gold: Gold, purpose: str, size: int) -> list[tuple[Floats, Mapping[str, float]]]:
    """So many random points of the unit cube with their phases; those without an answer are passed over."""
    drawn: list[tuple[Floats, Mapping[str, float]]] = []
    for number in count():
        point = generator(0, f"alloy {purpose}", number).random(SPACE.width)
        fractions = gold(SPACE.decode(point[None])[0])
        if fractions is not None:
            drawn.append((point, fractions))
        if len(drawn) == size:
            break
    return drawn
