"""The options that verbs share. The same word means the same thing in every one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._table import COUNTED, WHOLE, Option, amount, names

if TYPE_CHECKING:
    from ringtrue.study import Study


def noted(name: str) -> Callable[[Study, Any], Any]:
    """Return what reads what the notes of a study say it was made with."""
    return lambda study, _: study.plan["notes"].get(name)


def planned(name: str) -> Callable[[Study, Any], Any]:
    """Return what reads what the plan of a study says it was made with."""
    return lambda study, _: study.plan[name]


def asked(name: str) -> Callable[[Study, Any], Any]:
    """Return what reads an argument of the question that a study was made with."""
    return lambda _, question: question.argument(name)


def _price(study: Study, question: Any) -> Any:
    from ringtrue.study import money

    price = study.plan["price"][question.responder]
    return None if price is None else money(price, "price")


POOL = Option("pool", "The items: .csv, .tsv, .parquet, .jsonl or .npz; or where they lie now.", "FILE")
MODEL = Option(
    "model", "The model: a column of stored answers, module:function, or an address (http…).", "M", made="notes"
)
MODEL_COMMAND = Option(
    "model_command", "A program as the model: a JSON object in, its answer out, a line each.", "CMD", made="notes"
)
ID = Option("id", "The column of ids (default: id, else the row number).", "COLUMN", made="notes")
LABELS = Option("labels", "The labels the oracle may give; others are refused.", "A,B,…", names("cat,dog"), made="plan")
ORACLE = Option("oracle", 'Who knows the truth: a column, module:function, an address, or "ask" for you.', "O")
ORACLE_COMMAND = Option(
    "oracle_command", "A program as the oracle: a JSON object in, its answer out, a line each.", "CMD"
)
BUDGET = Option("budget", "The most answers to buy; a study goes on with another number.", "N", type=WHOLE)
MONEY = Option("money", "The most money to spend; needs --price.", "AMOUNT", amount)
PRICE = Option("price", "What one answer costs.", "AMOUNT", amount, made=_price)
SEED = Option("seed", "Another seed asks other items (default 0).", "N", type=click.INT, made="plan")
BATCH = Option(
    "batch", "Answers bought before they are looked at (default 1; of changed, 20).", "N", type=COUNTED, made="plan"
)
WORKERS = Option("workers", "Answers of a batch asked for at once (default 1); the same are asked.", "N", type=COUNTED)
SHOW_MODEL = Option(
    "show_model", "Show the oracle what the model says: hidden otherwise, since it would sway them.", ""
)
TRUST = Option("trust", "Let a study that another user made run and call what its file names, from now on.", "")
JSON = Option("as_json", "Print one JSON object instead of sentences.", "", flag="--json")

WHO = (ORACLE, ORACLE_COMMAND)
SPENDING = (BUDGET, MONEY, PRICE, SEED, BATCH, WORKERS)
"""What every verb takes that buys answers."""


json_option = JSON.add
study_argument = click.argument("study", metavar="STUDY")
