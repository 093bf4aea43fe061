"""The figures of a map, from its JSON values; in a few shades, so that they are small enough to stand in a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import figure_text, percent
from ringtrue.risk._grid import Floats, Ints

_SHADES = 8
"""More shades than these are hard to tell from each other."""

_RECTANGLES = 1_000
"""About 100 KB of SVG: what one map may take of a page. One that would take more is drawn in larger blocks."""


def shade(axes: Any, values: Floats, *, cmap: str, label: str) -> None:
    """Paint a matrix over the whole of the axes, its first row at the bottom, and a bar that explains its shades.

    What lies below the lightest shade stays white. `cmap` names the colours, and `label` stands beside the bar. A mesh
    of 125 by 125 takes two megabytes of SVG; here every shade is one shape of few rectangles, painted over the lighter.
    """
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    axes.set_box_aspect(1)
    step, lines, shapes = _plan(values)
    if not lines:
        axes.text(0.5, 0.5, "zero everywhere", ha="center", va="center", transform=axes.transAxes, fontsize=8)
        return
    rows, columns = values.shape
    up, across = np.linspace(bottom, top, rows + 1), np.linspace(left, right, columns + 1)
    up, across = up[_cuts(rows, step)], across[_cuts(columns, step)]
    # Nothing is scattered: this carries the colours, one step away from white, to the shapes and to the bar.
    colours = axes.scatter([], [], c=[], cmap=cmap, vmin=-1.5, vmax=len(lines) - 0.5)
    for shape, colour in zip(shapes, colours.to_rgba(range(len(lines))), strict=True):
        low, high, first, last = np.array(shape).T
        gap = np.full(len(shape), math.nan)  # between two rectangles of one shape
        x = np.stack([across[first], across[last], across[last], across[first], gap], axis=1)
        y = np.stack([up[low], up[low], up[high], up[high], gap], axis=1)
        axes.fill(x.ravel(), y.ravel(), color=colour, linewidth=0, antialiased=False)
    bar = axes.figure.colorbar(
        colours,
        ax=axes,
        location="bottom",
        boundaries=np.arange(len(lines) + 1) - 0.5,
        values=list(range(len(lines))),
        ticks=np.arange(len(lines)) - 0.5,
        aspect=22,
    )
    bar.ax.set_xticklabels([f"{line:g}" for line in lines], fontsize=7)
    bar.set_label(label, fontsize=8)
    bar.outline.set_visible(False)


def levels(values: Floats) -> list[float]:
    """Return where the shades begin: ones, twos and fives up to the largest value, since risks span powers of ten.

    >>> levels(np.array([[0.0, 0.3], [4.0, 45.0]]))
    [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0]
    """
    largest = float(values.max())
    if largest <= 0:
        return []
    top = math.floor(math.log10(largest))
    round_numbers = [float(f"{digit}e{power}") for power in range(top - 3, top + 1) for digit in (1, 2, 5)]
    return [number for number in round_numbers if number <= largest][-_SHADES:]


def blocks(values: Floats, step: int) -> Floats:
    """Return the means of blocks of `step` by `step`; those at the upper ends may be smaller.

    >>> blocks(np.array([[1.0, 3.0, 5.0], [1.0, 3.0, 7.0]]), 2).tolist()
    [[2.0, 6.0]]
    """
    rows, columns = (_cuts(number, step) for number in values.shape)
    sums = np.add.reduceat(np.add.reduceat(values, rows[:-1], axis=0), columns[:-1], axis=1)
    return np.asarray(sums / np.outer(np.diff(rows), np.diff(columns)))


def rectangles(inside: NDArray[np.bool_]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the true part of a matrix as rectangles: from row, to row, from column, to column.

    >>> list(rectangles(np.array([[True, True, False], [True, True, True]])))
    [(0, 1, 0, 2), (1, 2, 0, 3)]
    """
    begun: dict[tuple[int, int], int] = {}
    # An empty last row ends what is begun; empty columns at both sides make every run begin and end.
    for row, line in enumerate(np.pad(inside, ((0, 1), (1, 1))).astype(np.int8)):
        turns = np.flatnonzero(np.diff(line)).tolist()
        runs = dict.fromkeys(zip(turns[::2], turns[1::2], strict=True))
        for run in [run for run in begun if run not in runs]:
            yield begun.pop(run), row, *run
        for run in runs:
            begun.setdefault(run, row)


def _plan(values: Floats) -> tuple[int, list[float], list[list[tuple[int, int, int, int]]]]:
    """Return the size of the blocks, where shades begin, and the rectangles of each: as fine as fits into a page."""
    step = 1
    while True:
        coarse = blocks(values, step)
        lines = levels(coarse)
        shapes = [list(rectangles(coarse >= line)) for line in lines]
        if sum(map(len, shapes)) <= _RECTANGLES or coarse.size == 1:
            return step, lines, shapes
        step *= 2


def _cuts(number: int, step: int) -> Ints:
    """Return where blocks of rows or columns begin and end."""
    return np.append(np.arange(0, number, step), number)


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
