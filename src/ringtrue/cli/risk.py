"""`ringtrue risk`: buy labels until the claim about the failure rate is decided."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import click

from ringtrue.cli._common import json_option, open_to_ask, responder, say, study_argument


@click.command("risk")
@study_argument
@click.option("--oracle", required=True, metavar="O", help="Who knows the truth: a column, or module:function.")
@click.option("--claim", metavar="TEXT", help="Decide this claim instead of the study's own.")
@click.option("--budget", type=click.IntRange(min=0), metavar="N", help="Change the budget to N labels first.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Queries of a batch at once.")
@click.option("--pool", metavar="FILE", help="Where the pool lies now, if it was moved.")
@json_option
def command(
    study: str, oracle: str, claim: str | None, budget: int | None, workers: int, pool: str | None, as_json: bool
) -> int:
    """How often does the model of STUDY fail on its pool?

    Asks the oracle item by item until the claim is decided or the budget is spent. Stop it at any time: every answer
    is on the disk before the next is asked, and the same command goes on where it stopped.

    Exit code: 0 rings true (or there is no claim), 1 rings false, 3 not yet known.
    """
    from ringtrue.cli._progress import Progress
    from ringtrue.core import Claim

    wanted = None if claim is None else Claim.parse(claim)
    with open_to_ask(study, pool) as opened:
        if budget is not None:
            opened.set_budget(_labels(opened, budget))
        answers = responder(oracle, "--oracle")
        if isinstance(answers, str):
            from ringtrue.pools import check_column

            check_column(opened.things.need_pool(), answers, labels=opened.plan["labels"])
        with Progress(opened, wanted) as progress, _pool_of(workers) as executor:
            finding = opened.run(answers, until=wanted, executor=executor, progress=progress)
        status = opened.status()
    say(as_json, {"study": opened.name, **finding.to_json(), "status": status.to_json()}, str(finding), str(status))
    return 0 if finding.claim is None else finding.verdict.exit_code


def _pool_of(workers: int) -> ThreadPoolExecutor | nullcontext[None]:
    return ThreadPoolExecutor(workers) if workers > 1 else nullcontext()


def _labels(opened: object, budget: int) -> object:
    from ringtrue.study import Budget

    limit = opened.status().budget_money  # type: ignore[attr-defined]
    return Budget(labels=budget, money=limit)
