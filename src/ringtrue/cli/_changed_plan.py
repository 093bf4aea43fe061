"""`ringtrue changed --plan`: how many calls it may take, from the old answers alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.cli._changed_files import known_again, known_answers
from ringtrue.cli._changed_study import VERB
from ringtrue.cli._common import say
from ringtrue.cli._opening import is_made, open_to_read, study_file
from ringtrue.core import InvalidInput


def show_plan(name: str, given: Mapping[str, Any], *, as_json: bool) -> int:
    """Print the calls to expect by the share of answers that changed. Nothing is asked, and no study is made."""
    from ringtrue.changed import Columns
    from ringtrue.changed.planning import plan_shift

    path, error, claim = study_file(name), given.get("error"), given.get("claim")
    if "old" in given:
        known = known_answers(given)
    elif is_made(path):
        with open_to_read(name) as glance:
            notes, own = glance.plan["notes"], glance.question().claim
        if notes.get("verb") != VERB:
            raise InvalidInput(f"STUDY={name!r} was not made by `ringtrue {VERB}`: give --old FILE to plan a new one")
        known = known_again(path, notes, given)
        error, claim = notes["error"] if error is None else error, claim or own
    else:
        raise InvalidInput("--plan starts from the old answers: give them with --old FILE")
    wanted: dict[str, Any] = {"error": error}
    if claim is not None:
        wanted |= {claim.quantity.replace(" ", "_"): claim.limit, "level": claim.level}
    columns = Columns(known.answer, known.truth, known.confidence)
    plan = plan_shift(columns.census(known.pool), **wanted)
    say(as_json, plan.to_json(), *str(plan).splitlines())
    return 0
