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

PHONE, _CLOSE_UP = 5.0, 2.2
"""Inches of the width of a figure whose letters can still be read on a phone, and of the height of a close-up."""

_MARGIN = 0.03
"""Inches around what is drawn, because a browser's letters are not quite as wide as those measured here."""


def svg(draw: Callable[[Any], None], *, size: tuple[float, float] = (7.2, 3.8)) -> str:
    """What `draw` draws on axes of this size in inches."""
    return svg_of_several(lambda figure: draw(figure.subplots()), size=size)


def svg_of_claim(draw: Callable[[Any], None], *, height: float = 3.6) -> str:
    """What `draw` draws of a claim on axes so narrow that a phone shows them whole."""
    return svg_of_several(of_claim(draw, height), size=(PHONE, height))


def of_claim(draw: Callable[[Any], None], height: float) -> Callable[[Any], None]:
    """What draws a claim on a figure, and makes that higher if there is a close-up of the decision."""

    def drawn(figure: Any) -> None:
        draw(figure.subplots())
        if len(figure.axes) > 1:
            figure.set_figheight(height + _CLOSE_UP)

    return drawn


def svg_of_several(draw: Callable[[Any], None], *, size: tuple[float, float]) -> str:
    """What `draw` draws on a figure of this size in inches, which it divides into axes by itself."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a font here may lack a letter that the reader's browser has
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        text = _saved(figure, None)
        if (needed := _needed(figure)) is not None:
            figure.set_layout_engine("none")  # everything is in its place
            text = _saved(figure, needed)
    return text[text.index("<svg") :]


def _saved(figure: Any, box: Any) -> str:
    page = io.StringIO()
    figure.savefig(page, format="svg", metadata=_NO_METADATA, transparent=True, bbox_inches=box)
    return page.getvalue()


def _needed(figure: Any) -> Any:
    """The box that holds a figure with words for which its layout found no room; None where there are none."""
    from matplotlib.transforms import Bbox

    own, drawn = figure.bbox_inches, figure.get_tightbbox()
    inside = bool((Bbox.union([own, drawn]).extents == own.extents).all())
    return None if inside else Bbox.union([own, drawn.padded(_MARGIN)])
