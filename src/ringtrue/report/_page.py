"""The page: the document as HTML, every word of the user escaped, no scripts, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.report._contents import SHOWN, restored
from ringtrue.report._document import finding_of, record_of
from ringtrue.report._figure import svg
from ringtrue.report._templates import template
from ringtrue.report._text import is_number
from ringtrue.study import make_question

_COLUMNS = 8
"""Columns of an item in the table of failures: as many as a sheet of paper holds."""

_RATERS = 5


def render(made: Mapping[str, Any]) -> str:
    """The HTML page of a document."""
    failures = made["computed"]["failures"]
    contents = {name: restored(entry) for name, entry in made["items"].items()}
    columns, hidden = _columns(failures[:SHOWN], contents)
    page: str = template("report.html").render(
        made=made,
        kind=made["question"]["kind"],
        study=made["study"],
        finding=made["computed"]["finding"],
        spending=made["computed"]["spending"],
        raters=list(made["computed"]["spending"]["raters"].items())[:_RATERS],
        figure=_figure(made),
        failures=failures[:SHOWN],
        failures_in_all=len(failures),
        contents=contents,
        columns=columns,
        hidden_columns=hidden,
        numeric={name: all(is_number(values.get(name)) for values in contents.values()) for name in columns},
    )
    return page


def _figure(made: Mapping[str, Any]) -> Any:
    """The drawing, as markup; None while there is nothing to draw."""
    from markupsafe import Markup

    finding = made["computed"]["finding"]
    if not finding["answers"] + finding["unanswerable"]:
        return None
    drawn = finding_of(made, make_question(made["question"]), [record_of(entry) for entry in made["records"]])
    return Markup(svg(drawn.draw))  # noqa: S704 - drawn by matplotlib, which escapes its texts


def _columns(failures: Sequence[Mapping[str, Any]], contents: Mapping[str, Any]) -> tuple[list[str], int]:
    """The columns of the items to show, and how many are left out; those that repeat the first three are not told."""
    shown = [(failure, contents[failure["id"]]) for failure in failures if failure["id"] in contents]
    names = list(dict.fromkeys(name for _, values in shown for name in values))
    told = ("id", "model", "truth")
    fresh = [
        name
        for name in names
        if not any(all(str(values.get(name)) == str(failure[key]) for failure, values in shown) for key in told)
    ]
    return fresh[:_COLUMNS], len(fresh[_COLUMNS:])
