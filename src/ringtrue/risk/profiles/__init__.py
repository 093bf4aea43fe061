"""Operational profiles: how often inputs of each kind come in operation, as weights of a pool's items. Pure."""

from ringtrue.risk.profiles._kinds import Score
from ringtrue.risk.profiles._price import FLOOR, FLOOR_SHARE, Priced, effective_size, price
from ringtrue.risk.profiles._profile_of import profile_of
from ringtrue.risk.profiles._weights import Balance, ProfileClass, ProfileWeights

__all__ = [
    "FLOOR",
    "FLOOR_SHARE",
    "Balance",
    "Priced",
    "ProfileClass",
    "ProfileWeights",
    "Score",
    "effective_size",
    "price",
    "profile_of",
]
