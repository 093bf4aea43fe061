"""Where does a model deviate worst from the gold standard? Pure."""

from ringtrue.worst._question import Worst
from ringtrue.worst._simulate import Trace, simulate
from ringtrue.worst._training import Training
from ringtrue.worst.rules import DEFAULT, RULES
from ringtrue.worst.spaces import AtMost, Choice, Integer, Real, SearchSpace, TaskSpace

__all__ = [
    "DEFAULT",
    "RULES",
    "AtMost",
    "Choice",
    "Integer",
    "Real",
    "SearchSpace",
    "TaskSpace",
    "Trace",
    "Training",
    "Worst",
    "simulate",
]
