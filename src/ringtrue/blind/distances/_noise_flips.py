"""The smallest amplitude of low-frequency noise that changes the decision."""

from __future__ import annotations

from itertools import islice, product

import numpy as np

from ringtrue.blind.distances._asker import Asker
from ringtrue.blind.distances._box import Box, Codes, Inputs
from ringtrue.blind.distances._decisions import Decisions
from ringtrue.blind.distances._result import Distances
from ringtrue.blind.distances._shortest import Shortest
from ringtrue.blind.distances._smooth import smooth_directions

DRAWS = 16
_REACHES = (1.0, 0.25)
"""Full noise looks like one thing to most models. Items that are that thing to it get a second, weaker round."""


def noise_flips(
    asker: Asker,
    inputs: Inputs,
    labels: Codes,
    box: Box,
    rng: np.random.Generator,
    *,
    starts: Inputs | None = None,  # noqa: ARG001 - every method is called alike; this one needs no start
    queries: int = 80,
) -> Distances:
    """Add noise and the negative of it, draw by draw, and find the smallest amplitude that changes the decision.

    The amplitude is the root mean square of the noise in widths of the box, at most 1. It is the smallest over the
    draws and not the one at which half of them change the decision: beside a flat boundary, half of them never do.
    All items get the same draws, so that they differ by the model and not by luck.
    """
    decisions = Decisions(asker, inputs, labels, box)
    shortest = Shortest(decisions, np.zeros_like(decisions.rows), queries)
    draws = list(islice(smooth_directions(decisions.shape, rng), DRAWS))
    for reach in _REACHES:
        unmoved = ~np.isfinite(shortest.radius)
        for draw, sign in product(draws, (1, -1)):
            noise = sign * draw.reshape(1, -1) * np.sqrt(np.float32(draw.size))
            shortest.attempt(noise, reach, unmoved)
    return shortest.distances()
