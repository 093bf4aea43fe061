"""`ringtrue init`: make a study."""

from __future__ import annotations

import os

import click

from ringtrue.cli._common import json_option, responder, say, study_argument


@click.command("init")
@study_argument
@click.option("--pool", required=True, metavar="FILE", help="The items there are: .csv, .tsv, .parquet or .jsonl.")
@click.option("--model", required=True, metavar="M", help="A column of stored predictions, or module:function.")
@click.option("--claim", metavar="TEXT", help='What you want to be able to say, such as "error <= 5% at 95%".')
@click.option("--budget", type=click.IntRange(min=0), metavar="N", help="The most labels to buy.")
@click.option("--money", metavar="AMOUNT", help="The most money to spend; needs --price.")
@click.option("--price", metavar="AMOUNT", help="What one label costs.")
@click.option(
    "--id", "id_column", metavar="COLUMN", help="The column of stable ids (default: id, else the row number)."
)
@click.option("--labels", metavar="A,B,…", help="The labels the oracle may give; others are refused.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed asks other items.")
@click.option("--batch", type=click.IntRange(min=1), default=1, show_default=True, help="Queries asked at a time.")
@json_option
def command(
    study: str, pool: str, model: str, claim: str | None, budget: int | None, money: str | None, price: str | None,
    id_column: str | None, labels: str | None, seed: int, batch: int, as_json: bool,
) -> int:  # fmt: skip
    """Make the file STUDY (`.ringtrue` is added when there is no ending). Nothing is asked or spent yet.

    \b
    ringtrue init loans --pool pool.csv --model predicted --claim "error <= 5% at 95%" --budget 200
    """
    from ringtrue.pools import check_column, read_pool
    from ringtrue.risk import Risk
    from ringtrue.study import Budget, Study, study_path
    from ringtrue.study import money as amount

    items = read_pool(pool, id=id_column)
    allowed = [label.strip() for label in labels.split(",")] if labels else None
    answers = responder(model, "--model")
    if isinstance(answers, str):
        check_column(items, answers, labels=allowed)
    path = study_path(study)
    limits = Budget(labels=budget, money=None if money is None else amount(money, "--money"))
    notes = {"pool": os.path.relpath(pool, path.parent), "id": id_column, "model": model}
    with Study.create(
        path, pool=items, model=answers, question=Risk(claim), budget=limits, price=price, labels=allowed, seed=seed,
        batch=batch, notes=notes,
    ) as made:  # fmt: skip
        result = {"study": str(path), "pool": made.plan["pool"], "model": made.plan["model"], "claim": claim}
        size = made.plan["pool"]["size"]
    ask = f"next: ringtrue risk {path} --oracle COLUMN|module:function"
    say(as_json, result, f"made {path}: {size:,} items, nothing asked yet", ask)
    return 0
