"""Panels simulated from a fit, with the votes missing where they were missing, for tests without a formula."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.judges._evaluation import Floats
from ringtrue.judges.latent._em import Point, Votes, posterior_of
from ringtrue.stats import generator

TABLE = 2**14
"""Tables of more patterns are not written out."""

VOTES = 100_000
"""A simulated panel has no more items than so many votes allow; the reference then is that of a large panel."""


def simulated(
    patterns: NDArray[np.int64], counts: Floats, labels: int, point: Point, *, seed: int, repetitions: int
) -> Iterator[tuple[Votes, float]]:
    """Panels of the same judges who err independently as the point says, each with its number of items.

    Whole tables are drawn at once where all votes are there and the table is small; otherwise item by item.
    """
    judges = patterns.shape[1]
    items = counts.sum()
    if np.all(patterns >= 0) and labels**judges <= min(TABLE, max(items, 1024)):
        table = np.array(list(product(range(labels), repeat=judges)), dtype=np.int64)
        votes = Votes.of(table, np.ones(len(table)), labels)
        shares = np.exp(posterior_of(votes, point)[1])
        for step in range(repetitions):
            drawn = generator(seed, "fit test", step).multinomial(int(min(items, 2**53)), shares / shares.sum())
            yield votes.weighing(drawn / drawn.sum()), float(drawn.sum())
        return
    for step in range(repetitions):
        yield _by_item(patterns, counts, labels, point, generator(seed, "fit test", step))


def _by_item(
    patterns: NDArray[np.int64], counts: Floats, labels: int, point: Point, random: np.random.Generator
) -> tuple[Votes, float]:
    most = VOTES // max(1, patterns.shape[1])
    if counts.sum() <= most:
        masks = np.repeat(patterns >= 0, counts.astype(np.int64), axis=0)
    else:
        masks = (patterns >= 0)[random.choice(len(patterns), most, p=counts / counts.sum())]
    truth = random.choice(labels, len(masks), p=point.prevalence[0])
    steps = np.cumsum(point.by_truth(), axis=2)
    said = np.full(masks.shape, -1, dtype=np.int64)
    item, judge = np.nonzero(masks)
    chance: Any = steps[judge, truth[item], :-1]
    said[item, judge] = (random.random(len(item))[:, None] > chance).sum(axis=1)
    return Votes.of(said, np.ones(len(said)), labels), float(masks.any(axis=1).sum())
