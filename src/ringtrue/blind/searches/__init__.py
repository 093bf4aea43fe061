"""Searches for confident errors: which items of a pool to ask next, given all answers so far."""

from ringtrue.blind.searches._field import Chooser, Field, History, Search
from ringtrue.blind.searches._table import DEFAULT, SEARCHES

__all__ = ["DEFAULT", "SEARCHES", "Chooser", "Field", "History", "Search"]
