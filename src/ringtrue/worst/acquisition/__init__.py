"""The worth of a value at a point, and the point that is worth the most. Pure."""

from ringtrue.worst.acquisition._maximise import Best, Feasible, maximise
from ringtrue.worst.acquisition._worth import (
    Worth,
    log_expected_improvement,
    log_two_tailed_improvement,
    two_tailed_upper_bound,
    upper_bound,
)

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
