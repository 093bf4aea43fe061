"""How far an item is from a changed decision, found from the model's labels alone, for all items in lock-step."""

from ringtrue.blind.distances._asker import NORMS, Asker, Box, Decisions, Distances, Predict
from ringtrue.blind.distances._given import GivenDistances, Perturb, given
from ringtrue.blind.distances._methods import METHODS, Method, measure

__all__ = [
    "METHODS",
    "NORMS",
    "Asker",
    "Box",
    "Decisions",
    "Distances",
    "GivenDistances",
    "Method",
    "Perturb",
    "Predict",
    "given",
    "measure",
]
