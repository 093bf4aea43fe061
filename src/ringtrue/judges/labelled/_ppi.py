"""Predictions made without labels: what the votes alone say of each item."""

from __future__ import annotations

import numpy as np

from ringtrue.judges._evaluation import Floats
from ringtrue.judges.labelled._difference import Predictions
from ringtrue.judges.labelled._labelled_sketch import LabelledSketch
from ringtrue.judges.latent._latent import fit_latent

METHOD = "difference estimator (PPI++)"


def vote_predictions(sketch: LabelledSketch) -> Predictions:
    """The chance of each label given the votes, from the latent class fit; with fewer than three judges, their share.

    They may be wrong, and on correlated judges they are: the labels correct them and weigh them.
    """
    if len(sketch.votes.judges) < 3 or not (sketch.patterns >= 0).any():
        return Predictions.fixed(sketch, vote_shares(sketch.patterns, sketch.labelled.shape[1]))
    return Predictions.fixed(sketch, fit_latent(sketch.votes).posterior)


def vote_shares(patterns: np.ndarray[tuple[int, int], np.dtype[np.int64]], labels: int) -> Floats:
    """The share of an item's votes for each label, as if each label had one more: shape (k, labels).

    >>> vote_shares(np.array([[1, 1, -1], [-1, -1, -1]]), 2)
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    votes = (patterns[:, :, None] == np.arange(labels)).sum(axis=1) + 1.0
    shares: Floats = votes / votes.sum(axis=1, keepdims=True)
    return shares
