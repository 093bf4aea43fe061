"""The table of a panel: how common each label is, and how often each judge is right on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import Column, Quoted, Soft, Table, Text, cell, tenths


def estimates_table(estimates: Mapping[str, Any], caption: Text, *, reserved: bool = False) -> Table:
    """Return estimates as `Estimates.to_json` gives them, each with its interval."""
    return Table(
        [
            ("share of items", *map(_with_interval, estimates["prevalence"]), ""),
            *(
                ((Quoted(cell(judge)), " is right"), *map(_with_interval, accuracy), _with_interval(overall))
                for judge, accuracy, overall in zip(
                    estimates["judges"], estimates["accuracy"], estimates["overall"], strict=True
                )
            ),
        ],
        [Column(), *(Column(Quoted(cell(label))) for label in estimates["labels"]), Column("all items")],
        caption,
        named=True,
        reserved=reserved,
    )


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


def _with_interval(one: Mapping[str, Any]) -> Text:
    ends = f"{tenths(one['low'], toward='below')} to {tenths(one['high'], toward='above')}"
    return (f"{tenths(one['estimate'])} ", Soft(ends))
