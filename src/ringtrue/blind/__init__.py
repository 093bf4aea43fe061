"""Where is a classifier confidently wrong, and how common is that? Pure."""

from ringtrue.blind._inputs import Inputs
from ringtrue.blind._measuring import Distance
from ringtrue.blind._question import Blind
from ringtrue.blind._simulate import simulate
from ringtrue.blind.measures import Temperature, fit_temperature
from ringtrue.blind.searches import DEFAULT, SEARCHES

__all__ = ["DEFAULT", "SEARCHES", "Blind", "Distance", "Inputs", "Temperature", "fit_temperature", "simulate"]
