"""What the judges may be used for: in the place of people, beside a few labels, or not at all."""

from __future__ import annotations

import math

from ringtrue.core import count, percent
from ringtrue.judges._evaluation import Estimates
from ringtrue.judges._labels_wanted import halfway
from ringtrue.judges._standing import Standing, Standings, rough

_SHOWN = 5
"""Judges that get a line of their own; a crowd has hundreds."""

_GAIN = 1.1
"""Votes that make labels worth less than a tenth more are said to save none."""


def uses_of(standings: Standings, together: Estimates | None, *, labelled: int, worth: float | None) -> tuple[str, ...]:
    """Say what the judges may be used for, a sentence each.

    `together` holds intervals for all numbers at once, None where nothing may be said of the judges. `worth` is how
    many labels alone tell the shares as well as the labels that there are together with the votes.
    """
    if together is None:
        lines = ["no judge may stand in for people yet: votes show that judges agree, not that they are right"]
        if standings.more_labels is not None:
            who = f"judges who are right on {percent(halfway(standings.bar))} of the items of every label"
            lines.append(f"{standings.more_of(standings.more_labels)} chosen by chance would tell of {who}")
        return tuple(lines)
    lines = []
    for judge, standing, overall in zip(standings.judges, standings.each, together.overall, strict=True):
        if standing is Standing.GOOD:
            most = percent(1 - overall.low, toward="above")
            lines.append(f"{judge} may stand in for people where up to {most} wrong labels do no harm")
    for judge, shortfall in zip(standings.judges, standings.shortfalls, strict=True):
        if shortfall is not None:
            most = percent(shortfall.high, toward="above")
            label = together.labels[shortfall.label]
            lines.append(f"{judge} may not stand in for people: right on at most {most} of the items that are {label}")
    for judge, standing, more in zip(standings.judges, standings.each, standings.wanted, strict=True):
        if standing is Standing.OPEN:
            lines.append(f"{judge} may not stand in for people yet: it takes {standings.more_of(more)} to tell")
    if len(lines) > _SHOWN:
        lines = [*lines[:_SHOWN], f"and so on for {count(len(lines) - _SHOWN, 'more judge')}"]
    if worth is not None:
        as_many = f"{rough(math.ceil(worth)):,}"
        helped = f"{count(labelled, 'label')} with these votes tell the shares as well as about {as_many} alone"
        saved = "these votes save no labels: labels alone tell the shares as well"
        lines.append(helped if worth > _GAIN * labelled else saved)
    return tuple(lines)


def worth_of(labelled: int, with_votes: Estimates, alone: Estimates) -> float:
    """Count the labels that would tell the shares as well without votes: widths fall with the square root.

    >>> from ringtrue.core import Interval
    >>> wide, half = (Interval(0.5, 0.5 - h, 0.5 + h, 0.95, "", 100) for h in (0.1, 0.05))
    >>> made = lambda one: Estimates(("a",), ("no", "yes"), (one, one), ((one, one),), (one,), "in general", "")
    >>> round(worth_of(100, made(half), made(wide)))
    400
    """
    pairs = [
        (one.high - one.low, other.high - other.low)
        for one, other in zip(with_votes.prevalence, alone.prevalence, strict=True)
    ]
    ratios = [(wide / narrow) ** 2 for narrow, wide in pairs if narrow > 0]
    return labelled * sum(ratios) / len(ratios) if ratios else float(labelled)
