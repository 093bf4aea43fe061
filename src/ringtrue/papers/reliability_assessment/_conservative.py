"""Conservative Bayesian inference: what answers show under the worst prior that a stated belief allows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, xlog1py, xlogy

from ringtrue.core import InvalidInput
from ringtrue.stats._bounds import checked_counts, checked_level, turning_point


@dataclass(frozen=True, slots=True)
class Belief:
    """A chance of `theta` that the failure rate is at most `eps0`, and that it is at least `least`; nothing else."""

    eps0: float
    theta: float
    least: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("eps0", self.eps0), ("theta", self.theta)):
            if not 0 < value < 1:
                raise InvalidInput(f"{name}={value!r} must lie strictly between 0 and 1: write 0.001 for 0.1%")
        if not 0 <= self.least <= self.eps0:
            rule = f"must lie in [0, eps0={self.eps0:g}]: it is the smallest rate that may be"
            raise InvalidInput(f"least={self.least!r} {rule}")


def conservative_confidence(belief: Belief, n: int, p: float, failures: int = 0) -> float:
    """Return the least chance that the failure rate is at most `p`, over all priors that keep the belief.

    The chance is a ratio of two integrals over the prior, so that some prior with one point on either side of `eps0` is
    worst: above, the point beyond `p` that the `n` answers make most likely, and below, the less likely end of
    [least, eps0]. Without failures that end is `eps0`. With a failure and `least` of 0 it is 0, a system that never
    fails: the failure refutes it and the belief with it, so that the chance is 0 whatever `n`. Who has seen failures
    must therefore say how small a rate is possible at all.

    >>> round(conservative_confidence(Belief(1e-3, 0.9), 1000, 0.005), 8)
    0.99799332
    >>> conservative_confidence(Belief(1e-3, 0.9), 1000, 0.005, failures=1)
    0.0
    >>> round(conservative_confidence(Belief(1e-3, 0.9, least=1e-4), 1000, 0.005, failures=1), 5)
    0.96056

    Reference: Zhao, Salako, Strigini, Robu & Flynn, Information and Software Technology 128 (2020).
    """
    seen = _Seen.of(belief, n, failures)
    if not 0 <= p <= 1:
        raise InvalidInput(f"p={p!r} must lie in [0, 1]: write 0.005 for a failure rate of 0.5%")
    return seen.confidence(p)


def conservative_upper(belief: Belief, n: int, *, level: float = 0.95, failures: int = 0) -> float:
    """Return the smallest rate that the failure rate does not exceed with the chance `level`, under the worst prior.

    The inverse of `conservative_confidence`. It is 1 where the answers and the belief do not reach the level.

    >>> round(conservative_upper(Belief(1e-3, 0.9), 1000, level=0.99799332), 8)
    0.005
    >>> conservative_upper(Belief(1e-3, 0.9), 0)
    1.0
    """
    seen, eps0 = _Seen.of(belief, n, failures), float(belief.eps0)
    level = checked_level(level)
    if seen.confidence(eps0) >= level:
        return eps0
    found = turning_point(lambda rate: np.asarray(seen.confidence(float(rate)) < level), np.array(eps0), np.array(1.0))
    return float(found)


def conservative_posterior_mean(belief: Belief, n: int, failures: int = 0) -> float:
    """Return the largest expected failure rate after `n` answers, over all priors that keep the belief.

    It is the chance that the next answer fails, at worst. A mean is a ratio of two integrals over the prior: a prior
    with one point on either side of `eps0` is worst again. A mean m is exceeded by some prior if the largest
    expectations of (rate - m) times the likelihood on the two sides add up to more than 0, which is solved for m. As
    above, a failure and `least` of 0 leave nothing: the mean is then 1.

    >>> round(conservative_posterior_mean(Belief(1e-3, 0.9), 1000), 8)
    0.00103924

    References: Bishop, Bloomfield, Littlewood, Povyakalo & Wright, IEEE Transactions on Software Engineering 37 (2011);
    Dinkelbach, Management Science 13 (1967).
    """
    seen = _Seen.of(belief, n, failures)
    return float(turning_point(lambda mean: np.asarray(seen.exceeds(float(mean))), np.array(0.0), np.array(1.0)))


@dataclass(frozen=True, slots=True)
class _Seen:
    """The answers that were seen, by one who holds a belief."""

    belief: Belief
    n: int
    failures: int

    @classmethod
    def of(cls, belief: Belief, n: int, failures: int) -> _Seen:
        k, size = checked_counts(failures, n)
        return cls(belief, int(size), int(k))

    def log_likelihood(self, rate: float) -> float:
        return float(xlogy(self.failures, rate) + xlog1py(self.n - self.failures, -rate))

    def confidence(self, p: float) -> float:
        if p >= 1:
            return 1.0
        if p < self.belief.eps0:
            return 0.0  # the believed rates may all lie above p
        below = min(self.log_likelihood(self.belief.least), self.log_likelihood(self.belief.eps0))
        likeliest = self.failures / self.n if self.n else 0.0
        above = self.log_likelihood(max(p, likeliest))
        return float(expit(logit(self.belief.theta) + below - above))

    def exceeds(self, mean: float) -> bool:
        """Say whether some prior has a posterior mean above this one: the largest gains over it sum to more than 0."""
        low, low_log = self._largest_gain(mean, self.belief.least, self.belief.eps0)
        high, high_log = self._largest_gain(mean, self.belief.eps0, 1.0)
        if low * high >= 0:
            return low + high > 0
        # One gains and one loses: signed logarithms of sizes add up to which of the two is larger.
        return high_log + low_log > -high * math.log1p(-self.belief.theta) - low * math.log(self.belief.theta)

    def _largest_gain(self, mean: float, low: float, high: float) -> tuple[int, float]:
        """Return the largest (rate - mean) times the likelihood over rates in [low, high].

        It is a sign and, times that sign, the logarithm of its size: likelihoods of many answers are too small for a
        float. The slope's sign is that of a quadratic: (1 - rate) rate + (rate - mean) (failures - n rate).
        """
        a, b, c = -(self.n + 1), 1 + self.failures + self.n * mean, -mean * self.failures
        spread = math.sqrt(max(b * b - 4 * a * c, 0.0))
        turns = [rate for rate in ((-b + spread) / (2 * a), (-b - spread) / (2 * a)) if low < rate < high]
        return max(self._gain(mean, rate) for rate in (low, high, *turns))

    def _gain(self, mean: float, rate: float) -> tuple[int, float]:
        log_likelihood, sign = self.log_likelihood(rate), int(np.sign(rate - mean))
        if not sign or log_likelihood == -math.inf:
            return 0, 0.0
        return sign, sign * (math.log(abs(rate - mean)) + log_likelihood)
