"""What must hold of a hunt before it begins, and what can be seen of it from a pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ringtrue.blind._inputs import check_column, inputs_of
from ringtrue.blind._pool_scores import slice_text
from ringtrue.blind.searches import SEARCHES
from ringtrue.core import Argument, InvalidInput, Pool

if TYPE_CHECKING:
    from ringtrue.blind._question import Blind

_CHUNK = 1_000
_MOST_GROUPS = 50  # values of a slice column: with more, hardly any would have two answers


def share(name: str, value: Any, rule: str) -> float:
    """Return a number in [0, 1), or an error that says what it is a share of."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise InvalidInput(Argument(name, value), f" must lie in [0, 1), as {rule}: write it like 0.65")
    return float(value)


def check_settings(question: Blind) -> None:
    """Refuse settings of which one breaks a rule, or two do not go together."""
    search, heat, score = question.search, question.temperature, question.score
    wrong: tuple[Argument | str, ...] = ()
    if search not in SEARCHES:
        wrong = Argument("search", search), f" is none of {', '.join(SEARCHES)}: name one of them"
    elif isinstance(heat, bool) or not isinstance(heat, int | float) or not 0 < heat < float("inf"):
        wrong = Argument("temperature", heat), " must be a positive number: fit_temperature finds one"
    elif score is not None and heat != 1.0:
        instead = " is used instead: drop one"
        wrong = Argument("temperature", heat), " softens probabilities, and ", Argument("score", score), instead
    elif question.perturb is not None and question.distance is not None:
        wrong = Argument("perturb"), " and ", Argument("distance"), ": an item has one distance: give one of them"
    elif (question.variations or question.distance is not None) and question.inputs is None:
        needed = "variations and distances need to know what may be changed: give "
        wrong = needed, Argument("inputs"), ", or neither"
    elif "cluster" in question.slices:
        mistaken = ": a column of this name would be mistaken for the clusters found: rename it"
        wrong = Argument("slices", "cluster"), mistaken
    elif SEARCHES[search].needs_distance and question.distance is None and question.perturb_name is None:
        one = Argument("distance", "boundary")
        wrong = Argument("search", search), " goes by distances: give ", one, ", as in its paper, or another"
    if wrong:
        raise InvalidInput(*wrong)


def seen_from(pool: Pool, model: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with names of columns turned into what the pool has in them."""
    made = dict(settings)
    inputs, slices = (
        (named,) if isinstance(named, str) else tuple(named or ())
        for named in (made.pop(setting, ()) for setting in ("inputs", "slices"))
    )
    made["slices"] = {column: _values(pool, column) for column in slices}
    made["inputs"] = inputs_of(pool, inputs) if inputs else None
    stored = isinstance(model, str) or bool(getattr(model, "stored_in", ()))
    asks = bool(inputs) and model is not None and not stored
    made.setdefault("variations", asks)
    if "perturb" not in made:
        made.setdefault("distance", "rays" if asks else None)
    return made


def _values(pool: Pool, column: str) -> list[str]:
    check_column("slices", column, pool.columns)
    found: set[str] = set()
    for batch in pool.chunks(_CHUNK):
        found |= {slice_text(cell) for cell in batch.columns[column].tolist()}
        if len(found) > _MOST_GROUPS:
            raise InvalidInput(
                Argument("slices", column), f" has more than {_MOST_GROUPS} values: name a column with fewer groups"
            )
    return sorted(found)
