"""What is told of a panel: what its judges may be used for, how often they are right, what votes alone would say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ringtrue.core import (
    Figure,
    Interval,
    Json,
    Quoted,
    Section,
    Soft,
    Strong,
    Table,
    Text,
    cell,
    count,
    percent,
)
from ringtrue.judges._estimates_table import estimates_table
from ringtrue.judges._evaluation import Estimates
from ringtrue.judges._figures import draw_accuracies, draw_prevalence, draw_residuals, draw_timeline

_WITH_LABELS = (
    ("With labels: these judges on items like these", "with_labels"),
    ("With labels: these judges on these very items", "with_labels_on_this_test"),
)
_ALONE = (("On items like these", "in_general"), ("On these very items", "on_this_test"))

_NAMED = 24
"""Judges that have a row of their own in a figure."""


def panel_sections(finding: Mapping[str, Any], stream: Mapping[str, Json] | None = None) -> list[Section]:
    """Return what is told of a panel: `finding` is what `PanelFinding.to_json` gave, `stream` that of an alarm."""
    return [
        Section(words=[Soft(f"{finding['about']}.")]),
        Section("What they may be used for", listed=finding["uses"]),
        *(
            Section(title, table=estimates_table(table, f"Intervals at {_level(table)}; {table['method']}."))
            for title, key in _WITH_LABELS
            if (table := finding[key]) is not None
        ),
        *_shown(finding),
        *_alone(finding),
        *_stream(stream),
        Section("What was looked at", table=Table(_facts(finding), shape="facts")),
    ]


def _level(table: Mapping[str, Any]) -> str:
    return percent(table["prevalence"][0]["level"])


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
    sections = [Section(f"From votes alone{f', {reserve}' if reserve else ''}", listed=reasons)]
    for title, key in _ALONE:
        if (table := alone[key]) is not None:
            caption: Text = f"{table['method']}."
            if reserve:
                caption = (Strong(f"Not {_level(table)} intervals:"), f" {reserve}. {caption}")
            sections.append(
                Section(words=[Strong(title)], table=estimates_table(table, caption, reserved=bool(reserve)))
            )
    if len(sections) == 1:
        none = "The votes alone give no numbers for these judges; the reasons above say why."
        sections.append(Section(words=[none]))
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
        caption="Evidence that the votes changed, against the threshold of the alarm. This part was recorded while "
        "the stream "
        "ran; it is not recomputed by the check below.",
    )
    return [Section("The stream", [stream["sentence"]], figure=figure)]


def _facts(finding: Mapping[str, Any]) -> list[tuple[str, Text]]:
    alone, label, votes = finding["votes_alone"], finding["labels"][0], finding["items"] * len(finding["judges"])
    facts: list[tuple[str, Text]] = [
        ("method", alone["method"]),
        ("which label is which", alone["choice"]),
        ("missing votes", f"{finding['abstentions']:,} of {votes:,}"),
    ]
    if alone["fit"]:
        facts.append(("fit", alone["fit"]["sentence"]))
    if alone["tolerance"] is not None:
        moves = f"an error correlation of {alone['tolerance']:.2g} can move the share of "
        facts.append(("tolerance", (moves, Quoted(cell(label)), f" by {count(5, 'point')}")))
    if finding["best_minimum_accuracy"] is not None:
        most = percent(finding["best_minimum_accuracy"], toward="above")
        bound = f"whatever the truth is, some judge is at most {most} right on some label"
        facts.append(("without assumptions", bound))
    if mirror := alone["mirror"]:
        right = ", ".join(percent(row[0][0]) for row in mirror["confusion"])
        swapped = f"the votes fit the swapped labels as well: then {percent(mirror['prevalence'][0])} of the items are "
        facts.append(("the other root", (swapped, Quoted(cell(label)), f" and the judges are right on it in {right}")))
    return facts
