"""How often will it fail? Policies, the estimator and its finding. Pure."""

from ringtrue.risk._failure_rate import FailureRate
from ringtrue.risk._finding import RateFinding, RatePath
from ringtrue.risk._risk import Risk
from ringtrue.risk._simple_random import SimpleRandom

__all__ = ["FailureRate", "RateFinding", "RatePath", "Risk", "SimpleRandom"]
