"""The options that verbs share. The same word means the same thing in every one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._table import COUNTED, WHOLE, Option, amount, names
from ringtrue.core import Argument, InvalidInput

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


def is_rater(name: str) -> bool:
    """Return whether a name may be that of a person: runs name themselves with slashes."""
    return bool(name) and name == name.strip() and name.isprintable() and "/" not in name


def _rater(text: str, option: str) -> str:
    """Read the name of the one who answers."""
    if not is_rater(text):
        raise InvalidInput(f"{option}={text!r} is not a name: write one without slashes, such as ann")
    return text


POOL = Option(
    "pool",
    "The items, or where they lie now: a file (.csv, .tsv, .parquet, .jsonl, .npz, .xlsx), a sheet (FILE.xlsx#SHEET), "
    "several files ('parts/*.csv'), a folder of Parquet files, or one of images (FOLDER, or FOLDER#COLUMN to have its "
    "subfolders as labels).",
    "FILE",
)
MODEL = Option(
    "model",
    "The model: a column of stored answers, a file (.onnx, .skops, .ubj, .json, .txt, .pt2, a folder of Hugging Face), "
    "a language model with its rubric (FILE.toml, FILE.toml#JUDGE), module:function, or an address (http…).",
    "M",
    made="notes",
)
TRUST_TYPE = Option(
    "trust_types",
    "A type that a .skops file may hold, beyond those that skops trusts; repeatable.",
    "TYPE",
    flag="--trust-type",
    many=True,
)
MODEL_COMMAND = Option(
    "model_command",
    "A program as the model: it reads a JSON object per line, and writes an answer per line.",
    "CMD",
    made="notes",
)
ID = Option("id", "The column of ids (default: id, else the row number).", "COLUMN", made="notes")
PARTITIONS = Option(
    "partitions", "Have what the folders of Parquet files say, as in region=eu, in columns.", "", made="notes"
)
ALL_BYTES = Option(
    "all_bytes",
    "Know several large Parquet files again by all their bytes, not by their sizes and footers alone.",
    "",
    made="notes",
)
MANY_FILES = (PARTITIONS, ALL_BYTES)
"""What every verb takes whose pool may be many Parquet files."""
LABELS = Option("labels", "The labels the oracle may give; others are refused.", "A,B,…", names("cat,dog"), made="plan")
ORACLE = Option("oracle", 'Who knows the truth: a column, module:function, an address, or "ask" for you.', "O")
ORACLE_COMMAND = Option(
    "oracle_command", "A program as the oracle: it reads a JSON object per line, and writes an answer per line.", "CMD"
)
BUDGET = Option("budget", "The most answers to buy; a study goes on with another number.", "N", type=WHOLE)
MONEY = Option("money", "The most money to spend; needs --price (vote: --prices).", "AMOUNT", amount)
PRICE = Option("price", "What one answer costs.", "AMOUNT", amount, made=_price)
SEED = Option("seed", "Another seed asks other items (default 0).", "N", type=click.INT, made="plan")
BATCH = Option(
    "batch",
    "Answers bought before they are looked at (default 1; changed: 20, vote: 8).",
    "N",
    type=COUNTED,
    made="plan",
)
WORKERS = Option(
    "workers", "Answers of a batch asked for at once (default 1; vote: 8); the same are asked.", "N", type=COUNTED
)
SHOW_MODEL = Option(
    "show_model", "Show the oracle what the model says: hidden otherwise, since it would sway them.", ""
)
TRUST = Option("trust", "Let a study that another user made run and call what its file names, from now on.", "")
JSON = Option("as_json", "Print one JSON object instead of sentences.", "", flag="--json")

SHEET = Option("sheet", "Write the next items into a table for people to fill in, and ask nothing else.", "FILE")
ANSWERS = Option("answers", "Read a table that was filled in, or a part of it: .csv or .xlsx.", "FILE")
AGAIN = Option("again", "With --sheet: write once more what is out with them.", "")
ROWS = Option("rows", "With --sheet: items on it at most (default: --batch, or 20).", "N", type=COUNTED)
RATER = Option("rater", "Who answers on a sheet or at the terminal; each has other items.", "NAME", _rater)

SHEET_LEASE = 30 * 86_400.0
"""Seconds for which a sheet has its queries for itself: a laboratory may take weeks."""


def by_sheet(given: Mapping[str, Any]) -> bool:
    """Return whether people answer on a sheet or at a desk: no oracle is asked."""
    return not {"sheet", "answers", "desk"}.isdisjoint(given)


def check_sheets(given: Mapping[str, Any]) -> None:
    """Refuse options of sheets that would be passed over."""
    if "sheet" in given and "answers" in given:
        raise InvalidInput("--sheet and --answers: first read the filled sheet, then write the next one")
    if "again" in given and "sheet" not in given:
        raise InvalidInput("--again writes a lost sheet once more: give --sheet FILE.csv too")
    if "rows" in given and ("sheet" not in given or "again" in given):
        why = "has no use with --again, which writes all that is out" if "again" in given else "is for --sheet FILE.csv"
        raise InvalidInput(Argument("rows", given["rows"]), f" {why}: leave it out")


WHO = (ORACLE, ORACLE_COMMAND, RATER, SHEET, ANSWERS, AGAIN, ROWS)
"""What every verb takes whose oracle labels items."""
SPENDING = (BUDGET, MONEY, PRICE, SEED, BATCH, WORKERS)
"""What every verb takes that buys answers."""


json_option = JSON.add
study_argument = click.argument("study", metavar="STUDY")
