"""A panel's finding as lines of text: the verdict, why, and a table of numbers that all carry intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ringtrue.core import Interval, count, percent, tenths

if TYPE_CHECKING:
    from ringtrue.judges import Estimates, PanelFinding

_MARKS = {"bar": "✗", "doubt": "?", "note": "·"}


def lines_of(finding: PanelFinding) -> list[str]:
    """The whole finding for a terminal."""
    about = f"{count(len(finding.judges), 'judge')} on {count(finding.items, 'item')}"
    if finding.labelled_items:
        about += f", {finding.labelled_items:,} labelled"
    lines = [f"{finding.trust.value}: {about}"]
    lines += [f"  {_MARKS[reason.weight]} {reason.text}" for reason in finding.reasons]
    if finding.labelled is not None:
        lines += ["", "with labels, on these items", *table_of(finding.labelled)]
    if finding.general is not None and finding.here is not None:
        lines += ["", f"from votes alone ({finding.method}), on items like these", *table_of(finding.general)]
        lines += ["", "from votes alone, on these very items", *table_of(finding.here)]
        lines += ["", f"which label is which: {finding.choice}"]
    if finding.best is not None:
        most = percent(finding.best, toward="above")
        lines += ["", f"whatever the truth is, some judge is at most {most} right on some label"]
    return lines


def table_of(estimates: Estimates) -> list[str]:
    """A row for the shares and one for each judge."""
    rows = [["", *estimates.labels, "all items"]]
    rows.append(["share of items", *map(_cell, estimates.prevalence), ""])
    for judge, row, overall in zip(estimates.judges, estimates.accuracy, estimates.overall, strict=True):
        rows.append([f"{judge} is right", *map(_cell, row), _cell(overall)])
    level = estimates.prevalence[0].level
    return [*aligned(rows), f"  intervals at {percent(level)}: {estimates.method}"]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns under each other."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _cell(one: Interval) -> str:
    return f"{tenths(one.estimate)} [{tenths(one.low, toward='below')}, {tenths(one.high, toward='above')}]"
