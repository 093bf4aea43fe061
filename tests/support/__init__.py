"""What the tests share: small pools, an oracle that keeps count, a clock that is moved by hand."""

from support.makers import Clock, CountingOracle, make_pool, make_study
from support.patience import PATIENCE
from support.toys import ModelAudit, ScoredDraws, SpaceSearch, UnitSquare

__all__ = [
    "PATIENCE",
    "Clock",
    "CountingOracle",
    "ModelAudit",
    "ScoredDraws",
    "SpaceSearch",
    "UnitSquare",
    "make_pool",
    "make_study",
]
