"""`ringtrue judges`: how good are these judges when nobody knows the truth?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._common import json_option, say
from ringtrue.core import InvalidInput, parse_share

if TYPE_CHECKING:
    from ringtrue.core import Sketch


@click.command("judges")
@click.argument("votes", metavar="[VOTES]", required=False)
@click.option("--labels", "gold", metavar="GOLD", help="What is known of the truth: a column of VOTES, or a file.")
@click.option("--judges", "names", metavar="A,B,C", help="The columns that are judges (default: all that can be).")
@click.option("--label-names", metavar="NO,YES", help="The labels, in order; otherwise those that occur, sorted.")
@click.option("--prevalence", metavar="SHARE", help="The known share of the first label, such as 50%.")
@click.option("--better", metavar="JUDGE", help="A judge known to be better than chance: tells which label is which.")
@click.option("--at-least", metavar="SHARE", help="The accuracy every judge should have on every label, such as 80%.")
@click.option("--independent", is_flag=True, help="State that the judges share nothing but the truth.")
@click.option("--strata", metavar="COLUMN", help="A column that parts the items: two judges then suffice.")
@click.option("--level", default="95%", show_default=True, metavar="SHARE", help="The level of all intervals.")
@click.option("--out", metavar="FILE.html", help="Also write a report, with its JSON twin beside it.")
@click.option("--follow", metavar="FILE", help="Watch later votes for a change since VOTES; - reads standard input.")
@click.option("--study", metavar="STUDY", help="Buy labels in this study, which is made if it is not there.")
@click.option("--oracle", metavar="O", help="Who knows the truth, for --study: a column, or module:function.")
@click.option("--budget", type=click.IntRange(min=0), metavar="N", help="Labels that --study may buy.")
@click.option("--claim", metavar="TEXT", help='What --study should decide of every judge, as in "accuracy >= 80%".')
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of a new study.")
@click.option("--error", metavar="SHARE", help="Plan: items or judges needed for this standard error, such as 2%.")
@click.option("--accuracy", metavar="SHARE", help="Plan without VOTES: the accuracy that judges will have.")
@json_option
def command(
    votes: str | None, gold: str | None, names: str | None, label_names: str | None, prevalence: str | None,
    better: str | None, at_least: str | None, independent: bool, strata: str | None, level: str, out: str | None,
    follow: str | None, study: str | None, oracle: str | None, budget: int | None, claim: str | None, seed: int,
    error: str | None, accuracy: str | None, as_json: bool,
) -> int:  # fmt: skip
    """How good are the judges in VOTES, and may that be believed?

    VOTES has a column per judge and a row per item, or the columns item, rater, label (or task, worker, label): CSV,
    TSV, JSON Lines or Parquet. Empty cells are abstentions.

    \b
    ringtrue judges votes.csv                              # from votes alone
    ringtrue judges votes.csv --labels gold.csv            # with a few labels, chosen by chance
    ringtrue judges votes.csv --follow later.csv           # an alarm when judges or prevalence move
    ringtrue judges votes.csv --study panel --oracle truth --budget 100
    ringtrue judges --accuracy 80% --error 2%              # plan before there are votes

    Exit code: 0 trust, 1 do not use (or an alarm), 3 check with labels.
    """
    if votes is None:
        from ringtrue.cli._judges_plan import plan_ahead

        shares = [_share(accuracy, "--accuracy"), _share(error, "--error"), _share(prevalence, "--prevalence")]
        return plan_ahead(*shares, as_json=as_json)
    if accuracy is not None:
        raise InvalidInput("--accuracy is for planning without VOTES: leave it out, or leave VOTES out")
    reading = {
        "judges": None if names is None else _names(names, "--judges"),
        "labels": None if label_names is None else _names(label_names, "--label-names"),
    }
    if study is not None:
        from ringtrue.cli._judges_study import buy

        if oracle is None:
            raise InvalidInput(
                "--study buys labels: say with --oracle who knows the truth, a column or module:function"
            )
        return buy(votes, study, oracle, reading, budget=budget, claim=claim, seed=seed, as_json=as_json)
    for value, option in ((oracle, "--oracle"), (budget, "--budget"), (claim, "--claim")):
        if value is not None:
            raise InvalidInput(f"{option}={value} is for buying labels: give --study STUDY too")
    if strata is not None:
        from ringtrue.cli._judges_strata import by_strata

        return by_strata(votes, strata, reading, as_json=as_json)
    sketch, truth = _read(votes, gold, reading)
    options = {
        "truth": truth,
        "prevalence": _share(prevalence, "--prevalence"),
        "better": better,
        "at_least": _share(at_least, "--at-least"),
        "independent": independent,
        "level": _share(level, "--level"),
    }
    if follow is not None:
        from ringtrue.cli._judges_follow import follow_stream

        return follow_stream(sketch if truth is None else sketch.without(truth), follow, options, out, votes, as_json)
    return _judge(sketch, options, out, votes, error, as_json)


def _judge(
    sketch: Sketch, options: dict[str, Any], out: str | None, votes: str, error: str | None, as_json: bool
) -> int:
    """Evaluate, say the verdict first, and write the report if one is wanted."""
    from ringtrue.cli._judges_text import lines_of
    from ringtrue.judges import evaluate

    finding = evaluate(sketch, **options)
    result = finding.to_json()
    lines = lines_of(finding)
    if error is not None:
        from ringtrue.cli._judges_plan import plan_on

        plan = plan_on(finding, parse_share(error, f"--error={error!r}"))
        result["plan"] = plan.to_json()
        lines += ["", *str(plan).splitlines()]
    if out is not None:
        from ringtrue.report import write_panel_report

        page, twin = write_panel_report(sketch, out, name=Path(votes).name, **options)
        result.update(html=str(page), json=str(twin))
        lines += ["", f"wrote {page}", f"wrote {twin}"]
    say(as_json, result, *lines)
    return finding.verdict.exit_code


def _read(votes: str, gold: str | None, reading: dict[str, Any]) -> tuple[Sketch, str | None]:
    """The votes as a sketch and, with --labels, the name under which the truth stands in it."""
    from ringtrue.pools import read_votes

    if gold is None:
        return read_votes(votes, **reading), None
    sketch = read_votes(votes, truth=gold, **reading)
    return sketch, sketch.judges[-1]


def _names(text: str, option: str) -> list[str]:
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise InvalidInput(f"{option}={text!r} has an empty name: write them like a,b,c")
    return found


def _share(text: str | None, option: str) -> float | None:
    return None if text is None else parse_share(text, f"{option}={text!r}")
