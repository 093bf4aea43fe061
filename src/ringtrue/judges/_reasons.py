"""Everything that speaks for or against believing numbers from votes alone, one function per thing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ringtrue.core import ABSTAINED, Sketch, count, percent
from ringtrue.judges._bounds import two_judges
from ringtrue.judges._evaluation import Estimates, Evaluation, Floats, Margin, Reason, Weight, named_intervals
from ringtrue.judges._labelled_sketch import agreement_with_labels
from ringtrue.judges._shared_errors import Notice
from ringtrue.judges._trio import Trio
from ringtrue.judges.latent._fit_test import FitTest
from ringtrue.judges.latent._pairs import clones, pair_excess
from ringtrue.stats import ranked

_ALPHA = 0.05
_NOTICED = 0.8
"""A reserve is lifted only with this chance that harmful correlation would have been noticed: the usual power."""

_WIDE = 0.1
"""An estimate that may be wrong by more than this on either side settles little."""


_EXCESS = 0.05
"""A pair whose votes correlate by less than this beyond the others' word is not named."""

_SHOWN = 5
"""Judges named in one reason; a crowd has hundreds."""


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """All that was computed before the verdict."""

    sketch: Sketch
    votes: Sketch
    truth: str | None
    trio: Trio | None
    prevalence: float | None
    independent: bool
    evaluation: Evaluation | None
    fit: FitTest | None
    residuals: Floats | None
    tolerance: float | None
    notice: Notice | None
    general: Estimates | None
    margin: Margin | None


def reasons_of(looked: Looked) -> list[Reason]:
    """List every reason, in the order in which things were looked at."""
    looks = (_solution, _constant, _cloned, _labels, _fit, _noticing, _tolerance, _chance, _width, _empty)
    return [reason for look in looks for reason in look(looked)]


def _solution(looked: Looked) -> Iterator[Reason]:
    if len(looked.votes.judges) < 3:
        text = "fewer than three judges: votes alone leave their accuracies open"
        yield Reason("judges", "doubt", text)
        if len(looked.votes.judges) == 2 and any(min(pattern) > ABSTAINED for pattern in looked.votes):
            yield Reason("judges", "note", str(two_judges(looked.votes)))
    elif looked.trio is not None and not looked.trio.valid:
        yield Reason("solution", "bar", f"no independent judges can have voted so: {looked.trio}")


def _constant(looked: Looked) -> Iterator[Reason]:
    """Name judges who always say the same: they do no harm to the others, but three who do not must be left."""
    votes = looked.votes
    constant = []
    for place, judge in enumerate(votes.judges):
        labels = {pattern[place] for pattern in votes} - {ABSTAINED}
        if len(labels) == 1:
            constant.append(f"{judge} always votes {votes.labels[labels.pop()]}")
    if constant:
        left = len(votes.judges) - len(constant)
        shown = _first(constant, ", and {} more so")
        text = f"judge {shown}: such votes say nothing about the truth, leave them out"
        yield Reason("constant", "bar" if left < 3 else "doubt", text)


def _cloned(looked: Looked) -> Iterator[Reason]:
    pairs = [f"{one} and {other}" for one, other in clones(looked.votes)]
    if pairs:
        shown = _first(pairs, f", and {count(len(pairs) - _SHOWN, 'more pair')}")
        text = f"judges {shown} vote alike nearly always: they count as one, leave one of them out"
        yield Reason("clones", "bar", text)


def _fit(looked: Looked) -> Iterator[Reason]:
    fit = looked.fit
    if looked.evaluation is None:
        return
    if fit is None or fit.p is None:
        text = "with three judges the fit cannot be checked: as many unknowns as frequencies, so any solution fits"
        yield Reason("fit", "doubt", text)
    elif fit.p < _ALPHA:
        text = f"the votes do not fit judges who err independently ({fit}){_worst_pair(looked)}"
        yield Reason("fit", "doubt" if _harmless(looked) else "bar", text)
    else:
        yield Reason("fit", "note", f"the votes fit judges who err independently ({fit})")


def _harmless(looked: Looked) -> bool:
    """Say whether the misfit is too small to matter: very many votes show correlations that move nothing.

    A residual of z standard errors is a covariance of z times the root of the votes' variances over the items.
    """
    if looked.residuals is None or looked.tolerance is None or looked.evaluation is None:
        return False
    rates = looked.evaluation.confusion[:, :, 0].T
    share = looked.evaluation.prevalence @ rates
    spread = np.sqrt(share * (1 - share))
    covariance = np.abs(looked.residuals) * np.outer(spread, spread) / np.sqrt(looked.votes.size)
    return bool(covariance.max() < looked.tolerance)


def _worst_pair(looked: Looked) -> str:
    """Name the two who seem to err together, by the other judges' word: a fit follows those who do."""
    votes = looked.votes
    if len(votes.labels) != 2 or len(votes.judges) < 5:
        return ""
    excess = pair_excess(votes)
    row, column = np.unravel_index(ranked(excess)[0], excess.shape)
    if excess[row, column] < _EXCESS:
        return ""
    return f"; {votes.judges[int(row)]} and {votes.judges[int(column)]} seem to err together most"


def _noticing(looked: Looked) -> Iterator[Reason]:
    if looked.fit is None or looked.fit.p is None or looked.fit.p < _ALPHA:
        return
    if looked.notice is None:
        text = "how much shared error would be noticed is worked out for two labels without missing votes only"
        yield Reason("notice", "doubt", text)
    else:
        yield Reason("notice", "doubt" if looked.notice.chance < _NOTICED else "note", str(looked.notice))


def _tolerance(looked: Looked) -> Iterator[Reason]:
    if looked.tolerance is not None:
        label = looked.votes.labels[0]
        text = f"errors correlated by {looked.tolerance:.2g} can move the share of {label} by 5 points"
        yield Reason("tolerance", "note", text)


def _chance(looked: Looked) -> Iterator[Reason]:
    if looked.evaluation is None or looked.general is None or len(looked.votes.labels) != 2:
        return
    unsure, worse = [], []
    for judge, (first, second) in zip(looked.votes.judges, looked.general.accuracy, strict=True):
        if first.low + second.low <= 1 <= first.high + second.high:
            unsure.append(judge)
        elif first.high + second.high < 1:
            worse.append(judge)
    if unsure:
        yield Reason("chance", "doubt", f"may be no better than chance, so leave out: {_first(unsure)}")
    if worse:
        yield Reason("chance", "doubt", f"worse than chance, perhaps with swapped labels: {_first(worse)}")


def _first(entries: list[str], more: str = " and {} more") -> str:
    """List the first entries, and say with `more` how many others there are."""
    return ", ".join(entries[:_SHOWN]) + (more.format(len(entries) - _SHOWN) if len(entries) > _SHOWN else "")


def _width(looked: Looked) -> Iterator[Reason]:
    if looked.general is None:
        return
    what, widest = max(named_intervals(looked.general), key=lambda entry: entry[1].high - entry[1].low)
    if widest.high - widest.low > 2 * _WIDE:
        low, high = percent(widest.low, toward="below"), percent(widest.high, toward="above")
        items = count(looked.votes.size, "item")
        text = f"{items} leave much open: from votes alone {what} lies between {low} and {high}"
        yield Reason("width", "doubt", text)


def _empty(looked: Looked) -> Iterator[Reason]:
    votes = looked.votes
    cells = len(votes.labels) ** len(votes.judges)
    seen = sum(1 for pattern in votes if min(pattern) >= 0)
    if looked.evaluation is not None and len(votes.judges) <= 4 and seen < cells:
        weight: Weight = "doubt" if len(votes.judges) == 3 else "note"
        text = f"{count(cells - seen, 'pattern')} of {cells} never occurred: intervals near 0 and 100% are rough"
        yield Reason("empty cells", weight, text)


def _labels(looked: Looked) -> Iterator[Reason]:
    """Say what labels add: votes show agreement on something; only labels, or the user, say that it is the truth."""
    if looked.evaluation is None:
        return
    if looked.independent:
        text = "that the judges share nothing but the truth is a statement of yours, which votes cannot show"
        yield Reason("labels", "note", text)
    elif looked.truth is None:
        text = "no label was looked at: judges who share a mistake agree on it as they agree on the truth"
        yield Reason("labels", "doubt", text)
    if looked.truth is not None:
        agreement = agreement_with_labels(looked.sketch, looked.truth, looked.evaluation, estimates=looked.general)
        if agreement.p < _ALPHA:
            yield Reason("labels", "bar", f"the labels contradict the numbers from votes alone: {agreement}")
        elif looked.margin is not None:
            yield Reason("labels", "note" if looked.independent else "doubt", str(looked.margin))
