"""`ringtrue report`: write a study's report, or check one that you were given."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringtrue.cli._consent import journal_option
from ringtrue.cli._opening import attach_pool, latest_question, open_to_read
from ringtrue.cli._options import json_option
from ringtrue.cli._place import Place
from ringtrue.cli._progress import Steps
from ringtrue.cli._terminal import Result, say, tell
from ringtrue.core import History, InvalidInput, RingtrueError, read_json

if TYPE_CHECKING:
    from ringtrue.study import Study


@click.command("report")
@click.argument("study", metavar="STUDY", required=False)
@click.option(
    "--out", metavar="FILE", help="Where to write the HTML (default: beside the study); the JSON lies beside it."
)
@click.option("--claim", metavar="TEXT", help="Report on this claim instead of the study's own.")
@click.option("--question", metavar="NAME", help="Report on this question (default: the one asked last).")
@click.option("--pool", metavar="FILE", help="Where the pool lies now, if it was moved.")
@click.option("--verify", "verify_file", metavar="FILE.json", help="Recompute every number of a report's JSON twin.")
@journal_option
@json_option
def command(study: str | None, verify_file: str | None, as_json: bool, **given: str | None) -> int:
    """Write the report of STUDY: one HTML file for people and its JSON twin for programs.

    With --verify, recompute every number in a JSON twin from the answers recorded in it, without model or oracle, on
    any processor. Exit code 0 when they agree, 1 when they do not. The twin of a study of more than 100,000 queries
    names the study, which is looked for beside it, unless STUDY says where it lies. In a database it is only looked for
    where you name it.

    \b
    ringtrue report loans
    ringtrue report --verify loans.json
    ringtrue report 'postgresql://HOST/DATABASE#loans' --verify loans.json
    """
    journal = given.pop("journal")
    if verify_file is None:
        if study is None:
            raise InvalidInput("give a STUDY to report on, or --verify FILE.json to check a report")
        return _write(Place.of(study, journal), given, as_json)
    if any(value is not None for value in given.values()):
        raise InvalidInput("--verify reads a JSON twin, and the STUDY that it may name: leave the other arguments out")
    if study is None and journal is not None:
        raise InvalidInput("--journal is where STUDY is: give the name of the study too, or leave --journal out")

    from ringtrue.report import verify_report

    with Steps("recomputing every number of the report"):
        result = verify_report(Path(verify_file), study=None if study is None else str(Place.of(study, journal)))
    say(as_json, result.to_json(), str(result))
    return 0 if result.agrees else 1


def _write(study: Place, given: Mapping[str, str | None], as_json: bool) -> int:
    """Write the report of a study, and say what it finds and where it lies."""
    from ringtrue.report import write_report

    out, claim = given["out"], given["claim"]
    with Steps("going through the events of the study") as step, _opened(study, given["pool"]) as opened:
        chosen = latest_question(opened, given["question"])
        where = study.beside(".html") if out is None else Path(out)
        if out is None and study.journal is not None and _is_of_another(where.with_suffix(".json"), opened):
            raise InvalidInput(
                f"{str(where)!r} is the report of another study of that name, kept elsewhere: give --out FILE"
            )
        step("computing and writing the report")
        page, twin = write_report(opened, where, claim=claim, question=chosen)
        finding, kind = opened.finding(claim=claim, question=chosen), opened.questions[chosen].kind
        spending, caveats, warnings = opened.status().to_json(), opened.caveats, opened.notices
    told = Result.of(finding, study=str(study), question=chosen, kind=kind, spending=spending, warnings=warnings)
    result = {**told.to_json(), "html": str(page), "json": str(twin)}
    say(as_json, result, str(finding), *caveats, f"wrote {page}", f"wrote {twin}")
    return 0


def _is_of_another(twin: Path, study: Study) -> bool:
    """Return whether a file is the twin of a report of another study: several databases may be used from one folder."""
    try:
        told = read_json(twin.read_text(encoding="utf-8"))["journal"]
        return not study.was(History(int(told["events"]), str(told["link"]), None))
    except (OSError, ValueError, LookupError, TypeError):  # what is no report is not written over in any case
        return False


def _opened(study: Place, pool: str | None) -> Study:
    """Open a study with its pool if it can be had, so that the failures are shown with their content; else without.

    A search of a space has no pool, and its items say all there is to know of them.
    """
    with ExitStack() as on_error:
        opened = on_error.enter_context(open_to_read(study, whole=True))
        try:
            if pool is not None or opened.plan["notes"].get("verb") != "worst":
                attach_pool(opened, study, pool)
        except RingtrueError as error:
            if pool is not None:  # the user named this file: then it should be the right one
                raise
            tell(f"the items themselves are left out of the report: {error}", err=True)
        on_error.pop_all()  # the caller closes it
    return opened
