"""`ringtrue risk`: buy labels until the claim about the failure rate is decided, or map where the model fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._from_log import FROM, check_from
from ringtrue.cli._log_tables import items_to_judge
from ringtrue.cli._opening import latest_question
from ringtrue.cli._options import (
    ID,
    JSON,
    LABELS,
    MANY_FILES,
    MODEL,
    MODEL_COMMAND,
    POOL,
    SHOW_MODEL,
    SPENDING,
    TRUST,
    TRUST_TYPE,
    WHO,
)
from ringtrue.cli._risk_map import LOOKS, MODES, show_map
from ringtrue.cli._runner import command_of
from ringtrue.cli._scoring import SCORING
from ringtrue.cli._table import COUNTED, Option, Table, claim_about, names
from ringtrue.cli._terminal import tell
from ringtrue.cli._verb import Asked, Told, Verb
from ringtrue.core import InvalidInput, count

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ringtrue.cli._from_log import Brought
    from ringtrue.cli._place import Place
    from ringtrue.core import Batch, Finding, Pool, Question
    from ringtrue.risk import Risk
    from ringtrue.study import Study

_METHODS = ("stratified", "importance", "prediction-powered", "fixed-strata", "simple-random")

_CHUNK = 20_000
"""Rows of a profile read at a time."""

_CHOOSING = (
    Option(
        "confidence",
        'The model\'s confidence in its answers, in [0, 1]: a column, or "model" for the probabilities it gives.',
        "COLUMN",
    ),
    Option(
        "fragility", "Numeric columns to shake: where answers change, there is doubt.", "A,B,…", names(), flag="--shake"
    ),
    Option(
        "profiles",
        "Inputs as operation meets them: the claim is then about operation. Further ones are priced beside it.",
        "FILE",
        flag="--profile",
        many=True,
    ),
    Option("on", "The columns in which --profile and the pool are compared.", "A,B,…", names(), argument="columns"),
    Option(
        "fixed",
        "Fix the number of labels beforehand and look once: a tighter bound, and none before. Given doubt, they are "
        "shared out between doubtful items and the rest.",
        "N",
        type=COUNTED,
    ),
    Option(
        "method",
        "How to choose (default: stratified, given doubt; fixed-strata with --fixed).",
        type=click.Choice(_METHODS),
    ),
)
"""How to choose what to label. Given to a study that is there, they add another question to it."""

CLAIM = Option(
    "claim",
    'What you want to be able to say, such as "error <= 5% at 95%".',
    read=claim_about("error", "failure", like='"error <= 5% at 95%"'),
)
INPUTS = Option(
    "inputs",
    "The columns that a model file or an address is sent, or the one of images (default: all, or as the file says).",
    "A,B,…",
    names(),
    flag="--input",
    made="notes",
)
MAKING = (POOL, MODEL, TRUST_TYPE, MODEL_COMMAND, INPUTS, CLAIM, *SPENDING, ID, *MANY_FILES, LABELS, *_CHOOSING, JSON)
_MAP = (
    Option("map", "Map where it fails, over these columns of numbers.", "A,B,…", names(), argument="features"),
    Option("cells", "Cells of the map along each axis (default 50).", "N", type=COUNTED),
    Option("mode", "Who is right where the truth is unknown (default: assessed).", type=click.Choice(MODES)),
    Option("local", "How the map looks into a cell (default: lattice).", type=click.Choice(LOOKS), flag="--look"),
    Option("known", "A column of labels at hand, for the map; empty where unknown.", "COLUMN"),
)
_TRUTH = Option(
    "truth", "With --from: true labels that are at hand, a voter of the log, or a file joined by id.", "GOLD"
)


class RiskVerb(Verb):
    """Find out how often the model of STUDY fails on its pool, or in operation.

    Makes STUDY if it is not there; else goes on with it. Asks the oracle item by item until the claim is decided or the
    budget is spent. Stop it at any time: every answer is on the disk before the next is asked, and the same command
    goes on where it stopped. With --confidence or --shake, doubtful items are asked about more often, and fewer labels
    may do. With --profile, the claim is about operation as those inputs show it. With --map, shows where the model
    fails, by cells; together with --oracle, buys labels where the map lacks them most.

    \b
    ringtrue risk loans --pool pool.csv --model predicted --oracle truth --claim "error <= 5% at 95%" --budget 200
    ringtrue risk loans --oracle desk:label                      # label(item: dict) in desk.py, None if it cannot tell
    ringtrue risk loans --oracle truth --confidence score --claim "failure <= 1% at 95%"
    ringtrue risk loans --oracle truth --profile ops.parquet --on region,product
    ringtrue risk loans --sheet ann.xlsx --rater ann --rows 50   # people fill it in, then --answers ann.xlsx
    ringtrue risk loans --map age,income --known truth           # asks nothing
    ringtrue risk qa --from log.eval --oracle ask --claim "error <= 10% at 95%"   # is what the model said right?

    Exit code: 0 rings true (or there is no claim), 1 rings false, 3 not yet known.
    """

    name = kind = "risk"
    table = Table((*WHO, *MAKING, *_MAP, *FROM, _TRUTH, *SCORING, SHOW_MODEL, TRUST))

    def notes(self, given: Mapping[str, Any], home: Path) -> dict[str, Any]:
        return super().notes(given, home) | ({"inputs": given["inputs"]} if "inputs" in given else {})

    def from_log(self, given: Mapping[str, Any], *, new: bool) -> Brought | None:
        check_from(given, "truth")
        return items_to_judge(given, new=new) if "log" in given else None

    def questions(self, given: Mapping[str, Any], source: Any, model: Any) -> Sequence[Question]:
        from ringtrue.pools import check_column

        _check_map_options(given)
        stored = given.get("model")
        if model is not None and model.stored_in and stored is not None:
            if "inputs" in given:
                raise InvalidInput(f"--input={','.join(given['inputs'])} has no use with stored answers: leave it out")
            check_column(source, stored, labels=given.get("labels"))
        if "profiles" in given and "on" not in given:
            raise InvalidInput(
                "--profile needs --on A,B here: name the input columns, since the truth may be among the others"
            )
        return [_question(given.get("claim"), source, given, [str(stored)], "risk")]

    def goes_on(self, study: Study, path: Place, given: Mapping[str, Any], source: Any) -> Question:
        """Return the question that the options ask for, added to the study if it is missing."""
        from ringtrue.risk import FIXED_STRATA

        _check_map_options(given)
        risks: list[Question] = self.own_questions(study)
        self.table.check_same(str(path), study, next(iter(study.questions.values())), given)
        if risks and ("map" in given or not {option.name for option in _CHOOSING} & set(given)):
            latest = study.questions[latest_question(study, None)]
            return latest if latest in risks else risks[-1]
        hidden = [name for name in (given.get("oracle"), study.plan["notes"].get("model")) if name is not None]
        own = next(iter(study.questions.values())).claim
        made = _question(given.get("claim", own), source, given, hidden)
        alike = [_settings(made)]
        if made.method == FIXED_STRATA and "method" not in given:  # what --fixed with doubt meant in earlier versions
            alike.append(_settings(_question(None, source, {**given, "method": "stratified"}, hidden)))
        same = next((one for one in risks if _settings(one) in alike), None)
        if same is not None:  # as it was made, under whatever name; a claim is decided in any of them
            return same
        if made.name not in study.questions:
            if made.fixed is not None and study.records:
                raise InvalidInput(
                    f"--fixed={made.fixed} must be settled before the first label, and this study has asked for "
                    f"{len(study.records):,}: make a new study with it"
                )
            study.add(made)
            tell(f"added the question {made.name!r}: it uses every label bought so far", err=True)
        elif study.questions[made.name].config() != made.config():
            raise InvalidInput(
                f"question {made.name!r} is in this study with another claim, profile or column: make a new study, or "
                "leave the options out to go on with it"
            )
        return made

    def oracle(self, asked: Asked) -> Any:
        """Return who answers; a map buys labels only if the user says who knows them."""
        if "map" in asked.given and not {"oracle", "oracle_command"} & set(asked.given):
            return None
        return super().oracle(asked)

    def answer(self, asked: Asked, executor: Executor | None) -> Told:
        """Ask, or show the map."""
        return show_map(asked) if "map" in asked.given else super().answer(asked, executor)

    def waits(self, asked: Asked, finding: Finding) -> bool:
        """Return whether a planned number is not reached or, without one, the claim is open; and items are left."""
        done = finding.answers + finding.unanswerable
        fixed = asked.question.argument("fixed")
        left = len(asked.study.records) < asked.source.size
        return left and (super().waits(asked, finding) if fixed is None else done < fixed)


def _settings(question: Question) -> dict[str, Any]:
    """Return what distinguishes a question from others but its name, its claim, and the edition it began with."""
    return {key: value for key, value in question.config().items() if key not in ("name", "claim", "edition")}


def _check_map_options(given: Mapping[str, Any]) -> None:
    """Refuse options that would be passed over: what --map does not use, and what only --map does."""
    mapping = "map" in given
    if mapping and "claim" in given:
        raise InvalidInput(
            "--claim is not decided by a map, whose cells need not have one right class: leave out --map"
        )
    of_draws = ["method", "on", "fixed", "workers", "sheet", "answers"]
    passed_over = of_draws if mapping else ["cells", "mode", "local", "known"]
    if mapping and given.get("mode") == "paper":  # which has a profile and draws of its own
        passed_over += ["local", "profiles"]
    for name in passed_over:
        if name in given:
            option = next(one.typed for one in RiskVerb.table.options if one.name == name)
            raise InvalidInput(f"{option} {'does nothing with' if mapping else 'is for'} --map: leave it out")


def _question(claim: Any, pool: Pool, given: Mapping[str, Any], hidden: Sequence[str], name: str = "") -> Risk:
    """Return the question that the options ask for, named after them; profiles are not compared in `hidden` columns."""
    from ringtrue.pools import read_pool
    from ringtrue.risk import FROM_MODEL, Fragility, Risk, doubt_of
    from ringtrue.risk.profiles import profile_of

    method, confidence, fixed, on = (given.get(name) for name in ("method", "confidence", "fixed", "on"))
    if on is not None and "profiles" not in given:
        raise InvalidInput(
            f"--on={','.join(on)!r} compares a profile with the pool: give --profile FILE, or leave it out"
        )
    if fixed is not None and fixed > pool.size:
        raise InvalidInput(f"--fixed={fixed} must not exceed the {count(pool.size, 'item')} of the pool")
    if confidence not in (None, FROM_MODEL):
        for batch in pool.chunks(_CHUNK):  # all of it: a question that cannot be prepared must not enter the study
            doubt_of(batch, None, confidence=confidence, fragility=None)
    profiles = [
        profile_of(Path(file).stem, _Twice(pool), _Twice(read_pool(file)), on, hidden=("id", str(confidence), *hidden))
        for file in given.get("profiles", ())
    ]
    # Even draws know no profile: under them all are priced beside the pool.
    weighted = 0 if method == "simple-random" else 1
    return Risk(
        claim,
        method=method,
        confidence=confidence,
        fragility=Fragility(tuple(given["fragility"])) if "fragility" in given else None,
        profile=next(iter(profiles[:weighted]), None),
        priced=profiles[weighted:],
        name=name or _name(given),
        fixed=fixed,
    )


def _name(given: Mapping[str, Any]) -> str:
    """Name a question after what distinguishes it."""
    parts = [given.get("method", ""), *(f"on {Path(file).stem}" for file in given.get("profiles", ())[:1])]
    parts += [f"by {given['confidence']}"] if "confidence" in given else []
    parts += [f"shaking {','.join(given['fragility'])}"] if "fragility" in given else []
    parts += [f"fixed {given['fixed']}"] if "fixed" in given else []
    return " ".join(["risk", *filter(None, parts)])


@dataclass(frozen=True, slots=True)
class _Twice:
    """A pool that can be read through as often as wanted."""

    pool: Pool

    def __iter__(self) -> Iterator[Batch]:
        return self.pool.chunks(_CHUNK)


command = command_of(RiskVerb)
