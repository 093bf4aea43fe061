"""The page: the document as HTML with its figures, every word of the user escaped, no scripts, nothing from outside."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ringtrue.changed._figures import (
    draw_claim,
    draw_error,
    draw_evidence,
    draw_matrices,
    draw_slices,
    has_error,
    has_evidence,
    room_for_names,
    shown_rows_and_columns,
    shown_slices,
)
from ringtrue.report._blind_figures import blind_figures, shown_of_blind
from ringtrue.report._contents import SHOWN, fresh_columns, gallery, restored
from ringtrue.report._document import finding_of, record_of
from ringtrue.report._pictures import svg, svg_of_claim, svg_of_several
from ringtrue.report._risk_figures import risk_figures, shown_of_risk
from ringtrue.report._templates import is_number, template
from ringtrue.report._worst_figures import shown_of_worst, worst_figures
from ringtrue.study import make_question

_RATERS = 5


def render(made: Mapping[str, Any]) -> str:
    """Return the HTML page of a document."""
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
    """Return what the templates of a question are told beside the finding."""
    kind = made["question"]["kind"]
    if kind == "changed":
        return shown_of_comparison(made["computed"]["finding"])
    told = {"worst": shown_of_worst, "blind": shown_of_blind}.get(kind, shown_of_risk)
    return told(made)


_ABREAST = 4
"""Up to so many columns three maps stand side by side; wider ones would have cells too small for their numbers."""

_CELLS = 12
"""Cells of the difference listed in words."""

_SLICES = 50
"""Slices listed in words."""


def figures(made: Mapping[str, Any]) -> dict[str, Any]:
    """Return the drawings as markup; none while there is nothing to draw."""
    finding = made["computed"]["finding"]
    if made["question"]["kind"] == "changed":
        return {name: _markup(text) for name, text in _comparison(finding)} if finding["answers"] else {}
    if made["question"]["kind"] == "worst":
        return {name: _markup(text) for name, text in worst_figures(made)}
    if made["question"]["kind"] == "blind":
        return {name: _markup(text) for name, text in blind_figures(made)}
    drawn = {name: _markup(text) for name, text in risk_figures(made)} if made["question"]["kind"] == "risk" else {}
    if finding["answers"] + finding["unanswerable"]:
        found = finding_of(made, make_question(made["question"]), [record_of(entry) for entry in made["records"]])
        drawn["figure"] = _markup(svg_of_claim(found.draw, height=_height(finding)))
    return drawn


def _height(finding: Mapping[str, Any]) -> float:
    """Return the height in inches of the figure that a finding draws itself: a panel has a row for each judge."""
    return 1.4 + 0.45 * len(finding["judges"]) if "judges" in finding else 3.6


def shown_of_comparison(finding: Mapping[str, Any]) -> dict[str, Any]:
    """Return how much of a comparison is drawn and listed, so that the page can say what it leaves out."""
    rows, columns = map(len, shown_rows_and_columns(finding))
    return {
        "shown_rows": rows,
        "shown_columns": columns,
        "shown_slices": len(shown_slices(finding)),
        "most_cells": _CELLS,
        "most_slices": _SLICES,
        "studies": math.exp(finding["detection"]["change"]["threshold"]),
    }


def _comparison(finding: Mapping[str, Any]) -> list[tuple[str, str]]:
    drawings = []
    if finding.get("claimed"):
        drawings.append(("claimed", svg_of_claim(lambda axes: draw_claim(axes, finding))))
    if max(len(finding["labels"]), len(finding["answer_names"])) > 1:
        drawings.append(("matrices", _matrices(finding)))
    if has_error(finding):
        drawings.append(("error", svg(lambda axes: draw_error(axes, finding), size=(7.2, 3.4))))
    if has_evidence(finding):
        drawings.append(("evidence", svg(lambda axes: draw_evidence(axes, finding), size=(7.2, 3.4))))
    if finding["slices"]:
        drawings.append(("slices", _slices(finding)))
    return drawings


def _matrices(finding: Mapping[str, Any]) -> str:
    rows, columns = map(len, shown_rows_and_columns(finding))
    abreast = columns <= _ABREAST
    plan = [["old", "new", "shift"]] if abreast else [["old", "new"], ["shift", "shift"]]
    around = 0.6 + room_for_names(finding)  # the map's title, the names of its columns and their title
    high = max(rows, 2)  # beside a single row there must be room for "true label" too
    height = around + 0.4 * high if abreast else 2 * (around + 0.25 * high)

    def draw(figure: Any) -> None:
        axes = figure.subplot_mosaic(plan)
        draw_matrices([axes[name] for name in ("old", "new", "shift")], finding)

    return svg_of_several(draw, size=(7.2, height))


def _slices(finding: Mapping[str, Any]) -> str:
    parts = 1 if finding["accuracy"] is None else 2
    size = (7.2, 1.1 + 0.24 * len(shown_slices(finding)))

    def draw(figure: Any) -> None:
        draw_slices(figure.subplots(1, parts, squeeze=False)[0], finding)

    return svg_of_several(draw, size=size)


def _markup(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 - drawn by matplotlib, which escapes its texts
