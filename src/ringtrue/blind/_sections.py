"""What is told of a hunt: how common confident errors are, how it went, and the evidence of overconfidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.blind._detail_sections import detail_sections, field_lines
from ringtrue.blind._error_sections import error_sections
from ringtrue.blind._figures import draw_rate, draw_ratio, has_path, pool_ratio
from ringtrue.blind._scope import errors_in_scope, scope_words, short, signed
from ringtrue.core import Chip, Context, Figure, Section, Strong, Table, Text, between, claim_chip, count, percent


def blind_sections(context: Context) -> list[Section]:
    """Return what is told of a hunt."""
    finding, field = context.finding, context.kept.get("field") or {}
    tiles = Section(table=Table(_tiles(finding), shape="tiles"))
    if not finding["answers"]:
        nothing = "Nothing is answered yet, so there is nothing to draw."
        return [tiles, Section(words=[nothing], brief=field_lines(field))]
    return [
        tiles,
        Section("How common they are", [_common(finding)], figure=_rate(finding)),
        *_hunt(finding, pool_ratio(finding, field)),
        *error_sections(context),
        *detail_sections(context),
    ]


def blind_chip(finding: Mapping[str, Any]) -> Chip:
    """Return the verdict: without a claim, whether the model was shown to be overconfident."""
    shown = (finding.get("overconfidence") or {}).get("reached_at") is not None
    return Chip("overconfident", "no-claim") if shown and not finding["claim"] else claim_chip(finding)


def _tiles(finding: Mapping[str, Any]) -> list[tuple[Text, Text, Text]]:
    rate, ratio, evidence = finding.get("rate"), finding.get("ratio"), finding.get("overconfidence")
    known = bool(rate and finding["random"])
    share: Text = ("share of the items that the model ", *scope_words(finding))
    if rate and known:
        estimate = "" if rate["estimate"] is None else f"estimate {percent(rate['estimate'])}, "
        share = (f"{estimate}of {count(finding['scope'], 'item')} that the model ", *scope_words(finding))
    found = f"in {count(finding['answers'], 'answer')}"
    if finding["answers"]:
        admitted = short(finding["expected"])
        found += f", where the confidence admits {admitted}: excess {signed(finding['excess'])}"
    tiles: list[tuple[Text, Text, Text]] = [
        (
            f"confident errors, {percent(rate['level'])} interval" if rate else "confident errors",
            between(rate) if rate and known else "not yet known",
            share,
        ),
        ("errors found", f"{finding['errors']:,}", found),
    ]
    if ratio:
        shrunk = f"ratio {short(ratio['estimate'])}; with one more of each {short(ratio['shrunk'])}"
        level = f"found / admitted, {percent(ratio['level'])} interval"
        tiles.append((level, f"{short(ratio['low'])} to {short(ratio['high'])}", shrunk))
    else:
        tiles.append(("found / admitted", "none yet", "nothing is answered"))
    if evidence and evidence["e_value"] is not None:
        needed = f"{short(evidence['needed'])} to 1 would be needed"
        if evidence["reached_at"] is not None:
            needed = f"{short(evidence['needed'])} to 1 was reached after {count(evidence['reached_at'], 'answer')}"
        tiles.append(("evidence of overconfidence", f"{short(evidence['e_value'])} to 1", needed))
    return tiles


def _common(finding: Mapping[str, Any]) -> Text:
    rate, wrong = finding.get("rate"), errors_in_scope(finding)
    if not rate or not finding["random"]:
        return (
            "Nothing was drawn at random yet, so nothing is known about the share of such errors: those found were "
            "picked because errors were expected there."
        )
    level = percent(rate["level"])
    parts: list[str] = []
    if wrong:
        were = "was" if finding["errors"] == 1 else "were"
        parts = [
            f"Of the {count(finding['scope'], 'item')} that the model ",
            *scope_words(finding),
            f", between {wrong['low']:,} and {wrong['high']:,} are wrong ({level}); {finding['errors']:,} {were} "
            f"found. ",
        ]
    return (
        *parts,
        f"The interval rests on the {count(finding['random'], 'answer')} to items drawn at random, "
        f"{finding['random_errors']:,} of them wrong; those that the search picked count as known and no more. However "
        f"often one looks, in at least {level} of studies like this one it never leaves out the true share.",
    )


def _rate(finding: Mapping[str, Any]) -> Figure | None:
    rate, claimed = finding.get("rate"), finding["claim"]
    if not has_path(finding) or not rate:
        return None
    return Figure(
        lambda axes: draw_rate(axes, finding),
        size=(5.0, 3.6),
        aloud="The interval of the share of confident errors after each answer, with the randomised answers it rests on"
        f"{', and the claim drawn in' if claimed else ''}",
        caption="How the interval of the share of confident errors "
        f"narrowed{', against the claim (dashed)' if claimed else ''}. Marks on the axis are the items drawn "
        f"at random. Method: {rate['method']}.",
        claim=True,
    )


def _hunt(finding: Mapping[str, Any], pool: Mapping[str, float] | None) -> list[Section]:
    ratio, evidence, figure = finding.get("ratio"), finding.get("overconfidence"), None
    words: list[Text] = []
    if ratio:
        words.append(
            (
                "The ratio divides the errors found by those that the confidence itself admits, the sum of "
                "1\u00a0−\u00a0confidence over the items asked about. ",
                Strong("It can be gamed"),
                ": who asks only about the most confident items divides by almost nothing, and a single error sends "
                "the ratio to hundreds or thousands, while hardly anything is found. So read it with its interval, "
                f"with the excess ({signed(finding['excess'])} errors), and with the ratio after adding one to both "
                f"counts ({short(ratio['shrunk'])}), which such a search does not raise. The interval is for the items "
                "asked about, in whatever way they were chosen; of the others it says nothing.",
            )
        )
    if has_path(finding):
        band = f" Band: {ratio['method']}." if ratio else ""
        dashed = "; dashed is the whole scope, as the random answers estimate it" if pool else ""
        figure = Figure(
            lambda axes: draw_ratio(axes, finding, pool),
            size=(7.2, 3.8),
            aloud="Errors found over errors expected after each answer on a scale of logarithms, with its band, the "
            f"line at 1{', and the ratio of the whole scope' if pool else ''}",
            caption="Errors found over errors that the confidence admits, answer by answer, on a scale of logarithms: "
            f"at 1 the model is as often wrong as it says{dashed}. Zero stands at the foot.{band}",
        )
    told = [Section("How the hunt went", words, figure=figure)]
    if evidence:
        reached = "It was not reached; that does not make the confidence right."
        brief = f"overconfidence is not shown: evidence {evidence['e_value']:.2g}, {evidence['needed']:g} are needed"
        if evidence["reached_at"] is not None:
            reached = "It was reached, so the model is overconfident somewhere in this scope, if not everywhere."
            brief = f"overconfident: the evidence sufficed after {count(evidence['reached_at'], 'answer')}"
        needed = short(evidence["needed"])
        said = (
            f"Evidence: were the model nowhere more often wrong than its confidence says, it would reach {needed} to 1 "
            f"in at most one of {needed} studies, whatever is asked about and however often one looks. {reached}"
        )
        told.append(Section(words=[said], brief=[brief]))
    return told
