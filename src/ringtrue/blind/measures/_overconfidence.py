"""Whether a model errs more often than its confidence admits: the discovery ratio, evidence, the calibration error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from ringtrue.blind.measures._answers import Floats, checked_answers, expected_errors
from ringtrue.core import InvalidInput
from ringtrue.stats import average_chance_sequence


@dataclass(frozen=True, slots=True)
class RatioPath:
    """The standardised discovery ratio and its interval after each answer, arrays of one length."""

    errors: Floats
    expected: Floats
    ratio: Floats
    low: Floats
    high: Floats


def ratio_path(wrong: ArrayLike, confidence: ArrayLike, *, level: float = 0.95) -> RatioPath:
    """Return errors found over errors expected after each answer, with an interval that holds at all of them at once.

    `wrong` and `confidence` have one entry for each answer, in the order of asking. The interval is one of the average
    chance of error of the items asked over the average chance admitted; it holds under any search.

    Reference: Bennette, Maurer & Sisti, IJCNN 2020, equation 3; the least chance and the interval are ours.
    """
    answers, found = checked_answers("wrong", wrong, confidence)
    errors = np.cumsum(answers, dtype=float)
    expected = np.cumsum(expected_errors(found))
    bounds = average_chance_sequence(answers, level=level)
    scale = np.arange(1, len(answers) + 1) / expected
    return RatioPath(errors, expected, errors / expected, bounds.low * scale, bounds.high * scale)


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


def expected_calibration_error(confidence: ArrayLike, correct: ArrayLike, *, bins: int = 15) -> float:
    """The mean over items of |accuracy - confidence| of their bin, in bins of equal width over [0, 1].

    >>> round(expected_calibration_error([1.0, 1.0, 0.55, 0.55], [True, False, True, False]), 3)
    0.275

    Reference: Naeini, Cooper & Hauskrecht, AAAI 2015; Guo et al., On calibration of modern neural networks, ICML 2017.
    """
    if bins < 1:
        raise InvalidInput(f"bins={bins} must be at least 1: 15 is usual")
    right, belief = checked_answers("correct", correct, confidence)
    place = bins_of(belief, np.linspace(0, 1, bins + 1))
    return float(np.sum(np.abs(np.bincount(place, weights=right - belief)))) / len(belief)


def bins_of(belief: Floats, edges: Floats) -> NDArray[np.intp]:
    """The bin of each item; the last bin is closed above."""
    return np.minimum(np.searchsorted(edges, belief, side="right") - 1, len(edges) - 2)
