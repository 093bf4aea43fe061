"""After how many failures among n answers a watched test decides, for every n."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ringtrue.stats._bounds import Ints
from ringtrue.stats._rate_test import RateTest
from ringtrue.stats._search import largest_true

CAP = 20_000
"""How far ahead plans look: whoever needs more labels is not helped by knowing how many more."""


class Boundaries:
    """The stopping boundaries of a `RateTest`, computed as far as they are asked for.

    With at most `accept[n]` failures among n answers the limit is known to be kept (-1: not yet possible); from
    `reject[n]` failures on it is known to be broken (n + 1: not yet possible).
    """

    def __init__(self, test: RateTest) -> None:
        self._test = test
        self._accept: Ints = np.array([-1])
        self._reject: Ints = np.array([1])

    def upto(self, n: int) -> tuple[Ints, Ints]:
        """The arrays `accept` and `reject`, at least to index n."""
        while len(self._accept) <= n:
            self._extend()
        return self._accept, self._reject

    def at(self, n: int) -> tuple[int, int]:
        """`accept` and `reject` at one n alone, which is quick however large n is."""
        size, test = np.array([n]), self._test
        accept = largest_true(lambda k: test.below(np.maximum(k, 0), size) >= test.threshold, np.array([-1]), size)
        undecided = largest_true(lambda k: test.above(np.maximum(k, 0), size) < test.threshold, np.array([-1]), size)
        return int(accept[0]), int(undecided[0]) + 1

    def _extend(self) -> None:
        test, first = self._test, len(self._accept)
        last = max(2 * first, 512)
        if test.population is not None:
            last = min(last, test.population + 1)
        n = np.arange(first, last)
        accept = _last_true(lambda k, size: test.below(k, size) >= test.threshold, n)
        undecided = _last_true(lambda k, size: test.above(k, size) < test.threshold, n)
        self._accept = np.concatenate([self._accept, accept])
        self._reject = np.concatenate([self._reject, undecided + 1])


def _last_true(holds: Callable[[Ints, Ints], NDArray[np.bool_]], n: Ints) -> Ints:
    """The largest k at which something holds, for each n, -1 if for none; it must not fall as n grows.

    Every 64th n is searched for its k; then every k in between is searched for its first n, because there are far
    fewer numbers of failures than of answers.
    """
    knots = np.unique(np.append(n[::64], n[-1]))
    at_knots = largest_true(lambda k: holds(np.maximum(k, 0), knots), np.full(knots.shape, -1), knots)
    k = np.arange(at_knots[0] + 1, at_knots[-1] + 1)
    if not k.size:
        return np.full(n.shape, at_knots[0])
    after = np.searchsorted(at_knots, k, side="left")
    last, first = knots[after], knots[after - 1] + 1
    back = largest_true(lambda b: holds(k, np.maximum(last - b, k)) & (k <= last - b), np.zeros_like(k), last - first)
    reached: Ints = at_knots[0] + np.searchsorted(last - back, n, side="right")
    return reached


@lru_cache(maxsize=32)
def boundaries(limit: float, level: float, population: int | None) -> Boundaries:
    """The boundaries of a test; kept, because plans and status lines ask for the same ones again and again."""
    return Boundaries(RateTest(limit, level=level, population=population))
