"""A drawing as SVG text that can stand inside a page."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Any

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text: smaller, searchable, read aloud
    "svg.hashsalt": "ringtrue",  # the same numbers give the same bytes
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial"],  # every text names them all
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#666666",
    "axes.labelcolor": "#333333",
    "xtick.color": "#666666",
    "ytick.color": "#666666",
    "axes.prop_cycle": "cycler('color', ['#1f5f99', '#b3541e', '#4c7a34', '#6b4c9a'])",
}
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
"""Neither the hour nor links to vocabularies: a page should name no address it does not need."""


def svg(draw: Callable[[Any], None], *, size: tuple[float, float] = (7.2, 3.8)) -> str:
    """What `draw` draws on axes of this size in inches."""
    return svg_of_several(lambda figure: draw(figure.subplots()), size=size)


def svg_of_several(draw: Callable[[Any], None], *, size: tuple[float, float]) -> str:
    """What `draw` draws on a figure of this size in inches, which it divides into axes by itself."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a font here may lack a letter that the reader's browser has
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        page = io.StringIO()
        figure.savefig(page, format="svg", metadata=_NO_METADATA, transparent=True)
    text = page.getvalue()
    return text[text.index("<svg") :]
