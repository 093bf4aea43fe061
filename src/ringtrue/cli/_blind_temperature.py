"""`--validation`: the temperature at which the model's confidences fit the truth of some other items."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.cli._common import tell
from ringtrue.cli._model_and_pool import read_items
from ringtrue.core import InvalidInput, Labels, count, label_text, percent

if TYPE_CHECKING:
    from ringtrue.core import Pool

_CHUNK = 1_000
_TRUTHS = ("truth", "label", "gold", "y")
"""Where the truth usually stands."""


def fitted_temperature(given: Mapping[str, Any], model: Any, pool: Pool) -> dict[str, Any]:
    """Fit it on the items of --validation and say how; their truth stands in the column of --oracle, or a usual one."""
    from ringtrue.blind import fit_temperature

    validation = read_items(Path(given["validation"]), {"inputs": given.get("inputs"), "id": given.get("id")})
    truth = next((name for name in (given.get("oracle"), *_TRUTHS) if name in validation.columns), None)
    if truth is None:
        raise InvalidInput(
            f"--validation={given['validation']} needs the truth, in a column that --oracle names or in one of "
            f"{', '.join(_TRUTHS)}: it has {', '.join(validation.columns)}"
        )
    if validation.fingerprint == pool.fingerprint:
        raise InvalidInput(f"--validation={given['validation']} is the pool itself: give other items with their truth")
    tables, codes, classes = [], [], None
    for batch in validation.chunks(_CHUNK):
        said = model.answer(batch)
        if not isinstance(said, Labels) or said.probabilities is None:
            raise InvalidInput("--validation needs probabilities, and the model gives none: leave it out")
        classes = classes or [label_text(name) for name in said.classes]
        for item, cell in zip(batch.ids, batch.columns[truth].tolist(), strict=True):
            name = label_text(cell)
            if name not in classes:
                raise InvalidInput(f"--validation: item {item!r} is {name!r}, none of the model's {', '.join(classes)}")
            codes.append(classes.index(name))
        tables.append(said.probabilities)
    found = fit_temperature(np.concatenate(tables), np.array(codes))
    end = ", the end of its range: these items cannot tell" if found.at_limit else ""
    tell(
        f"temperature {found.value:.3g}{end}, from {count(len(codes), 'item')}: expected calibration error "
        f"{percent(found.ece_before)} before, {percent(found.ece_after)} after",
        err=True,
    )
    return {**found.to_json(), "items": len(codes)}
