"""The page: the document as HTML with its figures, every word of the user escaped, no scripts, nothing from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import Chip, Context, Section
from ringtrue.report._contents import restored
from ringtrue.report._frame import check_section, cost_section
from ringtrue.report._inline import has_pictures
from ringtrue.report._templates import template
from ringtrue.study import question_class


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
    finding = made["computed"]["finding"]
    return rendered(
        made,
        sections_of(made),
        question_class(made["question"]["kind"]).chip(finding),
        about="Study",
        name=made["study"]["name"],
        headline=finding.get("headline", finding["sentence"]),
        sentence=finding["sentence"],
    )


def rendered(
    made: Mapping[str, Any],
    sections: Sequence[Section],
    chip: Chip,
    *,
    about: str,
    name: str,
    headline: str,
    sentence: str = "",
) -> str:
    """Return a page of sections.

    Parameters
    ----------
    made
        The document: by which version it was made, and when.
    sections
        What the page tells.
    chip
        The verdict.
    about
        What sort of thing the page is about, such as "Study".
    name
        The name of this thing.
    headline
        The first line.
    sentence
        The whole sentence below it, unless it is the same.
    """
    page: str = template("page.html").render(
        made=made,
        about=about,
        name=name,
        chip=chip.words,
        tone=chip.tone,
        headline=headline,
        sentence=sentence,
        sections=sections,
        pictures=has_pictures(sections),
    )
    return page
