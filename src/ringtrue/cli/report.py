"""`ringtrue report`: write a study's report, or check one that somebody gave you."""

from __future__ import annotations

from pathlib import Path

import click

from ringtrue.cli._common import json_option, open_to_read, say
from ringtrue.core import InvalidInput, RingtrueError


@click.command("report")
@click.argument("study", metavar="STUDY", required=False)
@click.option(
    "--out", metavar="FILE", help="Where to write the HTML (default: beside the study); the JSON lies beside it."
)
@click.option("--claim", metavar="TEXT", help="Report on this claim instead of the study's own.")
@click.option("--verify", "verify_file", metavar="FILE.json", help="Recompute every number of a report's JSON twin.")
@json_option
def command(study: str | None, out: str | None, claim: str | None, verify_file: str | None, as_json: bool) -> int:
    """Write the report of STUDY: one HTML file for people and its JSON twin for programs.

    With --verify, recompute every number in a JSON twin from the answers recorded in it, without model or oracle.
    Exit code 0 when they agree, 1 when they do not.
    """
    if (study is None) == (verify_file is None):
        raise InvalidInput("give a STUDY to report on, or --verify FILE.json to check a report: one of the two")
    return _verify(verify_file, as_json) if verify_file is not None else _write(str(study), out, claim, as_json)


def _write(study: str, out: str | None, claim: str | None, as_json: bool) -> int:
    from ringtrue.report import write_report
    from ringtrue.study import study_path

    target = Path(out) if out else study_path(study).with_suffix(".html")
    with _opened(study) as opened:
        page, twin = write_report(opened, target, claim=claim)
    say(as_json, {"html": str(page), "json": str(twin)}, f"wrote {page}", f"wrote {twin}")
    return 0


def _opened(study: str):  # type: ignore[no-untyped-def]
    """With its pool if it can be had, so that the failures are shown with their content; else without."""
    from ringtrue.cli._common import open_to_ask

    try:
        return open_to_ask(study)
    except RingtrueError as error:
        opened = open_to_read(study)
        click.echo(f"the items themselves are left out of the report: {error}", err=True)
        return opened


def _verify(file: str, as_json: bool) -> int:
    from ringtrue.report import verify_report

    result = verify_report(Path(file))
    say(as_json, result.to_json(), str(result))
    return 0 if result.agrees else 1
