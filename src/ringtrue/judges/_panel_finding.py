"""What the votes say about a panel: the verdict first, then the reasons, then numbers with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ringtrue.core import Claim, Json, Verdict, count
from ringtrue.judges._drawing import draw_accuracies
from ringtrue.judges._evaluation import Estimates, Evaluation, Floats
from ringtrue.judges._notice import Notice
from ringtrue.judges._trust import Reason, Trust
from ringtrue.judges.latent._fit import FitTest


@dataclass(frozen=True, slots=True, eq=False)
class PanelFinding:
    """How good a panel is, from its votes and from labels if there are any.

    `general` and `here` hold the intervals from votes alone, for items like these and for these very items; both are
    None where the votes have no answer. `labelled` holds those that rest on labels. `best` is the highest accuracy
    that all judges could have on all labels at once, whatever the truth.
    """

    trust: Trust
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
    fit: FitTest | None
    residuals: Floats | None
    tolerance: float | None
    notice: Notice | None
    best: float | None
    assumptions: tuple[str, ...]
    claim: Claim | None = None

    @property
    def verdict(self) -> Verdict:
        """Rings true for trust, rings false for do not use, not yet known for check with labels."""
        return self.trust.verdict

    @property
    def shown(self) -> Estimates | None:
        """The estimates to show first: those that rest on labels, else those from votes alone."""
        return self.labelled if self.labelled is not None else self.general

    def __str__(self) -> str:
        about = f"{count(len(self.judges), 'judge')} on {count(self.items, 'item')}"
        if self.labelled_items:
            about += f", {self.labelled_items:,} labelled"
        why = next((reason.text for reason in self.reasons), self.method)
        return f"{self.trust.value}: {about}; {why}"

    def to_json(self) -> dict[str, Json]:
        return {
            "sentence": str(self),
            "verdict": self.trust.value,
            "exit_code": self.verdict.exit_code,
            "reasons": [reason.to_json() for reason in self.reasons],
            "judges": list(self.judges),
            "labels": list(self.labels),
            "items": self.items,
            "abstentions": self.abstentions,
            "labelled_items": self.labelled_items,
            "method": self.method,
            "choice": self.choice,
            "evaluation": _json(self.evaluation),
            "mirror": _json(self.mirror),
            "majority": _json(self.majority),
            "in_general": _json(self.general),
            "on_this_test": _json(self.here),
            "with_labels": _json(self.labelled),
            "fit": _json(self.fit),
            "residuals": None if self.residuals is None else self.residuals.tolist(),
            "tolerance": self.tolerance,
            "notice": _json(self.notice),
            "best_minimum_accuracy": self.best,
            "assumptions": list(self.assumptions),
        }

    def draw(self, axes: Any) -> None:
        """Each judge as a point with its region: two labels as a square, more as rows."""
        if self.shown is not None:
            draw_accuracies(axes, self.shown)


def _json(part: Any) -> Json:
    found: Json = None if part is None else part.to_json()
    return found
