"""What is told of a comparison: how much changed, since when it is known, and between which answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.changed._detail_sections import detail_sections, found_flips, in_points, points_between
from ringtrue.changed._figures import draw_claim, draw_matrices, room_for_names, shown_rows_and_columns
from ringtrue.core import Column, Context, Figure, Section, Strong, Table, between, cell, count, percent, points

_ABREAST = 4
"""Up to so many columns three maps stand side by side; wider ones would have cells too small for their numbers."""

_CELLS = 12
"""Cells of the difference listed in words."""

_BRIEF = 5
"""Those of them that a terminal shows."""


def changed_sections(context: Context) -> list[Section]:
    """Return what is told of a comparison."""
    finding = context.finding
    items = f"the {count(finding['population'], 'item')} of this pool"
    pool = f" every interval here is about {items}, not about the stream they came from."
    speaks = (Strong("Of whom this speaks:"), pool)
    tiles = Section(table=Table(_tiles(context), shape="tiles"), brief=_accuracy(finding))
    if not finding["answers"]:
        nothing = "Nothing is answered yet, so there is nothing to draw."
        return [tiles, Section(words=[speaks, nothing]), *detail_sections(context)]
    return [
        tiles,
        Section(words=[speaks, _known(finding)], figure=_claimed(finding)),
        _matrices(finding),
        *_cells(finding),
        *detail_sections(context),
    ]


def _tiles(context: Context) -> list[tuple[str, str, str]]:
    finding = context.finding
    change, accuracy, error, answers = (finding[name] for name in ("change", "accuracy", "error", "answers"))
    estimate = f"estimate {percent(change['estimate'])}" if answers else "no estimate yet"
    tiles = [(f"answers that changed, {percent(change['level'])} interval", between(change), estimate)]
    if accuracy:
        now = f"about {percent(accuracy['new']['estimate'])} now" if answers else "not yet known now"
        name = f"difference in accuracy, {percent(accuracy['difference']['level'])} interval"
        beside = f"percentage points; {percent(accuracy['old'])} before, {now}"
        tiles.append((name, points_between(accuracy["difference"], 1), beside))
    required = "none was required"
    if error["required"] is not None:
        at = error["holds_at"]
        when = "not yet reached" if at is None else f"reached after {count(at, 'answer')}"
        required = f"required {percent(error['required'])}, {when}"
    unknown = error["bound"] is None or not answers
    bound = "not yet known" if unknown else f"at most {percent(error['bound'], toward='above')}"
    tiles.append(("error of the difference below", bound, required))
    flips = f"{count(found_flips(finding), 'flip')} found in {count(answers, 'answer')}"
    if context.spending:
        priced = context.study["price"]["model"] is not None
        cost = f"for {context.spending['money']}" if priced else "no price was stated"
        flips = f"{cost}; {flips}"
    tiles.append(("calls bought", f"{finding['calls']:,}", flips))
    return tiles


def _accuracy(finding: Mapping[str, Any]) -> list[str]:
    """Return the accuracy in a line, where there are true labels."""
    if finding["accuracy"] is None:
        return []
    new, moved = finding["accuracy"]["new"], finding["accuracy"]["difference"]
    difference = points(moved["estimate"], moved["low"], moved["high"])
    now = f"{percent(new['estimate'])} now, {difference} points" if finding["answers"] else "not yet known now"
    return [f"accuracy: {percent(finding['accuracy']['old'])} before, {now}"]


def _known(finding: Mapping[str, Any]) -> str:
    """Return whether a change is known, and since when."""
    change, accuracy, detection = finding["change"], finding["accuracy"], finding["detection"]
    if detection["change"]["at"] is not None:
        said = f"Answers changed beyond the noise: known since answer {detection['change']['at']:,}."
    elif change["high"] == 0:
        said = "Nothing changed: every item was asked, and every answer is the old one."
    else:
        beyond = finding["noise"]["beyond"]
        most = percent((beyond or change)["high"], toward="above")
        said = (
            f"No change beyond the noise is shown by {count(finding['answers'], 'answer')}. That does not make it "
            f"none: up to {most} of the answers may have changed{' beyond the noise' if beyond else ''}."
        )
    if not finding["labelled"]:
        return f"{said} There are no true labels: what follows says what changed, not whether it became better."
    if detection["accuracy"] and detection["accuracy"]["at"] is not None:
        return f"{said} That the accuracy changed is known since answer {detection['accuracy']['at']:,}."
    return f"{said} Whether the accuracy changed is not decided." if accuracy and change["high"] > 0 else said


def _claimed(finding: Mapping[str, Any]) -> Figure | None:
    claimed = finding.get("claimed")
    if not claimed:
        return None
    until = "" if claimed["decided_at"] is None else ", until it was decided"
    return Figure(
        lambda axes: draw_claim(axes, finding),
        size=(5.0, 3.6),
        aloud="The bounds on what the claim speaks of, after so many answers, with the claim drawn in",
        caption="What was not yet excluded after so many answers, from below and from above, each at the claim's "
        f"level, against the claim (dashed){until}.",
        claim=True,
    )


def _matrices(finding: Mapping[str, Any]) -> Section:
    if max(len(finding["labels"]), len(finding["answer_names"])) <= 1:
        return Section(words=["There is only one label and one answer, so there is no matrix to draw."])
    rows, columns = map(len, shown_rows_and_columns(finding))
    abreast = columns <= _ABREAST
    plan = [["old", "new", "shift"]] if abreast else [["old", "new"], ["shift", "shift"]]
    around = 0.6 + room_for_names(finding)  # the map's title, the names of its columns and their title
    high = max(rows, 2)  # beside a single row there must be room for "true label" too
    height = around + 0.4 * high if abreast else 2 * (around + 0.25 * high)

    def draw(figure: Any) -> None:
        axes = figure.subplot_mosaic(plan)
        draw_matrices([axes[name] for name in ("old", "new", "shift")], finding)

    all_rows, all_columns, left_out = len(finding["labels"]), len(finding["answer_names"]), ""
    if rows < all_rows or columns < all_columns:
        some = f"{rows} of {count(all_rows, 'row')}, {columns} of {count(all_columns, 'column')}"
        left_out = f" Only those that changed most are drawn: {some}."
    figure = Figure(
        draw,
        size=(7.2, height),
        whole=True,
        aloud="Three heat maps: how often each answer was given for each "
        f"{'label' if finding['labelled'] else 'old answer'} before, how often now, and the difference",
        caption=f"How often each answer is given for each {_truth(finding)}, before and now, as shares of all items, "
        "and the difference: red more often than before, blue less; outlined where the interval leaves out "
        "zero. Shades of blue grow with the square root of the share, so that rare mistakes are "
        f"seen.{left_out}",
    )
    return Section(figure=figure)


def _truth(finding: Mapping[str, Any]) -> str:
    return "true label" if finding["labelled"] else "old answer"


def _cells(finding: Mapping[str, Any]) -> list[Section]:
    cells = [one for one in finding["cells"] if one["shift"]["estimate"] != 0]
    if not cells:
        return []
    rows = []
    for one in cells[:_CELLS]:
        shift = one["shift"]
        moved = in_points(shift["estimate"])
        shown = Strong(moved) if shift["low"] > 0 or shift["high"] < 0 else moved
        rows.append((cell(one["label"]), cell(one["answer"]), percent(one["old"]), shown, points_between(shift)))
    some = f" {_CELLS} of {count(len(cells), 'cell')} are listed; the JSON twin has more."
    caption = (
        "Percentage points of all items; bold where the interval leaves out zero. Intervals at "
        f"{percent(cells[0]['shift']['level'])}; {cells[0]['shift']['method']}. They come with estimates of their own, "
        f"which may differ from those drawn above.{some if len(cells) > _CELLS else ''}"
    )
    numbers = (Column(head, number=True) for head in ("before", "difference", "interval"))
    columns = [Column(_truth(finding)), Column("answer"), *numbers]
    seen = sum(round(100 * one["shift"]["estimate"], 2) != 0 for one in cells[:_BRIEF])
    brief = [f"percentage points of all items, jointly at {percent(cells[0]['shift']['level'])}"] if seen else []
    return [Section("What changed most", table=Table(rows, columns, caption, brief=seen), brief=brief)]
