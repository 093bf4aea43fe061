"""Error against calls, one figure to a dataset, a panel to each case, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from api_shift.measures import TARGET, Measured
from pages import save

STYLES = {
    "uniform": ("#888888", "-"), "by-label": ("#c2a14d", "-"), "neyman": ("#222222", ":"), "masa": ("#c0392b", "-"),
    "masa-signed-3": ("#c0392b", "--"), "oneshot": ("#2e86c1", "-"), "paired": ("#1e8449", "-"),
    "two-phase": ("#1e8449", "--"),
}  # fmt: skip
"""What is drawn, and how; the other methods are in the tables alone."""

_COLUMNS = 4


def draw(measured: Sequence[Measured], folder: Path) -> list[Path]:
    """Write an SVG file for each dataset; the same measurements give the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for dataset in dict.fromkeys(each.case.dataset for each in measured):
        file = folder / f"{dataset.lower()}.svg"
        _figure([each for each in measured if each.case.dataset == dataset], file)
        files.append(file)
    return files


def _figure(measured: Sequence[Measured], file: Path) -> None:
    lines = -(-len(measured) // _COLUMNS)
    columns = min(_COLUMNS, len(measured))
    figure = Figure(figsize=(3.1 * columns, 2.7 * lines + 0.7), layout="constrained")
    panels = figure.subplots(lines, columns, squeeze=False, sharex=True, sharey=True)
    for panel, each in zip(panels.flat, measured, strict=False):
        for method, (color, style) in STYLES.items():
            curve = each.curves.get(method)
            if curve is not None:
                points = [(x, y) for x, y in zip(curve.budgets, curve.errors, strict=True) if y > 1e-6]
                panel.plot(*(zip(*points, strict=True) if points else ([], [])), color=color, linestyle=style, lw=1.4)
        panel.axhline(TARGET, color="#bbbbbb", lw=0.8, zorder=0)
        exact = [m for m in STYLES if m in each.curves and max(each.curves[m].errors) < 1e-6]
        if exact:
            panel.text(0.03, 0.04, "no error: " + ", ".join(exact), transform=panel.transAxes, fontsize=7)
        panel.set(xscale="log", yscale="log")
        panel.set_title(each.case.name, fontsize=9)
        panel.tick_params(labelsize=7)
    for panel in panels.flat[len(measured) :]:
        panel.set_visible(False)
    for panel in panels.flat[max(0, len(measured) - columns) : len(measured)]:
        panel.tick_params(labelbottom=True)
    shown = [method for method in STYLES if method in measured[0].curves]
    handles = [mpl.lines.Line2D([], [], color=STYLES[m][0], linestyle=STYLES[m][1], label=m) for m in shown]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(shown), fontsize=8, frameon=False)
    figure.suptitle(f"{measured[0].case.dataset}: mean error of the shift against calls", fontsize=10)
    save(figure, file)
