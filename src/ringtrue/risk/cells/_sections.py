"""What is told of a map of risk: what it means, what speaks against it, where the risk is, and how it was made."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import (
    Column,
    Figure,
    Quoted,
    Section,
    Soft,
    Strong,
    Table,
    Text,
    between,
    cell,
    count,
    is_number,
    line,
    percent,
)
from ringtrue.risk.cells._figures import (
    KINDS,
    draw_fragility,
    draw_product,
    draw_profile,
    draw_ranked,
    draw_resolution,
    shown_cells,
)

_ITEMS = 3
"""Items named for each cell of the map."""

_AXES = 4
"""Axes of the map that are listed."""

_BRIEF = 5
"""Cells that a terminal names."""

_MODES = {
    "assessed": "failing where assessed",
    "self-consistency": "disagreement, not failure",
    "paper": "failure rate as published",
}


def map_sections(
    found: Mapping[str, Any], failures: Sequence[Mapping[str, Any]], items: Mapping[str, Mapping[str, Any]]
) -> list[Section]:
    """Return what is told of a map; the failures whose content is known are marked on it."""
    told: list[Text] = [
        Strong(found["sentence"]),
        f"What it means: {found['meaning'].rstrip('.')}. The map multiplies how often inputs come from a place by how "
        "much of that place the model gets wrong. It shows where to look; how often the model fails is said at the "
        "top, by answers of the oracle.",
    ]
    if found["refused"]:
        told.append((Strong("No upper bound is drawn from this map"), ", because:"))
    return [
        Section("The map", told, found["refused"], detail=True, brief=[f"refused: {why}" for why in found["refused"]]),
        Section(words=[_contradiction(found["contradiction"])], detail=True),
        Section(table=Table(_tiles(found), shape="tiles"), detail=True),
        *_drawn(found, places(found, failures, items) if found["maps"] is not None else []),
        *_ranked(found),
        *_made(found),
    ]


def places(
    found: Mapping[str, Any], failures: Sequence[Mapping[str, Any]], items: Mapping[str, Mapping[str, Any]]
) -> list[tuple[float, float]]:
    """Return where on the map the failures lie whose content is at hand and has both of its features as numbers."""
    across, up = found["grid"]["features"][:2]
    shown = [items[one["id"]] for one in failures if one["id"] in items]
    pairs = [(values.get(across), values.get(up)) for values in shown]
    numbers = [(x, y) for x, y in pairs if is_number(x) and is_number(y)]
    return [(x, y) for x, y in numbers if math.isfinite(x) and math.isfinite(y)]


def _contradiction(test: Mapping[str, Any] | None) -> Text:
    if not test:
        return "The map was not tested against labelled points."
    most, points = percent(test["bound"], toward="above"), count(test["n"], "labelled point")
    if test["contradicts"]:
        return (
            Strong("The labels at hand contradict this map."),
            f" It would have the failure rate be at most {most}; among {points} ({line(test['source'])}) the model "
            f"failed on {test['failures']:,}. Were the map right, so many would be seen with a chance of at most "
            f"{test['p_value']:.2g}.",
        )
    return (
        f"The labels at hand do not contradict this map: {count(test['failures'], 'failure')} among {points} "
        f"({line(test['source'])}), against a rate of at most {most} (p = {test['p_value']:.2g}). That does not make "
        "it right."
    )


def _tiles(found: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    level, beyond = percent(found["level"]), "no upper bound"
    if found["upper"] is not None:
        beyond = f"at most {percent(found['upper'], toward='above')} ({level}), if all it rests on holds"
    elif found.get("claimed") is not None:
        beyond = f"an upper bound of {percent(found['claimed'], toward='above')} ({level}) is refused"
    estimate = "none" if found["estimate"] is None else percent(found["estimate"])
    lies = between(found["interval"]) if found["interval"] else "not known"
    within = f"{between(reach)} ({level}): " if (reach := found.get("unassessed_interval")) else ""
    return [
        (_MODES.get(found["mode"], found["mode"]), estimate, beyond),
        ("failure rate between", lies, "if the unassessed part never fails, and if it always does"),
        ("inputs not assessed", percent(found["unassessed"]), f"{within}nobody says what is right there"),
        ("inputs in evaluated cells", percent(found["covered"]), "of all that the profile expects"),
    ]


def _drawn(found: Mapping[str, Any], crosses: Sequence[tuple[float, float]]) -> list[Section]:
    figures = []
    axes = len(found["grid"]["features"])
    if found["maps"] is not None:

        def draw(figure: Any) -> None:
            # The product is what a reader acts on: it has the room of both others.
            parts = figure.subplot_mosaic([["profile", "product"], ["fragility", "product"]], width_ratios=[1, 1.8])
            draw_profile(parts["profile"], found)
            draw_fragility(parts["fragility"], found)
            draw_product(parts["product"], found, crosses)

        marked = f"; crosses mark {count(len(crosses), 'failure')} that the oracle found" if crosses else ""
        figures.append(
            Figure(
                draw,
                size=(7.2, 5.5),
                whole=True,
                aloud="Three maps: where inputs come from, where the model is fragile, and where both meet, with the "
                "cells that carry most of the risk",
                caption=(f"The first two of {axes} axes. " if axes > 2 else "")
                + "Darker is more; white is less than the lightest shade. Where no point is labelled, fragile is what "
                "differs from the model's own majority. Rings mark the cells that carry most of the risk, numbered "
                f"as in the table below{marked}.",
            )
        )
    if found["resolution"]:
        moves = "What it says depends on how finely it is cut, which is no property of the model."
        stays = "To stay within its interval is what a bound needs, and no proof of one."
        figures.append(
            Figure(
                lambda axes: draw_resolution(axes, found),
                size=(7.2, 3.2),
                aloud="The estimate by the map, with its interval, for cells of several sizes",
                caption=f"The same map with cells of other sizes. {moves if found['resolution_moves'] else stays}",
            )
        )
    return [Section(figure=figure, detail=True) for figure in figures]


def _ranked(found: Mapping[str, Any]) -> list[Section]:
    ranked, features = found["ranked"], found["grid"]["features"]
    if not ranked:
        return []
    drawn = len(shown_cells(found))
    unlabelled = (
        " In those without a labelled point nobody knows the truth: wrong there is what differs from the model's own "
        "majority, and a label is worth most."
    )
    figure = Figure(
        lambda axes: draw_ranked(axes, found),
        size=(7.2, 1.0 + 0.24 * drawn),
        aloud=f"The share of the risk that each of the first {drawn} cells carries, by kind of cell",
        caption=f"Together the {count(len(ranked), 'cell')} below carry {percent(sum(one['share'] for one in ranked))} "
        f"of the risk on the map.{unlabelled if any(one['kind'] == 'empty' for one in ranked) else ''}",
    )
    rows = [
        (
            str(rank),
            *(f"{place:.4g}" for place in one["centre"][: min(_AXES, len(features))]),
            KINDS[one["kind"]],
            cell(one["label"]),
            percent(one["mass"]),
            percent(one["unastuteness"]),
            percent(one["share"]),
            _items(one["items"]),
        )
        for rank, one in enumerate(ranked, start=1)
    ]
    columns = [
        Column("rank", number=True),
        *(Column(Quoted(cell(name)), number=True) for name in features[:_AXES]),
        *(Column(head) for head in ("cell", "label")),
        *(Column(head, number=True) for head in ("inputs", "wrong there", "of the risk")),
        Column("items"),
    ]
    axes = len(features)
    more = f"The first {_AXES} of {axes} axes are listed; the JSON twin has them all."
    table = Table(rows, columns, more if len(features) > _AXES else "")
    brief = [
        f"cell at {', '.join(f'{place:.3g}' for place in one['centre'])}: {percent(one['share'])} of the risk "
        f"({one['kind']}, {percent(one['mass'])} of operation)"
        for one in ranked[:_BRIEF]
        if one["risk"] > 0
    ]
    return [Section("The cells that carry most of the risk", figure=figure, table=table, detail=True, brief=brief)]


def _items(names: Sequence[object]) -> Text:
    more = f" and {len(names) - _ITEMS:,} more" if len(names) > _ITEMS else ""
    return (*_joined([(Quoted(cell(name)),) for name in names[:_ITEMS]]), more) if names else "–"


def _joined(groups: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(part for group in groups for part in (", ", *group))[1:]


def _made(found: Mapping[str, Any]) -> list[Section]:
    grid, census = found["grid"], found["census"]
    box: list[str] = []
    for name, low, high, cells in zip(grid["features"][:_AXES], grid["low"], grid["high"], grid["cells"], strict=False):
        box += [Quoted(cell(name)), f" from {low:.4g} to {high:.4g} in {count(cells, 'cell')}; "]
    beyond = len(grid["features"]) - _AXES
    box.append((f"and {beyond:,} more; " if beyond > 0 else "") + f"{count(grid['size'], 'cell')} in all")
    width = found["bandwidth"]
    smooth = "" if width is None else f", bandwidth {f'{width:.4g}' if is_number(width) else cell(width)}"
    kinds = f"{census['normal']:,} with labelled points of one class, {census['empty']:,} without any"
    cells_in_all = f"{kinds}, {census['cross']:,} with several classes"
    facts: list[tuple[str, Text]] = [("mode", found["mode"]), ("box", tuple(box)), ("cells", cells_in_all)]
    if apart := found["separation"]:
        words = (
            f"points of different classes are as close as {apart['minimum']:.4g} to each other; half of that is "
            f"{apart['half']:.4g}, a cell is {apart['side']:.4g} wide, and {count(apart['violators'], 'point')} "
            f"{'has' if apart['violators'] == 1 else 'have'} another class within twice the width of a cell"
        )
        facts.append(("separation", words))
    facts.append(("profile", f"{found['kernel']} kernel{smooth}"))
    facts.append(("cells tried by", f"{found['local']}, {count(found['calls'], 'prediction')} of the model"))
    if found["std"] is not None:
        facts.append(("standard deviation", f"{found['std']:.3g} of the estimate, by sampling alone"))
    if found["acu"] is not None:
        facts.append(("average cell", f"{percent(found['acu'])} wrong, each cell counting the same (ACU)"))
    if found["by_class"]:
        rates = {name: "–" if rate is None else percent(rate) for name, rate in found["by_class"].items()}
        facts.append(("by true class", _joined([(Quoted(cell(name)), f" {rate}") for name, rate in rates.items()])))
    rests = Section(words=["The map rests on this:"], listed=found["assumptions"], detail=True)
    again = "the check below does not recompute it, but shows whether it was changed since it was written down."
    checked = Soft(f"The map needs the model: {again}")
    return [
        Section("How the map was made", table=Table(facts, shape="facts"), detail=True),
        *([rests] if found["assumptions"] else []),
        Section(words=[checked], detail=True),
    ]
