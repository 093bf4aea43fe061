"""What is known of a panel: which judges are good enough, then numbers with intervals, then what votes alone say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ringtrue.core import Claim, Interval, Json, Readable, Verdict, count, percent
from ringtrue.judges._evaluation import Estimates, Evaluation, Floats, Margin, Reason, Reserve, as_json
from ringtrue.judges._figures import draw_accuracies
from ringtrue.judges._shared_errors import Notice
from ringtrue.judges._standing import Standing, Standings, halfway, round_up
from ringtrue.judges.latent._fit_test import FitTest

_SHOWN = 5
"""Judges that get a line of their own; a crowd has hundreds."""

_GAIN = 1.1
"""Votes that make labels worth less than a tenth more are said to save none."""


_ABOUT = ["about", "standings", "uses", "judges", "labels", "items", "abstentions", "labelled_items", "assumptions"]
_ALONE = [
    "reasons",
    "margin",
    "method",
    "choice",
    "evaluation",
    "majority",
    "mirror",
    "fit",
    "residuals",
    "tolerance",
    "notice",
]
"""What the JSON has under its own name: of the panel, and of what its votes alone say."""


@dataclass(frozen=True, slots=True, eq=False)
class PanelFinding(Readable):
    """The quality of a panel, from its votes and from labels if there are any.

    `labelled` and `labelled_here` hold the intervals that rest on labels, for items like these and for these very
    items; `together` those that hold for all numbers at once, by which the judges' standings are decided. `general` and
    `here` hold the intervals from votes alone, which are to be read with `reserve`; both are None where the votes have
    no answer. `margin` bounds by the labels how far the numbers from votes alone are off. `best` is the highest
    accuracy that all judges could have on all labels at once, whatever the truth.
    """

    kind: ClassVar[str] = "panel"
    standings: Standings
    uses: tuple[str, ...]
    reserve: Reserve
    reasons: tuple[Reason, ...]
    judges: tuple[str, ...]
    labels: tuple[str, ...]
    items: int
    abstentions: int
    labelled_items: int
    method: str
    choice: str
    evaluation: Evaluation | None
    mirror: Evaluation | None
    majority: Evaluation | None
    general: Estimates | None
    here: Estimates | None
    labelled: Estimates | None
    labelled_here: Estimates | None
    together: Estimates | None
    margin: Margin | None
    fit: FitTest | None
    residuals: Floats | None
    tolerance: float | None
    notice: Notice | None
    best: float | None
    assumptions: tuple[str, ...]
    claim: Claim | None = None

    @property
    def verdict(self) -> Verdict:
        """Rings true if every judge is shown to be good enough, false if some judge is shown not to be."""
        return self.standings.verdict

    @property
    def estimate(self) -> Interval | None:
        """None: there is no claim of which an interval could speak."""
        return None

    @property
    def answers(self) -> int:
        """How many labels there were."""
        return self.labelled_items

    @property
    def unanswerable(self) -> int:
        """No label is asked for that could be refused."""
        return 0

    @property
    def unreserved(self) -> tuple[Estimates, ...]:
        """The estimates that are shown as plain intervals: each of them holds at its level."""
        alone = (self.general, self.here) if self.reserve is Reserve.NONE else ()
        return tuple(one for one in (self.labelled, self.labelled_here, *alone) if one is not None)

    @property
    def shown(self) -> Estimates | None:
        """The estimates to show first: those that rest on labels, else those from votes alone."""
        return self.labelled if self.labelled is not None else self.general

    @property
    def reserve_of_votes(self) -> str | None:
        """The words that belong to every number from votes alone, None where the user's statement lifts the reserve."""
        return None if self.reserve is Reserve.NONE else self.reserve.value

    @property
    def about(self) -> str:
        """The judges and items that were looked at, and the evidence that decided the standings."""
        looked = f"{count(len(self.judges), 'judge')} on {count(self.items, 'item')}"
        level = f"at {percent(self.standings.level)} for all judges at once"
        if self.labelled_items:
            labels = f"{count(self.labelled_items, 'label')} chosen by chance"
            return f"{looked}; decided {level} by {'all labels' if self.labelled_items == self.items else labels}"
        if self.together is not None:
            return f"{looked}, no labels; decided {level}, {self.reserve.value}"
        return f"{looked}, no labels"

    def __str__(self) -> str:
        return str(self.standings)

    def to_json(self) -> dict[str, Json]:
        about, alone = ({name: as_json(getattr(self, name)) for name in names} for names in (_ABOUT, _ALONE))
        return {
            "sentence": str(self),
            "verdict": self.standings.word,
            "exit_code": self.verdict.exit_code,
            **about,
            "with_labels": as_json(self.labelled),
            "with_labels_on_this_test": as_json(self.labelled_here),
            "all_at_once": as_json(self.together),
            "votes_alone": {
                "reserve": self.reserve_of_votes,
                "in_general": as_json(self.general),
                "on_this_test": as_json(self.here),
                **alone,
            },
            "best_minimum_accuracy": self.best,
        }

    def draw(self, axes: Any) -> None:
        """Draw each judge as a point with its region: two labels as a square, more as rows."""
        if self.shown is not None:
            draw_accuracies(axes, self.shown, reserve=None if self.labelled is not None else self.reserve_of_votes)


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
        as_many = f"{round_up(math.ceil(worth)):,}"
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
