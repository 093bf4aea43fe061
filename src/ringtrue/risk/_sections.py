"""What is told of a failure rate: the interval, where the failures are, other mixtures of inputs, the map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import (
    SHOWN,
    Column,
    Context,
    Figure,
    Interval,
    Quoted,
    Section,
    Soft,
    Strong,
    Table,
    Text,
    between,
    cell,
    count,
    item_columns,
    line,
    percent,
)
from ringtrue.risk._figures import draw_failure_rate, draw_profiles, draw_strata, shown_profiles, shown_strata
from ringtrue.risk.cells._sections import map_sections

_ROWS = 50
"""Strata and profiles listed in words."""


def risk_sections(context: Context) -> list[Section]:
    """Return what is told of a failure rate."""
    found = context.kept.get("map")
    return [
        *_numbers(context),
        *_strata(context.finding),
        *_profiles(context.finding),
        *(map_sections(found, context.gallery, context.items) if found else []),
        *_failures(context),
    ]


def _numbers(context: Context) -> list[Section]:
    finding = context.finding
    interval, operation, method = finding["interval"], finding.get("operation"), finding.get("method")
    words: list[Text] = []
    brief: list[Text] = []
    if (finding.get("profile") or {}).get("unassessed"):
        share = percent(finding["profile"]["unassessed"])
        brief.append(f"{share} of operation is of kinds the pool lacks: it counts as failed in the bound")
    if operation and finding["answers"]:
        most = percent(operation["high"], toward="above")
        there = f"error <= {most} ({percent(operation['level'])}) there"
        brief.append(f"if the pool is a random sample of operation: {there}")
        rate = between(operation) if operation["low"] > 0 else f"at most {most}"
        said = f"the failure rate is {rate} ({percent(operation['level'])}; {operation['method']})."
        words.append((Strong("In operation"), f", if this pool is a random sample of it, {said}"))
    own = f"{method}; " if method and method != interval["method"] else ""
    holds = "although somebody may have looked after every answer"
    if finding.get("planned"):
        holds = "because the number of answers was settled before the first, and nothing was told before the last"
    words.append(Soft(f"Method: {own}{interval['method']}. The interval holds {holds}."))
    tiles = Section(table=Table(_tiles(context), shape="tiles"))
    if not finding["answers"] + finding["unanswerable"]:
        return [tiles, Section(words=[*words, "Nothing is answered yet, so there is nothing to draw."], brief=brief)]
    against = (
        ", against the claim (dashed). The verdict rests on a bound from one side, which reaches the limit before the "
        "end of the interval does"
    )
    figure = Figure(
        lambda axes: draw_failure_rate(axes, finding),
        size=(5.0, 3.6),
        aloud="The interval of the failure rate after each answer, with the claim drawn in",
        caption=f"How the interval narrowed, answer by answer{against if finding['claim'] else ''}.",
        claim=True,
    )
    return [tiles, Section(words=words, figure=figure, brief=brief)]


def _tiles(context: Context) -> list[tuple[str, str, str]]:
    finding, spending = context.finding, context.spending
    interval, bound = finding["interval"], finding["bound"]
    estimate = f"estimate {percent(interval['estimate'])}" if finding["answers"] else "no estimate yet"
    tiles = [(f"failure rate, {percent(interval['level'])} interval", between(interval), estimate)]
    if bound:
        least, most = percent(bound["low"], toward="below"), percent(bound["high"], toward="above")
        at = finding["decided_at"]
        decided = f"undecided after {count(bound['n'], 'item')}" if at is None else f"decided after {count(at, 'item')}"
        end = f"at least {least}" if finding["verdict"] == "rings false" else f"at most {most}"
        rests = f"bound the verdict rests on, {percent(bound['level'])}"
        tiles.append((rests, end, decided))
    tiles.append(("failures found", f"{finding['failures']:,}", f"in {count(finding['answers'], 'answer')}"))
    if spending:
        responder = context.records[0]["responder"] if context.records else "oracle"
        priced = context.study["price"][responder] is not None
        cost = f"for {spending['money']}" if priced else "no price was stated"
        tiles.append(("labels bought", f"{spending['answered']:,}", cost))
    return tiles


def _strata(finding: Mapping[str, Any]) -> list[Section]:
    strata = finding.get("strata")
    if not strata:
        return []
    drawn, figure = len(shown_strata(finding)), None
    if drawn:
        some = f" {drawn} of {count(len(strata), 'part')} are drawn, those with most failures."
        some = some if drawn < len(strata) else ""
        figure = Figure(
            lambda axes: draw_strata(axes, finding),
            size=(7.2, 1.0 + 0.26 * drawn),
            aloud="For each part of the pool, the interval of its failure rate and the share of its answers that "
            "failed",
            caption="How often the model fails on all items of each part: the dot is the share of the answers that "
            f"failed, the line its interval. All lines hold at once, and while you watch.{some}",
        )
    heads = ("items", "of the pool", "answers", "failures", "failed", "interval", "asked")
    rows = [
        (
            Quoted(cell(one["name"])),
            f"{one['items']:,}",
            percent(one["share"]),
            f"{one['answers']:,}",
            f"{one['failures']:,}",
            "–" if one["rate"] is None else percent(one["rate"]),
            between(one["interval"]) if one["interval"] else "–",
            "–" if one["chance"] is None else f"{one['chance']:.3g}×",
        )
        for one in strata[:_ROWS]
    ]
    caption = (
        "Asked: how often items of this part were drawn, compared with uniform draws; the interval at the top allows "
        "for it. The intervals are of the failure rate of all items of a part; they hold at "
        f"{percent(finding['interval']['level'])} for all parts at once, while you watch.{_listed(strata, 'part')}"
    )
    columns = [Column("part of the pool"), *(Column(head, number=True) for head in heads)]
    return [Section("Where the failures are", figure=figure, table=Table(rows, columns, caption), detail=True)]


def _profiles(finding: Mapping[str, Any]) -> list[Section]:
    profiles = finding.get("profiles")
    if not profiles:
        return []
    drawn, figure = len(shown_profiles(finding)), None
    if drawn:
        some = f" The first {drawn} of {count(len(profiles), 'profile')} are drawn."
        figure = Figure(
            lambda axes: draw_profiles(axes, finding),
            size=(7.2, 1.0 + 0.26 * drawn),
            aloud="The interval of the failure rate under each profile, against the interval at the top",
            caption="The failure rate if inputs came as each profile says, from the same answers weighted anew; shaded "
            f"is the interval at the top.{some if drawn < len(profiles) else ''}",
        )
    heads = ("estimate", "interval", "worth", "largest weight", "not reached")
    rows = [
        (
            Quoted(cell(one["name"])),
            percent(one["interval"]["estimate"]) if one["interval"] else "–",
            between(one["interval"]) if one["interval"] else "refused",
            "–" if one["effective"] is None else f"{one['effective']:,.1f}",
            "–" if one["most_weight"] is None else f"{one['most_weight']:.3g}",
            "–" if one["unassessed"] is None else percent(one["unassessed"]),
        )
        for one in profiles[:_ROWS]
    ]
    unpriced = [one for one in profiles[:_ROWS] if one["refusal"]]
    refused = [("No interval for ", Quoted(line(one["name"])), f": {one['refusal']}") for one in unpriced]
    first = next((one["interval"] for one in profiles if one["interval"]), None)
    caption = (
        ("" if first is None else f"Intervals at {percent(first['level'])}; {first['method']}. ")
        + "Worth: to how many answers drawn from the profile itself the weighted answers amount. Not reached: the "
        "share of the profile that lies where this pool has nothing; nothing was measured "
        f"there.{_listed(profiles, 'profile')}"
    )
    columns = [Column("profile"), *(Column(head, number=True) for head in heads)]
    table, brief = Table(rows, columns, caption), [f"profile {one['name']}: {_priced(one)}" for one in profiles]
    return [Section("Other mixtures of inputs", listed=refused, figure=figure, table=table, detail=True, brief=brief)]


def _priced(one: Mapping[str, Any]) -> str:
    """Return what the labels are worth under another profile."""
    if one["interval"] is None:
        return f"refused, {one['refusal']}"
    worth = f"worth {count(round(one['effective']), 'even label')} (largest weight {one['most_weight']:.2g})"
    return f"error {Interval(**one['interval'])}, {worth}"


def _listed(rows: list[Any], noun: str) -> str:
    return f" {_ROWS} of {count(len(rows), noun)} are listed; the JSON twin has them all." if len(rows) > _ROWS else ""


def _failures(context: Context) -> list[Section]:
    if not context.spending:
        return []  # the failures themselves stand in a report alone
    title, interval = "Failures found", context.finding["interval"]
    if not context.spending["answered"]:
        return [Section(title, ["None, because nothing is answered yet."], detail=True)]
    if not context.gallery:
        none = f"None in {count(context.spending['answered'], 'answer')}. That does not make the rate zero:"
        below = f"it lies below {percent(interval['high'], toward='above')} at {percent(interval['level'])}."
        return [Section(title, [f"{none} {below}"], detail=True)]
    shown = context.gallery[:SHOWN]
    content = item_columns(shown, context.items)
    rows = [
        (cell(one["id"]), cell(one["model"]), cell(one["truth"]), *cells)
        for one, cells in zip(shown, content.rows, strict=True)
    ]
    caption = (
        f"{len(shown):,} of {count(len(context.gallery), 'failure')} shown, in the order of asking{content.left_out}. "
        "The JSON twin lists every failure."
    )
    columns = [Column("item"), Column("model said"), Column("truth"), *content.columns]
    return [Section(title, table=Table(rows, columns, caption), detail=True)]
