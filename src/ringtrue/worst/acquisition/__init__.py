"""How much a value at a point would be worth, and the point that is worth the most. Pure."""

from ringtrue.worst.acquisition._bounds import two_tailed_upper_bound, upper_bound
from ringtrue.worst.acquisition._improvement import (
    Worth,
    log_expected_improvement,
    log_two_tailed_improvement,
)
from ringtrue.worst.acquisition._maximise import Best, Feasible, maximise

__all__ = [
    "Best",
    "Feasible",
    "Worth",
    "log_expected_improvement",
    "log_two_tailed_improvement",
    "maximise",
    "two_tailed_upper_bound",
    "upper_bound",
]
