"""The details of a hunt: what errors have in common, distances, whether the confidence can be believed, the search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.blind import _detail_figures as figures
from ringtrue.blind._figures import pool_ratio
from ringtrue.blind._next_picks import AFTER
from ringtrue.blind._scope import scope_words, short, signed
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
    groups, drawn, title = finding.get("groups") or [], figures.shown_groups(finding), "What they have in common"
    if not groups:
        none = "No groups were made: there were no features to make clusters of, nor columns to slice by."
        return Section(title, [none], detail=True)
    level, many = percent(groups[0]["level"]), count(len(groups), "group")
    left_out = f" The first {len(drawn)} of {many} are drawn." if len(drawn) < len(groups) else ""
    listed = f" {_GROUPS} of {many} are listed; the JSON twin has them all." if len(groups) > _GROUPS else ""
    figure = Figure(
        lambda axes: figures.draw_groups(axes, drawn),
        size=(7.2, 1.1 + 0.26 * len(drawn)),
        aloud="Errors beyond those expected in each group of the items asked about, with intervals",
        caption="Errors beyond those that the confidence admits, in each group; in brackets how many of it were asked "
        "about. The intervals hold for all groups at once, so that having looked at many of them is allowed "
        f"for; bold are those that lie above zero.{left_out}",
    )
    rows = [
        (
            Quoted(cell(figures.group_name(one))),
            "–" if one["items"] is None else f"{one['items']:,}",
            f"{one['asked']:,}",
            f"{one['errors']:,}",
            short(one["expected"]),
            signed(one["excess"]),
            f"{signed(one['low'])} to {signed(one['high'])}",
        )
        for one in groups[:_GROUPS]
    ]
    caption = (
        f"Intervals at {level} for all groups at once, of the items asked about. Clusters are "
        f"made of what the items look like, without the answers.{listed}"
    )
    heads = ("items", "asked", "errors", "expected", "excess", "interval")
    columns = [Column("group"), *(Column(head, number=True) for head in heads)]
    surest = [
        f"{cell(figures.group_name(one, ' = '))}: {one['errors']:,} of {one['asked']:,} wrong where "
        f"{one['expected']:.1f} were expected (excess {one['low']:z.1f} to {one['high']:z.1f}, {level} for all groups)"
        for one in groups[:_TOLD]
        if one["errors"]
    ]
    return Section(title, figure=figure, table=Table(rows, columns, caption), detail=True, brief=surest)


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
    if picks := field.get("next_picks"):
        lines.append(_otherwise(*picks))
    if asked and asked["variations"] + asked["distances"]:
        lines.append(
            f"model queries: {count(asked['answers'], 'answer')}, {count(asked['variations'], 'variation')}, "
            f"{asked['distances']:,} for distances ({asked['per_item']:.0f} for each item hunted in), "
            f"{asked.get('gallery', 0):,} for the gallery"
        )
    return lines


def _otherwise(own: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Return what would be asked next for the other goal, and beside it for the hunt's own.

    >>> own = {"goal": "errors", "picks": 50, "confidence": 0.7, "admitted": 15.0, "foretold": 12.2}
    >>> _otherwise(own, {"goal": "excess", "picks": 50, "confidence": 0.98, "admitted": 1.25, "foretold": 4.1})
    ... # doctest: +ELLIPSIS
    'for most errors beyond those admitted (--goal excess), the next 50 picks would be items of 98% confidence: ...
    """
    sure = [percent(round(one["confidence"], 3)) for one in (other, own)]
    return (
        f"for {AFTER[other['goal']]} (--goal {other['goal']}), the next {count(other['picks'], 'pick')} would be items "
        f"of {sure[0]} confidence: {_foretold(other)}; by this goal, of {sure[1]}: {_foretold(own)}"
    )


def _foretold(picks: Mapping[str, Any]) -> str:
    return f"about {count(round(picks['foretold']), 'error')} foretold, {picks['admitted']:.1f} admitted"


def _more(distance: Mapping[str, Any]) -> str:
    more = distance["unchanged"] - len(distance["unchanged_ids"])
    return f" and {more:,} more" if more > 0 else ""


def _distance(field: Mapping[str, Any]) -> list[Section]:
    distance, title = field.get("distance"), "Distance and confidence"
    if figures.has_distance(field):
        told = [Section(title, figure=_cloud(field), detail=True)]
    else:
        none = "There is no distance to draw." if distance else "No distances were measured."
        told = [Section(title, [none], detail=True)]
    if distance and distance["unchanged"]:
        ids = [part for name in distance["unchanged_ids"] for part in (", ", Quoted(cell(name)))]
        unchanged: Text = (
            f"Of {count(distance['unchanged'], 'item')} the answer never changed, within the queries allowed: ",
            *ids[1:],
            f"{_more(distance)}. All that is known of their distance is that it is large, so they are not drawn.",
        )
        told.append(Section(words=[unchanged], detail=True))
    return told


def _cloud(field: Mapping[str, Any]) -> Figure:
    distance, points = field.get("distance"), len((field.get("points") or {}).get("distance") or [])
    measured = f" ({cell(distance['method'])}, {cell(distance['norm'])})" if distance else ""
    bare = sum(one is None for one in (field.get("asked") or {}).get("distance") or [])
    has, is_ = ("has", "is") if bare == 1 else ("have", "are")
    added = (
        (
            field.get("curve"),
            "The curve is what is expected of such confidence (LOESS): items below it are nearer to another answer "
            "than their confidence says.",
        ),
        (points > figures.MOST_POINTS, f"Only some of {count(points, 'item')} are drawn."),
        (bare, f"{count(bare, 'item')} asked about {has} no distance and {is_} not drawn."),
    )
    return Figure(
        lambda axes: figures.draw_distance(axes, field),
        size=(7.2, 4.2),
        aloud="The distance to a changed decision against the confidence of each item, with the distance expected of "
        "such confidence, and the items asked about marked by whether they were wrong",
        caption=f"How far items are from another answer{measured}, against how sure the model is; the axis spreads the "
        f"confidences near 1.{''.join(f' {words}' for holds, words in added if holds)}",
    )


def _reliability(context: Context, field: Mapping[str, Any]) -> list[Section]:
    finding, bins = context.finding, figures.shown_bins(context.finding)
    title = "Whether the confidence can be believed"
    told = Section(title, ["Nothing was answered from which this could be told."], detail=True)
    if bins:
        figure = Figure(
            lambda axes: figures.draw_reliability(axes, bins),
            size=(7.2, 3.8),
            aloud="Reliability diagram: how often the model is right in each range of confidence, with intervals, "
            "beside how sure it is",
            caption="How sure the model is (grey) and how often it is right (blue), range by range: where blue lies "
            "below grey it is overconfident. The numbers say how many were asked about.",
        )
        told = Section(title, figure=figure, table=_bins(finding), detail=True)
    words: list[Text] = []
    if finding.get("calibration_error") is not None:
        words.append(
            Soft(
                f"Expected calibration error among the {count(finding['random'], 'random draw')}: "
                f"{percent(finding['calibration_error'])}. From few draws it comes out too large."
            )
        )
    if heat := field.get("temperature"):
        words.append(
            f"The confidences were scaled by the temperature {heat['value']:.3g}, fitted on "
            f"{count(heat['items'], 'item')} of another set: the expected calibration error there went from "
            f"{percent(heat['ece_before'])} to {percent(heat['ece_after'])}."
        )
    elif (scaled := context.question.get("temperature", 1)) != 1:
        words.append(f"The confidences were scaled by the temperature {scaled:.3g}, fitted on other items.")
    return [told, Section(words=words, detail=True)]


def _bins(finding: Mapping[str, Any]) -> Table:
    bins, over = figures.shown_bins(finding), len(figures.overconfident_bins(finding))
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
    sure = f"In {count(over, 'range')} the model is overconfident for sure: even the high end is below its confidence."
    if not over:
        sure = "In no range is the high end below the model's confidence."
    caption = (
        "Right: the share of all items of the scope in this range, not of those asked about; "
        f"{percent(bins[0]['level'])} for each range by itself. {sure}"
    )
    heads = ("confidence", "items", "asked", "errors found", "right")
    return Table(rows, [Column(head, number=True) for head in heads], caption)


def _search(finding: Mapping[str, Any], field: Mapping[str, Any], *, shown: bool) -> Section:
    """Return how it was searched, and what of it only the model can tell again."""
    among = f"{finding['scope']:,} of {count(finding['population'], 'item')}: those that the model "
    after = f" for {AFTER[finding['goal']]}" if finding.get("goal") else ""
    facts: list[tuple[str, Text]] = [
        ("search", f"{cell(finding['search'])}{after}, and {percent(finding['floor'])} of the answers at random"),
        ("scope", (among, *scope_words(finding))),
    ]
    if field.get("expected_errors") is not None:
        admitted = f"{short(field['expected_errors'])} errors in the scope, by the confidences themselves"
        if pool := pool_ratio(finding, field):
            level = percent(finding["rate"]["level"])
            admitted += f"; {short(pool['low'])} to {short(pool['high'])} times as many are there ({level})"
        facts.append(("admitted", admitted))
    if asked := field.get("model_queries"):
        said = (
            f"{asked['answers']:,} for its answers, {asked['variations']:,} for variations of the items, "
            f"{asked['distances']:,} for distances: {short(asked['per_item'])} an item"
        )
        facts.append(("asked of the model", said))
    if spread := field.get("spread"):
        said = (
            f"items of the scope are {spread['asked']:.3g} away from the nearest that was asked about; from as "
            f"many random ones it would be {spread['random']:.3g} (1 is the width of the scope)"
        )
        facts.append(("spread", said))
        if "error_utility" in spread:
            said = (
                f"{spread['error_utility']:.4g} by errors found (Lakkaraju); {spread['coverage_utility']:.4g} by "
                "the confidence that lies near an error found (Bansal and Weld)"
            )
            facts.append(("utility", said))
    caption = ""
    if asked or shown:
        caption = (
            "Distances, pictures and what sways an answer need the model: the check below does not recompute them, but "
            "shows whether they were changed since they were written down."
        )
    table = Table(facts, (), caption, shape="facts")
    return Section("How it was searched", table=table, detail=True, brief=field_lines(field))
