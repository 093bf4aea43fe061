"""`ringtrue worst`: where does the model deviate worst from the gold standard?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from ringtrue.cli._asked import check_alone
from ringtrue.cli._consent import Calling
from ringtrue.cli._door import import_function, named, oracle_of, program_model
from ringtrue.cli._model_files import file_model, file_named
from ringtrue.cli._opening import read_space
from ringtrue.cli._options import (
    AGAIN,
    ANSWERS,
    BUDGET,
    JSON,
    MODEL,
    MODEL_COMMAND,
    ORACLE,
    ORACLE_COMMAND,
    RATER,
    SHEET,
    SHEET_LEASE,
    SPENDING,
    TRUST,
    TRUST_TYPE,
    asked,
    by_sheet,
)
from ringtrue.cli._runner import command_of
from ringtrue.cli._table import Option, Table, claim_about, names, numbers_by_name, other_study
from ringtrue.cli._terminal import tell
from ringtrue.cli._verb import Asked, Told, Verb
from ringtrue.cli._worst_search import BASELINES, check_budget, extended, keep_picture, read_training, search_of
from ringtrue.core import InvalidInput, count

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ringtrue.cli._place import Place
    from ringtrue.cli._sheet_forms import Form
    from ringtrue.core import Question
    from ringtrue.study import Study
    from ringtrue.worst import Worst

DEVIATIONS = ("absolute", "squared", "rmse", "mismatch", "given")
RULES = ("harmonic", "rising", "joint", "round-robin", "random-task", "exp3bo", "exp3bo-safe")

_OPTIONS = (
    Option("space", "The inputs to search: parameters with bounds, and constraints.", "FILE.toml"),
    replace(MODEL, help="The model: a file (.onnx, .skops, .ubj, .json, .txt, .pt2), module:function or an address."),
    TRUST_TYPE,
    MODEL_COMMAND,
    replace(ORACLE, help='The gold standard: module:function, an address (http…), or "ask" for you.'),
    ORACLE_COMMAND,
    RATER,
    Option(
        "tasks", "The names of the outputs, where there are several.", "A,B,…", names("AL6MN,QPHASE"), made="question"
    ),
    Option(
        "deviation",
        f"How far apart two answers are: {', '.join(DEVIATIONS)} or module:function (default absolute).",
        "D",
        made=lambda study, search: study.plan["notes"]["own"] or search.plan.deviation.name,
    ),
    Option(
        "scales",
        "What counts as 1 in an output, in its unit; repeatable. Limits per output: these, and deviation <= 1.",
        "NAME=NUMBER",
        numbers_by_name("strength=50"),
        flag="--scale",
        many=True,
        made=lambda _, search: search.plan.scales,
    ),
    Option(
        "priced",
        "An evaluation reveals one output, not all of them.",
        "",
        flag="--alone",
        off="together",
        made=asked("alone"),
    ),
    Option("rule", f"How outputs take turns, with --alone: {', '.join(RULES)}.", "RULE", made="question"),
    Option("acquisition", "How a point is chosen.", type=click.Choice(["improvement", "upper-bound"]), made="question"),
    Option(
        "kernel",
        "How smooth the deviation is.",
        type=click.Choice(["squared-exponential", "matern-5/2"]),
        made="question",
    ),
    Option(
        "noise",
        "The standard deviation of an evaluation, if it does not repeat itself.",
        "SD",
        type=click.FLOAT,
        flag="--sd",
        made="question",
    ),
    Option(
        "model_queries",
        "Points the model is asked before each evaluation (default: 512 on this machine, 0 behind an address).",
        "N",
        type=click.IntRange(min=0),
        made="question",
    ),
    Option(
        "claim",
        'What you want to be able to say, such as "deviation <= 0.5 at 95%".',
        read=claim_about("deviation", like='"deviation <= 0.5 at 95%"'),
    ),
    Option(
        "baselines",
        "Search this way too, for as many evaluations; repeatable.",
        type=click.Choice(BASELINES),
        flag="--baseline",
        many=True,
    ),
    Option("training", "Training data with the outputs: a new search begins at its worst and learns from it.", "FILE"),
    Option("picture", "Draws an input: values in, a table of grey levels out.", "module:function"),
    replace(SHEET, help="Write the next batch into a table for a laboratory, and evaluate nothing: .csv or .xlsx."),
    AGAIN,
    ANSWERS,
    Option("as_set", "With --answers: inputs that are not as asked are how it was really set.", ""),
    replace(BUDGET, argument="evaluations"),
    *(option for option in SPENDING if option is not BUDGET),
    TRUST,
    JSON,
)


class WorstVerb(Verb):
    """Find the input at which the model deviates worst from the gold standard.

    Makes STUDY (default: worst) if it is not there; else goes on with it, and needs no other argument. Every evaluation
    is on the disk before the next is chosen: stop it at any time. A larger --budget goes on from a search that is done.
    Where one evaluation reveals several outputs, name them in --tasks: each is searched, from the same evaluations.

    \b
    ringtrue worst --space space.toml --model desk:model --oracle desk:simulate --budget 200
    ringtrue worst alloy --space space.toml --model desk:model --oracle desk:simulate --tasks AL6MN,QPHASE --budget 100
    ringtrue worst alloy --space space.toml --model desk:model --oracle ask --budget 20
    ringtrue worst alloy --claim "deviation <= 0.5 at 95%" --budget 300
    ringtrue worst lab --space space.toml --model desk:model --budget 40 --batch 8 --sheet next.csv
    ringtrue worst lab --answers next.csv                  # a week later

    Exit code: 0 done or within the claim, 1 a larger deviation was found, 3 not yet known.
    """

    name = "worst"
    own = True
    needed = (("space", "the space, --space FILE.toml"), ("budget", "how many evaluations, --budget N"))
    runs_named = (*Verb.runs_named, "own", "picture")
    sheet_rater = "the laboratory"
    rows = 1
    table = Table(
        _OPTIONS,
        former={
            "--gold": "say who knows the truth with --oracle G",
            "--gold-command": "name the program with --oracle-command CMD",
            "--noise": "the standard deviation of an evaluation is --sd SD",
        },
    )

    def notes(self, given: Mapping[str, Any], home: Path) -> dict[str, Any]:
        kept = ("model", "model_command", "oracle", "oracle_command", "picture")
        return {
            "verb": self.name,
            "space": os.path.relpath(given["space"], home),
            **{option: given.get(option) for option in kept},
            "own": given["deviation"] if ":" in given.get("deviation", "") else None,
        }

    def remembered(self, study: Study, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a study remembers; earlier versions called its oracle the gold standard."""
        notes = super().remembered(study, given)
        for now, then in (("oracle", "gold"), ("oracle_command", "gold_command")):
            notes[now] = notes.get(now, notes.get(then))
        by_laboratory = dict.fromkeys(("oracle", "oracle_command", "own", "picture"))
        notes |= by_laboratory if by_sheet(given) else {}
        return notes | ({"picture": given["picture"]} if "picture" in given else {})

    def read(self, notes: Mapping[str, Any], given: Mapping[str, Any], home: Path) -> Any:
        """Read the space that the user names; the journal has that of a study."""
        return read_space(Path(given["space"])) if "space" in given else None

    def pool(self, source: Any) -> None:
        return None

    def model(self, notes: Mapping[str, Any], source: Any, argument: str, calling: Calling) -> Any:
        if notes.get("model_command") is not None:
            return program_model(notes["model_command"], calling)
        if notes["model"] is None:
            return None
        path = file_named(notes["model"], calling.home)
        if path is not None:
            return file_model(path, notes, notes.get("sent") or list(source[0].probes(1)[0].values))
        found = named(notes["model"], argument, ())
        return calling.model(found) if "://" in notes["model"] else found

    def questions(self, given: Mapping[str, Any], source: Any, model: Any) -> Sequence[Question]:
        """Return the search, and the baselines beside it. What cannot be found is refused before there is a study."""
        _check_as_set(given)
        search = search_of(given, source)
        if (search.plan.deviation.needs_model or ":" in given.get("deviation", "")) and model is None:
            raise InvalidInput(
                "--model is missing: name the model, or give --deviation given if --oracle says the deviation"
            )
        for option in ("deviation", "picture"):
            if ":" in given.get(option, ""):
                import_function(given[option], f"--{option}")
        if "training" in given:  # before there is a study: a file that cannot be used costs nothing
            from ringtrue.models import as_model

            known = read_training(search.plan, None if model is None else as_model(model), given["training"])
            search = search_of(given, source, training=known)
        return [
            search,
            *(search_of(given, source, name=rule, rule=rule, claim=None) for rule in given.get("baselines", ())),
        ]

    def settings(self, given: Mapping[str, Any], source: Any, model: Any) -> dict[str, Any]:
        from ringtrue.study import Budget

        labels = given["budget"] * (1 + len(given.get("baselines", ())))
        return {"budget": Budget(labels, given.get("money")), "lease": SHEET_LEASE}

    def goes_on(self, study: Study, path: Place, given: Mapping[str, Any], source: Any) -> Question:
        """Return the search of a study; a larger budget or another claim adds one that goes on from it."""
        _check_as_set(given)
        search = [one for one in self.own_questions(study) if one.name not in BASELINES][-1]
        check_budget(study, str(path), search, given)
        if source is not None:
            space, rest = source
            if space.fingerprint != search.plan.space.fingerprint or rest.get("input_noise") != search.plan.input_noise:
                raise InvalidInput(
                    f"--space={given['space']} is not the one the study {str(path)!r} was made with: name a new study"
                )
            made = {"tasks": list(search.plan.tasks), "scales": search.plan.scales}
            given = {**{name: rest.get(name, made[name]) for name in made}, **given}
        self.table.check_same(str(path), study, search, given)
        for name in given.get("baselines", ()):
            if name not in study.questions:
                raise other_study("--baseline", str(path), name, None)
        larger = given.get("budget", 0) > search.plan.evaluations
        another = "claim" in given and given["claim"] != search.claim
        return extended(study, search, given) if larger or another else search

    def change_budget(self, study: Study, path: Place, question: Question, given: Mapping[str, Any]) -> None:
        """Leave the number to the searches, each of which has its own."""
        super().change_budget(study, path, question, {name: given[name] for name in given if name != "budget"})

    def oracle(self, asked: Asked) -> Any:
        from ringtrue.oracles import DeviationOracle

        if by_sheet(asked.given):
            return None
        check_alone(asked)
        own, search, rater = asked.notes["own"], cast("Worst", asked.question), asked.given.get("rater")
        outputs = columns_of(asked)
        if own is not None:  # what is typed is not what is recorded, so that it cannot be corrected
            found = oracle_of(asked.notes, asked.calling, outputs=outputs, rater=rater)
            return DeviationOracle(found, import_function(own, "--deviation"))
        check, amend = search.check_setting, asked.amend
        return oracle_of(asked.notes, asked.calling, outputs=outputs, check=check, rater=rater, amend=amend)

    def form(self, asked: Asked) -> Form:
        """Return the outputs that a laboratory fills in, and whether inputs that are not as asked were set so."""
        from ringtrue.cli._sheet_forms import Numbers

        search = cast("Worst", asked.question)
        parameters = next(iter(search.plan.asked_space.probes(1))).values
        return Numbers(columns_of(asked), parameters, search.check_setting if asked.given.get("as_set") else None)

    def ask(self, asked: Asked, executor: Executor | None) -> None:
        study, search = asked.study, cast("Worst", asked.question)
        if "training" in asked.given:
            told = search.plan.training if asked.is_new else None
            told = told or read_training(search.plan, study.things.model, asked.given["training"])
            shown = {} if told is None or told.shown is None else dict(told.shown)
            study.keep("training", None if told is None else shown)
            if "outside" in shown:
                outside = f"{shown['outside']:,} of {count(shown['rows'], 'training row')} outside the space"
                tell(f"{outside}: the search does not go by them, and the report counts them", err=True)
        model = study.things.model
        freely = model is not None and search.plan.sees_model and (search.asks_remote or not model.remote)
        if freely and not study.records:
            # The user's function may call a service that costs: said before it does.
            tell(
                "the model is asked at 2,048 points, and at more before each evaluation; with --model-queries 0 only "
                "where the gold standard is asked",
                err=True,
            )
        for name in (search.name, *(name for name in BASELINES if name in study.questions)):
            planned = cast("Worst", study.questions[name]).plan.evaluations
            asked.run(name, search.claim if name == search.name else None, executor, planned=planned)
        if asked.notes["picture"] is not None:
            keep_picture(study, search, asked.notes["picture"])

    def told(self, asked: Asked) -> Told:
        asked.claim = None  # another claim is a search of its own
        return super().told(asked)


def columns_of(asked: Asked) -> list[str]:
    """Name what a person is asked for: the gold standard's outputs, which are no deviations unless these are given."""
    search: Any = asked.question
    plan = search.plan
    unnamed = plan.tasks == ("deviation",) and plan.deviation.needs_model
    return ["value"] if plan.alone or unnamed else list(plan.tasks)


def _check_as_set(given: Mapping[str, Any]) -> None:
    if "as_set" in given and "answers" not in given:
        raise InvalidInput("--as-set says how to read a filled sheet: give --answers FILE.csv too")


command = command_of(WorstVerb, default="worst")
