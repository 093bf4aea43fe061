"""`ringtrue recover`: saves what is sound of a damaged study."""

from __future__ import annotations

from pathlib import Path

import click

from ringtrue.cli._common import json_option, say, study_argument
from ringtrue.cli._opening import existing, study_file


@click.command("recover")
@study_argument
@click.option(
    "--out", metavar="NEW", help="The new study's file. By default NAME-recovered.ringtrue beside the old one."
)
@json_option
def command(study: str, out: str | None, as_json: bool) -> int:
    """Save all that is sound in STUDY before its damage into a new study, and say what is lost.

    STUDY itself is left as it is. Events after the damage rest on what is lost and are not taken over.
    """
    from ringtrue.study import recover

    path = existing(study)
    place = path.with_name(f"{path.stem}-recovered{path.suffix}") if out is None else study_file(out)
    recovered = recover(path, Path(place))
    say(as_json, recovered.to_json(), str(recovered))
    return 0
