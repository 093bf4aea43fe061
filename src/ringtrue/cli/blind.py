"""`ringtrue blind`: where is the model confidently wrong, and how common is that?"""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from typing import Any

import click

from ringtrue.cli._options import (
    Calling,
    as_options,
    calling_options,
    claim_about,
    given_of,
    json_option,
    names_in,
    show_model_option,
    study_argument,
    trust_option,
    workers_option,
)
from ringtrue.cli._output import say
from ringtrue.core import InvalidInput, parse_share

SEARCHES = (
    "learning",
    "standardised",
    "adversarial-distance",
    "adjusted-distance",
    "bandit",
    "coverage",
    "lowest-confidence",
    "highest-confidence",
    "random",
)
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
@click.option("--perturb", metavar="module:function", help="Changes an item that is neither image nor numbers.")
@click.option("--validation", metavar="FILE", help="Items with the truth, to soften the model's confidence first.")
@click.option(
    "--gallery", type=click.IntRange(min=0), default=12, show_default=True, help="Errors to show as pictures."
)
@click.option("--price", metavar="AMOUNT", help="What one label costs.")
@click.option("--seed", type=int, metavar="N", help="Another seed asks other items (default 0).")
@click.option("--batch", type=click.IntRange(min=1), metavar="N", help="Items asked about at a time (default 1).")
@workers_option("Processes (threads, for an address) that ask the model around the items; the result is the same.")
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
    on the disk before the next is asked. With images, module:function is given one array with one image per row.

    \b
    ringtrue blind pets --pool pets.npz --model desk:predict --input image --class cat --oracle truth --budget 50
    ringtrue blind pets --pool photos.csv --model desk:predict --input file --class cat --oracle ask --budget 20
    ringtrue blind loans --class reject --confidence 0.8 --oracle truth --budget 100   # a study made by `init`
    ringtrue blind pets --oracle truth --budget 100                                    # go on

    Exit code: 0 done or the claim rings true, 1 it rings false, 3 not yet known.
    """
    given = given_of(options)
    for name in {"confidence", "floor"} & set(given):
        given[name] = _share(name, given[name])
    for name in {"inputs", "features", "labels"} & set(given):
        given[name] = names_in(given[name], "--input" if name == "inputs" else f"--{name}")
    if "claim" in given:
        given["claim"] = claim_about(given["claim"], "error", "failure", like="error <= 5% at 95%")
    from ringtrue.cli._blind_asking import ask
    from ringtrue.cli._blind_study import opened

    try:
        # What a model prints, such as a progress bar of its own, must not stand before the JSON.
        aside = redirect_stdout(sys.stderr) if as_json else nullcontext()
        with aside, opened(study, given, calling, trust=trust) as hunting:
            told = ask(hunting, workers=workers, gallery=gallery, show_model=show_model)
    except InvalidInput as error:
        raise InvalidInput(_in_words(str(error))) from None
    say(as_json, told.result, *told.lines)
    return told.code


def _share(name: str, text: str) -> float:
    """Return the share of an option, from 0 to below 1."""
    share = parse_share(text, f"--{name}={text!r}")
    if not 0 <= share < 1:
        raise InvalidInput(f"--{name}={text!r} must be at least 0 and below 1: write it like 0.65 or 65%")
    return share


def _in_words(message: str) -> str:
    """Return an error in the words of the command line."""
    message = message.replace("a lower threshold, or no critical class", "a lower --confidence, or no --class")
    message = as_options(message, "search", "floor", "distance", "queries", "temperature", critical="class")
    message = as_options(message, "budget", "score", "features", "perturb", marks="=:", inputs="input", slices="slice")
    return as_options(message, threshold="confidence")
