"""The page: the document as HTML, every word of the user escaped, no scripts, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.report._blind_figures import shown_of_blind
from ringtrue.report._contents import SHOWN, restored
from ringtrue.report._figures import figures, shown_of_comparison
from ringtrue.report._gallery import fresh_columns, gallery
from ringtrue.report._risk_figures import shown_of_risk
from ringtrue.report._templates import template
from ringtrue.report._text import is_number
from ringtrue.report._worst_figures import shown_of_worst

_RATERS = 5


def render(made: Mapping[str, Any]) -> str:
    """The HTML page of a document."""
    items = gallery(made["computed"])
    contents = {name: restored(entry) for name, entry in made["items"].items()}
    columns, hidden = fresh_columns(items[:SHOWN], contents)
    drawn = figures(made)
    kind, finding = made["question"]["kind"], made["computed"]["finding"]
    page: str = template("report.html").render(
        made=made,
        kind=kind,
        study=made["study"],
        finding=finding,
        spending=made["computed"]["spending"],
        raters=list(made["computed"]["spending"]["raters"].items())[:_RATERS],
        figure=drawn.get("figure"),
        figures=drawn,
        failures=items[:SHOWN],
        failures_in_all=len(items),
        contents=contents,
        columns=columns,
        hidden_columns=hidden,
        numeric={name: all(is_number(values.get(name)) for values in contents.values()) for name in columns},
        **_shown(made),
    )
    return page


def _shown(made: Mapping[str, Any]) -> dict[str, Any]:
    """What the templates of a question are told beside the finding."""
    kind = made["question"]["kind"]
    if kind == "changed":
        return shown_of_comparison(made["computed"]["finding"])
    told = {"worst": shown_of_worst, "blind": shown_of_blind}.get(kind, shown_of_risk)
    return told(made)
