"""Evidence that the events no longer follow frequencies that are known."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from ringtrue.judges._evaluation import Floats
from ringtrue.judges.stream._history import Counts, History, Ints

# How tightly a bet keeps to the known frequencies: 100 is quick to see large changes, 1,000 small ones. Measured on
# three judges who are 80% right: a judge who falls to 75%, 70%, 60% is seen after about 2,100, 500 and 160 events.
_CONCENTRATIONS = np.array([100.0, 1000.0])

# A change may come at any time: bets begin every so many events, the k-th with the weight 1 / (k+1)(k+2).
_SPACING = 128


def log_mixture_evidence(counts: Ints, frequencies: Floats) -> Floats:
    """Log evidence of counts against known frequencies, over the last axis: a Dirichlet-multinomial bet.

    Reference: Lindon & Malek, Anytime-valid inference for multinomial count data, NeurIPS 2022.
    """
    centre = frequencies / frequencies.sum(axis=-1, keepdims=True)
    prior = _CONCENTRATIONS.reshape(-1, *[1] * counts.ndim) * centre
    total = prior.sum(axis=-1)
    bets = gammaln(total) - gammaln(total + counts.sum(axis=-1))
    bets += (gammaln(prior + counts) - gammaln(prior)).sum(axis=-1)
    evidence: Floats = (
        np.logaddexp.reduce(bets, axis=0) - math.log(len(_CONCENTRATIONS)) - (counts * np.log(frequencies)).sum(axis=-1)
    )
    return evidence


class KnownEvidence:
    """The weighted sum of bets that began at different events: a martingale if nothing has changed.

    A category that the reference never had counts as seen once. That makes the frequencies sum to a little more
    than 1, which can only lower the evidence, and keeps it finite.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        past = history.past
        size = history.reference.size
        self._whole = np.append(past.whole, 1) / size  # with one cell for all patterns that are new
        self._others = [np.maximum(view, 1) / size for view in past.others]
        self.log_evidence = 0.0

    def look(self) -> None:
        """Weigh the bets whose beginning is still marked."""
        events = self._history.events
        starts = [at for at in self._history.marks if at % _SPACING == 0 and at < events]
        if not starts:
            return
        places = np.array(starts) // _SPACING
        _, since = self._history.split(starts)
        shares = self._over_views(since) - np.log((places + 1.0) * (places + 2.0))
        # The bets that have not begun, from events on, still have their weight: the sum of a telescope.
        waiting = math.log(1 / (-(-events // _SPACING) + 1))
        self.log_evidence = float(np.logaddexp(waiting, np.logaddexp.reduce(shares)))

    def _over_views(self, since: Counts) -> Floats:
        views = self._history.views
        known = self._history.known_patterns
        parts = []
        if views.whole:
            new = since.whole[:, known:].sum(axis=1, keepdims=True)
            counts = np.concatenate([since.whole[:, :known], new], axis=1)
            parts.append(math.log(views.whole) + log_mixture_evidence(counts, self._whole))
        for view, counts, frequencies in zip(views.others, since.others, self._others, strict=True):
            each = np.logaddexp.reduce(log_mixture_evidence(counts, frequencies), axis=-1)
            parts.append(math.log(view.weight / view.count) + each)
        mean: Floats = np.logaddexp.reduce(np.stack(parts), axis=0)
        return mean
