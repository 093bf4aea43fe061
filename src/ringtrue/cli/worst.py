"""`ringtrue worst`: where does the model deviate worst from the gold standard?"""

from __future__ import annotations

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
    trust_option,
    workers_option,
)
from ringtrue.cli._worst_study import BASELINES, opened
from ringtrue.core import InvalidInput

DEVIATIONS = ("absolute", "squared", "rmse", "mismatch", "given")
RULES = ("harmonic", "rising", "joint", "round-robin", "random-task", "exp3bo", "exp3bo-safe")


@click.command("worst")
@click.argument("study", metavar="STUDY", default="worst")
@click.option("--space", metavar="FILE.toml", help="The inputs to search: parameters with bounds, and constraints.")
@click.option("--model", metavar="M", help="The model: module:function or an address (http…).")
@click.option("--gold", metavar="G", help='The gold standard: module:function, an address, or "ask" for a person.')
@click.option(
    "--gold-command", metavar="CMD", help="A program as gold standard: a JSON object in, a number out, a line each."
)
@calling_options
@click.option("--budget", type=click.IntRange(min=1), metavar="N", help="How many evaluations to make.")
@click.option("--tasks", metavar="A,B,…", help="The names of the outputs, where there are several.")
@click.option(
    "--deviation",
    metavar="D",
    help=f"How far apart two answers are: {', '.join(DEVIATIONS)} or module:function (default absolute).",
)
@click.option("--alone", is_flag=True, help="An evaluation reveals one output, not all of them.")
@click.option("--rule", metavar="RULE", help=f"How outputs take turns, with --alone: {', '.join(RULES)}.")
@click.option("--acquisition", type=click.Choice(["improvement", "upper-bound"]), help="How a point is chosen.")
@click.option("--kernel", type=click.Choice(["squared-exponential", "matern-5/2"]), help="How smooth the deviation is.")
@click.option("--noise", type=float, metavar="SD", help="How much an evaluation varies, if it does not repeat itself.")
@click.option("--claim", metavar="TEXT", help='What you want to be able to say, such as "deviation <= 0.5 at 95%".')
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    type=click.Choice(BASELINES),
    help="Search this way too, for as many evaluations; repeatable.",
)
@click.option("--training", metavar="FILE", help="Training data with the outputs, to show its worst case beside ours.")
@click.option("--picture", metavar="module:function", help="Draws an input: values in, a table of grey levels out.")
@click.option("--price", metavar="AMOUNT", help="What one evaluation costs.")
@click.option("--seed", type=int, metavar="N", help="Another seed asks other points (default 0).")
@click.option("--batch", type=click.IntRange(min=1), metavar="Q", help="Points chosen at a time (default 1).")
@workers_option("Evaluations of a batch made at once.")
@click.option("--sheet", metavar="FILE.csv", help="Write the next batch for a laboratory, and evaluate nothing.")
@click.option("--again", is_flag=True, help="With --sheet: write what is out with the laboratory once more.")
@click.option("--answers", metavar="FILE.csv", help="Read a sheet that the laboratory has filled in.")
@trust_option
@json_option
def command(study: str, workers: int, calling: Calling, trust: bool, as_json: bool, **options: Any) -> int:
    """Find the input at which the model deviates worst from the gold standard.

    Makes STUDY (default: worst) if it is not there; else goes on with it, and needs no other argument. Every evaluation
    is on the disk before the next is chosen: stop it at any time. A larger --budget goes on from a search that is done.
    Where one evaluation reveals several outputs, name them in --tasks: each is searched, from the same evaluations.

    \b
    ringtrue worst --space space.toml --model desk:model --gold desk:simulate --budget 200
    ringtrue worst alloy --space space.toml --model desk:model --gold desk:simulate --tasks AL6MN,QPHASE --budget 100
    ringtrue worst alloy --space space.toml --model desk:model --gold ask --budget 20
    ringtrue worst alloy --claim "deviation <= 0.5 at 95%" --budget 300
    ringtrue worst lab --space space.toml --model desk:model --budget 40 --batch 8 --sheet next.csv
    ringtrue worst lab --answers next.csv                  # a week later

    Exit code: 0 done or within the claim, 1 a larger deviation was found, 3 not yet known.
    """
    given = given_of(options)
    if "claim" in given:
        given["claim"] = claim_about(given["claim"], "deviation", like="deviation <= 0.5 at 95%")
    if "tasks" in given:
        given["tasks"] = names_in(given["tasks"], "--tasks", like="AL6MN,QPHASE")
    if "sheet" in given and "answers" in given:
        raise InvalidInput("--sheet and --answers: first read the filled sheet, then write the next one")
    if "again" in given and "sheet" not in given:
        raise InvalidInput("--again writes a lost sheet once more: give --sheet FILE.csv too")
    from ringtrue.cli._worst_asking import ask, read_answers, write_next_sheet

    try:
        with opened(study, given, calling, trust=trust) as search:
            if "answers" in given:
                return read_answers(search, given["answers"], as_json=as_json)
            if "sheet" in given:
                return write_next_sheet(search, given["sheet"], again="again" in given, as_json=as_json)
            return ask(search, given, workers=workers, as_json=as_json)
    except InvalidInput as error:
        raise InvalidInput(_in_words(str(error))) from None


def _in_words(message: str) -> str:
    """Return an error in the words of the command line."""
    message = message.replace("for priced='alone'", "with --alone").replace('priced="alone"', "--alone")
    message = message.replace("for priced='together'", "without --alone").replace("evaluations=", "--budget=")
    return as_options(message, "tasks", "deviation", "rule", "kernel", "acquisition", "noise")
