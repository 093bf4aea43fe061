"""The study of `ringtrue worst`: made, or gone on with as it was made."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._asking import amount_of, check_needed, make_folder, refuse_other, settings_of
from ringtrue.cli._consent import Run, allow, given_texts, note_named, would_run
from ringtrue.cli._opening import closing_on_error, is_made, read_made_by, study_file
from ringtrue.cli._options import Calling
from ringtrue.cli._responders import ASK, gold_standard, import_function, responder
from ringtrue.cli._toml import read_space
from ringtrue.core import InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.core import Oracle
    from ringtrue.study import Study
    from ringtrue.worst import Worst

VERB = "worst"
BASELINES = ("random", "sobol")
"""Searches that learn nothing, beside the one that was asked for; each is a question of its rule's name."""

_LEASE = 30 * 86_400.0
"""A laboratory may take weeks: until then no other sheet has its points."""


@dataclass(frozen=True, slots=True)
class Searching:
    """A study that is ready to ask, and the question that is asked."""

    study: Study
    path: Path
    question: Worst
    notes: Mapping[str, Any]
    calling: Calling


@contextmanager
def opened(name: str, given: Mapping[str, Any], calling: Calling, *, trust: bool) -> Iterator[Searching]:
    """Open the study of this name, made first if it is not there."""
    path = study_file(name)
    search = _go_on(path, name, given, calling, trust) if is_made(path) else _make(path, name, given, calling)
    with search.study:
        yield search


def _make(path: Path, name: str, given: Mapping[str, Any], calling: Calling) -> Searching:
    """Make a new study of the search that the options ask for, and of the baselines beside it."""
    from ringtrue.study import Budget, Study

    check_needed(name, given, space="the space, --space FILE.toml", budget="how many evaluations, --budget N")
    notes: dict[str, Any] = {
        "verb": VERB,
        "space": os.path.relpath(given["space"], path.parent),
        **{option: given.get(option) for option in ("model", "gold", "gold_command", "picture")},
        "own": given["deviation"] if ":" in given.get("deviation", "") else None,
        "timeout": calling.timeout,
    }
    question = _question(given)
    if (question.plan.deviation.needs_model or notes["own"] is not None) and "model" not in given:
        raise InvalidInput("--model is missing: name the model, or give --deviation given if --gold says the deviation")
    runs = [*would_run(notes["model"]), *_asked(notes)]
    Calling(calling.headers).check_used(runs)  # the timeout is for any gold standard
    _check_named(question, notes, given, calling)
    model = None if "model" not in given else _model(given["model"], "--model", calling)
    settings = settings_of(given)
    make_folder(path.parent)
    others = [_question(given, name=rule, rule=rule, claim=None) for rule in given.get("baselines", ())]
    settings |= {"budget": Budget(labels=given["budget"] * (1 + len(others))), "lease": _LEASE, "notes": notes}
    study = Study.create(path, question=[question, *others], model=model, **settings)
    note_named(study, runs)
    return Searching(study, path, question, notes, calling)


def _model(spec: str, argument: str, calling: Calling) -> Any:
    """Return the model that a text names."""
    found = responder(spec, argument, (), addresses=True)
    return calling.model(found) if "://" in spec else found


def gold_of(notes: Mapping[str, Any], outputs: Sequence[str], calling: Calling) -> Oracle:
    """Return the gold standard that the notes name; the time that a model behind an address has is not a person's."""
    if notes["gold"] == ASK and "://" in (notes["model"] or ""):
        calling = Calling()
    return gold_standard(notes["gold"], notes["gold_command"], calling=calling, outputs=outputs)


def _check_named(question: Worst, notes: Mapping[str, Any], given: Mapping[str, Any], calling: Calling) -> None:
    """Refuse a name that cannot be found while there is no study yet; a laboratory with a sheet needs no name."""
    if "sheet" not in given or not _GOLD.isdisjoint(given):
        gold_of(notes, question.plan.tasks, calling)
    for option, spec in (("--deviation", notes["own"]), ("--picture", notes["picture"])):
        if spec is not None:
            import_function(spec, option)


def _question(given: Mapping[str, Any], **changed: Any) -> Worst:
    """Return the search that the options and the space file ask for, with some settings changed."""
    from ringtrue.worst import Worst

    space, rest = read_space(Path(given["space"]))
    deviation = given.get("deviation", "absolute")
    settings: dict[str, Any] = {
        "evaluations": given["budget"],
        "deviation": "given" if ":" in deviation else deviation,
        "priced": "alone" if given.get("alone") else "together",
    }
    settings |= {key: given[key] for key in ("rule", "acquisition", "kernel", "claim", "noise") if key in given}
    tasks = given.get("tasks", rest.get("tasks"))
    if tasks is not None:
        settings["tasks"] = tasks
    return Worst(space, input_noise=rest.get("input_noise"), **(settings | changed))


def _go_on(path: Path, name: str, given: Mapping[str, Any], calling: Calling, trust: bool) -> Searching:
    """Go on with the search of a study; a larger budget or another claim adds one that goes on from it."""
    study = read_made_by(VERB, name)
    with closing_on_error(study):
        return _searching(study, path, given, calling, trust)


def _searching(study: Study, path: Path, given: Mapping[str, Any], calling: Calling, trust: bool) -> Searching:
    """Go on with the search of this study."""
    notes = dict(study.plan["notes"])
    made = notes["model"]
    if not _GOLD.isdisjoint(given):
        notes |= {key: given.get(key) for key in _GOLD}
    notes |= {"picture": given["picture"]} if "picture" in given else {}
    if calling.timeout is None:
        calling = replace(calling, timeout=notes["timeout"])
    by_laboratory = "sheet" in given or "answers" in given
    runs = [*would_run(made), *([] if by_laboratory else _asked(notes))]
    named = given_texts(given, "model", "deviation", "gold", "gold_command", "picture")
    allow(study, runs, named=named, trust=trust, calling=Calling(calling.headers))
    model = None if made is None else _model(made, "the study's model", calling)
    study.attach(model=model)
    question = _latest(study)
    _check_spent(study, question, given.get("budget"))
    _check_same(str(path), study, question, given)
    if given.get("budget", 0) > question.plan.evaluations or ("claim" in given and given["claim"] != question.claim):
        question = _extended(study, question, given)
    return Searching(study, path, question, notes, calling)


def _asked(notes: Mapping[str, Any]) -> list[Run]:
    """Return what is run to evaluate and to show a search, beside the model."""
    functions = [run for what in ("gold", "own", "picture") for run in would_run(notes[what])]
    return [*functions, *would_run(notes["gold_command"], command=True)]


_GOLD = {"gold", "gold_command"}
"""Whom to ask may change from one run to the next: a gold standard that moved is still the gold standard."""


def _searches(study: Study) -> list[Worst]:
    """Return the searches of a study, with the baselines."""
    from ringtrue.worst import Worst

    return [one for one in study.questions.values() if isinstance(one, Worst)]


def _check_spent(study: Study, question: Worst, budget: int | None) -> None:
    """Refuse fewer evaluations than were made already, baselines aside, which come on top."""
    made = sum(record.state == "answered" and record.question not in BASELINES for record in study.records)
    if budget is not None and budget < made:
        least = question.plan.evaluations
        raise InvalidInput(
            f"--budget={budget} is less than the {count(made, 'evaluation')} made: give {least} or more, "
            "or name a new study"
        )


def _latest(study: Study) -> Worst:
    """Return the search that was asked last, baselines aside."""
    return [one for one in _searches(study) if one.name not in BASELINES][-1]


def _extended(study: Study, question: Worst, given: Mapping[str, Any]) -> Worst:
    """Add a search that goes on from this one, with a larger budget or another claim."""
    from ringtrue.study import Budget
    from ringtrue.worst import Worst

    name = f"worst-{len(study.questions)}"
    evaluations = max(given.get("budget", 0), question.plan.evaluations)
    config = question.config() | {"name": name, "evaluations": evaluations, "after": [*question.after, question.name]}
    if "claim" in given:
        config["claim"] = given["claim"]
    further = Worst.from_config(config)
    beside = sum(one.plan.evaluations for one in _searches(study) if one.name in BASELINES)
    # Room first: a run that dies in between finds a budget that is too large for the old search, which does no harm.
    study.set_budget(Budget(labels=evaluations + beside))
    study.add(further)
    return further


def _check_same(path: str, study: Study, question: Worst, given: Mapping[str, Any]) -> None:
    """Refuse an option that would make this another study; budget, claim and whom to ask may change."""
    from ringtrue.study import money

    plan, notes, price = question.plan, study.plan["notes"], study.plan["price"]["oracle"]
    asked = dict(given)
    if "space" in given:
        space, rest = read_space(Path(given["space"]))
        if space.fingerprint != plan.space.fingerprint or rest.get("input_noise") != plan.input_noise:
            raise InvalidInput(
                f"--space={given['space']} is not the one the study {path!r} was made with: name a new study"
            )
        asked = {"tasks": rest.get("tasks", list(plan.tasks)), **asked}
    if "price" in given:
        asked["price"] = amount_of(given, "price")
    made = {name: getattr(plan, name) for name in ("alone", "rule", "acquisition", "kernel", "noise")}
    made |= {name: study.plan[name] for name in ("seed", "batch")}
    made |= {"model": notes["model"], "deviation": notes["own"] or plan.deviation.name, "tasks": list(plan.tasks)}
    made["price"] = None if price is None else money(price, "price")
    refuse_other(path, made, asked)
    for name in given.get("baselines", ()):
        if name not in study.questions:
            refuse_other(path, {"baseline": None}, {"baseline": name})
    if given.get("budget", plan.evaluations) < plan.evaluations:
        raise InvalidInput(
            f"--budget={given['budget']}: the study {path!r} plans {count(plan.evaluations, 'evaluation')}: stop it "
            "with Ctrl-C, or name a new study"
        )
