"""The confusion matrices before and after, and their difference, as heat maps on axes that somebody else made.

Every function here takes the finding as its JSON values: whoever has a report can draw its figures again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ringtrue.changed._levels import Floats, Ints
from ringtrue.core import figure_text

MOST_NAMES = 12
"""Rows or columns of a map; more names could not be read."""

_NUMBERED = 8
"""Up to so many rows and columns the cells carry their numbers."""

_LETTER = (0.09, 0.13)
"""The width and height in inches of a wide letter, such as a W, of 8 points."""


def draw_matrices(axes: Sequence[Any], finding: Mapping[str, Any]) -> None:
    """The old matrix, the new one and their difference, on three axes; the same rows and columns in each."""
    before, after, difference = axes
    top = max(float(np.max(finding[name])) for name in ("old", "new"))
    for place, name, title in ((before, "old", "before"), (after, "new", "now")):
        _draw_shares(place, finding, name, top)
        place.set_title(f"{title}: share of items (%)", fontsize=9)
    draw_shift(difference, finding)
    for place in axes:
        if not place.get_subplotspec().is_first_col():  # the same as at the map to its left
            place.tick_params(labelleft=False)
            place.set_ylabel("")


def room_for_names(finding: Mapping[str, Any]) -> float:
    """The height in inches that the names of the answers take below a map, slanted as they are."""
    _, columns = shown_rows_and_columns(finding)
    answers = _answers(finding, columns)
    slant = math.radians(_slant(answers))
    return _LETTER[1] * math.cos(slant) + _LETTER[0] * max(map(len, answers)) * math.sin(slant)


def draw_shift(axes: Any, finding: Mapping[str, Any]) -> None:
    """The difference of both matrices: red where there is more than before, blue where there is less.

    Outlined are the cells whose interval leaves out zero.
    """
    rows, columns = shown_rows_and_columns(finding)
    values = 100 * np.asarray(finding["shift"], dtype=float)[np.ix_(rows, columns)]
    most = float(np.abs(values).max())
    # Without any difference every cell is white, whatever the scale.
    _draw_map(axes, values, shade=values, cmap="RdBu_r", limits=(-most or -1.0, most or 1.0), signed=True)
    for cell in finding["cells"]:
        if cell["shift"]["low"] > 0 or cell["shift"]["high"] < 0:
            row, column = finding["labels"].index(cell["label"]), finding["answer_names"].index(cell["answer"])
            if row in rows and column in columns:
                _outline(axes, list(rows).index(row), list(columns).index(column))
    _name(axes, finding, rows, columns)
    axes.set_title("difference (points)", fontsize=9)


def shown_rows_and_columns(finding: Mapping[str, Any]) -> tuple[Ints, Ints]:
    """The places of the rows and columns to show: all of them or, of many, those with the largest changes."""
    shift = np.abs(np.asarray(finding["shift"], dtype=float))
    return _largest(shift.max(axis=1)), _largest(shift.max(axis=0))


def _draw_shares(axes: Any, finding: Mapping[str, Any], which: str, top: float) -> None:
    rows, columns = shown_rows_and_columns(finding)
    values = 100 * np.asarray(finding[which], dtype=float)[np.ix_(rows, columns)]
    # Nearly all items lie on the diagonal; by square roots the few beside it are seen too.
    limits = (0.0, 10 * max(top, 1e-12) ** 0.5)
    _draw_map(axes, values, shade=np.sqrt(np.maximum(values, 0)), cmap="Blues", limits=limits, signed=False)
    _name(axes, finding, rows, columns)


def _draw_map(
    axes: Any, values: Floats, *, shade: Floats, cmap: str, limits: tuple[float, float], signed: bool
) -> None:
    height, width = values.shape
    # A mesh, not an image: pages that forbid images show it, and it stays sharp.
    axes.pcolormesh(
        np.arange(width + 1) - 0.5, np.arange(height + 1) - 0.5, shade, cmap=cmap, vmin=limits[0], vmax=limits[1],
        edgecolors="#d9dde1", linewidth=0.5,
    )  # fmt: skip
    axes.invert_yaxis()
    if max(height, width) > _NUMBERED:
        return
    strength = np.abs(shade) / limits[1]
    decimals = _decimals(float(np.abs(values).max()))
    for row, column in np.ndindex(values.shape):
        color = "white" if strength[row, column] > 0.55 else "black"
        text = _short(float(values[row, column]), decimals, signed=signed)
        axes.text(column, row, text, ha="center", va="center", fontsize=7, color=color)


def _name(axes: Any, finding: Mapping[str, Any], rows: Ints, columns: Ints) -> None:
    answers = _answers(finding, columns)
    slant = _slant(answers)
    axes.set_xticks(
        range(len(columns)), answers, rotation=slant, ha="center" if slant in (0, 90) else "right", fontsize=8
    )
    axes.set_yticks(range(len(rows)), [figure_text(finding["labels"][row], 16) for row in rows], fontsize=8)
    axes.tick_params(length=0)
    axes.set_xlabel("new answer", fontsize=9)
    axes.set_ylabel("true label" if finding["labelled"] else "old answer", fontsize=9)


def _answers(finding: Mapping[str, Any], columns: Ints) -> list[str]:
    return [figure_text(finding["answer_names"][column], 16) for column in columns]


def _slant(answers: Sequence[str]) -> int:
    """The degrees by which names must be turned so that they do not run into each other."""
    return 0 if len("".join(answers)) <= 24 else 40 if len(answers) <= _NUMBERED else 90


def _outline(axes: Any, row: int, column: int) -> None:
    left, right, top, bottom = column - 0.46, column + 0.46, row - 0.46, row + 0.46
    axes.plot(
        [left, right, right, left, left], [top, top, bottom, bottom, top], color="black", linewidth=1.4, gid="certain"
    )


def _largest(sizes: Floats) -> Ints:
    """The places of the largest, in the order in which they stand."""
    return np.sort(np.argsort(-sizes, kind="stable")[:MOST_NAMES])


def _decimals(largest: float) -> int:
    """So many that the largest number of a map has two digits, and at least one."""
    return 1 if largest <= 0 else max(1, 1 - math.floor(math.log10(largest)))


def _short(value: float, decimals: int, *, signed: bool) -> str:
    """A number in a cell; what is not zero never looks like it.

    >>> _short(1.23, 1, signed=True), _short(-0.26, 1, signed=True), _short(0.004, 2, signed=True)
    ('+1.2', '−0.3', '≈0')
    >>> _short(0.0, 1, signed=False), _short(50.7, 1, signed=False)
    ('0', '50.7')
    """
    if round(value, decimals) == 0:
        return "≈0" if value else "0"
    return f"{value:{'+' if signed else ''}.{decimals}f}".replace("-", "−")
