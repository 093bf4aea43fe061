"""`ringtrue init`: make a study."""

from __future__ import annotations

import os
from typing import Any

import click

from ringtrue.cli._asking import amount_of, make_folder, settings_of
from ringtrue.cli._consent import note_named, would_run
from ringtrue.cli._opening import study_file
from ringtrue.cli._options import json_option, names_in, study_argument
from ringtrue.cli._output import say
from ringtrue.cli._responders import responder
from ringtrue.cli._risk_question import choosing_options, make_question
from ringtrue.core import Claim, InvalidInput, count


@click.command("init")
@study_argument
@click.option("--pool", required=True, metavar="FILE", help="The items there are: .csv, .tsv, .parquet or .jsonl.")
@click.option("--model", required=True, metavar="M", help="A column of stored predictions, or module:function.")
@click.option("--claim", metavar="TEXT", help='What you want to be able to say, such as "error <= 5% at 95%".')
@click.option("--budget", type=click.IntRange(min=0), metavar="N", help="The most labels to buy.")
@click.option("--money", metavar="AMOUNT", help="The most money to spend; needs --price.")
@click.option("--price", metavar="AMOUNT", help="What one label costs.")
@click.option("--id", metavar="COLUMN", help="The column of stable ids (default: id, else the row number).")
@click.option("--labels", metavar="A,B,…", help="The labels the oracle may give; others are refused.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Another seed asks other items.")
@click.option(
    "--batch", type=click.IntRange(min=1), default=1, show_default=True, metavar="N", help="Queries asked at a time."
)
@choosing_options
@json_option
def command(study: str, pool: str, model: str, claim: str | None, as_json: bool, **given: Any) -> int:
    """Make the file STUDY (`.ringtrue` is added when there is no ending). Nothing is asked or spent yet.

    \b
    ringtrue init loans --pool pool.csv --model predicted --claim "error <= 5% at 95%" --budget 200
    ringtrue init loans --pool pool.csv --model predicted --confidence score --claim "error <= 5% at 95%"
    """
    from ringtrue.pools import check_column, read_pool
    from ringtrue.study import Budget, Study

    wanted = None if claim is None else Claim.parse(claim)
    path = study_file(study)
    if given["money"] is not None and given["price"] is None:
        raise InvalidInput(f"--money={given['money']} needs the price of one label: give --price AMOUNT")
    budget, settings = Budget(labels=given["budget"], money=amount_of(given, "money")), settings_of(given)
    items = read_pool(pool, id=given["id"])
    allowed = None if given["labels"] is None else names_in(given["labels"], "--labels", like="cat,dog")
    answers = responder(model, "--model", items.columns)
    if isinstance(answers, str):
        check_column(items, answers, labels=allowed)
    if given["profiles"] and given["on"] is None:
        raise InvalidInput(
            "--profile needs --on A,B here: name the input columns, since the truth may be among the others"
        )
    question = make_question(wanted, items, given, hidden=(model,), name="risk")
    make_folder(path.parent)
    settings |= {"budget": budget, "labels": allowed}
    settings["notes"] = {"pool": os.path.relpath(pool, path.parent), "id": given["id"], "model": model}
    with Study.create(path, pool=items, model=answers, question=question, **settings) as made:
        note_named(made, would_run(model, columns=items.columns))
        result = {"study": str(path), "pool": made.plan["pool"], "model": made.plan["model"], "claim": claim}
        size = made.plan["pool"]["size"]
    lines = [f"made {path}: {count(size, 'item')}, nothing asked yet"]
    if claim is None and budget == Budget():
        lines.append(
            f"there is neither a claim nor a budget, so a run asks about {'all ' * (size > 1)}{count(size, 'item')}"
        )
    ask = f"next: ringtrue risk {path} --oracle COLUMN (or module:function)"
    say(as_json, result, *lines, ask)
    return 0
