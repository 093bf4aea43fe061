"""Straight lines from each item to items of other predicted classes, with a binary search on each."""

from __future__ import annotations

import numpy as np

from ringtrue.blind.distances._asker import Asker
from ringtrue.blind.distances._box import Box, Codes, Inputs
from ringtrue.blind.distances._decisions import Decisions
from ringtrue.blind.distances._result import Distances
from ringtrue.blind.distances._shortest import Shortest
from ringtrue.core import InvalidInput

LINES = 8
"""How many of the nearest items of other predicted classes `measure` hands over."""


def lines(
    asker: Asker,
    inputs: Inputs,
    labels: Codes,
    box: Box,
    rng: np.random.Generator,  # noqa: ARG001 - every method is called alike; this one draws nothing
    *,
    starts: Inputs | None = None,
    queries: int = 64,
) -> Distances:
    """Find where lines leave the class of their item and keep the nearest such point, by L2 in widths of the box.

    `starts` are (n, ...) for one line an item or (n, k, ...) for k, best with the nearest first: a later line is
    bisected only if the decision on it has changed at the smallest distance so far. The usual bound allows for all
    of `LINES` lines, each with its bisection. A start that is the item itself stands for none.
    """
    if starts is None:
        raise InvalidInput("starts=None: lines lead to items of other predicted classes; give some as `others`")
    decisions = Decisions(asker, inputs, labels, box)
    ends = np.asarray(starts, dtype=np.float32)
    if ends.ndim == decisions.inputs.ndim:
        ends = ends[:, None]
    if (len(ends), *ends.shape[2:]) != decisions.inputs.shape:
        raise InvalidInput(f"starts of shape {ends.shape} for inputs of {inputs.shape}: give (n, ...) or (n, k, ...)")
    shortest = Shortest(decisions, np.zeros_like(decisions.rows), queries)
    for line in range(ends.shape[1]):
        way = box.to_unit(ends[:, line]) - decisions.rows
        length = np.linalg.norm(way, axis=1)
        leads_away = length > 0
        way[leads_away] /= length[leads_away, None]
        shortest.attempt(way, length, leads_away)
    return shortest.distances()
