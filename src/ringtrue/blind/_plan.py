"""What must hold of a hunt before it begins, and what can be seen of it from a pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ringtrue.blind._inputs import check_column, inputs_of
from ringtrue.blind._pool_scores import slice_text
from ringtrue.blind.searches import DEFAULT, GOALS, SEARCHES
from ringtrue.core import Argument, Claim, InvalidInput, Pool
from ringtrue.stats import plan_rate

if TYPE_CHECKING:
    from ringtrue.blind._question import Blind

EDITION = 2
"""The way in which hunts are made now. In the first, the search is after excess by one model that trusts its signals,
and a fifth of the queries is drawn at random by default."""

LEAST_FLOOR, MOST_FLOOR = 0.2, 0.8
"""With a claim, between so many of the queries are drawn at random: fewer would not decide it, and a hunt must hunt."""

_CHUNK = 1_000
_MOST_GROUPS = 50  # values of a slice column: with more, hardly any would have two answers


def share(name: str, value: Any, rule: str) -> float:
    """Return a number in [0, 1), or an error that says what it is a share of."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise InvalidInput(Argument(name, value), f" must lie in [0, 1), as {rule}: write it like 0.65")
    return float(value)


def checked_edition(edition: Any) -> int:
    """Return the edition, or an error that says which there are."""
    if isinstance(edition, bool) or edition not in range(1, EDITION + 1):
        raise InvalidInput(Argument("edition", edition), f" is not one there is: leave it out, or give 1 to {EDITION}")
    return int(edition)


def floor_for(claim: Claim | None, budget: int | None) -> float:
    """Return the share of random draws that a hunt needs: none without a claim, else what would decide it.

    With a budget, so many draws that a rate of a fifth of the limit would be shown to keep it in nine of ten studies
    that draw simply at random; at most four in five. Without one, a half.

    >>> floor_for(None, 50), floor_for(Claim("error", 0.1), 50), floor_for(Claim("error", 0.1), 2_000)
    (0.0, 0.8, 0.2)
    """
    if claim is None:
        return 0.0
    if budget is None:
        return 0.5
    (low,) = plan_rate(claim.limit, level=claim.level, rates=[claim.limit / 5], horizon=max(budget, 1)).cases
    needed = budget if low.ninety is None else low.ninety
    return round(min(max(needed / max(budget, 1), LEAST_FLOOR), MOST_FLOOR), 2)


def check_settings(question: Blind) -> None:
    """Refuse settings of which one breaks a rule, or two do not go together."""
    search, heat, score = question.search, question.temperature, question.score
    wrong: tuple[Argument | str, ...] = ()
    if search not in SEARCHES:
        wrong = Argument("search", search), f" is none of {', '.join(SEARCHES)}: name one of them"
    elif question.goal is not None and question.goal not in GOALS:
        wrong = Argument("goal", question.goal), f" is none of {', '.join(GOALS)}: name one of them"
    elif question.goal is not None and (search != DEFAULT or question.edition == 1):
        wrong = Argument("goal", question.goal), f" is for the search {DEFAULT!r} of edition 2: leave one out"
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
