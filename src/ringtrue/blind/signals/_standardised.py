"""Signals made comparable: what each says beyond what the confidence says already."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit

from ringtrue.blind.expectation import local_spread, loess, wide_enough
from ringtrue.blind.expectation._checked import checked_column, checked_confidence
from ringtrue.blind.expectation._curve import Floats

_SMALLEST_DOUBT = 1e-9
"""A confidence of exactly 1 counts as this much below it: rounding made it so, and its logit must be finite."""

_FARTHEST = 3.5


def standardised(signal: ArrayLike, confidence: ArrayLike) -> Floats:
    """The signal less its expectation given the confidence, over its local spread, at most 3.5 either way.

    Both are LOESS curves over the logit of the confidence: without the spread the widest part, mostly the sure end,
    would have all extremes. A signal that does not vary becomes zeros.

    >>> int(standardised([0.0, 0.1, 1.0, 0.0], [0.6, 0.7, 0.8, 1.0]).argmax())
    2
    """
    sure = checked_confidence(confidence)
    values = checked_column("signal", signal, len(sure))
    x = logit(np.clip(sure, _SMALLEST_DOUBT, 1 - _SMALLEST_DOUBT))
    span = wide_enough(0.1, len(values))
    # Plain means, not robust: most signals are one value for most items, which robust ones would take for all.
    residual = values - loess(x, values, span=span, passes=0)(x)
    # Rounding is no scatter, however even a signal is.
    residual[np.abs(residual) <= 1e-9 * np.ptp(values) + 1e-12 * np.abs(values).max()] = 0
    return np.clip(residual / local_spread(x, residual, span=span), -_FARTHEST, _FARTHEST)
