"""`ringtrue risk`: buy labels until the claim about the failure rate is decided, or map where the model fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._asking import change_budget, outlook, threads
from ringtrue.cli._opening import latest_question, open_to_ask
from ringtrue.cli._options import (
    Calling,
    calling_options,
    json_option,
    show_model_option,
    study_argument,
    trust_option,
    workers_option,
)
from ringtrue.cli._output import say, tell
from ringtrue.cli._responders import responder
from ringtrue.cli._risk_map import LOOKS, MODES, show_map
from ringtrue.cli._risk_question import choosing_options, make_question, wants_another
from ringtrue.core import InvalidInput, count, percent

if TYPE_CHECKING:
    from ringtrue.core import Claim
    from ringtrue.study import Study


@click.command("risk")
@study_argument
@click.option("--oracle", metavar="O", help="Who knows the truth: a column, or module:function.")
@click.option("--claim", metavar="TEXT", help="Decide this claim instead of the study's own.")
@choosing_options
@click.option("--map", "map_columns", metavar="A,B,…", help="Map where it fails, over these numeric columns.")
@click.option("--cells", type=click.IntRange(min=1), metavar="N", help="Cells of the map along each axis (default 50).")
@click.option(
    "--mode", type=click.Choice(MODES), help="Who is right where the truth is unknown, on the map (default: assessed)."
)
@click.option("--look", type=click.Choice(LOOKS), help="How the map looks into a cell (default: lattice).")
@click.option("--known", metavar="COLUMN", help="A column of labels at hand, for the map; empty where unknown.")
@click.option("--budget", type=click.IntRange(min=0), metavar="N", help="Change the budget to N labels first.")
@click.option("--money", metavar="AMOUNT", help="Change the most money to spend first.")
@workers_option("Queries of a batch asked at once (see --batch of init); they never change what is asked.")
@click.option("--pool", metavar="FILE", help="Where the pool lies now, if it was moved.")
@calling_options
@show_model_option
@trust_option
@json_option
def command(
    study: str,
    oracle: str | None,
    claim: str | None,
    map_columns: str | None,
    workers: int,
    calling: Calling,
    show_model: bool,
    trust: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Find out how often the model of STUDY fails on its pool, or in operation.

    Asks the oracle item by item until the claim is decided or the budget is spent. Stop it at any time: every answer
    is on the disk before the next is asked, and the same command goes on where it stopped. With --confidence or
    --shake, doubtful items are asked about more often, and fewer labels may do. With --profile, the claim is about
    operation as those inputs show it. With --map, shows where the model fails, by cells; together with --oracle, buys
    labels where the map lacks them most.

    \b
    ringtrue risk loans --oracle truth                           # a column of the pool
    ringtrue risk loans --oracle desk:label                      # label(item: dict) in desk.py, None if it cannot tell
    ringtrue risk loans --oracle truth --confidence score --claim "failure <= 1% at 95%"
    ringtrue risk loans --oracle truth --profile ops.parquet --on region,product
    ringtrue risk loans --map age,income --known truth           # asks nothing

    Exit code: 0 rings true (or there is no claim), 1 rings false, 3 not yet known.
    """
    from ringtrue.cli._progress import Progress
    from ringtrue.core import Claim
    from ringtrue.pools import check_column

    wanted = None if claim is None else Claim.parse(claim)
    _check_map_options(map_columns is not None, claim, workers, given)
    if oracle is None and map_columns is None:
        raise InvalidInput("--oracle is missing: name who knows the truth, a column, or module:function (or --map A,B)")
    with open_to_ask(study, given["pool"], trust=trust, calling=calling) as opened:
        items = opened.things.need_pool()
        answers = None if oracle is None else responder(oracle, "--oracle", items.columns)
        if isinstance(answers, str):
            check_column(items, answers, labels=opened.plan["labels"])
        change_budget(opened, given["budget"], given["money"])
        if map_columns is not None:
            return show_map(opened, map_columns, answers, given, show_model=show_model, as_json=as_json)
        question = _question(opened, wanted, given, answers)
        with Progress(wanted, question) as progress, threads(workers, opened) as executor:
            finding = opened.run(
                answers, until=wanted, question=question, executor=executor, progress=progress, show_model=show_model
            )
        status, notices = opened.status(), opened.notices
        waits = _goes_on(finding) and len(opened.records) < items.size
    beside = {"status": status.to_json(), "warnings": notices}
    result: dict[str, Any] = {"study": opened.name, "question": question, **finding.to_json(), **beside}
    waiting_for = outlook(study, status, opened.plan["price"]["oracle"]) if waits else []
    say(as_json, result, str(finding), *_beside(result), str(status), *waiting_for)
    return 0 if finding.claim is None else finding.verdict.exit_code


def _check_map_options(mapping: bool, claim: str | None, workers: int, given: dict[str, Any]) -> None:
    """Refuse options that would be passed over: what --map does not use, and what only --map does."""
    if mapping and claim is not None:
        raise InvalidInput(
            "--claim is not decided by a map, whose cells need not have one right class: leave out --map"
        )
    passed_over = ("method", "on", "fixed") if mapping else ("cells", "mode", "look", "known")
    found = [f"--{name}" for name in passed_over if given[name] is not None]
    found += ["--workers"] if mapping and workers > 1 else []
    if mapping and given["mode"] == "paper":  # which has a profile and draws of its own
        found += [option for option, value in (("--look", given["look"]), ("--profile", given["profiles"])) if value]
    if found:
        raise InvalidInput(f"{found[0]} {'does nothing with' if mapping else 'is for'} --map: leave it out")


def _question(study: Study, claim: Claim | None, given: dict[str, Any], oracle: Any) -> str:
    """Return the question to go on with: the one that the options ask for, added to the study if it is missing."""
    from ringtrue.risk import Risk

    risks = [one.name for one in study.questions.values() if isinstance(one, Risk)]
    if risks and not wants_another(given):
        latest = latest_question(study, None)
        return latest if latest in risks else risks[-1]
    hidden = tuple(name for name in (oracle, study.plan["notes"].get("model")) if isinstance(name, str))
    own = next(iter(study.questions.values())).claim
    made = make_question(claim or own, study.things.need_pool(), given, hidden=hidden)
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
    return made.name


def _beside(result: dict[str, Any]) -> list[str]:
    """Say what stands beside the verdict: operation as the pool shows it, and other profiles."""
    out_of_reach = result["profile"]["unassessed"] if result["profile"] else 0.0
    lines = [f"profile {priced['name']}: {_priced(priced)}" for priced in result["profiles"]]
    if out_of_reach:
        lines.append(
            f"{percent(out_of_reach)} of operation is of kinds the pool lacks: it counts as failed in the bound"
        )
    if result["operation"] is not None and result["answers"]:
        high, level = result["operation"]["high"], result["operation"]["level"]
        most = f"{percent(high, toward='above')} ({percent(level)})"
        lines.append(f"if the pool is a random sample of operation: error <= {most} there")
    return lines


def _priced(priced: dict[str, Any]) -> str:
    """Say what the labels are worth under another profile."""
    from ringtrue.core import Interval

    if priced["interval"] is None:
        return f"refused, {priced['refusal']}"
    worth = f"worth {count(round(priced['effective']), 'even label')} (largest weight {priced['most_weight']:.2g})"
    return f"error {Interval(**priced['interval'])}, {worth}"


def _goes_on(finding: Any) -> bool:
    """Say whether more labels would say more: the claim is open, and no planned number is reached."""
    reached = finding.planned is not None and finding.answers + finding.unanswerable >= finding.planned.answers
    return finding.claim is not None and finding.verdict.exit_code == 3 and not reached
