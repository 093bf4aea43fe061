"""Judges who vote alike since a change and did not before: a copy, or a common source."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from ringtrue.core import Sketch
from ringtrue.judges._evaluation import Floats
from ringtrue.judges.latent._arrays import arrays_of
from ringtrue.judges.latent._clones import APART, ITEMS, SECOND
from ringtrue.judges.latent._em import Votes
from ringtrue.judges.latent._residuals import pair_tables

JUDGES = 100
"""In larger panels pairs are not compared: their tables would be most of the work."""


def alike_since(before: Sketch, since: Sketch, *, level: float) -> tuple[tuple[str, str], ...]:
    """The pairs who vote apart on no more than 5% of 20 common items or more, and clearly more often before.

    Clearly: by more than chance would move the agreement of one of all pairs in 1 - level of comparisons. The two must
    have used another label than their usual one on five items, or else all that is known is that they said the same.
    """
    judges = len(before.judges)
    if judges > JUDGES or not before.size or not since.size:
        return ()
    old, new = _tables(before), _tables(since)
    (common, agreed), (later, alike) = ((each.sum(axis=(2, 3)), np.einsum("ijaa->ij", each)) for each in (old, new))
    second = alike - np.einsum("ijaa->ija", new).max(axis=2)
    near = (later >= ITEMS) & (later - alike <= APART * later) & (second >= SECOND) & (common > 0)
    share = (agreed + alike) / np.maximum(common + later, 1)
    error = np.sqrt(share * (1 - share) * (1 / np.maximum(common, 1) + 1 / np.maximum(later, 1)))
    rise = alike / np.maximum(later, 1) - agreed / np.maximum(common, 1)
    clear = rise > -float(ndtri((1 - level) / max(math.comb(judges, 2), 1))) * error
    pairs = zip(*np.nonzero(np.triu(near & clear, 1)), strict=True)
    return tuple((before.judges[one], before.judges[other]) for one, other in pairs)


def _tables(sketch: Sketch) -> Floats:
    """The items on which two judges voted so and so: shape (judges, judges, labels, labels)."""
    patterns, counts = arrays_of(sketch)
    votes = Votes.of(patterns, counts, len(sketch.labels))
    tables: Floats = pair_tables(votes, float(counts @ (votes.weights > 0)))
    return tables
