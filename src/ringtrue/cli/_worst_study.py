"""The study of `ringtrue worst`: made, or gone on with as it was made."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._asking import make_folder
from ringtrue.cli._opening import notes_of, study_file
from ringtrue.cli._responders import responder
from ringtrue.cli._space_file import read_space
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.study import Study
    from ringtrue.worst import Worst

VERB = "worst"
_NOTED = {"model": "--model", "own": "--deviation", "alone": "--alone", "rule": "--rule", "kernel": "--kernel"}


@dataclass(frozen=True, slots=True)
class Searching:
    """A study that is ready to ask, and the question that is asked."""

    study: Study
    path: Path
    question: Worst
    notes: Mapping[str, Any]


@contextmanager
def opened(name: str, given: Mapping[str, Any]) -> Iterator[Searching]:
    """The study of this name, made first if it is not there."""
    path = study_file(name)
    search = _go_on(path, name, given) if path.exists() else _make(path, name, given)
    with search.study:
        yield search


def _make(path: Path, name: str, given: Mapping[str, Any]) -> Searching:
    from ringtrue.study import Budget, Study
    from ringtrue.study import money as amount

    for option, what in (("space", "the space, --space FILE.toml"), ("budget", "how many evaluations, --budget N")):
        if option not in given:
            raise InvalidInput(f"STUDY={name!r} is not there yet: to make it, give {what}")
    notes = {
        "verb": VERB, "space": os.path.relpath(given["space"], path.parent), "model": given.get("model"),
        "own": given["deviation"] if ":" in given.get("deviation", "") else None, "alone": given.get("alone", False),
        "gold": given.get("gold"), "gold_command": given.get("gold_command"), "timeout": given.get("timeout"),
        "picture": given.get("picture"), "rule": given.get("rule"), "kernel": given.get("kernel"),
    }  # fmt: skip
    question = _question(given)
    if question.plan.deviation.needs_model and "model" not in given:
        raise InvalidInput("--model is missing: name the model, or give --deviation given if --gold says the deviation")
    model = None if "model" not in given else responder(given["model"], "--model", (), addresses=True)
    price = amount(given["price"], "--price") if "price" in given else None
    make_folder(path.parent)
    others = [_question(given, name=rule, rule=rule, claim=None) for rule in given.get("baselines", ())]
    study = Study.create(
        path, question=[question, *others], model=model, budget=Budget(labels=given["budget"] * (1 + len(others))),
        price=price, seed=given.get("seed", 0), batch=given.get("batch", 1), notes=notes,
    )  # fmt: skip
    return Searching(study, path, question, notes)


def _question(given: Mapping[str, Any], **changed: Any) -> Worst:
    from ringtrue.worst import Worst

    space, rest = read_space(Path(given["space"]))
    deviation = given.get("deviation", "absolute")
    settings: dict[str, Any] = {
        "evaluations": given["budget"], "deviation": "given" if ":" in deviation else deviation,
        "priced": "alone" if given.get("alone") else "together",
    }  # fmt: skip
    settings |= {key: given[key] for key in ("rule", "acquisition", "kernel", "claim") if key in given}
    tasks = given.get("tasks", rest.get("tasks"))
    if tasks is not None:
        settings["tasks"] = tasks
    return Worst(space, input_noise=rest.get("input_noise"), **(settings | changed))


def _go_on(path: Path, name: str, given: Mapping[str, Any]) -> Searching:
    from ringtrue.study import Study

    notes = notes_of(name)
    if notes.get("verb") != VERB:
        raise InvalidInput(f"STUDY={name!r} was not made by `ringtrue {VERB}`: name a new study, or open it in Python")
    for key, option in _NOTED.items():
        if key in given and given[key] != notes[key]:
            raise InvalidInput(
                f"{option}={given[key]}: the study {str(path)!r} was made with {notes[key]}: leave it out, or name "
                "a new study"
            )
    model = None if notes["model"] is None else responder(notes["model"], "the study's model", (), addresses=True)
    study = Study.open(path, model=model)
    try:
        question = _latest(study)
        _check_same(str(path), study, question, given)
        if given.get("budget", 0) > question.plan.evaluations or (
            "claim" in given and given["claim"] != question.claim
        ):
            question = _extended(study, question, given)
    except BaseException:
        study.close()
        raise
    return Searching(study, path, question, {**notes, **{key: given[key] for key in _ASKED if key in given}})


_ASKED = ("gold", "gold_command", "timeout", "picture")
"""Whom to ask may change from one run to the next: a gold standard that moved is still the gold standard."""


def _latest(study: Study) -> Worst:
    """The search that was asked last, baselines aside."""
    from ringtrue.worst import Worst

    found = [one for one in study.questions.values() if isinstance(one, Worst) and one.plan.learns]
    return found[-1]


def _extended(study: Study, question: Worst, given: Mapping[str, Any]) -> Worst:
    """A search that goes on from this one, with a larger budget or another claim."""
    from ringtrue.study import Budget
    from ringtrue.worst import Worst

    name = f"worst-{len(study.questions)}"
    evaluations = max(given.get("budget", 0), question.plan.evaluations)
    config = question.config() | {"name": name, "evaluations": evaluations, "after": [*question.after, question.name]}
    if "claim" in given:
        config["claim"] = given["claim"]
    further = Worst.from_config(config)
    study.add(further)
    labels = study.status().budget_labels
    if labels is not None:
        study.set_budget(Budget(labels=labels + evaluations - question.plan.evaluations))
    return further


def _check_same(path: str, study: Study, question: Worst, given: Mapping[str, Any]) -> None:
    """Refuse an option that would make this another study."""
    plan = question.plan
    made = {
        "tasks": list(plan.tasks), "deviation": plan.deviation.name, "acquisition": plan.acquisition,
        "seed": study.plan["seed"], "batch": study.plan["batch"],
    }  # fmt: skip
    if "space" in given and read_space(Path(given["space"]))[0].fingerprint != plan.space.fingerprint:
        raise InvalidInput(
            f"--space={given['space']} is not the one the study {path!r} was made with: name a new study"
        )
    for key, was in made.items():
        asked = given.get(key, was)
        if asked != was and ":" not in str(asked):
            raise InvalidInput(
                f"--{key}={asked}: the study {path!r} was made with {was}: leave it out, or name a new study"
            )
    if given.get("budget", plan.evaluations) < plan.evaluations:
        raise InvalidInput(
            f"--budget={given['budget']}: the study {path!r} plans {plan.evaluations} evaluations: stop it with "
            "Ctrl-C, or name a new study"
        )
