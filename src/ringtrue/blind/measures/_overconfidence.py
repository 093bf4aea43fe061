"""Evidence that a model is more confident than it is right, valid at every look and under any search."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from ringtrue.blind.measures._answers import Floats, checked_answers, expected_errors

# By how much the odds of error are taken to exceed what the confidence admits: from a little to grossly.
_ODDS_RATIOS = np.array([1.5, 2.0, 3.0, 5.0, 10.0])


def overconfidence_path(wrong: ArrayLike, confidence: ArrayLike) -> Floats:
    """Log of the evidence against "no item asked errs more often than its confidence admits", after each answer.

    A bet multiplies the admitted odds of error by r; each answer multiplies its stake by the ratio of likelihoods,
    r^wrong / (1 + e (r - 1)) with e the admitted chance. The evidence is the mean over five values of r. If every
    item errs with a chance of at most e, whatever search chose it, the chance that the evidence ever reaches 20 is at
    most 5%. A model may be right on average and still be refuted: what is refuted is that it is nowhere overconfident.

    >>> np.exp(overconfidence_path([True, True, False], [0.9, 0.9, 0.9])).round(2)
    array([ 2.92, 10.41,  6.77])

    References: Ville (1939); Waudby-Smith & Ramdas, Journal of the Royal Statistical Society B 86 (2024).
    """
    answers, found = checked_answers("wrong", wrong, confidence)
    admitted = expected_errors(found)[:, None]
    growth = answers[:, None] * np.log(_ODDS_RATIOS) - np.log1p(admitted * (_ODDS_RATIOS - 1))
    evidence: Floats = logsumexp(np.cumsum(growth, axis=0), axis=1) - np.log(len(_ODDS_RATIOS))
    return evidence
