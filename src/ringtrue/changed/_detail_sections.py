"""The details of a comparison: what the calls bought, when a change was known, slices, and the answers that flipped."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ringtrue.changed._figures import draw_error, draw_evidence, draw_slices, has_error, has_evidence, shown_slices
from ringtrue.core import (
    SHOWN,
    Column,
    Context,
    Figure,
    Quoted,
    Section,
    Table,
    Text,
    between,
    cell,
    count,
    item_columns,
    percent,
)

FLIPS = {
    "right_to_wrong": "from right to wrong",
    "wrong_to_right": "from wrong to right",
    "wrong_to_wrong": "to another wrong answer",
    "unlabelled": "changed",
}
"""What can become of an answer, in words."""

_SLICES = 50
"""Slices listed in words."""


def detail_sections(context: Context) -> list[Section]:
    """Return the details of a comparison."""
    paths = _paths(context.finding) if context.finding["answers"] else []
    return [*paths, *_slices(context.finding), *_flips(context)]


def found_flips(finding: Mapping[str, Any]) -> int:
    """Return how many answers to the items asked about are not the old ones."""
    return sum(int(finding["flips"][kind]) for kind in FLIPS)


def in_points(difference: float, decimals: int = 2, *, toward: Literal["nearest", "above", "below"] = "nearest") -> str:
    """Return a difference of two shares in percentage points, with its sign; a bound is rounded outward.

    >>> in_points(0.0123), in_points(-0.012345, toward="below"), in_points(-0.012345, 1, toward="above"), in_points(0.0)
    ('+1.23', '−1.24', '−1.2', '0')
    >>> in_points(1e-6, toward="above"), in_points(-1e-6, toward="above"), in_points(1e-6)
    ('+0.01', '0', '≈0')
    """
    value = round(difference * 10 ** (2 + decimals), 6)
    whole = round(value) if toward == "nearest" else math.ceil(value) if toward == "above" else math.floor(value)
    if not whole:
        return "≈0" if toward == "nearest" and difference else "0"
    return f"{whole / 10**decimals:+.{decimals}f}".replace("-", "−")


def points_between(interval: Mapping[str, Any], decimals: int = 2) -> str:
    """Return the ends of an interval of a difference in percentage points, rounded outward."""
    low, high = interval["low"], interval["high"]
    return f"{in_points(low, decimals, toward='below')} to {in_points(high, decimals, toward='above')}"


def _paths(finding: Mapping[str, Any]) -> list[Section]:
    """Return what the calls bought, when a change was known, and how much answers vary by themselves."""
    error, accuracy, sections = finding["error"], finding["detection"]["accuracy"], []
    required = error["required"] is not None
    if has_error(finding):
        uniform = ", and how far off it would be had the items been drawn uniformly"
        bought = Figure(
            lambda axes: draw_error(axes, finding),
            size=(7.2, 3.4),
            aloud="The error of the difference against the number of answers, for the method used and for uniform "
            f"sampling{', with the requirement drawn in' if required else ''}",
            caption="How far off the difference of the matrices may be (root of the sum of squares over its cells) "
            f"after so many answers{uniform if finding['method'] != 'uniform' else ''}"
            f"{'; dashed is what was required' if required else ''}.",
        )
        sections.append(Section("What the calls bought", figure=bought, detail=True))
    if has_evidence(finding):
        studies = math.exp(finding["detection"]["change"]["threshold"])
        known = Figure(
            lambda axes: draw_evidence(axes, finding),
            size=(7.2, 3.4),
            aloud=f"The evidence that answers changed{' and that accuracy did' if accuracy else ''}, answer by answer, "
            "with the threshold",
            caption="Evidence that answers changed beyond the "
            f"noise{' and that the accuracy changed' if accuracy else ''}, in powers of ten: without a change "
            f"it crosses the dashed line in at most one study of {studies:.3g}, however often one looks.",
        )
        sections.append(Section("When a change was known", figure=known, detail=True))
    return [*sections, Section(words=[f"Noise: {_noise(finding['noise'])}"], detail=True, brief=_brief(finding))]


def _brief(finding: Mapping[str, Any]) -> list[str]:
    """Return the flips, what became of answers that were asked for again, and the error that was required."""
    flips, noise, error = finding["flips"], finding["noise"], finding["error"]
    seen = ", ".join(f"{flips[kind]:,} {words}" for kind, words in FLIPS.items() if flips[kind])
    lines = [f"flips seen: {seen or 'none'}"]
    if noise["asked_twice"]:
        lines.append(
            f"asked again: {count(noise['asked_twice'], 'item')}; {noise['persisted']:,} answered the same again, "
            f"{noise['reverted']:,} went back to the old answer, {noise['third']:,} gave a third"
        )
    if error["required"] is not None:
        bound, required = percent(error["bound"], toward="above"), percent(error["required"])
        lines.append(f"error of the shift: at most {bound} at 95%, wanted {required}")
    return lines


def _noise(noise: Mapping[str, Any]) -> str:
    if not noise["asked_twice"]:
        if noise["assumed"] is None:
            return "not measured yet, because no answer was asked for twice."
        return f"not measured; as was stated, {percent(noise['assumed'])} of the answers vary by themselves."
    said = (
        f"{count(noise['asked_twice'], 'changed answer')} asked for once more, of which {noise['persisted']:,} came "
        f"again, {noise['reverted']:,} went back and {noise['third']:,} gave a third."
    )
    if floor := noise["floor"]:
        said += f" Two answers to one question differ with a chance of {between(floor)} ({percent(floor['level'])})."
    if beyond := noise["beyond"]:
        kept = {"low": max(beyond["low"], 0), "high": max(beyond["high"], 0)}
        said += f" Beyond that, {between(kept)} of the answers changed ({percent(beyond['level'])})."
    return said


def _slices(finding: Mapping[str, Any]) -> list[Section]:
    slices, accuracy = finding["slices"], finding["accuracy"]
    if not slices:
        return []
    heads = ["items", "asked", "changed", "interval", *(["accuracy", "interval"] if accuracy else [])]
    rows = [
        (
            (Quoted(cell(one["column"])), ": ", Quoted(cell(one["value"]))),
            f"{one['items']:,}",
            f"{one['answers']:,}",
            percent(one["change"]["estimate"]) if one["answers"] else "–",
            between(one["change"]),
            *(_accuracy(one) if accuracy else ()),
        )
        for one in slices[:_SLICES]
    ]
    first, drawn = slices[0]["change"], len(shown_slices(finding))
    some = f" {_SLICES} of {count(len(slices), 'slice')} are listed; the JSON twin has them all."
    listed = some if len(slices) > _SLICES else ""
    caption = (
        f"Intervals at {percent(first['level'])}, for all slices at once; {first['method']}."
        f"{' Accuracy: the difference in percentage points.' if accuracy else ''}{listed}"
    )

    def draw(figure: Any) -> None:
        draw_slices(figure.subplots(1, 1 if accuracy is None else 2, squeeze=False)[0], finding)

    left_out = f" The first {drawn} of {count(len(slices), 'slice')} are drawn." if drawn < len(slices) else ""
    figure = Figure(
        draw,
        size=(7.2, 1.1 + 0.24 * drawn),
        whole=True,
        aloud="The share of changed answers in each slice with its interval"
        f"{', and the difference in accuracy' if accuracy else ''}",
        caption=f"How much changed in each slice{', and what it did to the accuracy' if accuracy else ''}; in brackets "
        f"the answers asked there, dashed the whole pool.{left_out}",
    )
    columns = [Column("slice"), *(Column(head, number=True) for head in heads)]
    shown = figure if finding["answers"] else None
    return [Section("By slice", figure=shown, table=Table(rows, columns, caption), detail=True)]


def _accuracy(one: Mapping[str, Any]) -> tuple[str, str]:
    accuracy = one["accuracy"]
    if not accuracy:
        return "–", "–"
    return in_points(accuracy["estimate"]) if one["answers"] else "–", points_between(accuracy)


def _flips(context: Context) -> list[Section]:
    if not context.spending:
        return []  # the items themselves stand in a report alone
    finding, shown, title = context.finding, context.gallery[:SHOWN], "Answers that flipped"
    if not shown:
        answers = finding["answers"]
        none = f"None in {count(answers, 'answer')}." if answers else "None, because nothing is answered yet."
        return [Section(title, [none], detail=True)]
    flips, found, labelled = finding["flips"], found_flips(finding), finding["labelled"]
    counted = f"{count(found, 'answer')} changed"
    if labelled:
        counted = (
            f"{flips['right_to_wrong']:,} right to wrong, {flips['wrong_to_right']:,} wrong to right, "
            f"{flips['wrong_to_wrong']:,} to another wrong answer"
        )
    words = (
        f"{counted}. These are counts among the items asked, which were not all equally likely to be asked; the shares "
        "at the top allow for that."
    )
    return [Section(title, [words], table=_flips_table(context, shown, found), detail=True)]


def _flips_table(context: Context, shown: Sequence[Mapping[str, Any]], found: int) -> Table:
    labelled = context.finding["labelled"]
    sure = any(flip["confidence"] is not None for flip in shown)
    content = item_columns(shown, context.items)
    rows: list[tuple[Text, ...]] = [
        (
            cell(flip["id"]),
            *((flip["kind"], cell(flip["truth"])) if labelled else ()),
            cell(flip["old"]),
            cell(flip["new"]),
            *(("–" if flip["confidence"] is None else f"{flip['confidence']:.3g}",) if sure else ()),
            *cells,
        )
        for flip, cells in zip(shown, content.rows, strict=True)
    ]
    heads = ["item", *(["what happened", "truth"] if labelled else []), "old answer", "new answer"]
    columns = [
        *(Column(head) for head in heads),
        *([Column("old confidence", number=True)] if sure else []),
        *content.columns,
    ]
    order = ", those from right to wrong first" if labelled else ""
    return Table(rows, columns, f"{len(shown):,} of {count(found, 'flip')} shown{order}{content.left_out}.")
