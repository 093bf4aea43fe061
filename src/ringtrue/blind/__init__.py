"""Where is a classifier confidently wrong, and how common is that? Pure."""

from ringtrue.blind._inputs import Inputs
from ringtrue.blind._measuring import Distance
from ringtrue.blind._plan import floor_for
from ringtrue.blind._question import Blind
from ringtrue.blind._simulate import simulate
from ringtrue.blind.measures import Temperature, fit_temperature
from ringtrue.blind.searches import DEFAULT, GOALS, SEARCHES

__all__ = [
    "DEFAULT",
    "GOALS",
    "SEARCHES",
    "Blind",
    "Distance",
    "Inputs",
    "Temperature",
    "fit_temperature",
    "floor_for",
    "simulate",
]
