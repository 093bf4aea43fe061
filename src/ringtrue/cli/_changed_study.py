"""The study of `ringtrue changed`: planned, made, gone on with, and asked until it is known what changed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._asking import (
    amount_of,
    as_typed,
    change_budget,
    check_needed,
    make_folder,
    outlook,
    refuse_other,
    settings_of,
    threads,
)
from ringtrue.cli._changed_model import choice, known_again, known_answers, new_model, sent
from ringtrue.cli._changed_text import lines_of
from ringtrue.cli._consent import allow, given_texts, note_named, would_run
from ringtrue.cli._opening import closing_on_error, is_made, open_to_read, read_made_by, study_file
from ringtrue.cli._options import Calling
from ringtrue.cli._output import say, tell
from ringtrue.core import InvalidInput, percent

if TYPE_CHECKING:
    from ringtrue.core import Claim
    from ringtrue.study import Study

VERB = "changed"
BATCH = 20
"""Items asked about at a time: enough to keep a service busy, few enough to learn from the answers soon."""

_NOTED = ("model", "id", "answer", "truth", "confidence", "slices", "features", "error", "noise", "method")
"""What the notes of a study say it was made with."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A study that is ready to ask; `claim` is what to decide in place of the study's own."""

    study: Study
    path: Path
    claim: Claim | None = None

    def ask(self, *, workers: int, as_json: bool) -> int:
        """Ask until all is known that was wanted or the budget is spent, and say what was found."""
        from ringtrue.cli._progress import Progress

        with self.study as study:
            with Progress(self.claim) as progress, threads(workers, study) as executor:
                finding: Any = study.run(until=self.claim, executor=executor, progress=progress)
            status, found, price = study.status(), finding.to_json(), study.plan["price"]["model"]
        lines = [*lines_of(found), str(status)]
        if _wanting(found):
            lines += outlook(str(self.path), status, price)
        result = {"study": str(self.path), **found, "status": status.to_json(), "warnings": study.notices}
        say(as_json, result, *lines, f"next: ringtrue report {self.path}")
        return int(finding.verdict.exit_code)


def make(name: str, given: Mapping[str, Any], calling: Calling) -> Asking:
    """Make a new study. All that can be wrong is found out before there is a file: a wrong one would go on."""
    from ringtrue.changed import Changed
    from ringtrue.pools._old_answers import NONE
    from ringtrue.study import Budget, Study

    path = study_file(name)
    check_needed(name, given, old="the old answers, --old FILE", model="the new model, --model M")
    if not {"error", "claim", "budget", "money"} & set(given):
        raise InvalidInput("every call costs: say when it is enough with --error 1%, --claim TEXT or --budget N")
    if "money" in given and "price" not in given:
        raise InvalidInput(f"--money={given['money']} needs the price of one call: give --price AMOUNT")
    budget = Budget(labels=given.get("budget"), money=amount_of(given, "money"))
    planned = settings_of(given, batch=BATCH)
    known, slices = known_answers(given), list(given.get("slices", ()))
    runs = would_run(given["model"], columns=known.pool.columns)
    calling.check_used(runs)
    model = new_model(given["model"], known, given.get("features"), slices, calling)
    noise = given.get("noise", 0.0 if getattr(model, "deterministic", False) else None)
    settings = {"slices": slices, "error": given.get("error"), "noise": noise, "method": given.get("method", "paired")}
    question = Changed.of(
        known.pool,
        old=known.answer,
        truth=known.truth,
        confidence=known.confidence,
        claim=given.get("claim"),
        **settings,
    )
    make_folder(path.parent)
    items, old = (given["pool"], given["old"]) if "pool" in given else (given["old"], None)
    notes = {
        "verb": VERB,
        "pool": os.path.relpath(items, path.parent),
        "old": None if old is None else os.path.relpath(old, path.parent),
        **{option: given.get(option) for option in ("id", "model", "features")},
        "answer": known.answer,
        # "none" where there are no true labels or no confidences, so that none are looked for again.
        "truth": known.truth or NONE,
        "confidence": known.confidence or NONE,
        **settings,
        "sent": getattr(model, "features", None),
    }
    study = Study.create(path, pool=known.pool, model=model, question=question, budget=budget, notes=notes, **planned)
    note_named(study, runs)
    tell(choice(known, getattr(model, "features", None)), err=True)
    return Asking(study, path)


def go_on(name: str, given: Mapping[str, Any], calling: Calling, *, trust: bool) -> Asking | None:
    """Open the study of this name if there is one, with the files, the model and the columns it was made with."""
    path = study_file(name)
    if not is_made(path):
        return None
    with closing_on_error(read_made_by(VERB, name)) as study:
        notes = dict(study.plan["notes"])
        known = known_again(path, notes, given)
        runs = would_run(notes["model"], columns=known.pool.columns)
        allow(study, runs, named=given_texts(given, "model"), trust=trust, calling=calling)
        model = new_model(notes["model"], known, sent(notes, known), notes["slices"], calling)
        study.attach(pool=known.pool, model=model)
        _check_same(str(path), study.plan, given)
        if "money" in given and study.plan["price"]["model"] is None:
            raise InvalidInput(
                f"--money={given['money']}: the study {str(path)!r} was made without the price of a call: limit it "
                "with --budget N, or make a new study with --price AMOUNT"
            )
        change_budget(study, given.get("budget"), given.get("money"))
    return Asking(study, path, given.get("claim"))


def _wanting(found: Mapping[str, Any]) -> bool:
    """Say whether something is still to be known, and there are items left to ask about."""
    error = found["error"]
    enough = found["verdict"] != "not yet known" and (error["required"] is None or error["bound"] <= error["required"])
    return not enough and found["answers"] + found["unanswerable"] < found["population"]


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


def _check_same(path: str, plan: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse an option that would make this another study; budget, claim and the places of files may change."""
    from ringtrue.study import money

    price = plan["price"]["model"]
    made = {name: plan["notes"][name] for name in _NOTED} | {name: plan[name] for name in ("seed", "batch")}
    made["price"] = None if price is None else money(price, "price")
    asked = {**given, "price": amount_of(given, "price")} if "price" in given else dict(given)
    if "slices" in asked:
        asked["slices"] = list(asked["slices"])
    refuse_other(path, made, asked, options={"slices": "slice"}, text=_as_typed)


def _as_typed(value: Any) -> str:
    """Return a value as it is given on the command line, where a number between 0 and 1 is a share."""
    return percent(value) if isinstance(value, float) else as_typed(value)
