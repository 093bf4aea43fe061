"""What the tests share: small pools, an oracle that keeps count, a clock that is moved by hand."""

from support.makers import Clock, CountingOracle, make_pool, make_study
from support.patience import PATIENCE
from support.results import numbers_of
from support.scans import scanned
from support.toys import ModelAudit, ScoredDraws, SpaceSearch

__all__ = [
    "PATIENCE",
    "Clock",
    "CountingOracle",
    "ModelAudit",
    "ScoredDraws",
    "SpaceSearch",
    "make_pool",
    "make_study",
    "numbers_of",
    "scanned",
]
