"""The figures of the paper's section 4.2, and the digits that the network no longer knows at the worst distortion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from digits._data import DIGITS
from digits.rates import Lost
from digits.runs import Runs
from kept_searches import Searched
from pages import save

COLORS = {
    "search": "#1e8449", "default": "#1e8449", "all digits": "#2e86c1", "exp3bo": "#c0392b", "round-robin": "#c2a14d",
    "random-task": "#8e6bbf", "random": "#888888", "all digits, random": "#888888",
}  # fmt: skip
GRID = "#222222"

_DRAWN = 50
"""Places of a curve that are drawn: more make the file larger, and no difference."""


def draw_overall(file: Path, training: float, grids: Mapping[int, Searched], runs: Runs) -> None:
    """Figure 5: the largest error over all digits against evaluations, with the grid and the training error."""
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    axes = figure.subplots()
    _curves(axes, runs)
    axes.plot(list(grids), [100 * each.worst.deviation for each in grids.values()], "s", color=GRID, label="grid")
    axes.axhline(100 * training, color="#bbbbbb", lw=1, label="training digits")
    axes.set(xlabel="evaluations", ylabel="largest error, %")
    axes.legend(frameon=False, fontsize=8)
    save(figure, file)


def draw_digits(file: Path, alone: Runs, together: Runs) -> None:
    """Figure 6, left: the largest error of any digit; on the right the same against the digits that were tried."""
    figure = Figure(figsize=(9.4, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    _curves(left, {**alone, **together}, dashed=tuple(together))
    _curves(right, alone)
    _curves(right, together, dashed=tuple(together), scale=len(DIGITS))
    left.set(xlabel="evaluations", ylabel="largest error of a digit, %")
    right.set(xlabel="evaluations, those of all digits counted nine times", xlim=left.get_xlim())
    left.legend(frameon=False, fontsize=8)
    save(figure, file)


def draw_chosen(file: Path, alone: Runs, names: Sequence[str]) -> None:
    """Figure 6, right: how often each digit was asked about, in the mean over the seeds."""
    figure = Figure(figsize=(4.2 * len(names), 3.0), layout="constrained")
    for axes, name in zip(figure.subplots(1, len(names), sharey=True, squeeze=False)[0], names, strict=True):
        counts = [np.bincount(each.tasks, minlength=len(DIGITS)) for each in alone[name]]
        axes.bar(DIGITS, np.mean(counts, axis=0), color=COLORS[name])
        axes.set(title=name, xlabel="digit")
    figure.axes[0].set_ylabel("evaluations")
    save(figure, file)


def draw_lost(file: Path, lost: Sequence[Lost]) -> None:
    """Digits as they are, above the same as distorted, with what they are taken for."""
    figure = Figure(figsize=(1.3 * len(lost), 2.9), layout="constrained")
    for (above, below), each in zip(figure.subplots(2, len(lost), squeeze=False).T, lost, strict=True):
        for axes, image in ((above, each.original), (below, each.image)):
            axes.imshow(image, cmap="gray_r", vmin=0, vmax=1, interpolation="none")
            axes.set_axis_off()
        below.set_title(f"seen as {DIGITS[each.seen]}", fontsize=9)
    save(figure, file)


def _curves(axes: Any, runs: Runs, dashed: Sequence[str] = (), scale: int = 1) -> None:
    """Mean over the seeds, with a band of one standard error."""
    for name, searches in runs.items():
        shown = np.unique(np.linspace(1, len(searches[0].tasks), _DRAWN, dtype=int))
        best = 100 * np.array([each.best[shown - 1] for each in searches])
        across, mean = scale * shown, best.mean(axis=0)
        error = best.std(axis=0, ddof=1) / np.sqrt(len(best)) if len(best) > 1 else np.zeros_like(mean)
        axes.plot(across, mean, "--" if name in dashed else "-", color=COLORS[name], lw=1.5, label=name)
        axes.fill_between(across, mean - error, mean + error, color=COLORS[name], alpha=0.15, linewidth=0)
