"""`ringtrue judges`: how good are these judges when the truth is not known?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._judges_panel import in_words, read_aloud
from ringtrue.cli._options import given_of, json_option, names_in, show_model_option
from ringtrue.cli._output import say
from ringtrue.core import InvalidInput, parse_share

if TYPE_CHECKING:
    from ringtrue.core import Sketch

READS = {"judges", "label_names", "item"}
TAKES = {
    "judge": READS | {"labels", "prevalence", "better", "at_least", "independent", "level", "out", "error"},
    "follow": READS | {"follow", "prevalence", "better", "at_least", "independent", "level", "out"},
    "strata": READS | {"strata", "better", "level"},
    "study": READS | {"study", "oracle", "budget", "claim", "fixed", "seed", "show_model"},
    "plan": {"accuracy", "error", "prevalence"},
}
"""Which options each way of using the verb takes; any other is refused rather than passed over."""

SHARES = {"prevalence", "at_least", "level", "error", "accuracy"}


@click.command("judges")
@click.argument("votes", metavar="[VOTES]", required=False)
@click.option("--labels", metavar="GOLD", help="What is known of the truth: a column of VOTES, or a file.")
@click.option("--judges", metavar="A,B,C", help="The columns that are judges (default: all that can be).")
@click.option("--item", metavar="COLUMN", help="The column that names the items (default: id, item or task).")
@click.option("--label-names", metavar="NO,YES", help="The labels, in order; otherwise those that occur, sorted.")
@click.option("--prevalence", metavar="SHARE", help="The known share of the first label, such as 50%.")
@click.option("--better", metavar="JUDGE", help="A judge known to be better than chance: tells which label is which.")
@click.option(
    "--at-least", metavar="SHARE", help="The share of right votes on every label that is good enough (default 80%)."
)
@click.option("--independent", is_flag=True, help="State that the judges share nothing but the truth.")
@click.option("--strata", metavar="COLUMN", help="A column that parts the items: two judges then suffice.")
@click.option("--level", metavar="SHARE", help="The level of all intervals (default 95%).")
@click.option("--out", metavar="FILE.html", help="Also write a report, with its JSON twin beside it.")
@click.option("--follow", metavar="FILE", help="Watch later votes for a change since VOTES; - reads standard input.")
@click.option("--study", metavar="STUDY", help="Buy labels in this study, which is made if it is not there.")
@click.option("--oracle", metavar="O", help="Who knows the truth, for --study: a column, or module:function.")
@click.option("--budget", type=click.IntRange(min=0), metavar="N", help="Labels that --study may buy.")
@click.option("--claim", metavar="TEXT", help='What --study should decide of every judge, as in "accuracy >= 80%".')
@click.option(
    "--fixed",
    type=click.IntRange(min=1),
    metavar="N",
    help="Fix the labels of --study beforehand and look once: about half as many for the same width.",
)
@click.option("--seed", type=int, metavar="N", help="The seed of a new study (default 0).")
@click.option("--error", metavar="SHARE", help="Plan: items or judges needed for this standard error, such as 2%.")
@click.option("--accuracy", metavar="SHARE", help="Plan without VOTES: the accuracy that judges will have.")
@show_model_option
@json_option
def command(votes: str | None, as_json: bool, **options: Any) -> int:
    """Say which of the judges in VOTES are good enough, and what they may be used for.

    VOTES has a column per judge and a row per item, or the columns item, rater, label (or task, worker, label): CSV,
    TSV, JSON Lines or Parquet. Empty cells are abstentions.

    \b
    ringtrue judges votes.csv                              # from votes alone
    ringtrue judges votes.csv --labels gold.csv            # with a few labels, chosen by chance
    ringtrue judges votes.csv --follow later.csv           # an alarm when judges or prevalence move
    ringtrue judges votes.csv --study panel --oracle truth --budget 100
    ringtrue judges --accuracy 80% --error 2%              # plan before there are votes

    Exit code: 0 all judges are good enough (or no alarm), 1 some judge is not (or an alarm), 3 not yet known, 130 watch
    ended by Ctrl-C.
    """
    given = given_of(options)
    mode = "plan" if votes is None else next((name for name in ("study", "strata", "follow") if name in given), "judge")
    for name in given:
        if name not in TAKES[mode]:
            raise InvalidInput(f"{_option(name)} {_place(name, mode)}: leave it out (see `ringtrue judges --help`)")
    for name in SHARES & set(given):
        given[name] = parse_share(given[name], f"{_option(name)}={given[name]!r}")
    for name in {"judges", "label_names"} & set(given):
        given[name] = names_in(given[name], _option(name), like="a,b,c")
    if votes is None:
        from ringtrue.cli._judges_panel import plan_ahead

        return plan_ahead(given.get("accuracy"), given.get("error"), given.get("prevalence"), as_json=as_json)
    reading = {"judges": given.get("judges"), "labels": given.get("label_names"), "item": given.get("item")}
    try:
        return _in_mode(mode, votes, reading, given, as_json)
    except InvalidInput as error:
        raise InvalidInput(in_words(str(error))) from None


def _in_mode(mode: str, votes: str, reading: dict[str, Any], given: dict[str, Any], as_json: bool) -> int:
    """Do what the options ask for, in the way of using the verb that they choose."""
    level = given.get("level", 0.95)
    if mode == "study":
        from ringtrue.cli._judges_study import buy

        if "oracle" not in given:
            raise InvalidInput(
                "--study buys labels: say with --oracle who knows the truth, a column or module:function"
            )
        return buy(votes, reading, given, as_json=as_json)
    if mode == "strata":
        from ringtrue.cli._judges_strata import by_strata

        return by_strata(votes, reading, {**given, "level": level}, as_json=as_json)
    sketch = read_aloud(votes, truth=given.get("labels"), **reading)
    options = {name: given.get(name) for name in ("prevalence", "better", "at_least")}
    options |= {"independent": "independent" in given, "level": level}
    if mode == "follow":
        from ringtrue.cli._judges_follow import follow_stream

        return follow_stream(sketch, given["follow"], options, given.get("out"), votes, as_json)
    options["truth"] = sketch.judges[-1] if "labels" in given else None  # read as one more judge, the last
    return _judge(sketch, options, given.get("out"), votes, given.get("error"), as_json)


def _judge(
    sketch: Sketch, options: dict[str, Any], out: str | None, votes: str, error: float | None, as_json: bool
) -> int:
    """Evaluate, say the verdict first, and write the report if one is wanted."""
    from ringtrue.cli._judges_panel import lines_of
    from ringtrue.judges import evaluate

    finding = evaluate(sketch, **options)
    result = finding.to_json()
    lines = lines_of(finding)
    if error is not None:
        from ringtrue.cli._judges_panel import plan_on

        plan = plan_on(finding, error)
        result["plan"] = plan.to_json()
        lines += ["", *str(plan).splitlines()]
    if out is not None:
        from ringtrue.report import write_panel_report

        page, twin = write_panel_report(sketch, out, name=Path(votes).name, **options)
        result.update(html=str(page), json=str(twin))
        lines += ["", f"wrote {page}", f"wrote {twin}"]
    say(as_json, result, *lines)
    return finding.verdict.exit_code


def _place(name: str, mode: str) -> str:
    """Say where an option that has no use here has one."""
    if mode == "plan":
        return "has no use without VOTES"
    if mode != "judge":
        return f"has no use with --{mode}"
    return "is for planning without VOTES" if name == "accuracy" else "is for buying labels, with --study STUDY"


def _option(name: str) -> str:
    """Write an argument as an option."""
    return f"--{name.replace('_', '-')}"
