"""What to expect of a number given the confidence, and how far each item departs from it. Pure."""

from ringtrue.blind.expectation._adversarial_distance import Residual, adversarial_distance
from ringtrue.blind.expectation._loess import Curve, local_spread, loess, wide_enough

__all__ = ["Curve", "Residual", "adversarial_distance", "local_spread", "loess", "wide_enough"]
