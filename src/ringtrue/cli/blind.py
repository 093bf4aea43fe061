"""`ringtrue blind`: where is the model confidently wrong, and how common is that?"""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext, redirect_stdout
from typing import Any

import click

from ringtrue.cli._calling import Calling, calling_options
from ringtrue.cli._common import json_option, say, show_model_option, study_argument, trust_option
from ringtrue.core import Claim, InvalidInput, parse_share

SEARCHES = (
    "learning", "standardised", "adversarial-distance", "adjusted-distance", "bandit", "coverage",
    "lowest-confidence", "highest-confidence", "random",
)  # fmt: skip
DISTANCES = ("rays", "surfree", "lines", "flips", "hopskipjump", "boundary", "none")


@click.command("blind")
@study_argument
@click.option("--class", "critical", metavar="C", help="Hunt among the items that the model answers so (default: all).")
@click.option("--confidence", metavar="SHARE", help="Hunt above this confidence (default 0.65).")
@click.option("--budget", type=click.IntRange(min=1), metavar="N", help="How many labels to buy.")
@click.option("--oracle", metavar="O", help='Who knows the truth: a column, module:function, or "ask" for you.')
@click.option("--pool", metavar="FILE", help="The items: .npz, .csv, .parquet or .jsonl; or where they lie now.")
@click.option("--model", metavar="M", help="The model: module:function, an address (http…), or a stored column.")
@click.option("--input", "inputs", metavar="A,B,…", help="What may be changed of an item: an image, or numbers.")
@click.option("--features", metavar="A,B,…", help="Columns of numbers in which items are compared (default: --input).")
@click.option("--labels", metavar="A,B,…", help="The labels the oracle may give (default: the model's classes).")
@click.option("--score", metavar="COLUMN", help="The model's confidence, if it stands in a column.")
@click.option("--slice", "slices", multiple=True, metavar="COLUMN", help="Group the errors by this column; repeatable.")
@click.option("--id", metavar="COLUMN", help="The column of ids (default: id, else the row number).")
@click.option("--search", type=click.Choice(SEARCHES), help="How to choose what to ask (default: learning).")
@click.option("--floor", metavar="SHARE", help="The share of queries drawn at random (default 20%).")
@click.option("--claim", metavar="TEXT", help='What to decide of the items hunted in, such as "error <= 5% at 95%".')
@click.option("--distance", type=click.Choice(DISTANCES), help="How distances are measured (default: rays).")
@click.option("--queries", type=click.IntRange(min=1), metavar="N", help="Model queries for a distance at most.")
@click.option("--no-variations", "plain", is_flag=True, help="Do not ask the model about small variations.")
@click.option("--perturb", metavar="module:function", help="Changes an item that is no image nor numbers, as a text.")
@click.option("--validation", metavar="FILE", help="Items with the truth, to soften the model's confidence first.")
@click.option(
    "--gallery", type=click.IntRange(min=0), default=12, show_default=True, help="Errors to show as pictures."
)
@click.option("--price", metavar="AMOUNT", help="What one label costs.")
@click.option("--seed", type=int, metavar="N", help="Another seed asks other items (default 0).")
@click.option("--batch", type=click.IntRange(min=1), metavar="N", help="Items asked about at a time (default 1).")
@click.option(
    "--workers", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
    help="Processes (threads, for an address) that ask the model around the items; they never change what is found.",
)  # fmt: skip
@calling_options
@show_model_option
@trust_option
@json_option
def command(
    study: str,
    workers: int,
    gallery: int,
    calling: Calling,
    show_model: bool,
    trust: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Find the errors that the model of STUDY makes with high confidence, and say how common they are.

    Makes STUDY if it is not there; else goes on with it, and needs no other argument but --oracle. First the model is
    asked about every item and, where it can be, around those hunted in; then the oracle about the items most likely to
    be wrong beyond what the confidence admits, and about random ones in between. Stop it at any time: every answer is
    on the disk before the next is asked. With images, module:function is given one array with an image a row.

    \b
    ringtrue blind pets --pool pets.npz --model desk:predict --input image --class cat --oracle truth --budget 50
    ringtrue blind pets --pool photos.csv --model desk:predict --input file --class cat --oracle ask --budget 20
    ringtrue blind loans --class reject --confidence 0.8 --oracle truth --budget 100   # a study made by `init`
    ringtrue blind pets --oracle truth --budget 100                                    # go on

    Exit code: 0 done or the claim rings true, 1 it rings false, 3 not yet known.
    """
    given = {name: value for name, value in options.items() if value not in (None, ()) and value is not False}
    for name in {"confidence", "floor"} & set(given):
        given[name] = _share(name, given[name])
    for name in {"inputs", "features", "labels"} & set(given):
        given[name] = _names(name, given[name])
    if "claim" in given:
        given["claim"] = _claim(given["claim"])
    from ringtrue.cli._blind_asking import ask
    from ringtrue.cli._blind_study import opened

    try:
        # What a model prints, such as a progress bar of its own, must not stand before the JSON.
        aside = redirect_stdout(sys.stderr) if as_json else nullcontext()
        with aside, opened(study, given, calling, trust=trust) as hunting:
            told = ask(hunting, workers=workers, gallery=gallery, show_model=show_model)
    except InvalidInput as error:
        raise InvalidInput(_as_options(str(error))) from None
    say(as_json, told.result, *told.lines)
    return told.code


def _share(name: str, text: str) -> float:
    share = parse_share(text, f"--{name}={text!r}")
    if not 0 <= share < 1:
        raise InvalidInput(f"--{name}={text!r} must be at least 0 and below 1: write it like 0.65 or 65%")
    return share


def _names(name: str, text: str) -> list[str]:
    found = [part.strip() for part in text.split(",")]
    option = {"inputs": "input"}.get(name, name)
    if not all(found):
        raise InvalidInput(f"--{option}={text!r} has an empty name: write them like age,income")
    return found


def _claim(text: str) -> Claim:
    try:
        return Claim.parse(text).about("error", "failure")
    except InvalidInput as error:
        raise InvalidInput(f'--{error}; here write it like "error <= 5% at 95%"') from None


def _as_options(message: str) -> str:
    """An error in the words of the command line: Python's arguments are options here."""
    message = re.sub(r"(?<![\w?&-])critical=", "--class=", message)
    message = re.sub(r"(?<![\w?&-])threshold=", "--confidence=", message)
    message = re.sub(r"(?<![\w?&-])(budget|score|features|perturb)(=|:)", r"--\1\2", message)
    message = message.replace("a lower threshold, or no critical class", "a lower --confidence, or no --class")
    message = re.sub(r"(?<![\w?&-])inputs(=|:)", r"--input\1", message)
    message = re.sub(r"(?<![\w?&-])slices(=|:)", r"--slice\1", message)
    return re.sub(r"(?<![\w?&-])(search|floor|distance|queries|temperature)=", r"--\1=", message)
