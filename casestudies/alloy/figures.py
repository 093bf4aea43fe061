"""The figures of the paper's section 4.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from alloy.runs import Results, Runs
from alloy.space import SPACE
from kept_searches import Searched, largest
from pages import save

COLORS = {
    "search": "#1e8449", "default": "#1e8449", "all phases": "#2e86c1", "exp3bo": "#c0392b", "round-robin": "#c2a14d",
    "random-task": "#8e6bbf", "smac": "#d8843c", "oracle": "#222222", "random": "#888888",
    "all phases, random": "#888888", "search, without training data": "#8fd0a8",
    "default, without training data": "#8fd0a8", "all phases, without training data": "#9cc9e8",
}  # fmt: skip
DASHED = ("all phases", "all phases, without training data", "all phases, random", "oracle")
TRAINED = "#888888"


def draw(found: Results, folder: Path) -> None:
    """All figures, as SVG files."""
    draw_compositions(
        folder / "composition.svg", "RMSE", {"training": found.trained, "search": largest(found.single["search"])}
    )
    draw_curves(folder / "rmse.svg", "largest RMSE", found.single, found.trained)
    draw_compositions(
        folder / "composition_phase.svg", "deviation",
        {"training": found.trained_any, "exp3bo": largest(found.alone["exp3bo"]),
         "all phases": largest(found.together["all phases"])},
    )  # fmt: skip
    draw_curves(folder / "phases.svg", "largest deviation of a phase", found.any_phase, found.trained_any)
    draw_chosen(folder / "chosen.svg", found.phases, found.alone, ("exp3bo", "default"))


def draw_compositions(file: Path, measure: str, lines: Mapping[str, Searched]) -> None:
    """Figures 2, left, and 3: compositions in parallel coordinates, in the ranges of the elements."""
    figure = Figure(figsize=(6.4, 3.4), layout="constrained")
    axes = figure.subplots()
    for place, element in enumerate(SPACE.parameters):
        axes.fill_between([place - 0.12, place + 0.12], element.low, element.high, color="#e4e8ec", linewidth=0)
    for name, searched in lines.items():
        deviation, percents = searched.worst.deviation, searched.worst.place
        style = {"color": COLORS.get(name, TRAINED), "linestyle": "-" if name in COLORS else "--"}
        axes.plot(percents, marker="o", markersize=4, lw=1.6, label=f"{name}: {measure} {deviation:.2f}", **style)
    axes.set_xticks(range(SPACE.width), SPACE.names)
    axes.set(ylabel="weight %", ylim=(0, None))
    axes.legend(frameon=False, fontsize=8)
    save(figure, file)


def draw_curves(file: Path, measure: str, runs: Runs, trained: Searched) -> None:
    """Figures 2, right, and 4, left: the largest deviation so far, mean over the seeds with one standard error."""
    figure = Figure(figsize=(6.8, 3.9), layout="constrained")
    axes = figure.subplots()
    for name, searches in runs.items():
        _curve(axes, name, np.array([each.best for each in searches]))
    axes.axhline(trained.worst.deviation, color="#bbbbbb", lw=1, label="training sample")
    axes.set(xlabel="evaluations", ylabel=measure)
    axes.legend(frameon=False, fontsize=8, ncols=2)
    save(figure, file)


def draw_chosen(file: Path, phases: Sequence[str], runs: Runs, names: Sequence[str]) -> None:
    """Figure 4, right: how often each phase was asked about, mean over the seeds."""
    figure = Figure(figsize=(4.4 * len(names), 3.4), layout="constrained")
    for axes, name in zip(figure.subplots(1, len(names), sharey=True, squeeze=False)[0], names, strict=True):
        counts = [[np.sum(each.tasks == phase) for phase in range(len(phases))] for each in runs[name]]
        axes.bar(range(len(phases)), np.mean(counts, axis=0), color=COLORS[name])
        axes.set_xticks(range(len(phases)), phases, rotation=90, fontsize=7)
        axes.set_title(name)
    figure.axes[0].set_ylabel("evaluations")
    save(figure, file)


def _curve(axes: Any, name: str, best: Any) -> None:
    across, mean = np.arange(1, best.shape[1] + 1), best.mean(axis=0)
    error = best.std(axis=0, ddof=1) / np.sqrt(len(best)) if len(best) > 1 else np.zeros_like(mean)
    axes.plot(across, mean, "--" if name in DASHED else "-", color=COLORS[name], lw=1.5, label=name)
    axes.fill_between(across, mean - error, mean + error, color=COLORS[name], alpha=0.13, linewidth=0)
