"""What is believed of a shape before any value is known."""

from __future__ import annotations

import numpy as np

from ringtrue.worst.surrogate._kernels import Floats

# A hundred times the cube is no change at all; a hundredth of it is shorter than a search can follow.
LENGTHS = (0.01, 100.0)
# Less noise than this share of the variance would cost the digits that the factor needs; more leaves nothing but noise.
NOISES = (1e-8, 100.0)
# Of the logarithms. Hvarfner et al. have a Gaussian with a spread of √3, which lets few values drive lengthscales far
# apart. A Cauchy holds them closer and its tails let go more easily: on seven coordinates, with 12 to 50 values, other
# values are as likely as with a Gaussian of 0.6 where all coordinates matter, and as with √3 where two do.
LENGTH_SPREAD = 0.7
# Of the logarithm of the noise, a Gaussian's: a factor of 400 costs half a unit of log likelihood.
NOISE_SPREAD = 6.0


def most_likely(width: int) -> Floats:
    """Logarithms (D + 1,) of the lengthscales and the noise at the prior's mode.

    Lengthscales are a fifth of the cube's diagonal, since distances grow with the number of coordinates.

    Reference: Hvarfner, Hellsten & Nardi, Vanilla Bayesian optimization performs great in high dimensions, ICML 2024.
    """
    mode: Floats = np.log(np.append(np.full(width, 0.2 * np.sqrt(width)), NOISES[0]))
    return mode


def penalty(logs: Floats) -> tuple[float, Floats]:
    """The logarithm of the density at the mode less that at these logarithms (D + 1,), and its derivatives."""
    away = logs - most_likely(len(logs) - 1)
    lengths, noise = away[:-1], away[-1]
    cost = np.sum(np.log1p((lengths / LENGTH_SPREAD) ** 2)) + 0.5 * (noise / NOISE_SPREAD) ** 2
    return float(cost), np.append(2.0 * lengths / (LENGTH_SPREAD**2 + lengths**2), noise / NOISE_SPREAD**2)
