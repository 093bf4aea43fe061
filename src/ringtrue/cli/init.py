"""`ringtrue init`: make a study that other verbs go on with."""

from __future__ import annotations

from typing import Any

import click

from ringtrue.cli._calling import Calling, calling_options
from ringtrue.cli._opening import study_file
from ringtrue.cli._options import study_argument
from ringtrue.cli._output import say
from ringtrue.cli._runner import make
from ringtrue.cli._table import Table
from ringtrue.cli._verb import Asked
from ringtrue.cli.risk import MAKING, RiskVerb
from ringtrue.core import count


class InitVerb(RiskVerb):
    """Make the file STUDY (`.ringtrue` is added when there is no ending). Nothing is asked or spent yet.

    \b
    ringtrue init loans --pool pool.csv --model predicted --claim "error <= 5% at 95%" --budget 200
    ringtrue init loans --pool pool.csv --model predicted --confidence score --claim "error <= 5% at 95%"
    """

    name = "init"
    table = Table(tuple(option for option in MAKING if option.name != "workers"))

    def oracle(self, asked: Asked) -> None:
        """Look for no oracle: nothing is asked yet."""


def _init(study: str, calling: Calling, **typed: Any) -> int:
    verb, path = InitVerb(), study_file(study)
    with verb.table.in_words():
        given = verb.table.given(typed)
        as_json = given.pop("as_json", False)
        with make(verb, path, study, given, calling).study as made:
            size = made.plan["pool"]["size"]
            claim = given.get("claim")
            result = {
                "study": str(path),
                "pool": made.plan["pool"],
                "model": made.plan["model"],
                "claim": None if claim is None else str(claim),
            }
    lines = [f"made {path}: {count(size, 'item')}, nothing asked yet"]
    if not {"claim", "budget", "money"} & set(given):
        lines.append(
            f"there is neither a claim nor a budget, so a run asks about {'all ' * (size > 1)}{count(size, 'item')}"
        )
    say(bool(as_json), result, *lines, f"next: ringtrue risk {path} --oracle COLUMN (or module:function)")
    return 0


command = click.command("init", help=InitVerb.__doc__)(study_argument(calling_options(InitVerb.table.add(_init))))
