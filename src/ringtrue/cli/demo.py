"""`ringtrue demo`: all five questions in a minute, with a real model, a simulated oracle and a real crash."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import click

from ringtrue.cli._options import json_option
from ringtrue.cli._terminal import say, tell
from ringtrue.core import InvalidInput

HUNT, CALLS, EVALUATIONS, VOTE_LABELS = 40, 600, 60, 200
"""Budgets: how many answers a question may take at most. One that is decided earlier takes fewer."""

CONFIDENCE = 0.9
CLAIM, DROP = "error <= 5% at 95%", "accuracy drop <= 1% at 95%"
DEVIATION, RIGHT = "deviation <= 0.5 at 95%", "accuracy >= 70% at 95%"


class Stop(NamedTuple):
    """A stop of the tour: a question in plain words, and commands to ask it of another model."""

    verb: str
    title: str
    asked: str
    commands: tuple[str, ...]


STOPS = (
    Stop(
        "risk",
        "How often does it fail?",
        "Does the model misread at most 5% of these digits?",
        (
            f'ringtrue init often --pool items.csv --model predicted --claim "{CLAIM}" --budget 400',
            "ringtrue risk often --oracle mine:label",
            "ringtrue report often",
        ),
    ),
    Stop(
        "blind",
        "Where is it sure and yet wrong?",
        "Where the model is more than 90% sure, is it right as often as it says?",
        (
            "ringtrue blind hunt --pool images.npz --model mine:predict --input image --oracle mine:label "
            f"--above {CONFIDENCE} --budget {HUNT}",
            "ringtrue report hunt",
        ),
    ),
    Stop(
        "changed",
        "Did it change?",
        "The model is trained again, now with eights. Did its accuracy fall by no more than 1 percentage point?",
        (
            f'ringtrue changed swap --old answers.csv --model mine:predict --claim "{DROP}" --budget {CALLS}',
            "ringtrue report swap",
        ),
    ),
    Stop(
        "worst",
        "What upsets it most?",
        "Digits are turned by up to 15 degrees, shifted by up to half a pixel, blurred and made noisy. Whatever the "
        "mixture, do the new model's probabilities move by at most 0.5 on average? (0: they stay; 1: all go to other "
        "digits.)",
        (
            "ringtrue worst far --space space.toml --oracle mine:deviation --deviation given "
            f'--budget {EVALUATIONS} --claim "{DEVIATION}"',
            "ringtrue report far",
        ),
    ),
    Stop(
        "judges",
        "How good are these judges?",
        "Five small classifiers vote on every digit: even or odd? Is each of them right on at least 70% of the digits?",
        (
            f'ringtrue judges votes.csv --study panel --oracle mine:label --budget {VOTE_LABELS} --claim "{RIGHT}"',
            "ringtrue report panel",
        ),
    ),
)

_NOTE = "README.txt"
_NOTE_TEXT = """Made by `ringtrue demo`, which writes everything in this folder anew each time.

index.html       begin here: five questions, five answers, a link to each report
risk.html        what a colleague reads; risk.json beside it holds every answer; likewise blind, changed, worst, judges
risk.ringtrue    the study: try `ringtrue status risk` and `ringtrue report risk` here
blind.ringtrue   and changed, worst, judges: the other studies; try `ringtrue status blind`
pool.csv         the digits, with what the model said of each
digits.npz       the same as pictures, with the truth
votes.csv        how five small classifiers voted: is the digit even or odd?
desk/            the simulated labelling desk: the truth, and its own account of what it charged for
"""


@click.command("demo")
@click.option("--out", default="demo", show_default=True, metavar="FOLDER", help="Where to leave everything.")
@json_option
def command(out: str, as_json: bool) -> int:
    """Give a tour in one minute, offline: train a model with a planted weakness and ask all five questions about it.

    Labels are bought from a simulated desk; the first study is killed in the middle and resumed. Each question is
    answered in plain words on one page, index.html, with a link to its report. Every number is measured in this run.
    """
    say_on = partial(tell, err=as_json)
    folder = Path(out)
    clear(folder)
    say_on("training a small model that reads handwritten digits")

    from ringtrue.cli._demo_digits import WEAK, load
    from ringtrue.cli._demo_questions import ASK

    digits = load()
    say_on(
        f"it has hardly seen an {WEAK}; on the digits it knows it is right {digits.accuracy_elsewhere:.1%} of the time"
    )
    answers = []
    for place, stop in enumerate(STOPS, 1):
        say_on("")
        say_on(f"{place} of {len(STOPS)}, {stop.verb}: {stop.asked}")
        answers.append(ASK[stop.verb](folder, digits, say_on))
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


def clear(folder: Path) -> None:
    """Make the folder, or empty it of an earlier demo; what the demo did not make is never touched."""
    verbs, ends = [stop.verb for stop in STOPS], ("", "-journal", "-wal", "-shm")  # of one that was killed, too
    studies = [f"{verb}.ringtrue{end}" for verb in verbs for end in ends]
    reports = [f"{verb}.{kind}" for verb in verbs for kind in ("html", "json")]
    made = [folder / name for name in ("desk", "pool.csv", "digits.npz", "votes.csv", "index.html", *reports, *studies)]
    try:
        note = folder / _NOTE
        # By the first line, because an earlier version of the demo listed other files below it.
        ours = note.is_file() and note.read_text().partition("\n")[0] == _NOTE_TEXT.partition("\n")[0]
        if folder.exists() and not ours and any(folder.iterdir()):
            raise InvalidInput(f"--out={str(folder)!r} holds files that are not the demo's: name a new folder")
        for old in made:
            shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
        (folder / "desk").mkdir(parents=True)
        note.write_text(_NOTE_TEXT)
    except OSError as error:
        raise InvalidInput(f"--out={str(folder)!r} cannot be used ({error.strerror}): name a new folder") from None


def write_index(path: Path, stops: Sequence[Any]) -> None:
    """Write the page that links to the reports beside it, from pairs of a stop and its answer."""
    from ringtrue.report._templates import template

    page = template("demo.html").render(made={"ringtrue": version("ringtrue")}, stops=stops)
    path.write_text(page, encoding="utf-8")
