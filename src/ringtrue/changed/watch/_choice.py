"""Which items to watch: those whose old answer was nearly another one, in turn of the answers."""

from __future__ import annotations

import numpy as np

from ringtrue.changed._baseline import Floats, Ints
from ringtrue.stats import generator


def nearest(old: Ints, confidence: Floats, number: int, *, seed: int) -> Ints:
    """Return the rows of some items, the least sure of each old answer first; ties and what is unknown by chance.

    Each old answer has its turn, because services are not sure of all answers alike: of the twenty items that a
    service was least sure of, all together, often none changes when the service does (the lowest confidences may
    stand for an empty answer), where of the least sure of each answer a third to nine in ten do.

    >>> nearest(np.array([0, 0, 0, 1]), np.array([0.9, 0.5, 0.7, 0.8]), 3, seed=0).tolist()
    [1, 3, 2]

    Parameters
    ----------
    old, confidence
        The code of the old answer to each item, and how sure it was; NaN where that is not known.
    number, seed
        How many items to choose, all if there are fewer, and the seed by which ties are broken.
    """
    luck = generator(seed, "changed/watch nearest").random(len(old))
    sure = np.where(np.isnan(confidence), np.inf, confidence)
    order = np.lexsort((luck, sure, old))
    starts = np.flatnonzero(np.diff(old[order], prepend=-1))
    place = np.arange(len(old)) - np.repeat(starts, np.diff(starts, append=len(old)))
    turns = np.lexsort((sure[order], place))
    chosen: Ints = order[turns][:number].astype(np.int64)
    return chosen
