"""Failures too rare to meet by chance: their probability by multilevel splitting. Pure."""

from ringtrue.risk.rare._cells import CellUnastuteness, LabelScore, cell_unastuteness
from ringtrue.risk.rare._score import Score, margin
from ringtrue.risk.rare._splitting import RareEvent, multilevel_splitting
from ringtrue.risk.rare._webb import WebbSplitting, webb_splitting

__all__ = [
    "CellUnastuteness",
    "LabelScore",
    "RareEvent",
    "Score",
    "WebbSplitting",
    "cell_unastuteness",
    "margin",
    "multilevel_splitting",
    "webb_splitting",
]
