"""`ringtrue copy`: a sound copy of a study, also while a run is under way."""

from __future__ import annotations

from pathlib import Path

import click

from ringtrue.cli._common import json_option, say, study_argument
from ringtrue.cli._opening import existing
from ringtrue.core import count


@click.command("copy")
@study_argument
@click.argument("place", metavar="PLACE")
@json_option
def command(study: str, place: str, as_json: bool) -> int:
    """Copy STUDY to PLACE, a file or a folder, with every answer that was acknowledged when the copy began.

    It may be done while a run is under way. The copy is checked before it is there; no file is overwritten.
    """
    from ringtrue.journal import copy_journal

    source, target = existing(study), Path(place)
    target = target / source.name if target.is_dir() else target if target.suffix else target.with_suffix(source.suffix)
    events = copy_journal(source, target)
    say(as_json, {"place": str(target), "events": events}, f"{target}: {count(events, 'event')}, all sound")
    return 0
