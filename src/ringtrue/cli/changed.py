"""`ringtrue changed`: did the model change, how, and how few calls does it take to know?"""

from __future__ import annotations

import re
from typing import Any

import click

from ringtrue.cli._options import (
    Calling,
    as_options,
    calling_options,
    given_of,
    json_option,
    names_in,
    study_argument,
    trust_option,
    workers_option,
)
from ringtrue.core import Claim, InvalidInput, parse_share

METHODS = ("paired", "oneshot", "uniform", "masa")
QUANTITIES = ("change", "accuracy drop")


@click.command("changed")
@study_argument
@click.option("--old", metavar="FILE", help="The old answers, a row per item: .csv, .tsv, .parquet or .jsonl.")
@click.option("--pool", metavar="FILE", help="The items, if they stand in another file: joined to --old by id.")
@click.option("--model", metavar="M", help="The new model: an address (http…), module:function, or a stored column.")
@click.option("--error", metavar="SHARE", help="Ask until the shift is known to within this error, such as 1%.")
@click.option("--claim", metavar="TEXT", help='What to decide: "change <= 1% at 95%" or "accuracy drop <= 2%".')
@click.option("--answer", metavar="COLUMN", help="The column of the old answers (default: answer, old, predicted, …).")
@click.option("--truth", metavar="COLUMN", help="The column of true labels (default: truth, label, gold, y), or none.")
@click.option("--confidence", metavar="COLUMN", help="The old model's confidence (default: confidence, …), or none.")
@click.option("--slice", "slices", multiple=True, metavar="COLUMN", help="Show the change by this column; repeatable.")
@click.option("--features", metavar="A,B,…", help="The columns that the model is shown (default: all that are inputs).")
@calling_options
@click.option("--id", metavar="COLUMN", help="The column of ids (default: id, else the row number).")
@click.option("--noise", metavar="SHARE", help="Answers that vary by themselves (default: measured by asking twice).")
@click.option("--method", type=click.Choice(METHODS), help="How to ask and estimate (default: paired).")
@click.option("--budget", type=click.IntRange(min=0), metavar="N", help="The most calls to make.")
@click.option("--money", metavar="AMOUNT", help="The most money to spend; needs --price.")
@click.option("--price", metavar="AMOUNT", help="What one call costs.")
@click.option("--seed", type=int, metavar="N", help="Another seed asks other items (default 0).")
@click.option("--batch", type=click.IntRange(min=1), metavar="N", help="Items asked about at a time (default 20).")
@workers_option("Items of a batch asked about at once, each in a call of its own; else a batch is one call.")
@click.option("--plan", "plan_only", is_flag=True, help="Print how many calls it may take, and ask nothing.")
@trust_option
@json_option
def command(
    study: str, workers: int, plan_only: bool, calling: Calling, trust: bool, as_json: bool, **options: Any
) -> int:
    """Find out whether the model changed since it gave the answers in --old, and how.

    Makes STUDY if it is not there; else goes on with it, and needs no other argument. Asks the new model about the few
    items that tell most: first until it is known whether anything changed, then how. Stop it at any time: every answer
    is on the disk before the next is asked. The model is never shown the old answers, their confidences, the true
    labels or the slices, nor any other column with a usual name of these, unless --features names it; an address is not
    sent the ids either. A token for an address is read from the environment variable RINGTRUE_MODEL_TOKEN.

    \b
    ringtrue changed mood --old answers.parquet --model https://models.example/v1/models/mood:predict --error 1%
    ringtrue changed mood --old answers.csv --model desk:ask --claim "change <= 1% at 95%" --budget 500
    ringtrue changed mood --old answers.csv --pool items.jsonl --model new_answer --error 1%
    ringtrue changed mood --old answers.csv --error 1% --plan
    ringtrue changed mood                                    # go on where it stopped

    Exit code: 0 unchanged within the claim, 1 changed, 3 not yet known.
    """
    given = given_of(options)
    for name in {"error", "noise"} & set(given):
        given[name] = _share(name, given[name])
    if "features" in given:
        given["features"] = names_in(given["features"], "--features", like="text,language")
    if "claim" in given:
        given["claim"] = _claim(given["claim"])
    try:
        from ringtrue.cli._changed_study import go_on, make, show_plan

        if plan_only:
            return show_plan(study, given, as_json=as_json)
        asking = go_on(study, given, calling, trust=trust) or make(study, given, calling)
        return asking.ask(workers=workers, as_json=as_json)
    except InvalidInput as error:
        raise InvalidInput(_in_words(str(error))) from None


def _share(name: str, text: str) -> float:
    """Return the share of an option: noise may be 0, an error may not."""
    share = parse_share(text, f"--{name}={text!r}")
    low = share >= 0 if name == "noise" else share > 0
    if not (low and share < 1):
        least = "at least 0" if name == "noise" else "above 0"
        raise InvalidInput(f"--{name}={text!r} must be {least} and below 100%: write it like 1% or 0.01")
    return share


def _claim(text: str) -> Claim:
    """Return a claim that this verb decides; an error names such claims, and no other."""
    remedy = 'write it like "change <= 1% at 95%" or "accuracy drop <= 2%"'
    try:
        claim = Claim.parse(text)
    except InvalidInput as error:
        why = str(error).rpartition(": ")[0]  # its remedy speaks of other claims
        named = f"claim={text!r}"
        why = why.removeprefix(named) if why.startswith(named) else f": {why.removeprefix('claim ')}"
        raise InvalidInput(f"--{named}{why}: {remedy}") from None
    if claim.quantity not in QUANTITIES:
        decided = " or ".join(QUANTITIES)
        raise InvalidInput(f"--claim={text!r} speaks of {claim.quantity}, this verb decides {decided}: {remedy}")
    return claim


def _in_words(message: str) -> str:
    """Return an error in the words of the command line; COLUMN stands for a value that is not given."""
    message = re.sub(r"(?<![\w?&-])(answer|truth|confidence|id)=(?:…|(?=[\s,;:]|$))", r"--\1 COLUMN", message)
    named = ("answer", "truth", "confidence", "id", "claim", "noise", "method", "features")
    return as_options(message, *named, slices="slice")
