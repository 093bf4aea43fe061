"""What must hold of a hunt before it begins, and what can be seen of it from a pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._inputs import Inputs, bounds_of, raw_inputs
from ringtrue.blind._measuring import Distance
from ringtrue.blind._pool_scores import slice_text
from ringtrue.blind.distances import Perturb
from ringtrue.blind.searches import SEARCHES
from ringtrue.core import Batch, Claim, InvalidInput, Pool, label_text

_CHUNK = 1_000
_MOST_GROUPS = 50
"""Values of a slice column: with more, hardly any would have two answers."""


def checked(
    *,
    critical: Any,
    threshold: float,
    search: str,
    floor: float,
    claim: Claim | str | None,
    inputs: Inputs | None,
    features: Sequence[str],
    slices: Mapping[str, Sequence[str]],
    score: str | None,
    temperature: float,
    variations: bool,
    distance: Distance | None,
    perturb: Perturb | None,
    perturb_name: str | None,
) -> dict[str, Any]:
    """Return the settings of a hunt as they are kept, or an error that names the one that breaks a rule.

    Parameters
    ----------
    critical
        The class that is hunted among the answers, or None for any.
    threshold
        The confidence that an answer must exceed.
    search
        The name of the search, one of `SEARCHES`.
    floor
        The share of the queries that is drawn at random.
    claim
        The claim about the rate of errors, as text or as a `Claim`.
    inputs
        What can be changed of an item.
    features
        The columns in which items are compared.
    slices
        The columns by which errors are grouped, with their values.
    score
        The column with the model's confidence.
    temperature
        The number by which probabilities are softened.
    variations
        Whether the model is asked about small variations of each item.
    distance
        How distances are measured.
    perturb
        A function that changes items which are not numbers.
    perturb_name
        The name of that function where the function itself is not given.
    """
    _share("threshold", threshold, "how confident an answer must be to be hunted")
    _share("floor", floor, "the share of queries drawn at random")
    if search not in SEARCHES:
        raise InvalidInput(f"search={search!r} is none of {', '.join(SEARCHES)}: name one of them")
    if isinstance(temperature, bool) or not isinstance(temperature, int | float) or not 0 < temperature < float("inf"):
        raise InvalidInput(f"temperature={temperature!r} must be a positive number: fit_temperature finds one")
    if score is not None and temperature != 1.0:
        raise InvalidInput(
            f"temperature={temperature:g} softens probabilities, and score={score!r} is used instead: drop one"
        )
    if perturb is not None and distance is not None:
        raise InvalidInput("perturb and distance: an item has one distance: give one of them")
    if (variations or distance is not None) and inputs is None:
        raise InvalidInput("variations and distances need to know what may be changed: give inputs=…, or neither")
    if "cluster" in slices:
        raise InvalidInput("slices: a column named 'cluster' would be mistaken for the clusters found: rename it")
    name = perturb_name if perturb is None else f"{perturb.__module__}:{perturb.__qualname__}"
    if SEARCHES[search].needs_distance and distance is None and name is None:
        raise InvalidInput(
            f'search={search!r} goes by distances: give distance="boundary", as in its paper, or another'
        )
    return {
        "critical": None if critical is None else label_text(critical),
        "threshold": float(threshold),
        "search": search,
        "floor": float(floor),
        "claim": None if claim is None else Claim.parse(claim).about("error", "failure"),
        "inputs": inputs,
        "features": tuple(features),
        "slices": {column: tuple(values) for column, values in slices.items()},
        "score": score,
        "temperature": float(temperature),
        "variations": bool(variations),
        "distance": distance,
        "perturb": perturb,
        "perturb_name": name,
    }


def _share(name: str, value: Any, what: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise InvalidInput(f"{name}={value!r} must lie in [0, 1), as {what}: write it like 0.65")


def given(perturb: Perturb | None, name: str) -> Perturb:
    """Return the user's perturbation; one that is only known by name cannot be called."""
    if perturb is None:
        raise InvalidInput(f"perturb={name!r} is known by name alone: open the study with questions=[Blind(perturb=…)]")
    return perturb


def seen_from(pool: Pool, model: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with names of columns turned into what the pool has in them."""
    made = dict(settings)
    stored = isinstance(model, str) or bool(getattr(model, "stored_in", ()))
    named = made.pop("inputs", None)
    columns = tuple([named] if isinstance(named, str) else named or ())
    slices = made.pop("slices", ())
    made["slices"] = {column: _values(pool, column) for column in ([slices] if isinstance(slices, str) else slices)}
    inputs = inputs_of(pool, columns) if columns else None
    made["inputs"] = inputs
    asks = inputs is not None and model is not None and not stored
    made.setdefault("variations", asks)
    if "perturb" not in made:
        made.setdefault("distance", "rays" if asks else None)
    return made


def inputs_of(pool: Pool, columns: tuple[str, ...]) -> Inputs:
    """Return the inputs in these columns, in the box that all items of the pool lie in."""
    low: NDArray[np.float64] | None = None
    high = kind = shape = None
    for batch in pool.chunks(_CHUNK):
        found = raw_inputs(batch, columns)
        if shape is not None and found.shape[1:] != shape:
            raise InvalidInput(
                f"item {batch.ids[0]!r} has an input of shape {found.shape[1:]}, those before it of {shape}: "
                "bring all to one size"
            )
        axes = 0 if found.ndim == 2 else None
        least, most = np.atleast_1d(found.min(axis=axes)), np.atleast_1d(found.max(axis=axes))
        low = least if low is None else np.minimum(low, least)
        high = most if high is None else np.maximum(high, most)
        shape, kind = found.shape[1:], _kind(batch, columns)
    assert low is not None and high is not None and kind is not None  # noqa: PT018 - a pool has at least one item
    return Inputs(columns, *bounds_of(kind, low, high))


def _kind(batch: Batch, columns: tuple[str, ...]) -> np.dtype[Any]:
    column = batch.columns[columns[0]]
    if column.dtype == object and len(column):
        return np.asarray(column[0]).dtype
    return column.dtype if column.ndim > 1 else np.dtype(float)


def _values(pool: Pool, column: str) -> list[str]:
    if column not in pool.columns:
        raise InvalidInput(f"slices: {column!r} is not a column of the pool: name some of {', '.join(pool.columns)}")
    found: set[str] = set()
    for batch in pool.chunks(_CHUNK):
        found |= {slice_text(cell) for cell in batch.columns[column].tolist()}
        if len(found) > _MOST_GROUPS:
            raise InvalidInput(
                f"slices: column {column!r} has more than {_MOST_GROUPS} values: name a column with fewer groups"
            )
    return sorted(found)
