"""`ringtrue risk`: buy labels until the claim about the failure rate is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ringtrue.cli._asking import change_budget, threads
from ringtrue.cli._common import json_option, say, study_argument
from ringtrue.cli._opening import open_to_ask
from ringtrue.cli._responders import responder

if TYPE_CHECKING:
    from ringtrue.core import Finding


@click.command("risk")
@study_argument
@click.option("--oracle", required=True, metavar="O", help="Who knows the truth: a column, or module:function.")
@click.option("--claim", metavar="TEXT", help="Decide this claim instead of the study's own.")
@click.option("--budget", type=click.IntRange(min=0), metavar="N", help="Change the budget to N labels first.")
@click.option("--money", metavar="AMOUNT", help="Change the most money to spend first.")
@click.option(
    "--workers", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
    help="Queries of a batch asked at once (see --batch of init); they never change what is asked.",
)  # fmt: skip
@click.option("--pool", metavar="FILE", help="Where the pool lies now, if it was moved.")
@json_option
def command(
    study: str, oracle: str, claim: str | None, budget: int | None, money: str | None, workers: int, pool: str | None,
    as_json: bool,
) -> int:  # fmt: skip
    """How often does the model of STUDY fail on its pool?

    Asks the oracle item by item until the claim is decided or the budget is spent. Stop it at any time: every answer
    is on the disk before the next is asked, and the same command goes on where it stopped.

    \b
    ringtrue risk loans --oracle truth              # a column of the pool
    ringtrue risk loans --oracle desk:label         # label(item: dict) in desk.py, None if it cannot tell

    Exit code: 0 rings true (or there is no claim), 1 rings false, 3 not yet known.
    """
    from ringtrue.cli._progress import Progress
    from ringtrue.core import Claim
    from ringtrue.pools import check_column

    wanted = None if claim is None else Claim.parse(claim)
    with open_to_ask(study, pool) as opened:
        items = opened.things.need_pool()
        answers = responder(oracle, "--oracle", items.columns)
        if isinstance(answers, str):
            check_column(items, answers, labels=opened.plan["labels"])
        change_budget(opened, budget, money)
        with Progress(wanted) as progress, threads(workers, opened) as executor:
            finding = opened.run(answers, until=wanted, executor=executor, progress=progress)
        status = opened.status()
        spent = finding.claim is not None and finding.verdict.exit_code == 3 and len(opened.records) < items.size
    result = {"study": opened.name, **finding.to_json(), "status": status.to_json()}
    say(as_json, result, str(finding), str(status), *_outlook(spent))
    return _code(finding)


def _code(finding: Finding) -> int:
    return 0 if finding.claim is None else finding.verdict.exit_code


def _outlook(spent: bool) -> list[str]:
    return ["the budget is spent: the same command with a larger --budget N (or --money) goes on"] if spent else []
