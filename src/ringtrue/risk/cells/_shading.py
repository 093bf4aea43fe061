"""A map in a few shades: small enough to stand inside a page, where a picture may not and a mesh would be too large.

A mesh of 125 by 125 takes two megabytes of SVG. Here every shade is one shape made of few rectangles, painted over the
lighter ones before it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.risk._grid import Floats, Ints

_SHADES = 8
"""More shades than these are hard to tell from each other."""

_RECTANGLES = 1_000
"""About 100 KB of SVG: what one map may take of a page. One that would take more is drawn in larger blocks."""


def shade(axes: Any, values: Floats, *, cmap: str, label: str) -> None:
    """Paint a matrix over the whole of the axes, its first row at the bottom, and a bar that explains its shades.

    What lies below the lightest shade stays white. `cmap` names the colours, and `label` stands beside the bar.
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
