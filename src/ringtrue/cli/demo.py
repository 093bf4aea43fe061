"""`ringtrue demo`: all five questions in a minute, with a real model, a simulated oracle and a real crash."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from ringtrue.cli._options import json_option
from ringtrue.cli._output import say, tell


@click.command("demo")
@click.option("--out", default="demo", show_default=True, metavar="FOLDER", help="Where to leave everything.")
@json_option
def command(out: str, as_json: bool) -> int:
    """Give a tour in one minute, offline: train a model with a planted weakness and ask all five questions about it.

    Labels are bought from a simulated desk; the first study is killed in the middle and resumed. Each question is
    answered in plain words on one page, index.html, with a link to its report. Every number is measured in this run.
    """
    from ringtrue.cli._demo_stage import clear

    say_on = partial(tell, err=as_json)
    folder = Path(out)
    clear(folder)
    say_on("training a small model that reads handwritten digits")

    from ringtrue.cli._demo_digits import WEAK, load
    from ringtrue.cli._demo_index import write_index
    from ringtrue.cli._demo_stops import STOPS

    digits = load()
    say_on(
        f"it has hardly seen an {WEAK}; on the digits it knows it is right {digits.accuracy_elsewhere:.1%} of the time"
    )
    answers = []
    for place, stop in enumerate(STOPS, 1):
        say_on("")
        say_on(f"{place} of {len(STOPS)}, {stop.verb}: {stop.asked}")
        answers.append(stop.ask(folder, digits, say_on))
        say_on(str(answers[-1]))
    index = folder / "index.html"
    write_index(index, list(zip(STOPS, answers, strict=True)))
    agree = sum(answer.verified for answer in answers)
    summary = {
        **answers[0].to_json(),  # the numbers of risk stand at the top, too
        "verified": agree == len(answers),
        "questions": [answer.to_json() for answer in answers],
        "index": str(index),
    }
    say(
        as_json,
        summary,
        "",
        f"reports: {agree} of {len(answers)} agree with what their recorded answers give when computed anew",
        f"begin with {index}",
    )
    return 0
