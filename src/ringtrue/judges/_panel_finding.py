"""What is known of a panel: which judges are good enough, then numbers with intervals, then what votes alone say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ringtrue.core import Claim, Json, Verdict, count, percent
from ringtrue.judges._drawing import draw_accuracies
from ringtrue.judges._evaluation import Estimates, Evaluation, Floats
from ringtrue.judges._margin import Margin
from ringtrue.judges._notice import Notice
from ringtrue.judges._reserve import Reason, Reserve
from ringtrue.judges._standing import Standings
from ringtrue.judges.latent._fit import FitTest


@dataclass(frozen=True, slots=True, eq=False)
class PanelFinding:
    """How good a panel is, from its votes and from labels if there are any.

    `labelled` and `labelled_here` hold the intervals that rest on labels, for items like these and for these very
    items; `together` those that hold for all numbers at once, by which the judges' standings are decided. `general` and
    `here` hold the intervals from votes alone, which are to be read with `reserve`; both are None where the votes have
    no answer. `margin` bounds by the labels how far the numbers from votes alone are off. `best` is the highest
    accuracy that all judges could have on all labels at once, whatever the truth.
    """

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
        """What was looked at, and by what the standings were decided."""
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
        return {
            "sentence": str(self),
            "verdict": self.standings.word,
            "exit_code": self.verdict.exit_code,
            "about": self.about,
            "standings": self.standings.to_json(),
            "uses": list(self.uses),
            "judges": list(self.judges),
            "labels": list(self.labels),
            "items": self.items,
            "abstentions": self.abstentions,
            "labelled_items": self.labelled_items,
            "with_labels": _json(self.labelled),
            "with_labels_on_this_test": _json(self.labelled_here),
            "all_at_once": _json(self.together),
            "votes_alone": {
                "reserve": self.reserve_of_votes,
                "reasons": [reason.to_json() for reason in self.reasons],
                "margin": _json(self.margin),
                "method": self.method,
                "choice": self.choice,
                "evaluation": _json(self.evaluation),
                "majority": _json(self.majority),
                "mirror": _json(self.mirror),
                "in_general": _json(self.general),
                "on_this_test": _json(self.here),
                "fit": _json(self.fit),
                "residuals": None if self.residuals is None else self.residuals.tolist(),
                "tolerance": self.tolerance,
                "notice": _json(self.notice),
            },
            "best_minimum_accuracy": self.best,
            "assumptions": list(self.assumptions),
        }

    def draw(self, axes: Any) -> None:
        """Each judge as a point with its region: two labels as a square, more as rows."""
        if self.shown is not None:
            draw_accuracies(axes, self.shown, reserve=None if self.labelled is not None else self.reserve_of_votes)


def _json(part: Any) -> Json:
    found: Json = None if part is None else part.to_json()
    return found
