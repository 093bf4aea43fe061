"""A panel's finding as lines of text: which judges are good enough, numbers with intervals, what votes alone say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ringtrue.cli._common import Dim
from ringtrue.core import Interval, percent, tenths

if TYPE_CHECKING:
    from ringtrue.judges import Estimates, PanelFinding

_MARKS = {"bar": "✗", "doubt": "?", "note": "·"}


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


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns under each other."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _cell(one: Interval) -> str:
    return f"{tenths(one.estimate)} [{tenths(one.low, toward='below')}, {tenths(one.high, toward='above')}]"


def _conditional(one: Interval) -> str:
    return f"({tenths(one.estimate)}, {tenths(one.low, toward='below')} to {tenths(one.high, toward='above')})"
