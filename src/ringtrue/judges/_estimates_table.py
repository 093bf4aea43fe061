"""The table of a panel: how common each label is, and how often each judge is right on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import Column, Quoted, Section, Soft, Strong, Table, Text, cell, percent, tenths


def estimates_section(
    title: str, estimates: Mapping[str, Any], *, reserve: str | None = None, brief: bool = True, looked: str = ""
) -> Section:
    """Return estimates as `Estimates.to_json` gives them, each with its interval.

    Parameters
    ----------
    title
        The head of the section.
    estimates
        What is shown.
    reserve
        What must stand beside the numbers if they hold under a condition: then nothing looks like a plain interval.
    brief
        Whether a terminal shows the table.
    looked
        A sentence more below the table.
    """
    level, method = percent(estimates["prevalence"][0]["level"]), estimates["method"]
    caption: Text = f"Intervals at {level}; {method}.{looked and ' '}{looked}"
    below = f"intervals at {level}: {method}"
    if reserve:
        caption = (Strong(f"Not {level} intervals:"), f" {reserve}. {method}.")
        below = f"not {level} intervals: {reserve}"

    def shown(one: Mapping[str, Any]) -> Text:
        low, high = tenths(one["low"], toward="below"), tenths(one["high"], toward="above")
        estimate = tenths(one["estimate"])
        return (
            (f"({estimate}, ", Soft(f"{low} to {high}"), ")") if reserve else (f"{estimate} ", Soft(f"[{low}, {high}]"))
        )

    rows = [("share of items", *map(shown, estimates["prevalence"]), "")]
    for judge, row, overall in zip(estimates["judges"], estimates["accuracy"], estimates["overall"], strict=True):
        rows.append(((Quoted(cell(judge)), " is right"), *map(shown, row), shown(overall)))
    table = Table(
        rows,
        [Column(), *(Column(Quoted(cell(label))) for label in estimates["labels"]), Column("all items")],
        caption,
        named=True,
        reserved=bool(reserve),
        brief=len(rows) if brief else 0,
    )
    return Section(title, table=table, brief=[below] if brief else [])


def shares_table(evaluation: Mapping[str, Any], caption: Text) -> Table:
    """Return an evaluation as `Evaluation.to_json` gives it, without intervals."""
    return Table(
        [
            ("share of items", *map(tenths, evaluation["prevalence"])),
            *(
                ((Quoted(cell(judge)), " is right"), *(tenths(row[place]) for place, row in enumerate(confusion)))
                for judge, confusion in zip(evaluation["judges"], evaluation["confusion"], strict=True)
            ),
        ],
        [Column(), *(Column(Quoted(cell(label))) for label in evaluation["labels"])],
        caption,
        named=True,
    )
