"""The study of `ringtrue changed`: made, gone on with, and asked until it is known what changed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._asking import change_budget, make_folder, outlook, threads
from ringtrue.cli._calling import Calling
from ringtrue.cli._changed_files import choice, known_again, known_answers
from ringtrue.cli._changed_model import new_model, sent
from ringtrue.cli._changed_same import check_same
from ringtrue.cli._changed_text import lines_of
from ringtrue.cli._common import say, tell
from ringtrue.cli._consent import allow, given_texts, note_named, would_run
from ringtrue.cli._opening import is_made, open_to_read, study_file
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.core import Claim
    from ringtrue.study import Study

VERB = "changed"
BATCH = 20
"""Items asked about at a time: enough to keep a service busy, few enough to learn from the answers soon."""


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
    """A new study. All that can be wrong is found out before there is a file: one made by mistake is gone on with."""
    from ringtrue.changed import Changed
    from ringtrue.pools._old_answers import NONE
    from ringtrue.study import Budget, Study
    from ringtrue.study import money as amount

    path = study_file(name)
    for option, what in (("old", "the old answers, --old FILE"), ("model", "the new model, --model M")):
        if option not in given:
            raise InvalidInput(f"STUDY={name!r} is not there yet: to make it, give {what}")
    if not {"error", "claim", "budget", "money"} & set(given):
        raise InvalidInput("every call costs: say when it is enough with --error 1%, --claim TEXT or --budget N")
    if "money" in given and "price" not in given:
        raise InvalidInput(f"--money={given['money']} needs the price of one call: give --price AMOUNT")
    money = amount(given["money"], "--money") if "money" in given else None
    price = amount(given["price"], "--price") if "price" in given else None
    known, slices = known_answers(given), list(given.get("slices", ()))
    runs = would_run(given["model"], columns=known.pool.columns)
    calling.check_used(runs)
    model = new_model(given["model"], known, given.get("features"), slices, calling)
    noise = given.get("noise", 0.0 if getattr(model, "deterministic", False) else None)
    error, method = given.get("error"), given.get("method", "paired")
    question = Changed.of(
        known.pool, old=known.answer, truth=known.truth, confidence=known.confidence, slices=slices,
        claim=given.get("claim"), error=error, noise=noise, method=method,
    )  # fmt: skip
    make_folder(path.parent)
    items, old = (given["pool"], given["old"]) if "pool" in given else (given["old"], None)
    # "none" is noted where there are no true labels or no confidences, so that none are looked for again.
    notes = {
        "verb": VERB, "pool": os.path.relpath(items, path.parent),
        "old": None if old is None else os.path.relpath(old, path.parent), "id": given.get("id"),
        "model": given["model"], "answer": known.answer, "truth": known.truth or NONE,
        "confidence": known.confidence or NONE, "slices": slices, "features": given.get("features"), "error": error,
        "noise": noise, "method": method, "sent": getattr(model, "features", None),
    }  # fmt: skip
    study = Study.create(
        path, pool=known.pool, model=model, question=question, budget=Budget(labels=given.get("budget"), money=money),
        price=price, seed=given.get("seed", 0), batch=given.get("batch", BATCH), notes=notes,
    )  # fmt: skip
    note_named(study, runs)
    tell(choice(known, getattr(model, "features", None)), err=True)
    return Asking(study, path)


def go_on(name: str, given: Mapping[str, Any], calling: Calling, *, trust: bool) -> Asking | None:
    """The study of this name if there is one, with the files, the model and the columns it was made with."""
    from ringtrue.study import Study

    path = study_file(name)
    if not is_made(path):
        return None
    with open_to_read(name) as glance:
        notes = dict(glance.plan["notes"])
    if notes.get("verb") != VERB:
        raise InvalidInput(f"STUDY={name!r} was not made by `ringtrue {VERB}`: name a new study, or open it in Python")
    known = known_again(path, notes, given)
    runs = would_run(notes["model"], columns=known.pool.columns)
    allow(glance, runs, named=given_texts(given, "model"), trust=trust, calling=calling)
    model = new_model(notes["model"], known, sent(notes, known), notes["slices"], calling)
    study = Study.open(path, pool=known.pool, model=model)
    try:
        check_same(str(path), study.plan, given)
        if "money" in given and study.plan["price"]["model"] is None:
            raise InvalidInput(
                f"--money={given['money']}: the study {str(path)!r} was made without the price of a call: limit it "
                "with --budget N, or make a new study with --price AMOUNT"
            )
        change_budget(study, given.get("budget"), given.get("money"))
    except BaseException:
        study.close()
        raise
    return Asking(study, path, given.get("claim"))


def _wanting(found: Mapping[str, Any]) -> bool:
    """Whether something is still to be known, and there are items left to ask about."""
    error = found["error"]
    enough = found["verdict"] != "not yet known" and (error["required"] is None or error["bound"] <= error["required"])
    return not enough and found["answers"] + found["unanswerable"] < found["population"]
