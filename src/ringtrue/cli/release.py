"""`ringtrue release`: gives back what is out, so that it is offered again at once."""

from __future__ import annotations

from datetime import datetime

import click

from ringtrue.cli._common import json_option, say, study_argument
from ringtrue.cli._opening import open_to_read
from ringtrue.core import count


@click.command("release")
@study_argument
@json_option
def command(study: str, as_json: bool) -> int:
    """List what is out of STUDY and with whom, and give it back, so that the next run asks it.

    For queries of a machine or a person who is gone: else they are offered again when their lease runs out. What a
    run on this machine is at work on stays with it. Who still works on another loses nothing, the answer is kept; but
    the item may then be paid for twice.
    """
    with open_to_read(study) as opened:
        out = opened.leases
        back = [query for query in out if not query.at_work]
        opened.release(back)
    lines = [
        f"{query.item}: with {query.holder} until {datetime.fromtimestamp(query.until):%Y-%m-%d %H:%M:%S}, "
        f"{'at work on this machine' if query.at_work else 'given back'}"
        for query in out
    ]
    result = {"released": [query._asdict() for query in back], "at_work": len(out) - len(back)}
    say(as_json, result, *lines, f"{count(len(back), 'query')} given back" if out else "nothing is out")
    return 0
