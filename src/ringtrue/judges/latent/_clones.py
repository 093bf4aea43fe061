"""Judges who are copies of one another, or of one source: together they count as one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import ABSTAINED, Sketch
from ringtrue.judges._evaluation import Floats
from ringtrue.judges.latent._arrays import arrays_of
from ringtrue.judges.latent._em import Votes
from ringtrue.judges.latent._latent import fit_latent
from ringtrue.judges.latent._residuals import pair_tables

ITEMS = 20
"""With fewer common items two good judges agree on all of them too often to be called clones."""

APART = 0.05
"""Clones vote apart on no more than this share of their common items."""

EVIDENCE = 8.0
"""By so much copying must be ahead in log-likelihood, 3,000 times as likely; independent judges seldom reach 3."""

DISSENT = 3
"""On so many items at least two clones stand together against most of the others: fewer are no such evidence."""

NEVER = 100
"""Two judges who never vote apart on so many items, and good ones do on one in thirty, are taken for clones anyway."""

SECOND = 5
"""If they used another label than their usual one so often: on items of one label everybody agrees."""

WITNESSES = 6
"""So many other judges, those with the most votes, tell copying from accuracy; more cost time and add little."""


def clones(sketch: Sketch) -> tuple[tuple[str, str], ...]:
    """The pairs of judges of whom one seems to copy the other, by name.

    Two judges who agree on at least 95% of 20 common items or more may both be good. So two explanations are compared
    by their likelihood, with as many parameters each: that both err independently, and that one of them sees the items
    and the other sees only its vote. Copying must be 3,000 times as likely. Judges about as close to one of the two
    as they are to each other are left out of the comparison, which needs two others. Pairs that never vote apart on
    100 items are named in any case: two perfect judges would look the same, and nobody could tell.

    >>> cells = [300, 90, 90, 60, 0, 0, 0, 0, 0, 0, 0, 0, 60, 90, 90, 300]
    >>> clones(Sketch.from_cells(["ann", "bob", "cyd", "dan"], ["no", "yes"], cells))
    (('ann', 'bob'),)
    """
    patterns, counts = arrays_of(sketch)
    votes = Votes.of(patterns, counts, len(sketch.labels))
    tables = pair_tables(votes, float(counts @ (votes.weights > 0)))
    common = tables.sum(axis=(2, 3))
    apart = common - np.einsum("ijaa->ij", tables)
    rate = np.divide(apart, common, out=np.ones(common.shape), where=common > 0)
    found = []
    for one, other in zip(*np.nonzero(np.triu((common >= ITEMS) & (rate <= APART), 1)), strict=True):
        far = np.minimum(rate[one], rate[other]) > 2 * rate[one, other] + 1 / common[one, other]
        far[[one, other]] = False
        busy = np.flatnonzero(far)[np.argsort(-np.diagonal(common)[far], kind="stable")][:WITNESSES]
        copied = not apart[one, other] and common[one, other] >= NEVER and _second(tables[one, other]) >= SECOND
        if not copied and len(busy) >= 2 and _dissent(patterns, counts, one, other) >= DISSENT:
            copied = _evidence(sketch, [sketch.judges[place] for place in (one, other, *busy)]) >= EVIDENCE
        if copied:
            found.append((sketch.judges[one], sketch.judges[other]))
    return tuple(found)


def _dissent(patterns: NDArray[np.int64], counts: Floats, one: int, other: int) -> float:
    """On how many items two judges vote alike and most of the others otherwise."""
    alike = (patterns[:, one] == patterns[:, other]) & (patterns[:, one] >= 0)
    others = np.delete(patterns[alike], [one, other], axis=1)
    against = (others >= 0) & (others != patterns[alike, one][:, None])
    return float(counts[alike] @ (2 * against.sum(axis=1) > (others >= 0).sum(axis=1)))


def _evidence(sketch: Sketch, judges: list[str]) -> float:
    """How much likelier the votes are, in logarithm, if one of the first two judges copies the other."""
    both = sketch.marginal(judges)
    both = Sketch(judges, sketch.labels, {votes: times for votes, times in both.items() if ABSTAINED not in votes[:2]})
    independent = fit_latent(both).log_likelihood
    table = pair_tables(Votes.of(*arrays_of(both), len(both.labels)), float(both.size))[0, 1]
    copying = [
        fit_latent(both.without(copy)).log_likelihood + _given(joint)
        for copy, joint in ((judges[1], table), (judges[0], table.T))
    ]
    return max(copying) - independent


def _given(table: Floats) -> float:
    """The log-likelihood of the column votes given the row votes, each row with its own chances."""
    total = np.broadcast_to(table.sum(axis=1, keepdims=True), table.shape)
    seen = table > 0
    return float((table[seen] * np.log(table[seen] / total[seen])).sum())


def _second(table: Floats) -> float:
    """How often two judges who never vote apart used another label than their usual one."""
    return float(table.sum() - np.diagonal(table).max())
