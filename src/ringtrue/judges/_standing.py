"""Which judges are good enough, by intervals that hold for all of them at once, and how many labels would tell."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from scipy.special import ndtri

from ringtrue.core import Interval, Json, Verdict, count, percent
from ringtrue.judges._evaluation import Estimates

GOOD_ENOUGH = 0.8
"""The share of right votes on every label from which a judge counts as good enough unless the user says otherwise:
about as often as two people agree with each other on such questions (81% in MT-Bench, Zheng et al., NeurIPS 2023)."""

_ROUNDING = 1e-6
"""The ceiling is known to a millionth: a solver of linear programs gives no more."""

_NAMED = 3
"""Judges that a headline names; more are counted."""

_POWER = 0.8
"""The chance with which the labels that are foretold suffice: the usual power."""

_NEAREST = 1e-3
"""A judge that seems nearer to the bar than this is taken to be so far from it."""

_RAREST = 0.01
"""A label that seems rarer than this is taken to be so common."""


class Standing(Enum):
    """The standing of a judge."""

    GOOD = "good enough"
    NOT_GOOD = "not good enough"
    OPEN = "not yet known"


class Shortfall(NamedTuple):
    """The place of the label on which a judge fails most clearly, and the share of right votes that it has at most."""

    label: int
    high: float


@dataclass(frozen=True, slots=True)
class Standings:
    """The standing of each judge; `bar` is the share of right votes that a judge needs on every label.

    `shortfalls` tell of each judge that is not good enough on which label it fails.

    `wanted` is about how many more labels would settle each judge that is open: without any label yet, all judges, if
    they are halfway between the bar and perfection. `left` is how many items have no label. `ceiling` is the highest
    accuracy that all judges could have on every label of these items at once, whatever the truth is.
    """

    judges: tuple[str, ...]
    each: tuple[Standing, ...]
    shortfalls: tuple[Shortfall | None, ...]
    bar: float
    level: float
    wanted: tuple[int | None, ...]
    labelled: int
    left: int
    ceiling: float | None

    @property
    def verdict(self) -> Verdict:
        """Rings true if every judge is good enough, false if some judge is not, else not yet known."""
        if Standing.NOT_GOOD in self.each or self._out_of_reach:
            return Verdict.RINGS_FALSE
        return Verdict.NOT_YET_KNOWN if Standing.OPEN in self.each else Verdict.RINGS_TRUE

    @property
    def word(self) -> str:
        """The verdict in two to four words about the judges."""
        if len(set(self.each)) == 1 and not (self.each[0] is Standing.OPEN and self._out_of_reach):
            return self.each[0].value
        if Standing.GOOD in self.each:
            return "some good enough"
        return "not all good enough" if self.verdict is Verdict.RINGS_FALSE else Standing.OPEN.value

    @property
    def more_labels(self) -> int | None:
        """About how many more labels would settle the next judge; None where no judge is open."""
        return min((number for number in self.wanted if number is not None), default=None)

    def more_of(self, number: int | None) -> str:
        """Word a number of labels that are wanted, and say so where there are not as many items."""
        if number is None:  # decided by votes, as the user stated: nothing foretells how many more it takes
            return "more votes or labels"
        more = count(number, "more label" if self.labelled else "label")
        return f"about {more}" + (", more than there are items," if number > self.left else "")

    def named(self, standing: Standing) -> list[str]:
        """Return the judges of one standing."""
        return [judge for judge, own in zip(self.judges, self.each, strict=True) if own is standing]

    def __str__(self) -> str:
        good, bad, left = (self.named(standing) for standing in Standing)
        wanted = f"right on at least {percent(self.bar)} of the items of every label"
        below = f"right on less than {percent(self.bar)} of the items of some label"
        if good:
            first = f"{self._who(good)} {_is(good)} good enough, {wanted}"
            return first + (_rest(bad, "not") or _rest(left, "not yet known"))
        if bad and len(bad) == len(self.judges) > 1:
            return f"none of these {count(len(bad), 'judge')} is good enough: each is {below}"
        if bad:
            return f"{self._who(bad)} {_is(bad)} not good enough, {below}" + _rest(left, "not yet known")
        if self._out_of_reach and self.ceiling is not None:
            most = percent(self.ceiling, toward="above")
            return (
                f"not all of these {count(len(left), 'judge')} are good enough: whatever the truth is, one of them is "
                f"right on at most {most} of the items of some label"
            )
        return f"it takes {self.more_of(self.more_labels)} to tell {self._whether(left)} good enough"

    def _whether(self, left: Sequence[str]) -> str:
        """Say of whom the next labels tell: of all if there are none yet or only one judge, else of one of them."""
        if not self.labelled or len(left) == 1:
            return f"whether {self._who(left)} {_is(left)}"
        these = listed(left) if len(left) <= _NAMED else f"these {count(len(left), 'judge')}"
        return f"of one of {these} whether it is"

    def _who(self, names: Sequence[str]) -> str:
        if len(names) <= _NAMED:
            return listed(names)
        return (
            f"all {count(len(names), 'judge')}"
            if len(names) == len(self.judges)
            else f"{len(names)} of {count(len(self.judges), 'judge')}"
        )

    @property
    def _out_of_reach(self) -> bool:
        return self.ceiling is not None and self.ceiling + _ROUNDING < self.bar

    def to_json(self) -> dict[str, Json]:
        return {
            "sentence": str(self),
            "word": self.word,
            "bar": self.bar,
            "level": self.level,
            "judges": {judge: own.value for judge, own in zip(self.judges, self.each, strict=True)},
            "more_labels": self.more_labels,
            "more_labels_of": dict(zip(self.judges, self.wanted, strict=True)),
        }


def standings_of(
    judges: Sequence[str],
    estimates_at: Callable[[float], Estimates] | None,
    *,
    labelled: int,
    items: int,
    rarest: float,
    labels: int,
    bar: float,
    level: float,
    ceiling: float | None,
) -> Standings:
    """Say where each judge stands, wrong of any judge with a chance of at most 1 - `level`.

    A judge is good enough or it is not, so that each judge can be wronged in one way only. One that is not is wronged
    if the bound of the label on which it fails is above the bar: one bound per judge may miss. One that is, is wronged
    if any label's bound is below: one bound per judge and label may miss.

    Parameters
    ----------
    judges
        Their names.
    estimates_at
        Gives the estimates at a level, or None where nothing may be said of the judges.
    labelled
        How many labels there are.
    items
        How many items there are.
    rarest
        Roughly how common the rarest label is, as far as the votes tell; plans the first labels.
    labels
        How many different labels there are.
    bar
        The share of right votes that a judge needs on every label.
    level
        The level at which all standings hold together.
    ceiling
        The highest accuracy that all judges could have at once, or None where it was not computed. Labels
        say more, so it counts only where there are none.
    """
    # Two-sided intervals whose one side may miss with a chance of (1 - level) over the number of bounds.
    lower, upper = (1 - min(2 / bounds, 1) * (1 - level) for bounds in (len(judges), len(judges) * labels))
    names = tuple(judges)
    if estimates_at is None:
        first = round_up(first_labels(rarest, bar, lower, labels))
        each = (Standing.OPEN,) * len(names)
        return Standings(names, each, (None,) * len(names), bar, level, (first,) * len(names), 0, items, ceiling)
    rows = list(zip(estimates_at(lower).accuracy, estimates_at(upper).accuracy, strict=True))
    each = tuple(_standing(good, bad, bar) for good, bad in rows)
    shortfalls = tuple(
        _shortfall(bad) if own is Standing.NOT_GOOD else None for (_, bad), own in zip(rows, each, strict=True)
    )
    wanted = tuple(
        max(1, round_up(labels_wanted(*row, bar, labelled) - labelled)) if labelled and own is Standing.OPEN else None
        for row, own in zip(rows, each, strict=True)
    )
    return Standings(names, each, shortfalls, bar, level, wanted, labelled, items - labelled, None)


def _standing(good: Sequence[Interval], bad: Sequence[Interval], bar: float) -> Standing:
    if all(one.low >= bar for one in good):
        return Standing.GOOD
    return Standing.NOT_GOOD if any(one.high < bar for one in bad) else Standing.OPEN


def _shortfall(bad: Sequence[Interval]) -> Shortfall:
    place = min(range(len(bad)), key=lambda label: bad[label].high)
    return Shortfall(place, bad[place].high)


def round_up(number: int) -> int:
    """Round a number that is not known well up to two digits.

    >>> round_up(7), round_up(104), round_up(2892)
    (7, 110, 2900)
    """
    if number < 10:
        return number
    scale = int(10 ** (len(str(number)) - 2))
    return -(-number // scale) * scale


def listed(names: Sequence[str]) -> str:
    """Name some judges in a sentence.

    >>> listed(["ann"]), listed(["ann", "bob", "cyd"])
    ('ann', 'ann, bob and cyd')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _rest(names: Sequence[str], standing: str) -> str:
    """Tell of the other judges where they are few; the table tells of the rest."""
    return f"; {listed(names)} {_is(names)} {standing}" if 0 < len(names) <= _NAMED else ""


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def labels_wanted(good: Sequence[Interval], bad: Sequence[Interval], bar: float, labelled: int) -> int:
    """Foretell how many labels settle a judge who is what it seems to be after `labelled` ones.

    The bound that decides comes nearer to the estimate as the root of the labels, and so does the estimate to the
    truth; both must fit between the truth and the bar. Only the end that decides counts: the other may be cut off at 0
    or at 100%. `good` are intervals whose lower ends show that a judge is good enough, all of them; `bad` those whose
    upper ends show that it is not, any of them.

    >>> seen = Interval(0.9, 0.78, 1.0, 0.95, "", 100)
    >>> labels_wanted([seen], [seen], 0.8, 100)
    295
    """

    def wanted(one: Interval, reach: float, chance: float) -> float:
        room = 1 + float(ndtri(chance)) / float(ndtri((1 + one.level) / 2))
        return labelled * (reach * room / max(abs(one.estimate - bar), _NEAREST)) ** 2

    below = [wanted(one, one.high - one.estimate, _POWER) for one in bad if one.estimate < bar]
    above = [wanted(one, one.estimate - one.low, _POWER) for one in good]
    return math.ceil(min(below) if below else max(above))


def first_labels(rarest: float, bar: float, level: float, bounds: int) -> int:
    """Foretell how many labels show judges to be good enough who are halfway between the bar and perfection.

    All of `bounds` lower ends of intervals at `level` must then be above the bar, on a label with a share of `rarest`.
    The intervals are as wide as those of a share of labels to which surprises were added (see `difference`).

    >>> first_labels(0.5, 0.8, 0.95, 1), first_labels(0.5, 0.8, 0.95, 6)
    (180, 293)
    """
    rate, room = halfway(bar), max((1 - bar) / 2, 0.01)
    z, shift = float(ndtri((1 + level) / 2)), float(ndtri(1 - (1 - _POWER) / bounds))
    variance, counted = max(rate * (1 - rate), 0.01), 1.0
    while z * math.sqrt(variance / counted + (z * rate / counted) ** 2) + shift * math.sqrt(variance / counted) > room:
        counted *= 1.01
    return math.ceil(counted / max(rarest, _RAREST))


def halfway(bar: float) -> float:
    """Return the share of right votes halfway between the bar and perfection."""
    return (1 + bar) / 2
