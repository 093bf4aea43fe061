"""How often will it fail? Policies, the estimator and its finding. Pure."""

from ringtrue.risk._doubt import FROM_MODEL, Fragility, doubt_of, numeric
from ringtrue.risk._failure_rate import FailureRate
from ringtrue.risk._finding import RateFinding, RatePath
from ringtrue.risk._fixed_strata import FIXED_STRATA, FixedStrata
from ringtrue.risk._map_cells import MapCells, MapFirst, points_of
from ringtrue.risk._policies import METHODS, Method, ScoredDraws, SimpleRandom
from ringtrue.risk._risk import Risk

__all__ = [
    "FIXED_STRATA",
    "FROM_MODEL",
    "METHODS",
    "FailureRate",
    "FixedStrata",
    "Fragility",
    "MapCells",
    "MapFirst",
    "Method",
    "RateFinding",
    "RatePath",
    "Risk",
    "ScoredDraws",
    "SimpleRandom",
    "doubt_of",
    "numeric",
    "points_of",
]
