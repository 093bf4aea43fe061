"""What is told of a panel: what its judges may be used for, how often they are right, what votes alone would say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ringtrue.core import (
    Code,
    Context,
    Figure,
    Interval,
    Quoted,
    Section,
    Soft,
    Strong,
    Table,
    Text,
    cell,
    count,
    digest,
    line,
    percent,
)
from ringtrue.judges._evaluation import Estimates
from ringtrue.judges._figures import draw_accuracies, draw_prevalence, draw_residuals, draw_timeline, estimates_section
from ringtrue.judges.latent._hui_walter import HuiWalter

_MARKS = {"bar": "✗", "doubt": "?", "note": "·"}

_NAMED = 24
"""Judges that have a row of their own in a figure."""


def panel_sections(context: Context) -> list[Section]:
    """Return what is told of a panel."""
    finding = context.finding
    uses = finding["uses"]
    return [
        Section(words=[Soft(f"{finding['about']}.")], brief=[f"  {finding['about']}"]),
        Section("What they may be used for", listed=uses, brief=[f"  · {use}" for use in uses]),
        *_tables("With labels", [finding["with_labels"], finding["with_labels_on_this_test"]], (True, False)),
        *_shown(finding),
        *_alone(finding),
        *_stream(context.kept.get("stream")),
        _looked_at(context),
    ]


def _tables(
    begin: str, tables: Sequence[Mapping[str, Any] | None], brief: tuple[bool, bool], reserve: str | None = None
) -> list[Section]:
    """Return the estimates for items like these and for these very items; `brief` says which a terminal shows."""
    return [
        estimates_section(f"{begin}: these judges on {items}", table, reserve=reserve, brief=shown)
        for items, table, shown in zip(("items like these", "these very items"), tables, brief, strict=True)
        if table is not None
    ]


def _is_brief(finding: Mapping[str, Any]) -> bool:
    """Return whether a terminal shows numbers from votes alone: beside labels, conditional ones would mislead."""
    alone = finding["votes_alone"]
    return alone["in_general"] is not None and (finding["with_labels"] is None or alone["reserve"] is None)


def _estimates(table: Mapping[str, Any]) -> Estimates:
    """Return estimates as they were before they became JSON."""
    prevalence, overall = (tuple(Interval(**one) for one in table[name]) for name in ("prevalence", "overall"))
    accuracy = tuple(tuple(Interval(**one) for one in row) for row in table["accuracy"])
    names = tuple(table["judges"]), tuple(table["labels"])
    return Estimates(*names, prevalence, accuracy, overall, table["target"], table["method"])


def _shown(finding: Mapping[str, Any]) -> list[Section]:
    """Return the judges as points, and how common each label is."""
    alone, reserve = finding["votes_alone"], finding["votes_alone"]["reserve"]
    labelled, general, here = finding["with_labels"], alone["in_general"], alone["on_this_test"]
    figures, shown = [], labelled if labelled is not None else general
    if shown is not None:
        rows = (7.2, 1 + 0.35 * min(len(finding["judges"]), _NAMED))
        figures.append(
            Figure(
                lambda axes: draw_accuracies(
                    axes, _estimates(shown), reserve=None if labelled is not None else reserve
                ),
                size=(7.2, 5.2) if len(finding["labels"]) == 2 else rows,
                aloud="Each judge as a point with its region, by its accuracy on each label",
                caption="Each judge with the region its accuracies lie in.",
            )
        )
    from_votes = {"votes alone": general, "votes alone, these very items": here}
    ways = {name: one for name, one in {"with labels": labelled, **from_votes}.items() if one is not None}
    conditional = () if reserve is None else tuple(from_votes)
    if ways:
        figures.append(
            Figure(
                lambda axes: draw_prevalence(
                    axes, {name: _estimates(one) for name, one in ways.items()}, conditional=conditional
                ),
                size=(7.2, 1.6 + 0.6 * len(finding["labels"])),
                aloud="The share of each label with its interval",
                caption="How common each label is, by each way of estimating it.",
            )
        )
    return [Section(figure=figure) for figure in figures]


def _alone(finding: Mapping[str, Any]) -> list[Section]:
    """Return what the votes alone say, and how far to believe it."""
    alone = finding["votes_alone"]
    reserve, residuals = alone["reserve"], alone["residuals"]
    reasons: list[Text] = [
        (Soft(reason["text"]) if reason["weight"] == "note" else Strong(reason["text"]),) for reason in alone["reasons"]
    ]
    title = f"From votes alone{f', {reserve}' if reserve else ''}"
    gap = [] if finding["with_labels"] is not None else [""]  # a table ends with a gap
    marked = [f"  {_MARKS[reason['weight']]} {reason['text']}" for reason in alone["reasons"]]
    none = "The votes alone give no numbers for these judges; the reasons above say why."
    sections = [
        Section(title, listed=reasons, brief=[*gap, title, *marked]),
        *_tables("From votes alone", [alone["in_general"], alone["on_this_test"]], (_is_brief(finding),) * 2, reserve),
        *([Section(words=[none])] if alone["in_general"] is None else []),
    ]
    if residuals is not None:
        side = 2.5 + 0.35 * min(len(finding["judges"]), _NAMED)
        figure = Figure(
            lambda axes: draw_residuals(axes, np.array(residuals), finding["judges"]),
            size=(max(7.2, side + 1), side),
            aloud="How much more each pair of judges agrees than independent errors allow",
            caption="How much more often each pair agrees than the fit explains, in standard errors; red more, blue "
            "less. The "
            "fit follows the largest group that errs together, so a red pair may be the judges outside of it.",
        )
        sections.append(Section(figure=figure))
    return sections


def _stream(stream: Mapping[str, Any] | None) -> list[Section]:
    if stream is None:
        return []
    figure = Figure(
        lambda axes: draw_timeline(axes, stream),
        size=(7.2, 3.4),
        aloud="Evidence that the votes changed, event by event, with the threshold of the alarm",
        caption="Evidence that the votes changed, against the threshold of the alarm. This part was recorded while the "
        "stream ran; it is not recomputed by the check below.",
    )
    return [Section("The stream", [stream["sentence"]], figure=figure)]


def _looked_at(context: Context) -> Section:
    """Return the methods, and what was found beside the numbers."""
    finding = context.finding
    alone, label, votes = finding["votes_alone"], finding["labels"][0], finding["items"] * len(finding["judges"])
    facts: list[tuple[str, Text]] = [
        ("method", alone["method"]),
        ("which label is which", alone["choice"]),
        ("missing votes", f"{finding['abstentions']:,} of {votes:,}"),
    ]
    by = f"from votes alone by {alone['method']}; which label is which: {alone['choice']}"
    brief = [by] if _is_brief(finding) else []
    if alone["fit"]:
        facts.append(("fit", alone["fit"]["sentence"]))
    if alone["tolerance"] is not None:
        moves = f"an error correlation of {alone['tolerance']:.2g} can move the share of "
        facts.append(("tolerance", (moves, Quoted(cell(label)), f" by {count(5, 'point')}")))
    if finding["best_minimum_accuracy"] is not None:
        most = percent(finding["best_minimum_accuracy"], toward="above")
        bound = f"whatever the truth is, some judge is at most {most} right on some label"
        facts.append(("without assumptions", bound))
        brief += [bound] if brief else ["", bound]
    if mirror := alone["mirror"]:
        right = ", ".join(percent(row[0][0]) for row in mirror["confusion"])
        swapped = f"the votes fit the swapped labels as well: then {percent(mirror['prevalence'][0])} of the items are "
        facts.append(("the other root", (swapped, Quoted(cell(label)), f" and the judges are right on it in {right}")))
    if "sketch" in context.question:
        hashed = Code(digest(context.question["sketch"]))
        facts.append(("votes", (Quoted(line(context.question["name"])), ", ", hashed)))
    return Section("What was looked at", table=Table(facts, shape="facts"), brief=brief)


RESERVE_OF_STRATA = "only if the judges share nothing but the truth and are as good in both strata"


def strata_sections(found: HuiWalter, strata: Mapping[str, Estimates]) -> list[Section]:
    """Return what is told of two judges in two strata: the solution, and the estimates of each stratum by its name."""
    tables = [
        estimates_section(f"Stratum {line(name)}", one.to_json(), reserve=RESERVE_OF_STRATA)
        for name, one in strata.items()
    ]
    return [Section(words=[str(found)], brief=[f"  ? {found}"]), *tables]
