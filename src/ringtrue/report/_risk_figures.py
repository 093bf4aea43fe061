"""The figures of a page about risk beside the interval: strata, profiles, and the map where one was made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ringtrue.report._contents import restored
from ringtrue.report._pictures import svg, svg_of_several
from ringtrue.report._templates import is_number
from ringtrue.risk._figures import draw_profiles, draw_strata, shown_profiles, shown_strata
from ringtrue.risk.cells._figures import (
    KINDS,
    draw_fragility,
    draw_product,
    draw_profile,
    draw_ranked,
    draw_resolution,
    shown_cells,
)

_ROWS = 50
"""Strata and profiles listed in words."""

_ITEMS = 3
"""Items named for each cell of the map."""


def risk_figures(made: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the drawings by name; those that have nothing to show are left out."""
    finding = made["computed"]["finding"]
    drawings = []
    if strata := shown_strata(finding):
        drawings.append(
            ("strata", svg(lambda axes: draw_strata(axes, finding), size=(7.2, _height(len(strata), 0.26))))
        )
    if profiles := shown_profiles(finding):
        height = _height(len(profiles), 0.26)
        drawings.append(("profiles", svg(lambda axes: draw_profiles(axes, finding), size=(7.2, height))))
    return drawings + (_map_figures(made) if made.get("map") else [])


def shown_of_risk(made: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is told beside the interval, where the finding has it, and how much of it is drawn and listed."""
    finding, found = made["computed"]["finding"], made.get("map")
    return {
        "strata": finding.get("strata"),
        "profiles": finding.get("profiles"),
        "map": found,
        "shown_strata": len(shown_strata(finding)),
        "shown_profiles": len(shown_profiles(finding)),
        "shown_cells": 0 if found is None else len(shown_cells(found)),
        "crosses": 0 if found is None or found["maps"] is None else len(seen_failures(made)),
        "kinds": KINDS,
        "most_rows": _ROWS,
        "most_items": _ITEMS,
    }


def seen_failures(made: Mapping[str, Any]) -> list[tuple[float, float]]:
    """Return where on the map the failures lie whose content is at hand and has both of its features as numbers."""
    across, up = made["map"]["grid"]["features"][:2]
    shown = [restored(made["items"][one["id"]]) for one in made["computed"]["failures"] if one["id"] in made["items"]]
    places = [(values.get(across), values.get(up)) for values in shown]
    return [place for place in places if all(is_number(value) and math.isfinite(value) for value in place)]


def _map_figures(made: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = made["map"]
    drawings = []
    if found["maps"] is not None:

        def draw(figure: Any) -> None:
            # The product is what a reader acts on: it has the room of both others.
            axes = figure.subplot_mosaic([["profile", "product"], ["fragility", "product"]], width_ratios=[1, 1.8])
            draw_profile(axes["profile"], found)
            draw_fragility(axes["fragility"], found)
            draw_product(axes["product"], found, seen_failures(made))

        drawings.append(("map", svg_of_several(draw, size=(7.2, 5.5))))
    if found["resolution"]:
        drawings.append(("map_resolution", svg(lambda axes: draw_resolution(axes, found), size=(7.2, 3.2))))
    if cells := shown_cells(found):
        drawings.append(
            ("map_ranked", svg(lambda axes: draw_ranked(axes, found), size=(7.2, _height(len(cells), 0.24))))
        )
    return drawings


def _height(rows: int, each: float) -> float:
    return 1.0 + each * rows
