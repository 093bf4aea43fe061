"""`ringtrue judges --error`: how many items, or how many more judges, a standard error takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringtrue.cli._common import say
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.judges import PanelFinding, PanelPlan


def plan_ahead(accuracy: float | None, error: float | None, prevalence: float | None, *, as_json: bool) -> int:
    """Plan before there are votes, for judges who will all be right so often."""
    from ringtrue.judges import plan_panel

    if accuracy is None:
        raise InvalidInput("give VOTES, a file of votes; or --accuracy and --error to plan before there are any")
    plan = plan_panel(
        accuracy, error=0.02 if error is None else error, prevalence=0.3 if prevalence is None else prevalence
    )
    say(as_json, plan.to_json(), *str(plan).splitlines())
    return 0


def plan_on(finding: PanelFinding, error: float) -> PanelPlan:
    """Plan from what the votes say of these judges: more items, or more judges like them."""
    from ringtrue.judges import plan_panel

    found = finding.evaluation
    if found is None or len(found.labels) != 2:
        raise InvalidInput(
            f"--error={error:g} plans from the judges' accuracies on two labels, which these votes do not give"
        )
    accuracies = [(float(first), float(second)) for first, second in found.accuracies]
    sizes = sorted({max(3, len(accuracies) + more) for more in (0, 1, 2)})
    return plan_panel(accuracies, prevalence=float(found.prevalence[0]), judges=sizes, error=error, items=finding.items)
