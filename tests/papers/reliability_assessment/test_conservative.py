"""Conservative Bayesian inference: the published closed form, brute force over priors, and the errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from ringtrue.core import InvalidInput
from ringtrue.papers.reliability_assessment import (
    Belief,
    conservative_confidence,
    conservative_posterior_mean,
    conservative_upper,
)

FEW = [
    (1e-3, 0.9, 1000, 0, 0.0),
    (1e-3, 0.9, 1000, 1, 1e-4),
    (1e-3, 0.5, 3000, 2, 5e-4),
    (0.01, 0.8, 50, 3, 0.002),
    (0.2, 0.3, 20, 4, 0.05),
    (0.05, 0.99, 0, 0, 0.0),
]


def likelihood(rates: np.ndarray, n: int, failures: int) -> np.ndarray:
    return rates**failures * (1 - rates) ** (n - failures)


def worst_prior(gain: np.ndarray, weight: np.ndarray, rates: np.ndarray, eps0: float, theta: float) -> float:
    """The largest ratio of expectations of `gain` and `weight` over all priors on these rates that keep the belief.

    A linear programme after Charnes & Cooper: the prior is scaled such that the expectation of the weight is 1.
    """
    low = rates <= eps0
    total = np.append(np.ones(rates.size), -1.0)  # the last variable is the scale
    believed = np.append(low.astype(float), -theta)
    found = linprog(
        -np.append(gain, 0.0),
        A_eq=np.array([np.append(weight, 0.0), total, believed]),
        b_eq=np.array([1.0, 0.0, 0.0]),
        bounds=(0, None),
    )
    assert found.status == 0, found.message
    return -float(found.fun)


def grid(eps0: float, p: float, least: float) -> np.ndarray:
    """Rates that include the ends of the belief, and one just above each of them."""
    ends = [least, eps0, eps0 * (1 + 1e-12), p, p * (1 + 1e-12)]
    return np.unique(np.concatenate([np.linspace(least, eps0, 41), np.linspace(eps0, 1, 401), ends]))


def test_the_published_numbers():
    assert conservative_confidence(Belief(1e-3, 0.9), 1000, 0.005) == pytest.approx(0.99799332, abs=5e-9)
    assert conservative_confidence(Belief(1e-3, 0.9), 0, 0.005) == pytest.approx(0.9)
    assert conservative_posterior_mean(Belief(1e-3, 0.9), 1000) == pytest.approx(0.00103924, abs=5e-9)


def test_without_failures_it_is_the_closed_form():
    for eps0, theta, n, p in ((1e-3, 0.9, 10, 0.02), (0.01, 0.5, 200, 0.03), (1e-4, 0.7, 10**6, 2e-4)):
        log_odds = math.log(theta / (1 - theta)) + n * (math.log1p(-eps0) - math.log1p(-p))
        assert conservative_confidence(Belief(eps0, theta), n, p) == pytest.approx(1 / (1 + math.exp(-log_odds)))


@pytest.mark.parametrize(("eps0", "theta", "n", "failures", "least"), FEW)
def test_no_prior_is_worse(eps0, theta, n, failures, least):
    for p in (eps0, 1.5 * eps0, 4 * eps0):
        rates = grid(eps0, p, least)
        weight = likelihood(rates, n, failures)
        weight = weight / weight.max()
        found = conservative_confidence(Belief(eps0, theta, least), n, p, failures)
        assert 1 - worst_prior(weight * (rates > p), weight, rates, eps0, theta) == pytest.approx(found, abs=2e-4)
        assert found <= 1 - worst_prior(weight * (rates > p), weight, rates, eps0, theta) + 1e-9


@pytest.mark.parametrize(("eps0", "theta", "n", "failures", "least"), FEW)
def test_no_prior_has_a_larger_mean(eps0, theta, n, failures, least):
    rates = np.unique(np.concatenate([grid(eps0, eps0, least), np.geomspace(eps0, 1, 800)]))
    weight = likelihood(rates, n, failures)
    weight = weight / weight.max()
    found = conservative_posterior_mean(Belief(eps0, theta, least), n, failures)
    brute = worst_prior(weight * rates, weight, rates, eps0, theta)
    assert brute <= found * (1 + 1e-9)
    assert brute == pytest.approx(found, rel=2e-3)


def test_a_failure_refutes_a_belief_that_allows_a_rate_of_zero():
    """The prior may put all that is believed on a system that never fails, which the failure rules out."""
    assert conservative_confidence(Belief(1e-3, 0.9), 10**6, 0.5, failures=1) == 0
    assert conservative_upper(Belief(1e-3, 0.9), 10**6, failures=1) == 1
    assert conservative_posterior_mean(Belief(1e-3, 0.9), 10**6, failures=1) == pytest.approx(1)


def test_below_what_is_believed_nothing_is_known():
    assert conservative_confidence(Belief(1e-3, 0.9), 10**5, 0.9e-3) == 0
    assert conservative_confidence(Belief(1e-3, 0.9), 10**5, 1.0) == 1


@pytest.mark.parametrize(("eps0", "theta", "n", "failures", "least"), FEW)
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_upper_bound_inverts_the_confidence(eps0, theta, n, failures, least, level):
    upper = conservative_upper(Belief(eps0, theta, least), n, level=level, failures=failures)
    assert eps0 <= upper <= 1
    assert conservative_confidence(Belief(eps0, theta, least), n, upper, failures) >= level - 1e-9
    if eps0 < upper:
        below = eps0 + (upper - eps0) * (1 - 1e-6)
        assert conservative_confidence(Belief(eps0, theta, least), n, below, failures) < level


def test_more_answers_without_failures_never_hurt():
    sizes = (0, 1, 10, 100, 1000, 10**5, 10**7)
    bounds = [conservative_upper(Belief(1e-3, 0.9), n) for n in sizes]
    means = [conservative_posterior_mean(Belief(1e-3, 0.9), n) for n in sizes]
    assert bounds == sorted(bounds, reverse=True)
    assert means == sorted(means, reverse=True)
    assert means[0] == pytest.approx(0.9 * 1e-3 + 0.1)
    assert means[-1] == pytest.approx(1e-3, rel=1e-3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: conservative_confidence(Belief(0.0, 0.9), 10, 0.1), "eps0=0.0 must lie strictly between 0 and 1"),
        (lambda: conservative_confidence(Belief(0.1, 1.0), 10, 0.1), "theta=1.0 must lie strictly between 0 and 1"),
        (lambda: conservative_confidence(Belief(0.1, 0.9), 10, 1.1), r"p=1.1 must lie in \[0, 1\]"),
        (lambda: conservative_confidence(Belief(0.1, 0.9), 10, 0.2, 11), "failures=11 must not exceed n=10"),
        (lambda: conservative_upper(Belief(0.1, 0.9, 0.2), 10), r"least=0.2 must lie in \[0, eps0=0.1\]"),
        (lambda: conservative_upper(Belief(0.1, 0.9), 10, level=95), "level=95 must lie strictly between 0 and 1"),
        (lambda: conservative_posterior_mean(Belief(0.1, 0.9), 10.5), "n=10.5 must be whole numbers"),
    ],
)
def test_errors(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
