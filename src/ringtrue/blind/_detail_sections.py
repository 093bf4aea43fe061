"""The details of a hunt: what errors have in common, distances, whether the confidence can be believed, the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.blind._distance_figures import MOST_POINTS, draw_distance, has_distance
from ringtrue.blind._figures import (
    draw_groups,
    draw_reliability,
    group_name,
    overconfident_bins,
    pool_ratio,
    shown_bins,
    shown_groups,
)
from ringtrue.blind._wording import scope, short, signed
from ringtrue.core import Column, Context, Figure, Quoted, Section, Soft, Table, Text, cell, count, percent

_GROUPS, _TOLD = 50, 3
"""Groups listed in words, and looked at for those that a terminal shows."""


def detail_sections(context: Context) -> list[Section]:
    """Return the details of a hunt."""
    finding, field = context.finding, context.kept.get("field") or {}
    return [
        _groups(finding),
        *_distance(field),
        *_reliability(context, field),
        _search(finding, field, shown=bool((context.kept.get("gallery") or {}).get("shown"))),
    ]


def _groups(finding: Mapping[str, Any]) -> Section:
    groups, drawn, title = finding.get("groups") or [], shown_groups(finding), "What they have in common"
    if not groups:
        none = "No groups were made: there were no features to make clusters of, nor columns to slice by."
        return Section(title, [none], detail=True)
    left_out, listed = "", ""
    if len(drawn) < len(groups):
        left_out = f" The first {len(drawn)} of {count(len(groups), 'group')} are drawn."
    if len(groups) > _GROUPS:
        listed = f" {_GROUPS} of {count(len(groups), 'group')} are listed; the JSON twin has them all."
    figure = Figure(
        lambda axes: draw_groups(axes, drawn),
        size=(7.2, 1.1 + 0.26 * len(drawn)),
        aloud="Errors beyond those expected in each group of the items asked about, with intervals",
        caption="Errors beyond those that the confidence admits, in each group; in brackets how many of it were asked "
        "about. The intervals hold for all groups at once, so that having looked at many of them is allowed "
        f"for; bold are those that lie above zero.{left_out}",
    )
    rows = [
        (
            Quoted(cell(group_name(one))),
            "–" if one["items"] is None else f"{one['items']:,}",
            f"{one['asked']:,}",
            f"{one['errors']:,}",
            short(one["expected"]),
            signed(one["excess"]),
            f"{signed(one['low'])} to {signed(one['high'])}",
        )
        for one in groups[:_GROUPS]
    ]
    heads = ("items", "asked", "errors", "expected", "excess", "interval")
    caption = (
        f"Intervals at {percent(groups[0]['level'])} for all groups at once, of the items asked about. Clusters are "
        f"made of what the items look like, without the answers.{listed}"
    )
    columns = [Column("group"), *(Column(head, number=True) for head in heads)]
    return Section(title, figure=figure, table=Table(rows, columns, caption), detail=True, brief=_group_lines(groups))


def _group_lines(groups: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the groups whose excess of errors is surest, of the first few those that have errors."""
    return [
        f"{cell(group_name(one, ' = '))}: {one['errors']:,} of {one['asked']:,} wrong where {one['expected']:.1f} were "
        f"expected (excess {one['low']:z.1f} to {one['high']:z.1f}, {percent(one['level'])} for all groups)"
        for one in groups[:_TOLD]
        if one["errors"]
    ]


def field_lines(field: Mapping[str, Any]) -> list[str]:
    """Return what a terminal shows of the whole pool: how sure the model is, how far items are, and what it was asked.

    >>> field_lines({"one_confidence": 0.9})
    ['every answer hunted in has the confidence 90%: it tells none apart']
    """
    lines: list[str] = []
    if field.get("one_confidence") is not None:
        sure = percent(field["one_confidence"])
        lines.append(f"every answer hunted in has the confidence {sure}: it tells none apart")
    distance, asked = field.get("distance"), field.get("model_queries")
    if distance and distance["unchanged"]:
        items = count(distance["unchanged"], "item")
        kept = f"{items} kept the answer whatever was tried: {', '.join(map(cell, distance['unchanged_ids']))}"
        never = f"the model never changed its answer, whatever was tried: no distance for any of {items}"
        lines.append(f"{kept}{_more(distance)}" if distance["measured"] else never)
    if asked and asked["variations"] + asked["distances"]:
        lines.append(
            f"model queries: {count(asked['answers'], 'answer')}, {count(asked['variations'], 'variation')}, "
            f"{asked['distances']:,} for distances ({asked['per_item']:.0f} for each item hunted in), "
            f"{asked.get('gallery', 0):,} for the gallery"
        )
    return lines


def _more(distance: Mapping[str, Any]) -> str:
    more = distance["unchanged"] - len(distance["unchanged_ids"])
    return f" and {more:,} more" if more > 0 else ""


def _distance(field: Mapping[str, Any]) -> list[Section]:
    distance, title = field.get("distance"), "Distance and confidence"
    told = Section(title, ["No distances were measured."], detail=True)
    if has_distance(field):
        told = Section(title, figure=_cloud(field), detail=True)
    elif distance:
        told = Section(title, ["There is no distance to draw."], detail=True)
    if not distance or not distance["unchanged"]:
        return [told]
    ids: list[str] = []
    for name in distance["unchanged_ids"]:
        ids += [", "] if ids else []
        ids.append(Quoted(cell(name)))
    unchanged: Text = (
        f"Of {count(distance['unchanged'], 'item')} the answer never changed, within the queries allowed: ",
        *ids,
        f"{_more(distance)}. All that is known of their distance is that it is large, so they are not drawn.",
    )
    return [told, Section(words=[unchanged], detail=True)]


def _cloud(field: Mapping[str, Any]) -> Figure:
    distance, points = field.get("distance"), len((field.get("points") or {}).get("distance") or [])
    measured = f" ({cell(distance['method'])}, {cell(distance['norm'])})" if distance else ""
    bare = sum(one is None for one in (field.get("asked") or {}).get("distance") or [])
    curve = (
        " The curve is what is expected of such confidence (LOESS): items below it are nearer to another answer than "
        "their confidence says."
    )
    thinned, without = f" Only some of {count(points, 'item')} are drawn.", ""
    if bare:
        verbs = ("has", "is") if bare == 1 else ("have", "are")
        without = f" {count(bare, 'item')} asked about {verbs[0]} no distance and {verbs[1]} not drawn."
    return Figure(
        lambda axes: draw_distance(axes, field),
        size=(7.2, 4.2),
        aloud="The distance to a changed decision against the confidence of each item, with the distance expected of "
        "such confidence, and the items asked about marked by whether they were wrong",
        caption=f"How far items are from another answer{measured}, against how sure the model is; the axis spreads the "
        f"confidences near 1.{curve if field.get('curve') else ''}"
        f"{thinned if points > MOST_POINTS else ''}{without}",
    )


def _reliability(context: Context, field: Mapping[str, Any]) -> list[Section]:
    finding, bins = context.finding, shown_bins(context.finding)
    title = "Whether the confidence can be believed"
    told = Section(title, ["Nothing was answered from which this could be told."], detail=True)
    if bins:
        told = Section(title, figure=_diagram(bins), table=_bins(finding, bins), detail=True)
    words: list[Text] = []
    if finding.get("calibration_error") is not None:
        words.append(
            Soft(
                f"Expected calibration error among the {count(finding['random'], 'random draw')}: "
                f"{percent(finding['calibration_error'])}. From few draws it comes out too large."
            )
        )
    heat = field.get("temperature")
    if heat:
        words.append(
            f"The confidences were scaled by the temperature {heat['value']:.3g}, fitted on "
            f"{count(heat['items'], 'item')} of another set: the expected calibration error there went from "
            f"{percent(heat['ece_before'])} to {percent(heat['ece_after'])}."
        )
    elif context.question.get("temperature", 1) != 1:
        scaled = f"{context.question['temperature']:.3g}"
        words.append(f"The confidences were scaled by the temperature {scaled}, fitted on other items.")
    return [told, Section(words=words, detail=True)]


def _diagram(bins: Sequence[Mapping[str, Any]]) -> Figure:
    return Figure(
        lambda axes: draw_reliability(axes, bins),
        size=(7.2, 3.8),
        aloud="Reliability diagram: how often the model is right in each range of confidence, with intervals, beside "
        "how sure it is",
        caption="How sure the model is (grey) and how often it is right (blue), range by range: where blue lies below "
        "grey it is overconfident. The numbers say how many were asked about.",
    )


def _bins(finding: Mapping[str, Any], bins: Sequence[Mapping[str, Any]]) -> Table:
    rows = [
        (
            f"{percent(one['low'])} to {percent(one['high'])}",
            f"{one['items']:,}",
            f"{one['asked']:,}",
            f"{one['errors']:,}",
            f"{percent(one['accuracy_low'], toward='below')} to {percent(one['accuracy_high'], toward='above')}",
        )
        for one in bins
    ]
    sure = "In no range is the high end below the model's confidence."
    if over := overconfident_bins(finding):
        sure = (
            f"In {count(len(over), 'range')} the model is overconfident for sure: even the high end is below its "
            "confidence."
        )
    caption = (
        "Right: the share of all items of the scope in this range, not of those asked about; "
        f"{percent(bins[0]['level'])} for each range by itself. {sure}"
    )
    heads = ("confidence", "items", "asked", "errors found", "right")
    return Table(rows, [Column(head, number=True) for head in heads], caption)


def _search(finding: Mapping[str, Any], field: Mapping[str, Any], *, shown: bool) -> Section:
    """Return how it was searched, and what of it only the model can tell again."""
    facts: list[tuple[str, Text]] = [
        ("search", f"{cell(finding['search'])}, and {percent(finding['floor'])} of the answers at random"),
        (
            "scope",
            (
                f"{finding['scope']:,} of {count(finding['population'], 'item')}: those that the model ",
                *scope(finding),
            ),
        ),
    ]
    if field.get("expected_errors") is not None:
        there = ""
        if pool := pool_ratio(finding, field):
            level = percent(finding["rate"]["level"])
            there = f"; {short(pool['low'])} to {short(pool['high'])} times as many are there ({level})"
        admitted = f"{short(field['expected_errors'])} errors in the scope, by the confidences themselves{there}"
        facts.append(("admitted", admitted))
    if asked := field.get("model_queries"):
        facts.append(
            (
                "asked of the model",
                f"{asked['answers']:,} for its answers, {asked['variations']:,} for variations of the items, "
                f"{asked['distances']:,} for distances: {short(asked['per_item'])} an item",
            )
        )
    if spread := field.get("spread"):
        facts.append(
            (
                "spread",
                f"items of the scope are {spread['asked']:.3g} away from the nearest that was asked about; from as "
                f"many random ones it would be {spread['random']:.3g} (1 is the width of the scope)",
            )
        )
        if "error_utility" in spread:
            facts.append(
                (
                    "utility",
                    f"{spread['error_utility']:.4g} by errors found (Lakkaraju); {spread['coverage_utility']:.4g} by "
                    "the confidence that lies near an error found (Bansal and Weld)",
                )
            )
    needs = (
        "Distances, pictures and what sways an answer need the model: the check below does not recompute them, but "
        "shows whether they were changed since they were written down."
    )
    caption = needs if asked or shown else ""
    table = Table(facts, (), caption, shape="facts")
    return Section("How it was searched", table=table, detail=True, brief=field_lines(field))
