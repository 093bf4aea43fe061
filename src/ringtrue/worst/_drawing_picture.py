"""The input at the worst point as a picture, for models that look at images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import figure_text

MOST_POINTS = 32
"""Points along a side at most: a picture of more is averaged to fewer."""

_LEVELS = 32
"""Shades of grey or of a colour: neighbours of the same shade are drawn as one."""


def draw_picture(axes: Any, picture: Mapping[str, Any]) -> None:
    """The picture, its first row at the top: numbers from 0 (black) to 1 in rows, or triples of red, green, blue."""
    values = np.clip(np.asarray(picture["rows"], dtype=np.float64), 0.0, 1.0)
    colours = np.round(_coarse(values if values.ndim == 3 else values[:, :, None].repeat(3, axis=2)) * (_LEVELS - 1))
    height, width = colours.shape[:2]
    # Bars, not an image: pages that forbid images show them, and they stay sharp.
    for row, cells in enumerate(colours):
        starts = np.flatnonzero(np.r_[True, (cells[1:] != cells[:-1]).any(axis=1)])
        spans = list(zip(starts.tolist(), np.diff(np.r_[starts, width]).tolist(), strict=True))
        axes.broken_barh(spans, (row, 1), facecolors=cells[starts] / (_LEVELS - 1), edgecolors="face", linewidth=0.3)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_title(figure_text(str(picture["title"]), 60), fontsize=9)


def _coarse(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The means of square blocks, so large that no more than `MOST_POINTS` stand along a side."""
    step = -(-max(values.shape[:2]) // MOST_POINTS)
    down, across = (np.arange(0, side, step) for side in values.shape[:2])
    sums = np.add.reduceat(np.add.reduceat(values, down, axis=0), across, axis=1)
    sizes = [np.diff(np.r_[starts, side]) for starts, side in zip((down, across), values.shape[:2], strict=True)]
    return np.asarray(sums / np.outer(*sizes)[:, :, None])
