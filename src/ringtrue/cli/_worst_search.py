"""The searches of `ringtrue worst`: made from options and a space, gone on with by a larger budget or another claim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ringtrue.core import InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.study import Study
    from ringtrue.worst import Worst

BASELINES = ("random", "sobol")
"""Searches that learn nothing, beside the one that was asked for; each is a question of its rule's name."""


def search_of(given: Mapping[str, Any], source: Any, **changed: Any) -> Worst:
    """Return the search that the options and the space file ask for, with some settings changed."""
    from ringtrue.worst import Worst

    space, rest = source
    deviation = given.get("deviation", "absolute")
    settings: dict[str, Any] = {
        "evaluations": given["budget"],
        "deviation": "given" if ":" in deviation else deviation,
        "priced": "alone" if given.get("priced") else "together",
    }
    settings |= {key: given[key] for key in ("rule", "acquisition", "kernel", "claim", "noise") if key in given}
    tasks = given.get("tasks", rest.get("tasks"))
    if tasks is not None:
        settings["tasks"] = tasks
    return Worst(space, input_noise=rest.get("input_noise"), **(settings | changed))


def searches(study: Study) -> list[Worst]:
    """Return the searches of a study, with the baselines."""
    from ringtrue.worst import Worst

    return [one for one in study.questions.values() if isinstance(one, Worst)]


def check_budget(study: Study, path: str, search: Worst, given: Mapping[str, Any]) -> None:
    """Refuse fewer evaluations than were made already, baselines aside, which come on top, or than are planned."""
    budget, planned = given.get("budget"), search.plan.evaluations
    made = sum(record.state == "answered" and record.question not in BASELINES for record in study.records)
    if budget is not None and budget < made:
        raise InvalidInput(
            f"--budget={budget} is less than the {count(made, 'evaluation')} made: give {planned} or more, or name a "
            "new study"
        )
    if budget is not None and budget < planned:
        raise InvalidInput(
            f"--budget={budget}: the study {path!r} plans {count(planned, 'evaluation')}: stop it with Ctrl-C, or name "
            "a new study"
        )


def extended(study: Study, search: Worst, given: Mapping[str, Any]) -> Worst:
    """Add a search that goes on from this one, with a larger budget or another claim."""
    from ringtrue.study import Budget
    from ringtrue.worst import Worst

    name = f"worst-{len(study.questions)}"
    evaluations = max(given.get("budget", 0), search.plan.evaluations)
    config = search.config() | {"name": name, "evaluations": evaluations, "after": [*search.after, search.name]}
    if "claim" in given:
        config["claim"] = given["claim"]
    further = Worst.from_config(config)
    beside = sum(one.plan.evaluations for one in searches(study) if one.name in BASELINES)
    # Room first: a run that dies in between finds a budget that is too large for the old search, which does no harm.
    study.set_budget(Budget(evaluations + beside, study.status().budget_money))
    study.add(further)
    return further
