"""Did the model change, how, and how few calls does it take to know?"""

from ringtrue.changed._baseline import EMPTY, Baseline
from ringtrue.changed._census import Census
from ringtrue.changed._columns import Columns
from ringtrue.changed._finding import ShiftFinding
from ringtrue.changed._methods import METHODS, Method
from ringtrue.changed._question import Changed
from ringtrue.changed.watch import Watch, WatchFinding

__all__ = [
    "EMPTY",
    "METHODS",
    "Baseline",
    "Census",
    "Changed",
    "Columns",
    "Method",
    "ShiftFinding",
    "Watch",
    "WatchFinding",
]
