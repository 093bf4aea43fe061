"""Evidence that a stream of votes changed: against all events before, and against frequencies that are known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np
from scipy.special import gammaln

from ringtrue.judges._evaluation import Floats
from ringtrue.judges.stream._history import QUANTUM, History, Ints, Views

# Under the alternative the window's frequencies scatter about the pooled ones this many times wider than chance
# scatters them. Four suits changes that are just large enough to be found at the window's size; larger ones have
# been found by shorter windows. Between 2 and 8 the delays hardly differ.
_WIDTH = 4.0

# Windows of 32 events up to 2 million, in octaves of equal weight.
_FIRST_OCTAVE = 5
_OCTAVES = 16
_LENGTHS = 8  # lengths per octave, as far as they are multiples of QUANTUM

# The share that is not spent: with it the evidence is never 0 and its logarithm is a number.
_KEPT = 0.01

# How tightly a bet keeps to the known frequencies: 100 is quick to see large changes, 1,000 small ones. Measured on
# three judges who are 80% right: a judge who falls to 75%, 70%, 60% is seen after about 2,100, 500 and 160 events.
_CONCENTRATIONS = np.array([100.0, 1000.0])

# A change may come at any time: bets begin every so many events, the k-th with the weight 1 / (k+1)(k+2).
_SPACING = 128


def log_split_evidence(before: Ints, since: Ints) -> Floats:
    """Return the log evidence that two samples of categories differ, over the last axis; neither may be empty.

    Given the pooled counts, and if order does not matter, the smaller sample is a draw without replacement from the
    pool: a multivariate hypergeometric law without an unknown. The bet against it is a Dirichlet-multinomial law
    about the pooled frequencies. Their ratio has an expectation of at most 1 whatever the frequencies are, and
    however many categories there may be that were never seen.
    """
    pool = before + since
    sizes = before.sum(axis=-1), since.sum(axis=-1)
    small = np.where((sizes[1] <= sizes[0])[..., None], since, before)
    less, more = np.minimum(*sizes).astype(float), np.maximum(*sizes).astype(float)
    total = less + more
    concentration = less * total / (_WIDTH * more)
    prior = np.where(pool > 0, concentration[..., None] * pool / total[..., None], 1.0)
    bet = gammaln(concentration) - gammaln(concentration + less)
    bet += (gammaln(prior + small) - gammaln(prior)).sum(axis=-1)
    chance = (gammaln(pool + 1) - gammaln(pool - small + 1)).sum(axis=-1) - gammaln(total + 1) + gammaln(more + 1)
    evidence: Floats = bet - chance
    return evidence


def windows_due(events: int) -> Iterator[tuple[int, float]]:
    """Yield the windows that end after so many events: where each begins, and the log of its weight.

    In octave b windows are 2^b to 2^(b+1) events long and begin at the multiples of 2^(b-1). The k-th place where
    those of one length can begin, from 0, has the weight 1 / (k+1)(k+2), so that all weights sum to at most 1.
    """
    for octave in range(_FIRST_OCTAVE, _FIRST_OCTAVE + _OCTAVES):
        unit = 2**octave
        step = max(QUANTUM, unit // _LENGTHS)
        share = step / unit / _OCTAVES
        for length in range(unit, 2 * unit, step):
            start = events - length
            if start < 0:
                return
            if start % (unit // 2) == 0:
                place = start // (unit // 2)
                yield start, math.log(share) - math.log((place + 1) * (place + 2))


class SplitEvidence:
    """The sum of the evidence of all windows so far, each times its weight, all fixed beforehand.

    Its expectation is at most 1 at the end of time, and it never falls: by Markov's inequality it ever reaches
    1/alpha with a probability of at most alpha, over the reference and the stream together. Nothing is assumed but
    that their order does not matter as long as nothing changes.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self._log_sum = -math.inf

    @property
    def log_evidence(self) -> float:
        return float(np.logaddexp(math.log(_KEPT), math.log1p(-_KEPT) + self._log_sum))

    def look(self) -> None:
        """Add the windows that end now. One whose beginning was not marked is left out, which only lowers the sum."""
        due = [window for window in windows_due(self._history.events) if window[0] in self._history]
        if not due:
            return
        starts = [start for start, _ in due]
        shares = np.array([share for _, share in due]) + _split_over_views(self._history, starts)
        self._log_sum = float(np.logaddexp(self._log_sum, np.logaddexp.reduce(shares)))


def likeliest_change(history: History) -> int:
    """Find the mark since which events differ most from those before it; marks of the last few events do not count."""
    starts = [at for at in history.marks if history.events - at >= 2**_FIRST_OCTAVE]
    if not starts:
        return 0
    return starts[int(np.argmax(_split_over_views(history, starts)))]


def _split_over_views(history: History, starts: list[int]) -> Floats:
    """Return the log evidence that events since each of these marks differ from those before it, over all views."""
    before, since = history.split(starts)
    whole = log_split_evidence(before.whole, since.whole) if history.views.whole else None
    others = (log_split_evidence(old, new) for old, new in zip(before.others, since.others, strict=True))
    return _over_views(history.views, whole, others)


def _over_views(views: Views, whole: Floats | None, others: Iterable[Floats]) -> Floats:
    """Average the evidence of the views, given as logarithms, and return the logarithm of the mean."""
    parts = [] if whole is None else [math.log(views.whole) + whole]
    for view, evidence in zip(views.others, others, strict=True):
        parts.append(math.log(view.weight / view.count) + np.logaddexp.reduce(evidence, axis=-1))
    mean: Floats = np.logaddexp.reduce(np.stack(parts), axis=0)
    return mean


def log_mixture_evidence(counts: Ints, frequencies: Floats) -> Floats:
    """Return the log evidence of counts against known frequencies, over the last axis: a Dirichlet-multinomial bet.

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
        shares = self._since(starts) - np.log((places + 1.0) * (places + 2.0))
        # The bets that have not begun, from events on, still have their weight: the sum of a telescope.
        waiting = math.log(1 / (-(-events // _SPACING) + 1))
        self.log_evidence = float(np.logaddexp(waiting, np.logaddexp.reduce(shares)))

    def _since(self, starts: list[int]) -> Floats:
        """Return the log evidence of the events since each of these marks, over all views."""
        views, known = self._history.views, self._history.known_patterns
        _, since = self._history.split(starts)
        whole = None
        if views.whole:
            new = since.whole[:, known:].sum(axis=1, keepdims=True)
            whole = log_mixture_evidence(np.concatenate([since.whole[:, :known], new], axis=1), self._whole)
        return _over_views(views, whole, map(log_mixture_evidence, since.others, self._others))
