"""Searches for confident errors: which items of a pool to ask next, given all answers so far."""

from ringtrue.blind.searches._field import Chooser, Field, History, Search
from ringtrue.blind.searches._hedged import GOALS, HedgedChooser
from ringtrue.blind.searches._table import DEFAULT, FIRST, GOAL, SEARCHES, search_for

__all__ = [
    "DEFAULT",
    "FIRST",
    "GOAL",
    "GOALS",
    "SEARCHES",
    "Chooser",
    "Field",
    "HedgedChooser",
    "History",
    "Search",
    "search_for",
]
