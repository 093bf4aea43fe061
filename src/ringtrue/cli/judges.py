"""`ringtrue judges`: how good are these judges when the truth is not known?"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ringtrue.cli import _judges_panel as panel
from ringtrue.cli._consent import Calling, calling_options
from ringtrue.cli._from_log import BROUGHT, FROM, Brought, check_from
from ringtrue.cli._log_tables import votes_of_log
from ringtrue.cli._options import JSON, SHOW_MODEL, SPENDING, TRUST, WHO
from ringtrue.cli._runner import run_verb
from ringtrue.cli._scoring import SCORING
from ringtrue.cli._table import COUNTED, Option, Table, claim_about, names, share
from ringtrue.cli._verb import Asked, Verb
from ringtrue.core import Argument, InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.cli._place import Place
    from ringtrue.core import Model, Pool, Question, Sketch
    from ringtrue.study import Study

READS = {"judges", "labels", "id"} | {option.name for option in FROM}
TAKES = {
    "judge": READS | {"truth", "prevalence", "better", "at_least", "independent", "level", "out", "error"},
    "follow": READS | {"follow", "prevalence", "better", "at_least", "independent", "level", "out"},
    "strata": READS | {"strata", "better", "level"},
    "study": READS
    | {"study", "claim", "fixed", "show_model", "trust"}
    | {option.name for option in (*WHO, *SPENDING, *SCORING)},
    "plan": {"accuracy", "error", "prevalence"},
}
"""Which options each way of using the verb takes; any other is refused rather than passed over."""

_SHARE = share(like="80% or 0.8")

_VOTES = "votes"
"""Under which the options hold the file of votes that was made of a log."""

_OPTIONS = (
    Option("truth", "What is known of the truth: a column of VOTES, or a file.", "GOLD"),
    *FROM,
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
    Option("at_least", "The share of right votes on every label that is good enough (default 80%).", "SHARE", _SHARE),
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
        made="question",
    ),
    Option(
        "error",
        "Plan: items or judges needed for this standard error, such as 2%.",
        "SHARE",
        _SHARE,
        flag="--standard-error",
    ),
    Option("accuracy", "Plan without VOTES: the accuracy that judges will have.", "SHARE", _SHARE),
    *SPENDING,
    *SCORING,
    SHOW_MODEL,
    TRUST,
    JSON,
)
TABLE = Table(
    _OPTIONS,
    former={
        "--label-names": "the labels there are, in order, are --labels NO,YES",
        "--item": "the column that names the items is --id COLUMN",
        "--error": "the standard error to plan for is --standard-error SHARE",
    },
)


class Panel(NamedTuple):
    """The items with their votes, and the votes as counts."""

    pool: Pool
    sketch: Sketch


class JudgesVerb(Verb):
    """How labels are bought for a panel, durably; the help is that of the command."""

    name = "judges"
    own = True
    needed = (("oracle", "who knows the truth, --oracle O, or --sheet FILE for people to fill in"),)
    runs_named = ()
    table = TABLE  # whose other options have no use here

    def __init__(self, votes: str | None) -> None:
        self._votes = votes

    def from_log(self, given: Mapping[str, Any], *, new: bool) -> Brought | None:
        return Brought(*votes_of_log(given), _VOTES, {}) if "log" in given else None

    def _file(self, given: Mapping[str, Any]) -> str:
        """Return the file of votes: the one that was typed, or the one that was made of a log."""
        return str(given.get(_VOTES, self._votes))

    def notes(self, given: Mapping[str, Any], home: Path) -> dict[str, Any]:
        kept = {name: given.get(name) for name in ("id", "oracle", "oracle_command")}
        return {"verb": self.name, "pool": os.path.relpath(self._file(given), home), "model": "votes", **kept}

    def typed(self, asked: Asked) -> str:
        return f"ringtrue judges {shlex.quote(self._file(asked.given))} --study {asked.path.typed}"

    def check_made(self, study: Study, path: Place) -> None:
        if not isinstance(study.question(), self.question_type()):
            raise InvalidInput(f"--study={str(path)!r} is a study of another question: name a new file")

    def remembered(self, study: Study, given: Mapping[str, Any]) -> dict[str, Any]:
        question: Any = study.question()
        return super().remembered(study, given) | {"sketch": question.sketch}

    def read(self, notes: Mapping[str, Any], given: Mapping[str, Any], home: Path) -> Panel:
        from ringtrue.pools import read_pool

        votes = self._file(given)
        pool = read_pool(votes, id=given.get("id", notes["id"]))
        sketch = notes["sketch"] if "sketch" in notes else _sketch(votes, pool, given)
        if given.get("oracle") in sketch.judges:
            raise InvalidInput(f"--oracle={given['oracle']!r} is one of the judges: name another, who knows the truth")
        return Panel(pool, sketch)

    def pool(self, source: Panel) -> Pool:
        return source.pool

    def model(self, notes: Mapping[str, Any], source: Panel, argument: str, calling: Calling) -> Model:
        from ringtrue.models import PanelModel

        return PanelModel(source.sketch.judges)

    def questions(self, given: Mapping[str, Any], source: Panel, model: Any) -> Sequence[Question]:
        from ringtrue.judges import Judges

        fixed = given.get("fixed")
        if fixed is not None and fixed > source.sketch.size:
            raise InvalidInput(
                Argument("fixed", fixed), f" must not exceed the {count(source.sketch.size, 'item')} of the pool"
            )
        return [Judges(source.sketch, claim=given.get("claim"), fixed=fixed)]

    def settings(self, given: Mapping[str, Any], source: Panel, model: Any) -> dict[str, Any]:
        from ringtrue.study import Budget

        labels = given.get("budget", given.get("fixed"))
        return {"budget": Budget(labels, given.get("money")), "labels": list(source.sketch.labels)}


def _sketch(votes: str, pool: Pool, given: Mapping[str, Any]) -> Sketch:
    """Read the panel in a table with a row per item; what the oracle knows is never taken for a judge."""
    if not {"budget", "fixed"} & set(given):
        raise InvalidInput("--study buys labels: say with --budget N how many it may buy, or fix them with --fixed N")
    judges, oracle = given.get("judges"), given.get("oracle")
    known = oracle if oracle in pool.columns and oracle not in (judges or ()) else None
    sketch = panel.read_aloud(pool, truth=known, judges=judges, labels=given.get("labels"), item=given.get("id"))
    voting = sketch if known is None else sketch.without(known)
    if not set(voting.judges) <= set(pool.columns):
        raise InvalidInput(f"{votes} has a row per vote: --study needs a row per item and a column per judge")
    return voting


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
    ringtrue judges votes.csv --study panel --sheet ann.csv --rater ann --budget 100   # for people to fill in
    ringtrue judges --accuracy 80% --standard-error 2%     # plan before there are votes
    ringtrue judges --from log.eval --truth gold.csv       # the scorers in the log of an evaluation tool

    Exit code: 0 all judges are good enough (or no alarm), 1 some judge is not (or an alarm), 3 not yet known, 130 watch
    ended by Ctrl-C.
    """
    with TABLE.in_words():
        given = TABLE.given(typed)
        as_json = bool(given.pop("as_json", False))
        if votes is not None and len(given.get("labels", ())) == 1:  # a file or a column of true labels
            only = given["labels"][0]
            raise InvalidInput(
                f"--labels={only!r} must be the labels that votes may have, such as no,yes: what is known of the truth "
                f"is --truth {only}"
            )
        check_from(given)
        if votes is not None and "log" in given:
            raise InvalidInput(f"VOTES={votes!r} and --from both name votes: leave one out")
        ways = ("study", "strata", "follow")
        mode = "plan" if votes is None and "log" not in given else next((way for way in ways if way in given), "judge")
        for name in given:
            if name not in TAKES[mode]:
                option = next(one.typed for one in TABLE.options if one.name == name)
                raise InvalidInput(f"{option} {_place(name, mode)}: leave it out (see `ringtrue judges --help`)")
        if mode == "study":
            return run_verb(JudgesVerb(votes), given["study"], typed, calling)
        if mode == "plan":
            return panel.plan_ahead(given, as_json=as_json)
        table: str | Pool = _panel_of_log(given) if votes is None else votes
        if mode == "strata":
            return panel.by_strata(table, given, as_json=as_json)
        if mode == "judge":
            return panel.judge(table, given, as_json=as_json)

        from ringtrue.cli._judges_follow import follow_stream

        return follow_stream(table, given, as_json=as_json)


def _panel_of_log(given: dict[str, Any]) -> Pool:
    """Return the votes of a log as a table in memory; the options then speak of it."""
    from ringtrue.logs import TRUTH
    from ringtrue.pools import TablePool
    from ringtrue.pools._cells import typed

    log, rows = votes_of_log(given)
    beside = {"id", TRUTH, given.get("strata")}
    given |= {"id": "id", "judges": [name for name in rows[0] if name not in beside], BROUGHT: log.to_json()}
    given |= {"truth": TRUTH} if "truth" in given else {}
    return TablePool({name: typed([row[name] for row in rows]) for name in rows[0]}, name=log.name)


def _place(name: str, mode: str) -> str:
    """Say where an option that has no use here has one."""
    if mode == "plan":
        return "has no use without VOTES"
    if mode != "judge":
        return f"has no use with --{mode}"
    return "is for planning without VOTES" if name == "accuracy" else "is for buying labels, with --study STUDY"
