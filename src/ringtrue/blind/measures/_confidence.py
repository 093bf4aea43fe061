"""Whether confidence is the share of right answers: errors over those it admits, calibration, temperature scaling."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_softmax, logsumexp, softmax

from ringtrue.blind._checks import Bools, Floats, Ints, checked_confidence
from ringtrue.core import InvalidInput, Json
from ringtrue.stats import average_chance_sequence

LEAST_CHANCE = 1e-3
"""No item's expected error is taken to be smaller: a softmax in 32 bits reaches a confidence of exactly 1, and one
error there would count for thousands."""


def expected_errors(confidence: ArrayLike) -> Floats:
    """Return the chance of error that the model admits for each item: 1 - confidence, at least `LEAST_CHANCE`.

    >>> expected_errors([0.75, 1.0])
    array([0.25 , 0.001])
    """
    return np.maximum(1 - checked_confidence(confidence), LEAST_CHANCE)


def checked_answers(name: str, answers: ArrayLike, confidence: ArrayLike) -> tuple[Bools, Floats]:
    """Return answers as booleans and confidences of the same, positive length."""
    found, array = checked_confidence(confidence), checked_booleans(name, answers)
    if len(array) != len(found):
        raise InvalidInput(f"{name} has {len(array)} items and confidence {len(found)}: give one of each for each item")
    return array, found


def checked_booleans(name: str, answers: ArrayLike) -> Bools:
    """Return a row of true and false, written as such or as 1 and 0."""
    array = np.asarray(answers)
    if array.ndim != 1 or not np.all((array == 0) | (array == 1)):
        raise InvalidInput(f"{name} of shape {array.shape} must be one true or false for each item: give booleans")
    return array.astype(bool)


@dataclass(frozen=True, slots=True)
class RatioPath:
    """The standardised discovery ratio and its interval after each answer, arrays of one length."""

    errors: Floats
    expected: Floats
    ratio: Floats
    low: Floats
    high: Floats


def ratio_path(wrong: ArrayLike, confidence: ArrayLike, *, level: float = 0.95) -> RatioPath:
    """Return the ratio and its interval after each answer; the interval of all answers together is valid at once."""
    answers, found = checked_answers("wrong", wrong, confidence)
    errors = np.cumsum(answers, dtype=float)
    expected = np.cumsum(expected_errors(found))
    bounds = average_chance_sequence(answers, level=level)
    scale = np.arange(1, len(answers) + 1) / expected
    return RatioPath(errors, expected, errors / expected, bounds.low * scale, bounds.high * scale)


# By how much the odds of error are taken to exceed what the confidence admits: from a little to grossly.
_ODDS_RATIOS = np.array([1.5, 2.0, 3.0, 5.0, 10.0])


def overconfidence_path(wrong: ArrayLike, confidence: ArrayLike) -> Floats:
    """Return log of the evidence against "no item asked errs more often than its confidence admits", after each answer.

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
    return np.asarray(logsumexp(np.cumsum(growth, axis=0), axis=1) - np.log(len(_ODDS_RATIOS)))


def expected_calibration_error(confidence: ArrayLike, correct: ArrayLike, *, bins: int = 15) -> float:
    """Return the mean over items of |accuracy - confidence| of their bin, in bins of equal width over [0, 1].

    >>> round(expected_calibration_error([1.0, 1.0, 0.55, 0.55], [True, False, True, False]), 3)
    0.275

    Reference: Naeini, Cooper & Hauskrecht, AAAI 2015; Guo et al., On calibration of modern neural networks, ICML 2017.
    """
    if bins < 1:
        raise InvalidInput(f"bins={bins} must be at least 1: 15 is usual")
    right, belief = checked_answers("correct", correct, confidence)
    place = bins_of(belief, np.linspace(0, 1, bins + 1))
    return float(np.sum(np.abs(np.bincount(place, weights=right - belief)))) / len(belief)


def bins_of(belief: Floats, edges: ArrayLike) -> Ints:
    """Return the bin of each item; the last bin is closed above.

    >>> bins_of(np.array([0.65, 0.9, 1.0]), (0.0, 0.7, 0.9, 1.0)).tolist()
    [0, 2, 2]
    """
    ends = np.asarray(edges)
    return np.clip(np.searchsorted(ends, belief, side="right") - 1, 0, len(ends) - 2)


LEAST, MOST = 0.1, 100.0
"""The range of temperatures. A validation set without an error asks for 0, for which no data speak."""

_FLOOR = 1e-45  # probabilities below the smallest number of 32 bits have become 0 by rounding and count as this


@dataclass(frozen=True, slots=True)
class Temperature:
    """A fitted temperature with the mean negative log likelihood and calibration error before and after it."""

    value: float
    before: float
    after: float
    ece_before: float
    ece_after: float
    at_limit: bool
    """Whether the fit ran to an end of the range: the validation set has no errors, or no right answers, to fit to."""

    def applied(self, probabilities: ArrayLike) -> Floats:
        """Return the probabilities at this temperature: rows of (n, classes); the order in a row stays.

        >>> Temperature(2.0, 0.0, 0.0, 0.0, 0.0, False).applied([[0.9, 0.1]]).round(3)
        array([[0.75, 0.25]])
        """
        return tempered(probabilities, self.value)

    def __str__(self) -> str:
        limit = ", the end of its range: the validation set cannot tell" if self.at_limit else ""
        return f"temperature {self.value:.3g}{limit}; calibration error {self.ece_before:.3g} to {self.ece_after:.3g}"

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


def tempered(probabilities: ArrayLike, temperature: float) -> Floats:
    """Return rows of (n, classes) probabilities with logarithms divided by a temperature, made to sum to one again."""
    return np.asarray(softmax(_logs(probabilities) / temperature, axis=1))


def fit_temperature(probabilities: ArrayLike, truth: ArrayLike) -> Temperature:
    """Return the temperature by whose inverse log probabilities are multiplied so that the truth becomes likeliest.

    `probabilities` are (n, classes) and `truth` the n codes of the true classes, of a validation set that the model
    was not trained on. The negative log likelihood is convex in the inverse temperature: it has one minimum.

    >>> sure = np.tile([[0.99, 0.01]], (4, 1))
    >>> fitted = fit_temperature(sure, [0, 0, 0, 1])
    >>> round(fitted.value, 3), fitted.applied(sure[:1]).round(3)
    (4.183, array([[0.75, 0.25]]))

    Reference: Guo et al., On calibration of modern neural networks, ICML 2017.
    """
    from scipy.optimize import minimize_scalar  # here, because it is slow to load

    logs = _logs(probabilities)
    codes, (items, classes) = np.asarray(truth), logs.shape
    if codes.shape != (items,) or codes.dtype.kind not in "iu":
        raise InvalidInput(
            f"truth of shape {codes.shape} must be {items} class codes: give a whole number for each row"
        )
    if codes.min() < 0 or codes.max() >= classes:
        wrong = int(codes.min() if codes.min() < 0 else codes.max())
        raise InvalidInput(f"truth={wrong} must lie in [0, {classes}): probabilities have {classes} classes")

    def loss(log_temperature: float) -> float:
        scaled = log_softmax(logs * np.exp(-log_temperature), axis=1)
        return -float(np.mean(scaled[np.arange(len(codes)), codes]))

    ends = (float(np.log(LEAST)), float(np.log(MOST)))
    found = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-6})
    # The loss may be flat: then uniform probabilities stay as they are, and a set without an error goes to the end.
    tried = [0.0, *ends, float(found.x)]
    losses = np.array([loss(one) for one in tried])
    best = tried[int(np.argmax(losses <= losses.min() + 1e-12))]
    errors = (_error(logs, codes, 0.0), _error(logs, codes, best))
    return Temperature(float(np.exp(best)), loss(0.0), loss(best), *errors, at_limit=best in ends)


def _error(logs: Floats, codes: Ints, log_temperature: float) -> float:
    scaled = softmax(logs * np.exp(-log_temperature), axis=1)
    return expected_calibration_error(np.minimum(scaled.max(axis=1), 1), scaled.argmax(axis=1) == codes)


def _logs(probabilities: ArrayLike) -> Floats:
    array = np.asarray(probabilities, dtype=float)
    if array.ndim != 2 or not len(array) or array.shape[1] < 2:
        raise InvalidInput(
            f"probabilities of shape {array.shape} must have a row for each item and at least two classes: "
            "give an array (items, classes)"
        )
    broken = ~(np.all(array >= 0, axis=1) & (np.abs(array.sum(axis=1) - 1) < 1e-3))
    if np.any(broken):
        place = int(np.argmax(broken))
        raise InvalidInput(
            f"probabilities[{place}] sums to {array[place].sum():g} and must be non-negative with sum 1: "
            "apply a softmax first"
        )
    return np.asarray(np.log(np.maximum(array, _FLOOR)))
