"""The two likelihoods whose ratio is the evidence: a mixture that bets, and the null it bets against."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaincc, betaln, gammaln

from ringtrue.stats._bounds import Floats, Ints

# The prior of a bet against "rate <= p" is Beta(1/3, 1/(3p)) cut to [p, 1]: its mass lies within a few multiples
# of p, where rates that are worth telling from p lie, whatever the scale of p. One third rather than one half in
# both places because it puts more mass far from the null: at p = 5% seventy answers without a failure decide.
SHAPE = 1 / 3


def log_normaliser(null: Floats | float) -> Floats:
    """Return log of the prior's mass on [null, 1], before normalisation."""
    weight = SHAPE / np.asarray(null, dtype=float)
    mass: Floats = betaln(SHAPE, weight) + np.log(betaincc(SHAPE, weight, null))
    return mass


def log_mixture_above(
    failures: Ints | int, n: Ints | int, null: Floats | float, normaliser: Floats | None = None
) -> Floats:
    """Return log probability of a sequence of answers when the rate is drawn from the prior above `null`.

    The incomplete beta function underflows when nearly all of the posterior lies below the null; the result is
    then minus infinity: no evidence at all, which errs on the safe side.
    """
    a, b = failures + SHAPE, n - failures + SHAPE / null
    with np.errstate(divide="ignore"):
        mixture: Floats = betaln(a, b) + np.log(betaincc(a, b, null))
    return mixture - (log_normaliser(null) if normaliser is None else normaliser)


def log_pool_likelihood(failing: Ints | int, failures: Ints, n: Ints, unknown: Ints | int) -> Floats:
    """Return log probability of a sequence of draws from `unknown` items of which `failing` fail; -inf if impossible.

    Falling factorials in words: the failing items taken one after another, times the passing items taken one
    after another, over all items taken one after another. `gammaln` is infinite at the impossible counts.
    """
    passing = unknown - failing
    likelihood: Floats = (
        gammaln(failing + 1)
        - gammaln(failing - failures + 1)
        + gammaln(passing + 1)
        - gammaln(passing - (n - failures) + 1)
        - gammaln(unknown + 1)
        + gammaln(unknown - n + 1)
    )
    return likelihood


def likeliest_failing(failures: Ints, n: Ints, population: int) -> Ints:
    """Return the number of failing items in a pool under which the draws seen are likeliest."""
    likeliest: Ints = failures * (population + 1) // np.maximum(n, 1)
    return np.minimum(likeliest, population)


def pool_nulls(limit: float, population: int) -> tuple[int, int]:
    """Return the most failing items that keep a limit, and the fewest that break it.

    A limit of 5% of 100 items must be 5 items although 0.05 * 100 may fall short of it by a rounding.
    """
    keeps = math.floor(limit * population + 1e-9)
    return keeps, keeps + 1


def prior_null(failing: Ints | int, population: int) -> Floats:
    """Return the rate at which the prior is cut for a null of whole items, kept half an item away from 0 and 1."""
    cut: Floats = np.clip(failing, 0.5, population - 0.5) / population
    return cut


def log_null_above(failures: Ints, n: Ints, failing: Ints | int, population: int) -> Floats:
    """Return the largest log probability of the draws under at most `failing` failing items.

    The likelihood of a number of failing items rises to the likeliest number and falls beyond it.
    """
    best = np.minimum(failing, likeliest_failing(failures, n, population))
    return log_pool_likelihood(best, failures, n, population)


def ratio(log_numerator: Floats, log_denominator: Floats) -> Floats:
    """Return log of a likelihood ratio; an impossible null gives plus infinity whatever the numerator."""
    with np.errstate(invalid="ignore"):  # two infinities: settled by the first branch
        evidence: Floats = np.where(log_denominator == -np.inf, np.inf, log_numerator - log_denominator)
    return evidence
