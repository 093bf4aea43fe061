"""What each vote pattern means as far as labels have shown: the chance of each label, learnt anew now and then."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ringtrue.judges._evaluation import Floats
from ringtrue.judges._label_predictions import label_chances, vote_design, vote_shares


class LearntChances:
    """The chance of each label per pattern, shape (k, labels), from counts of labels per pattern of that shape.

    Without labels it is the share of the votes, then the vote regression.
    """

    def __init__(self, patterns: NDArray[np.int64], labels: int) -> None:
        self._shares = vote_shares(patterns, labels)
        self._design = vote_design(patterns, labels)

    def after(self, labelled: Floats) -> Floats:
        return label_chances(self._design, labelled) if labelled.any() else self._shares
