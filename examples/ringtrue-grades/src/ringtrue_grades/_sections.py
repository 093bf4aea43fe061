"""What a reader is shown, on a page, in a notebook and in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import Column, Context, Figure, Section, Table, cell, count, item_columns, plain_sections
from ringtrue_grades._finding import draw_marks

_NAMED = 3
"""The lowest marks that a terminal names."""


def grades_sections(context: Context) -> list[Section]:
    """Return the interval and the claim as every question shows them, then the marks."""
    finding = context.finding
    if not finding["marks"]:
        return [*plain_sections(context), Section(words=["No answer is marked yet."])]
    return [*plain_sections(context), _spread(finding), _lowest(context)]


def _spread(finding: Mapping[str, Any]) -> Section:
    marks, full = finding["marks"], finding["full"]
    figure = Figure(
        lambda axes: draw_marks(axes, marks, full),
        size=(5.0, 2.4),
        aloud="How many answers got which mark",
        caption=f"The marks of {count(len(marks), 'answer')}, of {full:g} at best.",
    )
    return Section("The marks", figure=figure)


def _lowest(context: Context) -> Section:
    """Return the answers with the lowest marks: with their content in a report, by name in a terminal."""
    lowest = context.finding["lowest"]
    if not lowest:
        return Section("The lowest marks", ["Every answer got full marks."], detail=True)
    content = item_columns(lowest, context.items)
    rows = [(cell(one["id"]), f"{one['mark']:g}", *cells) for one, cells in zip(lowest, content.rows, strict=True)]
    columns = [Column("answer"), Column("mark", number=True), *content.columns]
    named = ", ".join(f"{cell(one['id'])} ({one['mark']:g})" for one in lowest[:_NAMED])
    table = Table(rows, columns, f"{count(len(rows), 'answer')} shown{content.left_out}.")
    return Section("The lowest marks", table=table, detail=True, brief=[f"lowest marks: {named}"])
