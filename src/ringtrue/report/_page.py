"""The page: the document as HTML with its figures, every word of the user escaped, no scripts, nothing from outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import SHOWN, Context, Section, is_number
from ringtrue.core._cells import fresh_columns
from ringtrue.report._blind_figures import blind_figures, shown_of_blind
from ringtrue.report._contents import restored
from ringtrue.report._frame import check_section, cost_section
from ringtrue.report._inline import has_pictures
from ringtrue.report._templates import template
from ringtrue.study import question_class

_RATERS = 5


_OLD = ("blind",)


def context_of(made: Mapping[str, Any]) -> Context:
    """Return what the sections of a document are made of."""
    computed, question = made["computed"], question_class(made["question"]["kind"])
    kept = {**(made.get("kept") or {}), **({"map": made["map"]} if made.get("map") else {})}
    return Context(
        finding=computed["finding"],
        question=made["question"],
        study=made["study"],
        spending=computed["spending"],
        gallery=question.gallery(computed),
        items={name: restored(entry) for name, entry in made["items"].items()},
        records=made["records"],
        kept=kept,
        baselines=computed.get("baselines") or {},
    )


def sections_of(made: Mapping[str, Any]) -> list[Section]:
    """Return all that a page tells: what was found, what it cost and rests on, details, how to check it."""
    question, finding = question_class(made["question"]["kind"]), made["computed"]["finding"]
    told = question.sections(context_of(made))
    asked = made["question"].get("claim")
    other = f"This claim is another than the one the study was made to decide ({asked or 'none'})."
    return [
        *([Section(words=[other])] if finding.get("claim") and made["claim"] != asked else []),
        *(section for section in told if not section.detail),
        cost_section(made, question),
        Section("What this rests on", listed=finding["assumptions"]),
        *(section for section in told if section.detail),
        *check_section(made),
    ]


def render(made: Mapping[str, Any]) -> str:
    """Return the HTML page of a document."""
    if made["question"]["kind"] in _OLD:
        return _rendered(made)
    sections, finding = sections_of(made), made["computed"]["finding"]
    chip, tone = question_class(made["question"]["kind"]).chip(finding)
    page: str = template("page.html").render(
        made=made,
        about="Study",
        name=made["study"]["name"],
        chip=chip,
        tone=tone,
        headline=finding.get("headline", finding["sentence"]),
        sentence=finding["sentence"],
        sections=sections,
        pictures=has_pictures(sections),
    )
    return page


def _rendered(made: Mapping[str, Any]) -> str:
    """Return the page of a question that has no sections yet."""
    items = list(made["computed"]["failures"])
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
    told = {"blind": shown_of_blind}.get(kind)
    return {} if told is None else told(made)


def figures(made: Mapping[str, Any]) -> dict[str, Any]:
    """Return the drawings as markup; none while there is nothing to draw."""
    if made["question"]["kind"] == "blind":
        return {name: _markup(text) for name, text in blind_figures(made)}
    return {}


def _markup(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 - drawn by matplotlib, which escapes its texts
