"""The searches that are compared: which one, what it is shown, and how often that asks the model about an item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confident_errors.measured import Measured
from confident_errors.scores import Scores
from ringtrue.blind.expectation import adversarial_distance
from ringtrue.blind.searches import DEFAULT, Field
from ringtrue.blind.signals import standardised

Places = NDArray[np.int64]
Floats = NDArray[np.float64]

VARIATIONS = 8
"""Small changes of an image that the model is asked about for the signal `variations`."""


@dataclass(frozen=True)
class Entry:
    """One line of the tables: a search, the signals it is shown, and the distance it goes by, if it does."""

    name: str
    search: str
    signals: tuple[str, ...] = ()
    distance: str = ""
    adjusted: bool = False
    """Whether what brightness, contrast and edges explain is taken out of that distance."""
    floor: bool = False
    """Whether every fifth question is drawn at random, as it is to say how common errors are."""

    def queries(self, scores: Scores) -> float:
        """How often the model is asked about an item before a person is."""
        asked = VARIATIONS if "variations" in self.signals else 0.0
        for name in {*self.signals, self.distance} & {"rays", "boundary"}:
            asked += float(_measured(scores, name).queries.mean())
        return asked

    def field(self, scores: Scores, rows: Places, seed: int) -> Field:
        """What the search sees of a pool: of some rows of the measured items."""
        confidence = scores.confidence[rows]
        shown = {
            "distance" if name == "rays" else name: standardised(_signal(scores, name, rows), confidence)
            for name in self.signals
        }
        residual = _residual(scores, self.distance, rows, adjusted=self.adjusted) if self.distance else None
        return Field(confidence, scores.features[rows], shown, residual, seed)


def _signal(scores: Scores, name: str, rows: Places) -> Floats:
    """A signal that grows with suspicion."""
    if name == "rays":
        return -_residual(scores, name, rows, adjusted=False)
    if name == "variations":
        return -scores.steadiness[rows]
    found: Floats = getattr(scores, name)[rows]
    return found


def _residual(scores: Scores, name: str, rows: Places, *, adjusted: bool) -> Floats:
    found = _measured(scores, name)
    traits = scores.traits[rows] if adjusted else None
    return adversarial_distance(
        found.distance[rows], scores.confidence[rows], changed=found.changed[rows], traits=traits
    ).values


def _measured(scores: Scores, name: str) -> Measured:
    found: Measured = getattr(scores, name)
    return found


NEIGHBOURS = ("neighbours", "nearness")
ALL_SIGNALS = (*NEIGHBOURS, "variations", "rays")

ADVDIST = Entry("AdvDist, Boundary Attack", "adversarial-distance", distance="boundary")
SHIPPED = Entry("learning", DEFAULT, ALL_SIGNALS)

ENTRIES = (
    Entry("random", "random"),
    Entry("lowest confidence", "lowest-confidence"),
    Entry("highest confidence", "highest-confidence"),
    Entry("Lakkaraju et al.", "bandit"),
    Entry("Bansal and Weld", "coverage"),
    ADVDIST,
    Entry("AdvDist, Boundary Attack, adjusted", "adversarial-distance", distance="boundary", adjusted=True),
    Entry("AdvDist, RayS", "adversarial-distance", distance="rays"),
    Entry("learning, no signals", DEFAULT),
    Entry("learning, neighbours", DEFAULT, NEIGHBOURS),
    Entry("learning, neighbours and variations", DEFAULT, (*NEIGHBOURS, "variations")),
    SHIPPED,
    Entry("learning, a fifth at random", DEFAULT, ALL_SIGNALS, floor=True),
    Entry("standardised", "standardised", ALL_SIGNALS),
)
