"""`ringtrue judges`: how good are these judges when the truth is not known?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._calling import Calling, calling_options
from ringtrue.cli._options import BATCH, BUDGET, JSON, MONEY, PRICE, SEED, SHOW_MODEL, TRUST, WHO, WORKERS
from ringtrue.cli._output import Result, say, single
from ringtrue.cli._table import COUNTED, Option, Table, claim_about, names, share
from ringtrue.core import InvalidInput, terminal_lines

if TYPE_CHECKING:
    from ringtrue.core import Sketch

_BUYING = (BUDGET, MONEY, PRICE, SEED, BATCH, WORKERS)
READS = {"judges", "labels", "id"}
TAKES = {
    "judge": READS | {"truth", "prevalence", "better", "at_least", "independent", "level", "out", "error"},
    "follow": READS | {"follow", "prevalence", "better", "at_least", "independent", "level", "out"},
    "strata": READS | {"strata", "better", "level"},
    "study": READS
    | {"study", "oracle", "oracle_command", "claim", "fixed", "show_model", "trust"}
    | {option.name for option in _BUYING},
    "plan": {"accuracy", "error", "prevalence"},
}
"""Which options each way of using the verb takes; any other is refused rather than passed over."""

_SHARE = share(like="80% or 0.8")

TABLE = Table(
    (
        Option("truth", "What is known of the truth: a column of VOTES, or a file.", "GOLD"),
        Option(
            "judges",
            "The columns that are judges (default: all that can be).",
            "A,B,C",
            names("a,b,c"),
            made=lambda _, question: question.sketch.judges,
        ),
        Option("id", "The column that names the items (default: id, item or task).", "COLUMN"),
        Option(
            "labels",
            "The labels, in order; otherwise those that occur, sorted.",
            "NO,YES",
            names("a,b,c"),
            made=lambda _, question: question.sketch.labels,
        ),
        Option("prevalence", "The known share of the first label, such as 50%.", "SHARE", _SHARE),
        Option("better", "A judge known to be better than chance: tells which label is which.", "JUDGE"),
        Option(
            "at_least", "The share of right votes on every label that is good enough (default 80%).", "SHARE", _SHARE
        ),
        Option("independent", "State that the judges share nothing but the truth.", ""),
        Option("strata", "A column that parts the items: two judges then suffice.", "COLUMN"),
        Option("level", "The level of all intervals (default 95%).", "SHARE", _SHARE),
        Option("out", "Also write a report, with its JSON twin beside it.", "FILE.html"),
        Option("follow", "Watch later votes for a change since VOTES; - reads standard input.", "FILE"),
        Option("study", "Buy labels in this study, which is made if it is not there.", "STUDY"),
        *WHO,
        Option(
            "claim",
            'What --study should decide of every judge, as in "accuracy >= 80%".',
            read=claim_about("error", "failure", like='"accuracy >= 80% at 95%"'),
        ),
        Option(
            "fixed",
            "Fix the labels of --study beforehand and look once: about half as many for the same width.",
            "N",
            type=COUNTED,
            made=lambda _, question: question.fixed,
        ),
        Option(
            "error",
            "Plan: items or judges needed for this standard error, such as 2%.",
            "SHARE",
            _SHARE,
            flag="--standard-error",
        ),
        Option("accuracy", "Plan without VOTES: the accuracy that judges will have.", "SHARE", _SHARE),
        *_BUYING,
        SHOW_MODEL,
        TRUST,
        JSON,
    ),
    former={
        "--label-names": "the labels there are, in order, are --labels NO,YES",
        "--item": "the column that names the items is --id COLUMN",
        "--error": "the standard error to plan for is --standard-error SHARE",
    },
)


@click.command("judges")
@click.argument("votes", metavar="[VOTES]", required=False)
@TABLE.add
@calling_options
def command(votes: str | None, calling: Calling, **typed: Any) -> int:
    """Say which of the judges in VOTES are good enough, and what they may be used for.

    VOTES has a column per judge and a row per item, or the columns item, rater, label (or task, worker, label): CSV,
    TSV, JSON Lines or Parquet. Empty cells are abstentions.

    \b
    ringtrue judges votes.csv                              # from votes alone
    ringtrue judges votes.csv --truth gold.csv             # with a few labels, chosen by chance
    ringtrue judges votes.csv --follow later.csv           # an alarm when judges or prevalence move
    ringtrue judges votes.csv --study panel --oracle truth --budget 100
    ringtrue judges --accuracy 80% --standard-error 2%     # plan before there are votes

    Exit code: 0 all judges are good enough (or no alarm), 1 some judge is not (or an alarm), 3 not yet known, 130 watch
    ended by Ctrl-C.
    """
    with TABLE.in_words():
        given = TABLE.given(typed)
        as_json = bool(given.pop("as_json", False))
        _check_labels(votes, given)
        mode = (
            "plan" if votes is None else next((way for way in ("study", "strata", "follow") if way in given), "judge")
        )
        for name in given:
            if name not in TAKES[mode]:
                option = next(one.typed for one in TABLE.options if one.name == name)
                raise InvalidInput(f"{option} {_place(name, mode)}: leave it out (see `ringtrue judges --help`)")
        if votes is None:
            from ringtrue.cli._judges_panel import plan_ahead

            return plan_ahead(given.get("accuracy"), given.get("error"), given.get("prevalence"), as_json=as_json)
        if mode == "study":
            from ringtrue.cli._judges_study import JudgesVerb
            from ringtrue.cli._runner import run_verb

            return run_verb(JudgesVerb(TABLE, votes), given["study"], typed, calling)
        return _in_mode(mode, votes, given, as_json)


def _check_labels(votes: str | None, given: Mapping[str, Any]) -> None:
    """Refuse a file or a column of true labels where the labels that there are belong."""
    if votes is not None and len(given.get("labels", ())) == 1:
        only = given["labels"][0]
        raise InvalidInput(
            f"--labels={only!r} must be the labels that votes may have, such as no,yes: what is known of the truth is "
            f"--truth {only}"
        )


def _in_mode(mode: str, votes: str, given: dict[str, Any], as_json: bool) -> int:
    """Do what the options ask for, in the way of using the verb that they choose."""
    from ringtrue.cli._judges_panel import read_aloud

    reading = {"judges": given.get("judges"), "labels": given.get("labels"), "item": given.get("id")}
    level = given.get("level", 0.95)
    if mode == "strata":
        from ringtrue.cli._judges_panel import by_strata

        return by_strata(votes, reading, {**given, "level": level}, as_json=as_json)
    sketch = read_aloud(votes, truth=given.get("truth"), **reading)
    options = {name: given.get(name) for name in ("prevalence", "better", "at_least")}
    options |= {"independent": "independent" in given, "level": level}
    if mode == "follow":
        from ringtrue.cli._judges_follow import follow_stream

        return follow_stream(sketch, given["follow"], options, given.get("out"), votes, as_json)
    options["truth"] = sketch.judges[-1] if "truth" in given else None  # read as one more judge, the last
    return _judge(sketch, options, votes, given, as_json)


def _judge(sketch: Sketch, options: dict[str, Any], votes: str, given: Mapping[str, Any], as_json: bool) -> int:
    """Evaluate, say the verdict first, and write the report if one is wanted."""
    from ringtrue.cli._judges_panel import plan_on
    from ringtrue.judges import evaluate

    finding = evaluate(sketch, **options)
    lines = [f"{finding.standings.word}: {finding}", *terminal_lines(finding.sections())]
    beside: dict[str, Any] = {"standing": finding.standings.word}
    if "error" in given:
        plan = plan_on(finding, given["error"])
        beside["plan"] = plan.to_json()
        lines += ["", *str(plan).splitlines()]
    if "out" in given:
        from ringtrue.report import write_panel_report

        page, twin = write_panel_report(sketch, given["out"], name=Path(votes).name, **options)
        beside |= {"html": str(page), "json": str(twin)}
        lines += ["", f"wrote {page}", f"wrote {twin}"]
    result = Result.of(finding, question=Path(votes).name, kind="panel", details=beside)
    say(as_json, result.to_json(), *single(lines))
    return finding.verdict.exit_code


def _place(name: str, mode: str) -> str:
    """Say where an option that has no use here has one."""
    if mode == "plan":
        return "has no use without VOTES"
    if mode != "judge":
        return f"has no use with --{mode}"
    return "is for planning without VOTES" if name == "accuracy" else "is for buying labels, with --study STUDY"
