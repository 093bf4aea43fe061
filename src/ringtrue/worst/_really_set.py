"""Where an evaluation was really made: a furnace that was asked to stand at 352.4 may have stood at 351.8.

An answer tells it as `{"label": 71.5, "set": {"temperature": 351.8}}`, and counts there. The study puts what the model
says there beside it, as `said`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import InvalidInput, Json, Record
from ringtrue.worst._plan import Plan
from ringtrue.worst.spaces import SearchSpace


def set_point(plan: Plan, record: Record, answer: Json) -> tuple[float, ...] | None:
    """Return the point that an answer says was set, with its task if it has one; None where it says nothing of it."""
    if not isinstance(answer, dict) or "set" not in answer or record.point is None:
        return None
    if "label" not in answer and "deviation" not in answer:
        raise InvalidInput('the answer has "set" but no "label": give what was measured there as well')
    asked, task = record.point[: len(plan.space.names)], record.point[len(plan.space.names) :]
    return (*checked_setting(plan.space, plan.space.values(asked), answer["set"]), *task)


def checked_setting(space: SearchSpace, asked: Mapping[str, Any], told: Any) -> tuple[float, ...]:
    """Return the point that was set, of which some values are as they were asked; refuse one outside the space.

    >>> from ringtrue.worst import Real
    >>> space = SearchSpace([Real("t", 250, 400, step=5), Real("p", 0, 1)])
    >>> checked_setting(space, {"t": 350.0, "p": 0.5}, {"t": 351.8})
    (351.8, 0.5)
    """
    if not isinstance(told, Mapping):
        raise InvalidInput(
            f'the answer says set={told!r:.80}: give values by parameter, as in {{"temperature": 351.8}}'
        )
    try:
        point = space.point({**asked, **told})
        space.item(point)
    except InvalidInput as error:
        raise InvalidInput(f"set otherwise than asked: {error}; correct it, or say that it cannot be told") from None
    return point


def said_there(record: Record, answer: Json) -> Json:
    """Return what the model says where an answer was made."""
    return answer["said"] if isinstance(answer, dict) and "set" in answer and "said" in answer else record.said
