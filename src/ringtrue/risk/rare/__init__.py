"""Failures too rare to meet by chance: how much of many cells fails, by multilevel splitting. Pure."""

from ringtrue.risk.rare._cells import CellUnastuteness, LabelScore, cell_unastuteness
from ringtrue.risk.rare._climb import margin

__all__ = ["CellUnastuteness", "LabelScore", "cell_unastuteness", "margin"]
