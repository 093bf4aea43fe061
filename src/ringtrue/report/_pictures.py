"""Drawings as SVG and images as PNG, text that can stand inside a page; and what a study keeps to be shown there."""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import PNG_PREFIX, InvalidInput, Json, Material
from ringtrue.study import Study

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

_MARGIN = 0.03  # inches around what is drawn, because a browser's letters are not quite as wide as those measured here


def svg(draw: Callable[[Any], None], *, size: tuple[float, float] = (7.2, 3.8)) -> str:
    """Return what `draw` draws on axes of this size in inches."""
    return svg_of_several(lambda figure: draw(figure.subplots()), size=size)


def of_claim(draw: Callable[[Any], None], height: float) -> Callable[[Any], None]:
    """Return what draws a claim on a figure, and makes that higher if there is a close-up of the decision."""

    def drawn(figure: Any) -> None:
        draw(figure.subplots())
        if len(figure.axes) > 1:
            figure.set_figheight(height + _CLOSE_UP)

    return drawn


def svg_of_several(draw: Callable[[Any], None], *, size: tuple[float, float]) -> str:
    """Return what `draw` draws on a figure of this size in inches, which it divides into axes by itself."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a font here may lack a letter that the reader's browser has
        figure = Figure(figsize=size, layout="constrained")
        page = io.StringIO()
        draw(figure)
        parts: list[Any] = [figure, *figure.axes]
        for part in parts:  # the page shows through
            part.patch.set_facecolor("none")
            part.patch.set_edgecolor("none")
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(page, metadata=_NO_METADATA)  # `savefig` would lay everything out and draw it twice
        if (needed := _needed(figure)) is not None:
            figure.set_layout_engine("none")  # everything is in its place
            page = io.StringIO()
            figure.savefig(page, format="svg", metadata=_NO_METADATA, bbox_inches=needed)
    text = page.getvalue()
    return text[text.index("<svg") :]


def _needed(figure: Any) -> Any:
    """Return the box that holds a figure with words for which its layout found no room; None where there are none."""
    from matplotlib.transforms import Bbox

    own, drawn = figure.bbox_inches, figure.get_tightbbox()
    inside = bool((Bbox.union([own, drawn]).extents == own.extents).all())
    return None if inside else Bbox.union([own, drawn.padded(_MARGIN)])


MOST_PIXELS = 128
"""Pixels along a side at most: a larger picture is averaged to fewer, because a page holds dozens of them."""


def as_picture(array: NDArray[np.generic]) -> NDArray[np.generic] | None:
    """Return an array as (h, w) or (h, w, 3) if it can be looked at, else None; colours may come first, or have alpha.

    >>> as_picture(np.zeros((3, 8, 9))).shape, as_picture(np.zeros((8, 9, 4))).shape, as_picture(np.zeros(5))
    ((8, 9, 3), (8, 9, 3), None)
    """
    if array.ndim == 3 and array.shape[0] in (1, 3, 4) and array.shape[2] not in (1, 3, 4):
        array = np.moveaxis(array, 0, -1)
    if array.ndim == 3 and array.shape[2] in (1, 3, 4):
        return array[:, :, 0] if array.shape[2] == 1 else array[:, :, :3]
    return array if array.ndim == 2 else None


def enlarged(picture: NDArray[np.generic], side: int) -> Any:
    """Return a picture as an image of about so many pixels along a side, each pixel a square without smoothing."""
    image = _image(picture)
    return _scaled(image, max(1, side // max(image.size)))


def png_of(value: Any, side: int = 1) -> bytes | None:
    """Return an image as a PNG file of at least about so many pixels along a side; None for what is not an image.

    Whole numbers, and numbers above 1, are brightnesses up to 255; others are from 0, or the least of them, to 1.
    """
    array = np.asarray(value)
    picture = as_picture(array) if array.dtype.kind in "iuf" and array.size else None
    if picture is None:
        return None
    low, high = (0.0, 255.0) if array.dtype == np.uint8 or array.max() > 1 else (min(float(array.min()), 0.0), 1.0)
    out = io.BytesIO()
    enlarged(np.clip((picture.astype(np.float64) - low) / (high - low), 0, 1), side).save(out, format="PNG")
    return out.getvalue()


def png_data_uri(picture: NDArray[np.generic], scale: int = 1) -> str:
    """Return a picture as an address that holds it: (h, w), (h, w, 1) or (h, w, 3); 0-255 as uint8, or 0-1.

    Each pixel becomes a square of `scale` by `scale`, without smoothing: of 28 pixels, every one is evidence.

    >>> png_data_uri(np.zeros((2, 2)))[:22]
    'data:image/png;base64,'
    """
    image = _image(picture)
    page = io.BytesIO()
    _scaled(image.reduce(-(-max(image.size) // MOST_PIXELS)), scale).save(page, format="PNG")
    return PNG_PREFIX + base64.b64encode(page.getvalue()).decode("ascii")


def _scaled(image: Any, scale: int) -> Any:
    return image.resize((image.width * scale, image.height * scale), 0)  # NEAREST: each pixel becomes a square


def _image(picture: NDArray[np.generic]) -> Any:
    from PIL import Image  # which comes with matplotlib

    pixels = np.asarray(picture)
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    if pixels.size == 0 or not (pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] == 3)):
        raise InvalidInput(f"picture.shape={pixels.shape} is not a picture: give (h, w), (h, w, 1) or (h, w, 3)")
    if pixels.dtype != np.uint8:
        shades = pixels.astype(np.float64)
        if not np.isfinite(shades).all():
            raise InvalidInput("picture has pixels that are not finite: give numbers from 0 to 1, or 0 to 255 as uint8")
        pixels = np.rint(255 * np.clip(shades, 0.0, 1.0)).astype(np.uint8)
    return Image.fromarray(pixels)


MOST = 12
"""Items shown: a reader looks at some, and each costs some hundred queries of the model."""

_SIZE = 112  # pixels along a side of a picture that is shown, or a little less: small images are enlarged


def keep_shown(
    study: Study,
    *,
    question: str | None = None,
    most: int = MOST,
    advance: Callable[[str, int, int], None] | None = None,
) -> None:
    """Keep what a report shows beside the finding of a question, such as a gallery of the errors that a hunt found.

    With a model that can be asked, a hunt seeks the nearest changed input of up to `most` errors, and for images which
    patches sway the decision: some 250 queries for each. Pictures that were made before are not made again. `advance`
    is told what is being done, and how many parts of how many are done. Most questions show their finding alone.
    """
    chosen = study.question(question)
    material = Material(
        study.finding(question=chosen.name).to_json(),
        study.records,
        study.scores(chosen.name),
        study.kept,
        study.things.need_pool() if chosen.space is None else None,
        study.things.model,
        int(study.plan["seed"]),
        most,
    )
    tell = advance or (lambda *_: None)
    tell("drawing the gallery", 0, 1)
    for name, value in chosen.shown(material):
        study.keep(name, _drawn(value))
    tell("drawing the gallery", 1, 1)


def _drawn(value: Any) -> Json:
    """Return what is shown as JSON: an array in it is a picture, and becomes an address that holds it."""
    if isinstance(value, Mapping):
        return {str(name): _drawn(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_drawn(one) for one in value]
    if not isinstance(value, np.ndarray):
        made: Json = value
        return made
    picture = as_picture(value)
    if picture is None:
        raise InvalidInput(f"an array of shape {value.shape} is not a picture: show (h, w) or (h, w, channels)")
    return png_data_uri(picture, scale=max(1, _SIZE // max(picture.shape[:2])))
