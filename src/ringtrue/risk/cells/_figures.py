"""The figures of a map, from its JSON values: where inputs come from, where the model is fragile, and both together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ringtrue.core import figure_text, percent
from ringtrue.risk._grid import Floats
from ringtrue.risk.cells._shading import shade

_NUMBERED = 5
"""Cells with their rank written beside them; more would hide the map."""

_BARS = 12
"""Cells drawn as bars; the table beside them has more."""

KINDS = {"normal": "one class", "empty": "no label", "cross": "several classes"}
"""What a kind of cell is called: by the labelled points in it."""

_COLOURS = {"normal": "C0", "empty": "C1", "cross": "C2"}


def draw_profile(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw how often inputs come from where, as multiples of what an even spread would give."""
    _draw_map(axes, finding, _relative(finding["maps"]["profile"]), cmap="Blues", label="times an even spread")
    axes.set_title("where inputs come from", fontsize=9)


def draw_fragility(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw how much of each place the model gets wrong."""
    values = 100 * np.asarray(finding["maps"]["fragility"], dtype=float)
    _draw_map(axes, finding, values, cmap="Oranges", label="unastuteness (%)")
    axes.set_title("where the model is fragile", fontsize=9)


def draw_product(axes: Any, finding: Mapping[str, Any], failures: Sequence[tuple[float, float]] = ()) -> None:
    """Draw where the risk lies, the ranked cells as rings, and as crosses the failures that were really seen."""
    _draw_map(axes, finding, _relative(finding["maps"]["product"]), cmap="Purples", label="times an even spread")
    if failures:
        axes.plot(*zip(*failures, strict=True), "x", color="C1", markersize=5, markeredgewidth=1.2, gid="failures")
    places = np.array([cell["centre"][:2] for cell in finding["ranked"]])
    if len(places):
        axes.plot(*places.T, "o", markerfacecolor="none", markeredgecolor="black", markersize=5, markeredgewidth=0.7)
        _number(axes, places[:_NUMBERED])
    axes.set_title("both: where the risk lies", fontsize=9)


def draw_resolution(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw the estimate at other sizes of cells: one that follows the size says little about the model."""
    steps = sorted(finding["resolution"], key=lambda step: list(step["cells"]))
    places = [float(np.exp(np.mean(np.log(step["cells"])))) for step in steps]
    estimates, lows, highs = (100 * np.array([step[key] for step in steps]) for key in ("estimate", "low", "high"))
    logarithmic = bool(estimates.max() > 0)
    # A scale of logarithms has no zero: what reaches down to it is drawn to the lower end.
    # The scale begins at half of the smallest value on it, but not more than four powers down.
    drawn = np.concatenate([estimates, lows, highs])
    floor = max(0.5 * float(drawn[drawn > 0].min()), 1e-4 * float(drawn.max())) if logarithmic else 0.0
    axes.vlines(places, np.maximum(lows, floor), highs, color="C0", linewidth=9, alpha=0.3, label="interval")
    axes.plot(places, np.maximum(estimates, floor), "o-", color="C0", markersize=4, linewidth=1, label="estimate")
    for place, step, shown in zip(places, steps, np.maximum(estimates, floor), strict=True):
        axes.annotate(percent(step["estimate"]), (place, shown), xytext=(9, 4), textcoords="offset points", fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(places[0] / 1.3, places[-1] * 1.5)
    sides = [step["cells"] if len(set(step["cells"])) > 1 else step["cells"][:1] for step in steps]
    axes.set_xticks(places, [" × ".join(f"{count:,}" for count in cells[:3]) for cells in sides])
    axes.set_xticks([], minor=True)
    if logarithmic:
        axes.set_yscale("log")
        top = min(100.0, 2 * float(highs.max()))
        axes.set_ylim(floor, top)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        # Within a power of ten or two there would be no number else.
        named = "25" if top < 100 * floor else ""
        axes.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in named else "")
        axes.tick_params(axis="y", which="minor", labelsize=8)
    axes.set_xlabel("cells per axis")
    axes.set_ylabel("estimate by the map (%)")
    first, last = (percent(steps[place]["estimate"]) for place in (0, -1))
    words = f"Other sizes of cells move it by less than its interval is wide: {first}, then {last}."
    if finding["resolution_moves"]:
        words = f"The map follows the size of its cells, from {first} to {last}: no bound can rest on it."
    axes.set_title(words, fontsize=9, loc="left")
    axes.legend(loc="lower left", frameon=True, framealpha=0.9, edgecolor="none", fontsize=8)


def draw_ranked(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw the cells that carry most of the risk, as shares of it, by kind."""
    cells = shown_cells(finding)
    shares = [100 * cell["share"] for cell in cells]
    axes.barh(range(len(cells)), shares, color=[_COLOURS[cell["kind"]] for cell in cells])
    for row, cell in enumerate(cells):  # in words too: colours alone not everybody can tell apart
        place = (shares[row], row)
        axes.annotate(KINDS[cell["kind"]], place, xytext=(5, 0), textcoords="offset points", va="center", fontsize=8)
    names = [f"{rank}  at {_place(cell['centre'])}" for rank, cell in enumerate(cells, start=1)]
    axes.set_yticks(range(len(cells)), names, fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 1.18 * max(shares))  # room for the words at the end of the longest bar
    axes.set_ylim(len(cells) - 0.4, -0.6)
    axes.set_xlabel("share of the risk (%)")


def shown_cells(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the cells drawn as bars."""
    return list(finding["ranked"][:_BARS])


def _draw_map(axes: Any, finding: Mapping[str, Any], values: Floats, *, cmap: str, label: str) -> None:
    left, right, bottom, top = finding["maps"]["extent"]
    axes.set(xlim=(left, right), ylim=(bottom, top))
    shade(axes, values, cmap=cmap, label=label)
    across, up = (figure_text(str(name)) for name in finding["grid"]["features"][:2])
    axes.set_xlabel(across, fontsize=9)
    axes.set_ylabel(up, fontsize=9)
    axes.tick_params(labelsize=7)


def _number(axes: Any, places: Floats) -> None:
    """Write the ranks of the first cells around them, in even directions: neighbours would cover each other's."""
    away = (places - places.mean(axis=0)) / (np.ptp(places, axis=0) + 1e-300)
    angles = np.arctan2(away[:, 1], away[:, 0])
    order = np.argsort(angles, kind="stable")
    for turn, place in enumerate(order):
        angle = angles[order[0]] + 2 * np.pi * turn / len(order)
        axes.annotate(
            f"{place + 1}",
            places[place],
            xytext=(22 * np.cos(angle), 22 * np.sin(angle)),
            ha="center",
            va="center",
            textcoords="offset points",
            fontsize=8,
            fontweight="bold",
            arrowprops={"arrowstyle": "-", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2},
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.5},
        )


def _relative(rows: Sequence[Sequence[float]]) -> Floats:
    """Return masses as multiples of their mean, so that they do not depend on how finely the map is cut."""
    values = np.asarray(rows, dtype=float)
    mean = values.mean()
    return values / mean if mean > 0 else values


def _place(centre: Sequence[float]) -> str:
    shown = ", ".join(f"{value:.3g}" for value in centre[:2])
    return f"({shown}, …)" if len(centre) > 2 else f"({shown})"
