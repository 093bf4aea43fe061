"""Keep what a question shows beside its finding and only its model can tell: a report is written without the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ringtrue.core import InvalidInput, Json, Material
from ringtrue.report._pictures import as_picture, png_data_uri
from ringtrue.study import Study

MOST = 12
"""Items shown: a reader looks at some, and each costs some hundred queries of the model."""

_SIZE = 112
"""Pixels along a side of a picture that is shown, or a little less: small images are enlarged."""


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
