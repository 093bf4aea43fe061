"""The failure rate by cells: how much of operation each carries, times how much of it goes wrong. Pure."""

from ringtrue.risk._grid import Grid
from ringtrue.risk.cells._answers import ClassShares, Predict
from ringtrue.risk.cells._assess import assess
from ringtrue.risk.cells._finding import CellFinding
from ringtrue.risk.cells._locals import LOCALS, Local, splitting
from ringtrue.risk.cells._paper import PaperModel, paper_model
from ringtrue.risk.cells._points import CROSS, EMPTY, Census, Separation
from ringtrue.risk.cells._pool_map import labels_at_hand, map_pool
from ringtrue.risk.cells._profile import (
    Bandwidths,
    KernelProfile,
    choose_bandwidth,
    closed_form_variance,
    paper_bootstrap_variance,
)
from ringtrue.risk.cells._sampling import lattice, monte_carlo
from ringtrue.risk.cells._survey import Mode, Rest, Says
from ringtrue.risk.cells._trees import exact_trees

__all__ = [
    "CROSS",
    "EMPTY",
    "LOCALS",
    "Bandwidths",
    "CellFinding",
    "Census",
    "ClassShares",
    "Grid",
    "KernelProfile",
    "Local",
    "Mode",
    "PaperModel",
    "Predict",
    "Rest",
    "Says",
    "Separation",
    "assess",
    "choose_bandwidth",
    "closed_form_variance",
    "exact_trees",
    "labels_at_hand",
    "lattice",
    "map_pool",
    "monte_carlo",
    "paper_bootstrap_variance",
    "paper_model",
    "splitting",
]
