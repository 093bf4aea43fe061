"""Whether confidence is the share of right answers: calibration error, reliability diagram, temperature scaling."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax, softmax

from ringtrue.blind._checks import Floats
from ringtrue.blind.measures._ratio import checked_answers
from ringtrue.core import InvalidInput, Json


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


def bins_of(belief: Floats, edges: ArrayLike) -> NDArray[np.int64]:
    """Return the bin of each item; the last bin is closed above.

    >>> bins_of(np.array([0.65, 0.9, 1.0]), (0.0, 0.7, 0.9, 1.0)).tolist()
    [0, 2, 2]
    """
    ends = np.asarray(edges)
    return np.clip(np.searchsorted(ends, belief, side="right") - 1, 0, len(ends) - 2)


LEAST, MOST = 0.1, 100.0
"""The range of temperatures. A validation set without an error asks for 0, for which no data speak."""

_FLOOR = 1e-45
"""Probabilities below the smallest number of 32 bits have become 0 by rounding and count as this."""


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
    """Return rows of (n, classes) probabilities whose logarithms are divided by a temperature, made to sum to one
    again.
    """
    scaled: Floats = softmax(_logs(probabilities) / temperature, axis=1)
    return scaled


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
    codes = _checked_truth(truth, logs)

    def loss(log_temperature: float) -> float:
        scaled = log_softmax(logs * np.exp(-log_temperature), axis=1)
        return -float(np.mean(scaled[np.arange(len(codes)), codes]))

    ends = (float(np.log(LEAST)), float(np.log(MOST)))
    found = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-6})
    # The loss may be flat: then uniform probabilities stay as they are, and a set without an error goes to the end.
    tried = [0.0, *ends, float(found.x)]
    losses = np.array([loss(one) for one in tried])
    best = tried[int(np.argmax(losses <= losses.min() + 1e-12))]
    return Temperature(
        float(np.exp(best)),
        loss(0.0),
        loss(best),
        _error(logs, codes, 0.0),
        _error(logs, codes, best),
        at_limit=best in ends,
    )


def _error(logs: Floats, codes: NDArray[np.int64], log_temperature: float) -> float:
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
    logs: Floats = np.log(np.maximum(array, _FLOOR))
    return logs


def _checked_truth(truth: ArrayLike, logs: Floats) -> NDArray[np.int64]:
    codes = np.asarray(truth)
    items, classes = logs.shape
    if codes.shape != (items,) or codes.dtype.kind not in "iu":
        raise InvalidInput(
            f"truth of shape {codes.shape} must be {items} class codes: give a whole number for each row"
        )
    if codes.min() < 0 or codes.max() >= classes:
        wrong = int(codes.min() if codes.min() < 0 else codes.max())
        raise InvalidInput(f"truth={wrong} must lie in [0, {classes}): probabilities have {classes} classes")
    return codes.astype(np.int64)
