"""A panel of judges: its votes read, the finding written in lines, and the plan for a smaller standard error."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from ringtrue.cli._options import as_options
from ringtrue.cli._output import Dim, aligned, say, tell
from ringtrue.core import Interval, InvalidInput, percent, tenths

if TYPE_CHECKING:
    from ringtrue.core import Pool, Sketch
    from ringtrue.judges import Estimates, PanelFinding, PanelPlan

_MARKS = {"bar": "✗", "doubt": "?", "note": "·"}


def read_aloud(votes: str | Pool, **reading: Any) -> Sketch:
    """Read votes as a sketch; a line on standard error names the columns that were not taken for judges."""
    from ringtrue.pools import LeftOut, read_votes

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", LeftOut)
        sketch = read_votes(votes, **reading)
    for one in told:
        if issubclass(one.category, LeftOut):
            tell(in_words(str(one.message)), err=True)
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return sketch


def in_words(message: str) -> str:
    """Return a line in the words of the command line."""
    return as_options(message, "judges", "item", labels="label-names")


def lines_of(finding: PanelFinding) -> list[str]:
    """Write the whole finding for a terminal: the judges first, then the numbers, then what votes alone say."""
    lines = [f"{finding.standings.word}: {finding}", f"  {finding.about}"]
    lines += [f"  · {use}" for use in finding.uses]
    if finding.labelled is not None:
        lines += ["", "with labels, on items like these", *table_of(finding.labelled)]
    reserve = finding.reserve_of_votes
    lines += ["", "from votes alone" + ("" if reserve is None else f", {reserve}")]
    lines += [f"  {_MARKS[reason.weight]} {reason.text}" for reason in finding.reasons]
    # Beside labelled numbers, conditional ones would only be mistaken for them: the page and --json have them.
    if finding.general is not None and finding.here is not None and (finding.labelled is None or reserve is None):
        lines += ["", f"from votes alone ({finding.method}), on items like these", *table_of(finding.general, reserve)]
        lines += ["", "from votes alone, on these very items", *table_of(finding.here, reserve)]
        lines += ["", f"which label is which: {finding.choice}"]
    if finding.best is not None:
        most = percent(finding.best, toward="above")
        lines += ["", f"whatever the truth is, some judge is at most {most} right on some label"]
    return lines


def table_of(estimates: Estimates, reserve: str | None = None) -> list[str]:
    """Write a row for the shares and one for each judge; under a reserve nothing looks like a plain interval."""
    cell = _cell if reserve is None else _conditional
    rows = [["", *estimates.labels, "all items"]]
    rows.append(["share of items", *map(cell, estimates.prevalence), ""])
    for judge, row, overall in zip(estimates.judges, estimates.accuracy, estimates.overall, strict=True):
        rows.append([f"{judge} is right", *map(cell, row), cell(overall)])
    level = percent(estimates.prevalence[0].level)
    if reserve is None:
        return [*aligned(rows), f"  intervals at {level}: {estimates.method}"]
    return [Dim(line) for line in (*aligned(rows), f"  not {level} intervals: {reserve}")]


def _cell(one: Interval) -> str:
    """Write a number with its interval."""
    return f"{tenths(one.estimate)} [{tenths(one.low, toward='below')}, {tenths(one.high, toward='above')}]"


def _conditional(one: Interval) -> str:
    """Write a number that holds under a reserve, with the range that goes with it."""
    return f"({tenths(one.estimate)}, {tenths(one.low, toward='below')} to {tenths(one.high, toward='above')})"


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
