"""Places where a bump could hide: what the evaluations say of a height that the surrogate does not expect.

A surrogate that was fitted to evaluations which all missed a bump is sure that there is none. So each place is asked by
itself: if the function had a bump there, as narrow as a claim answers for and of any height, what would the evaluations
say of its height? Where none is near enough to show it, they say nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from ringtrue.stats import one_thread
from ringtrue.worst._arrays import Bools, Floats
from ringtrue.worst._history import EVERY
from ringtrue.worst._plan import Plan
from ringtrue.worst._surrogates import Surrogate
from ringtrue.worst.surrogate import GaussianProcess

WIDTH = 0.1
"""The standard deviation of the narrowest bump that a claim answers for, in ranges of the parameters."""

REACH = 4.0
"""How many standard deviations from its top a bump ends. A Gaussian never does, but what has its width may."""

_BLIND = 10.0
"""A height that is known no better than to so many standard deviations of the function is not known."""

_PLACES = 1024
_SDS = 4.0
"""Added while searching; a look adds from 2.5 to 4.8 at 95 %, by what the held-out residuals allow."""

_SIGHT = 2 * WIDTH
"""How far a bump is seen, about, when places are weighed by what would be seen from them."""

_NOTHING = 1e-12
"""Below this, what the evaluations say of a height is rounding."""


class Unseen(NamedTuple):
    """At m places: how large the function may be in size if a bump has its top there, and where that is not known."""

    edges: Floats
    blind: Bools


def bump(places: Floats, tops: Floats) -> Floats:
    """Return the heights (m, n) at n places of bumps of height one that have their tops at m others.

    For a distance of d standard deviations, (1 - d²/R²) to the power R²/2 up to the reach R: curved at the top as a
    Gaussian and nowhere above it, so that it is never seen from further away than one.

    >>> bump(np.array([[0.5], [0.6], [0.9]]), np.array([[0.5]])).round(3).tolist()
    [[1.0, 0.597, 0.0]]
    """
    squared = cdist(tops, places, "sqeuclidean") / WIDTH**2
    heights: Floats = np.maximum(1 - squared / REACH**2, 0) ** (REACH**2 / 2)
    return heights


def unseen(plan: Plan, process: GaussianProcess, tops: Floats, width: float) -> Unseen:
    """Return what the evaluations leave open at some places (m, D), of the largest of the process's outputs.

    By universal kriging with one regressor more than the constant, the bump. `width` standard deviations are added. An
    estimated height that would lower the deviation counts as none.
    """
    posterior = process.posterior
    inverse, ones = posterior.inverse, posterior.ones
    known = posterior.across.between(tops, posterior.inputs) @ inverse.T
    white = bump(posterior.inputs, tops) @ inverse.T
    level = white @ ones / (ones @ ones)
    # How much of the bump's height the surrogate does not already expect from the evaluations around it.
    rest = 1 - np.einsum("mn,mn->m", known, white) - (1 - known @ ones) * level
    white -= np.outer(level, ones)
    told = np.maximum(np.einsum("mn,mn->m", white, white), _NOTHING)
    lift = (rest / told)[:, None] * (white @ posterior.residuals)
    vague = rest**2 / told
    found = process.predict(tops)
    # Not the root of squares: those of large deviations are more than floats hold.
    reach = width * np.hypot(found.sd, np.sqrt(vague)[:, None] * process.scales)
    edges = found.mean + np.maximum(lift, 0) + reach
    if plan.deviation.signed:
        edges = np.maximum(edges, np.maximum(-lift, 0) - found.mean + reach)
    return Unseen(np.max(edges, axis=1), vague > _BLIND**2)


@one_thread
def hiding_place(plan: Plan, surrogate: Surrogate, limit: float, rng: np.random.Generator) -> tuple[Floats, int] | None:
    """Find the place from which most of the bumps above a limit would be seen that may stand unseen, and its task.

    Greedily the largest cover: the farthest place would be a corner, from which little is seen. Where tasks are priced
    alone, the task is the one with most to see, else it is every task. None where no bump is left to be seen.
    """
    level, tops = plan.deviation.magnitude(limit), plan.space.sample(_PLACES, rng)
    left_of = [unseen(plan, process, tops, _SDS).edges > level for process in surrogate.processes]
    counts = [np.sum(one) for one in left_of]
    if not np.max(counts):
        return None
    first = int(np.argmax(counts))
    left = left_of[first] if plan.alone else np.any(left_of, axis=0)
    seen = np.exp(-cdist(tops, tops[left], "sqeuclidean") / (2 * _SIGHT**2)).sum(axis=1)
    return tops[int(np.argmax(seen))], surrogate.tasks[first] if plan.alone else EVERY
