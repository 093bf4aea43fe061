"""What must hold of a hunt before it begins, and what can be seen of it from a pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._inputs import Inputs, bounds_of, raw_inputs
from ringtrue.blind._pool_scores import slice_text
from ringtrue.blind.distances import Perturb
from ringtrue.blind.searches import SEARCHES
from ringtrue.core import Argument, Batch, InvalidInput, Pool

if TYPE_CHECKING:
    from ringtrue.blind._question import Blind

_CHUNK = 1_000
_MOST_GROUPS = 50
"""Values of a slice column: with more, hardly any would have two answers."""


def share(name: str, value: Any, rule: str) -> float:
    """Return a number in [0, 1), or an error that says what it is a share of."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise InvalidInput(Argument(name, value), f" must lie in [0, 1), as {rule}: write it like 0.65")
    return float(value)


def check_settings(question: Blind) -> None:
    """Refuse settings of which one breaks a rule, or two do not go together."""
    search, heat, score = question.search, question.temperature, question.score
    if search not in SEARCHES:
        raise InvalidInput(Argument("search", search), f" is none of {', '.join(SEARCHES)}: name one of them")
    if isinstance(heat, bool) or not isinstance(heat, int | float) or not 0 < heat < float("inf"):
        raise InvalidInput(Argument("temperature", heat), " must be a positive number: fit_temperature finds one")
    if score is not None and heat != 1.0:
        raise InvalidInput(
            Argument("temperature", heat),
            " softens probabilities, and ",
            Argument("score", score),
            " is used instead: drop one",
        )
    if question.perturb is not None and question.distance is not None:
        raise InvalidInput(
            Argument("perturb"), " and ", Argument("distance"), ": an item has one distance: give one of them"
        )
    if (question.variations or question.distance is not None) and question.inputs is None:
        raise InvalidInput(
            "variations and distances need to know what may be changed: give ", Argument("inputs"), ", or neither"
        )
    if "cluster" in question.slices:
        raise InvalidInput(
            Argument("slices", "cluster"),
            ": a column of this name would be mistaken for the clusters found: rename it",
        )
    if SEARCHES[search].needs_distance and question.distance is None and question.perturb_name is None:
        raise InvalidInput(
            Argument("search", search),
            " goes by distances: give ",
            Argument("distance", "boundary"),
            ", as in its paper, or another",
        )


def given(perturb: Perturb | None, name: str) -> Perturb:
    """Return the user's perturbation; one that is only known by name cannot be called."""
    if perturb is None:
        raise InvalidInput(
            Argument("perturb", name), " is known by name alone: open the study with questions=[Blind(perturb=…)]"
        )
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
        raise InvalidInput(
            Argument("slices", column), f" is not a column of the pool: name some of {', '.join(pool.columns)}"
        )
    found: set[str] = set()
    for batch in pool.chunks(_CHUNK):
        found |= {slice_text(cell) for cell in batch.columns[column].tolist()}
        if len(found) > _MOST_GROUPS:
            raise InvalidInput(
                Argument("slices", column), f" has more than {_MOST_GROUPS} values: name a column with fewer groups"
            )
    return sorted(found)
