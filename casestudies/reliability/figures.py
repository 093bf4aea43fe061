"""What the published model claims of three models, and what held-out labels leave possible."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from pages import save
from reliability.paper import NAMES


def draw_bounds(file: Path, synthetic: Mapping[str, Mapping[str, Any]]) -> None:
    """Draw Ub and the exact interval of the held-out labels, one line for each set."""
    figure = Figure(figsize=(6.4, 2.4), layout="constrained")
    axes = figure.subplots()
    for place, found in enumerate(synthetic.values()):
        many, wrong = found["test"]
        said = ("held-out labels, 95%", "Ub 97.5% of the paper") if not place else (None, None)
        axes.plot([found["low"], found["high"]], [place, place], color="C0", lw=3, label=said[0])
        axes.plot(wrong / many, place, "o", color="C0")
        axes.plot(found["upper"], place, "|", color="C3", ms=16, mew=3, label=said[1])
    axes.set_yticks(range(len(synthetic)), [NAMES[name] for name in synthetic])
    axes.set_ylim(len(synthetic) - 0.5, -0.5)
    axes.set_xscale("log")
    axes.set_xlabel("failure rate")
    axes.legend(frameon=False, loc="upper right")
    save(figure, file)
