"""`ringtrue release`: gives back what is out, so that it is offered again at once."""

from __future__ import annotations

import sys
from datetime import datetime

import click

from ringtrue.cli._common import json_option, say, study_argument, tell
from ringtrue.cli._opening import open_to_read
from ringtrue.core import InvalidInput, count


@click.command("release")
@study_argument
@click.option("--yes", is_flag=True, help="Give it all back without asking.")
@json_option
def command(study: str, yes: bool, as_json: bool) -> int:
    """List what is out of STUDY and with whom, then give it back, so that the next run asks it.

    For queries of a machine or a person who is gone: else they are offered again when their lease runs out. Who still
    works on one loses nothing, its answer is kept; but the item may be paid for twice.
    """
    with open_to_read(study) as opened:
        out = opened.leases
        for query in out if not as_json else ():
            until = datetime.fromtimestamp(query.until)
            tell(f"{query.item}: with {query.holder} until {until:%Y-%m-%d %H:%M:%S}")
        if out and not yes:
            if as_json or not sys.stdin.isatty():
                raise InvalidInput(f"{count(len(out), 'query')} out: give --yes to have them given back")
            click.confirm("Give all of this back?", abort=True, err=True)
        opened.release(out)
    listed = [{"item": query.item, "holder": query.holder, "until": query.until} for query in out]
    say(as_json, {"released": listed}, f"{count(len(out), 'query')} given back" if out else "nothing is out")
    return 0
