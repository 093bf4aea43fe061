"""RayS: the smallest change, equal in every feature but for its sign, that changes the decision."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ringtrue.blind.distances._asker import Asker
from ringtrue.blind.distances._box import Box, Codes, Inputs
from ringtrue.blind.distances._decisions import Decisions
from ringtrue.blind.distances._result import Distances
from ringtrue.blind.distances._shortest import SETTLED, Shortest


def rays(
    asker: Asker,
    inputs: Inputs,
    labels: Codes,
    box: Box,
    rng: np.random.Generator,  # noqa: ARG001 - every method is called alike; this one draws nothing
    *,
    starts: Inputs | None = None,  # noqa: ARG001 - and needs no start
    queries: int = 50,
) -> Distances:
    """Search the directions of signs for the smallest radius, which is an L-infinity distance in widths of the box.

    All features move by one share of their widths, up or down. From all of them up, the signs of ever smaller blocks
    are flipped, half as wide at every level, and a flip is kept where it makes the radius smaller. Other directions
    it does not know: with d features, the least it can find is the smallest radius over the 2^d vectors of signs.
    The last bisection may pass the bound. An item to which a sweep over all levels brought nothing that counts is
    done, because the next sweep would ask much the same.

    Reference: Chen & Gu, RayS: a ray searching method for hard-label adversarial attack, KDD 2020.
    """
    decisions = Decisions(asker, inputs, labels, box)
    shortest = Shortest(decisions, np.ones_like(decisions.rows), queries)
    going = np.ones(len(decisions), dtype=bool)
    shortest.attempt(shortest.directions.copy(), 1.0, going)
    while np.any(going & shortest.may_ask()):
        before = shortest.radius.copy()
        for start, stop in _blocks(decisions.rows.shape[1]):
            if not np.any(going & shortest.may_ask()):
                break
            flipped = shortest.directions.copy()
            flipped[:, start:stop] *= -1
            shortest.attempt(flipped, 1.0, going)
        going &= shortest.radius < (1 - SETTLED) * before
    return shortest.distances()


def _blocks(features: int) -> Iterator[tuple[int, int]]:
    """The blocks of a sweep: everything, then halves, quarters and so on down to single features.

    >>> list(_blocks(3))
    [(0, 3), (0, 2), (2, 3), (0, 1), (1, 2), (2, 3)]
    """
    width = features
    while True:
        yield from ((start, min(start + width, features)) for start in range(0, features, width))
        if width == 1:
            return
        width = -(-width // 2)
