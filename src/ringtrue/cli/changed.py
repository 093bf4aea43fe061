"""`ringtrue changed`: did the model change, how, and how few calls does it take to know?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._changed_model import choice, known_again, known_answers, new_model
from ringtrue.cli._changed_watch import EVERY, call_when_due, check_watch, due_at, due_line, is_watch, watch_question
from ringtrue.cli._consent import Calling
from ringtrue.cli._door import program_model
from ringtrue.cli._from_log import FROM, check_from
from ringtrue.cli._log_tables import answers_of_two
from ringtrue.cli._opening import open_to_read
from ringtrue.cli._options import ID, JSON, MANY_FILES, MODEL, MODEL_COMMAND, POOL, SPENDING, TRUST, TRUST_TYPE
from ringtrue.cli._runner import command_of
from ringtrue.cli._scoring import SCORING
from ringtrue.cli._table import COUNTED, Option, Table, claim_about, names, share
from ringtrue.cli._terminal import tell
from ringtrue.cli._verb import Asked, Told, Verb
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ringtrue.cli._from_log import Brought
    from ringtrue.cli._place import Place
    from ringtrue.core import Finding, Model, Pool, Question
    from ringtrue.pools import OldAnswers
    from ringtrue.study import Study

METHODS = ("paired", "oneshot", "uniform", "masa")
QUANTITIES = ("change", "accuracy drop")

_CLAIM = claim_about(*QUANTITIES, like='"change <= 1% at 95%" or "accuracy drop <= 2%"')
_ENOUGH = share(above_zero=True)


_SENTINELS = (
    "With --watch: how many items are asked about again and again (default: 20, of a model without noise 100; none "
    "where no confidence is known)."
)


def _watched(_: Study, question: Any) -> bool:
    return is_watch(question)


def _sentinels(_: Study, question: Any) -> int | None:
    return len(question.rows) if is_watch(question) else None


_OPTIONS = (
    Option("old", "The old answers, a row per item: .csv, .tsv, .parquet or .jsonl.", "FILE"),
    POOL,
    MODEL,
    TRUST_TYPE,
    MODEL_COMMAND,
    Option("error", "Ask until the shift is known to within this error, such as 1%.", "SHARE", _ENOUGH, made="notes"),
    Option("claim", 'What to decide: "change <= 1% at 95%" or "accuracy drop <= 2%".', read=_CLAIM),
    Option("answer", "The column of the old answers (default: answer, old, …).", "COLUMN", made="notes"),
    Option("truth", "The column of true labels (default: truth, label, …), or none.", "COLUMN", made="notes"),
    Option("confidence", "The old model's confidence, a column, or none.", "COLUMN", made="notes"),
    Option("slices", "Show the change by this column; repeatable.", "COLUMN", flag="--slice", many=True, made="notes"),
    Option(
        "features",
        "The columns that the model is shown (default: all inputs).",
        "A,B,…",
        names("text,language"),
        made="notes",
    ),
    Option(
        "noise", "Answers that vary by themselves (default: measured by asking twice).", "SHARE", share(), made="notes"
    ),
    Option("method", "How to ask and estimate (default: paired).", type=click.Choice(METHODS), made="notes"),
    Option("plan", "Print how many calls it may take, and ask nothing.", ""),
    Option("watch", "Ask about one telling item per run, for months, and raise an alarm.", "", made=_watched),
    Option("every", "With --watch: how often you run it (default: day).", type=click.Choice(EVERY), made="notes"),
    Option("sentinels", _SENTINELS, "N", type=COUNTED, made=_sentinels),
    *FROM,
    Option("to", "With --from: the log of the new answers.", "FILE"),
    ID,
    *MANY_FILES,
    *SPENDING,
    *SCORING,
    TRUST,
    JSON,
)


class ChangedVerb(Verb):
    """Find out whether the model changed since it gave the answers in --old, and how.

    Makes STUDY if it is not there; else goes on with it, and needs no other argument. Asks the new model about the few
    items that tell most: first until it is known whether anything changed, then how. Stop it at any time: every answer
    is on the disk before the next is asked. The model is never shown the old answers, their confidences, the true
    labels or the slices, nor any other column with a usual name of these, unless --features names it; an address is not
    sent the ids either. A token for an address is read from the environment variable RINGTRUE_MODEL_TOKEN.

    \b
    ringtrue changed mood --old answers.parquet --model https://models.example/v1/models/mood:predict --error 1%
    ringtrue changed mood --old answers.csv --model desk:ask --claim "change <= 1% at 95%" --budget 500
    ringtrue changed mood --old answers.csv --pool items.jsonl --model new_answer --error 1%
    ringtrue changed mood --old answers.csv --error 1% --plan
    ringtrue changed mood                                    # go on where it stopped
    ringtrue changed qa --from old.eval --to new.eval        # the logs of two runs, joined by id
    ringtrue changed guard --old answers.csv --model https://models.example/v1/models/mood:predict --watch
    ringtrue changed guard                                   # each day, from cron: one call

    With --watch it asks about one item per run, one whose old answer was nearly another where confidences tell, until
    the answers are no longer those of before. The first run makes 100 calls, to learn how much answers vary by
    themselves; none with --noise 0. An unchanged model raises an alarm in at most 5% of years. Exit code 0 then says
    that there is no alarm so far.

    Exit code: 0 unchanged within the claim, 1 changed, 3 not yet known.
    """

    name = "changed"
    own = True
    batch = 20  # enough to keep a service busy, few enough to learn from the answers soon
    needed = (("old", "the old answers, --old FILE"), ("model", "the new model, --model M"))
    table = Table(_OPTIONS)

    def from_log(self, given: Mapping[str, Any], *, new: bool) -> Brought | None:
        check_from(given, "to")
        if "log" in given and "model" in given:
            raise InvalidInput(f"--model={given['model']!r}: the new answers of --from are those of --to: leave it out")
        return answers_of_two(given) if "log" in given else None

    def own_questions(self, study: Study) -> list[Any]:
        return [*super().own_questions(study), *filter(is_watch, study.questions.values())]

    def notes(self, given: Mapping[str, Any], home: Path) -> dict[str, Any]:
        check_watch(given)
        if not {"error", "claim", "budget", "money", "watch"} & set(given):
            raise InvalidInput("every call costs: say when it is enough with --error 1%, --claim TEXT or --budget N")
        items, old = (given["pool"], given["old"]) if "pool" in given else (given["old"], None)
        kept = ("id", "model", "model_command", "features", "answer", "truth", "confidence", "error", "noise")
        return {
            "verb": self.name,
            "pool": os.path.relpath(items, home),
            "old": None if old is None else os.path.relpath(old, home),
            **{option: given.get(option) for option in kept},
            "slices": list(given.get("slices", ())),
            "method": given.get("method", "paired"),
            "sent": None,
            **({"every": given.get("every", "day")} if "watch" in given else {}),
            **{option.name: True for option in MANY_FILES if option.name in given},
        }

    def read(self, notes: Mapping[str, Any], given: Mapping[str, Any], home: Path) -> OldAnswers:
        return known_again(home, notes, given)

    def pool(self, source: OldAnswers) -> Pool:
        return source.pool

    def model(self, notes: Mapping[str, Any], source: OldAnswers, argument: str, calling: Calling) -> Model:
        if notes.get("model_command") is not None:
            return program_model(notes["model_command"], calling)
        return new_model(notes, source, calling)

    def questions(self, given: Mapping[str, Any], source: OldAnswers, model: Any) -> Sequence[Question]:
        from ringtrue.changed import Changed

        if "watch" in given:
            return [watch_question(given, source, _noise(given, model))]
        columns: dict[str, Any] = {"old": source.answer, "truth": source.truth, "confidence": source.confidence}
        asked: dict[str, Any] = {name: given.get(name) for name in ("claim", "error")}
        settings = {"slices": list(given.get("slices", ())), "method": given.get("method", "paired")}
        return [Changed.of(source.pool, **columns, **asked, **settings, noise=_noise(given, model))]

    def found(self, given: Mapping[str, Any], source: OldAnswers, model: Any) -> dict[str, Any]:
        from ringtrue.pools._old_answers import NONE

        # "none" where there are no true labels or no confidences, so that none are looked for again.
        told = {"truth": source.truth or NONE, "confidence": source.confidence or NONE}
        return {"answer": source.answer, **told, "noise": _noise(given, model), "sent": model.features}

    def made(self, asked: Asked) -> None:
        tell(choice(asked.source, asked.notes["sent"]), err=True)

    def ask(self, asked: Asked, executor: Executor | None) -> None:
        if is_watch(asked.question):
            call_when_due(asked, executor)
        else:
            super().ask(asked, executor)

    def told(self, asked: Asked) -> Told:
        if not is_watch(asked.question):
            return super().told(asked)
        asked.details |= {"due": due_at(asked)}
        return due_line(asked, super().told(asked))

    def waits(self, asked: Asked, finding: Finding) -> bool:
        """Return whether something is still to be known, and there are items left to ask about."""
        if is_watch(asked.question):
            return finding.verdict.exit_code == 3
        found: Any = finding.to_json()
        error = found["error"]
        known = finding.verdict.exit_code != 3
        enough = known and (error["required"] is None or error["bound"] <= error["required"])
        return not enough and finding.answers + finding.unanswerable < found["population"]

    def code(self, finding: Finding) -> int:
        found: Any = finding
        # A watch never shows that nothing changed: once it knows the model, no alarm is all there is to say.
        quiet = is_watch(found) and found.answers >= found.baseline and found.raised_at is None
        return 0 if quiet else finding.verdict.exit_code

    def without_study(self, path: Place, given: Mapping[str, Any]) -> Told | None:
        if not given.get("plan"):
            return None
        if "log" in given:
            raise InvalidInput("--plan is for answers that are still to be asked for: leave out --plan or --from")
        check_watch(given)
        return _planned(path, given)


def _noise(given: Mapping[str, Any], model: Any) -> float | None:
    """Return the share of answers that vary by themselves; stored ones do not."""
    noise: float | None = given.get("noise", 0.0 if model.deterministic else None)
    return noise


def _planned(path: Place, given: Mapping[str, Any]) -> Told:
    """Plan the calls to expect by the share of answers that changed. Nothing is asked, and no study is made."""
    from ringtrue.changed import Columns
    from ringtrue.changed.planning import plan_shift

    error, claim = given.get("error"), given.get("claim")
    if "old" in given:
        known = known_answers(given)
    elif path.is_made():
        with open_to_read(path) as study:
            notes, question = study.plan["notes"], study.question()
        if notes.get("verb") != ChangedVerb.name:
            raise InvalidInput(
                f"STUDY={str(path)!r} was not made by `ringtrue changed`: give --old FILE to plan a new one"
            )
        if is_watch(question):
            check_watch({"watch": True, "plan": True})
        known = known_again(path.home, notes, given)
        error, claim = notes["error"] if error is None else error, claim or question.claim
    else:
        raise InvalidInput("--plan starts from the old answers: give them with --old FILE")
    wanted: dict[str, Any] = {"error": error}
    if claim is not None:
        wanted |= {claim.quantity.replace(" ", "_"): claim.limit, "level": claim.level}
    columns = Columns(known.answer, known.truth, known.confidence)
    plan = plan_shift(columns.census(known.pool), **wanted)
    return Told(0, plan.to_json(), str(plan).splitlines())


command = command_of(ChangedVerb)
