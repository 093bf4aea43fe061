"""Searches for confident errors: which items of a pool to ask next, given all answers so far."""

from ringtrue.blind.searches._field import Field, History
from ringtrue.blind.searches._table import DEFAULT, SEARCHES, Chooser, Search

__all__ = ["DEFAULT", "SEARCHES", "Chooser", "Field", "History", "Search"]
