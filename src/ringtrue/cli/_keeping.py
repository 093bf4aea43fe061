"""Looking after a study: `ringtrue status`, `amend`, `release`, `copy`, `recover` and `move`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from ringtrue.cli._consent import journal_option
from ringtrue.cli._opening import open_to_read
from ringtrue.cli._options import json_option, study_argument
from ringtrue.cli._place import Place
from ringtrue.cli._progress import Preparing
from ringtrue.cli._terminal import Result, say
from ringtrue.core import InvalidInput, Json, count


@click.command("status")
@study_argument
@journal_option
@json_option
def status(study: str, journal: str | None, as_json: bool) -> int:
    """Show what STUDY has asked, answered and spent, and what it shows so far. Changes nothing."""
    place = Place.of(study, journal)
    path = str(place)
    with open_to_read(place) as opened:
        now, caveats, moved = opened.status(), opened.caveats, opened.moved
        findings = {name: opened.finding(question=name) for name in opened.questions}
        asked = opened.second.share is not None or opened.second.votes
        opinions = {name: opened.agreement(question=name) for name in opened.questions} if asked else {}
    told = {
        name: Result.of(
            finding, study=path, question=name, kind=opened.questions[name].kind, warnings=caveats
        ).to_json()
        for name, finding in findings.items()
    }
    beside: dict[str, Json] = {"opinions": {name: one.to_json() for name, one in opinions.items()}} if opinions else {}
    beside |= {"moved": moved} if moved else {}
    result = {"study": path, "spending": now.to_json(), "findings": told, **beside}
    lines = [
        *caveats,
        *(f"{name}: {finding}" for name, finding in findings.items()),
    ]
    say(as_json, result, str(now), *lines, *(f"{name}, second opinions: {one}" for name, one in opinions.items()))
    return 0


@click.command("amend")
@study_argument
@click.argument("query", metavar="QUERY")
@click.argument("answer", metavar="ANSWER")
@click.option("--rater", metavar="NAME", help="Who gave the answer, where that was recorded: no other corrects it.")
@click.option("--reason", default="", metavar="TEXT", help="Why, in words; kept beside the correction.")
@journal_option
@json_option
def amend(
    study: str, query: str, answer: str, rater: str | None, reason: str, journal: str | None, as_json: bool
) -> int:
    """Correct the answer to QUERY of STUDY, such as loans:17 or 17. What it was stays in the journal.

    ANSWER is a label, a number, or several numbers parted by spaces or semicolons; ? if it cannot be told after all.
    Findings are then made of the first answers and of those that count now: where their verdicts differ, the claim is
    not yet known.
    """
    from ringtrue.oracles._typed import read_numbers

    with open_to_read(Place.of(study, journal)) as opened:
        name = query if ":" in query else f"{opened.name}:{query}"
        record = next((one for one in opened.records if f"{opened.name}:{one.number}" == name), None)
        told: Json = None if answer == "?" else answer
        if record is not None and record.point is not None and told is not None:
            outputs = len(record.value) if isinstance(record.value, list) else 1
            numbers, complaint = read_numbers(answer, outputs)
            if complaint:
                raise InvalidInput(f"ANSWER: {complaint}")
            told = [*numbers] if len(numbers) > 1 else numbers[0]
        opened.amend(name, told, rater=rater, reason=reason)
        now = next(one for one in opened.records if f"{opened.name}:{one.number}" == name)
    was = now.earlier[-1] if now.earlier else now.value
    result = {"query": name, "item": now.id, "was": was, "answer": now.value}
    shown = ["cannot tell" if value is None else str(value) for value in (was, now.value)]
    line = f"{name} ({now.id}): {shown[0]} before, {shown[1]} now" if now.earlier else f"{name} says {shown[1]} already"
    say(as_json, result, line)
    return 0


@click.command("release")
@study_argument
@journal_option
@json_option
def release(study: str, journal: str | None, as_json: bool) -> int:
    """List which queries of STUDY are out and with whom, and give them back, so that the next run asks them.

    Use it when a machine or a person is gone; otherwise queries are offered again when their lease runs out. What a
    run on this machine is working on stays with it. A late answer from another machine or a person is kept all the
    same, but the item may then be paid for twice.
    """
    with open_to_read(Place.of(study, journal)) as opened:
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


@click.command("copy")
@study_argument
@click.argument("place", metavar="PLACE")
@json_option
def copy(study: str, place: str, as_json: bool) -> int:
    """Copy STUDY to PLACE, a file or a folder, with every answer that was acknowledged when the copy began.

    You may copy while a run is under way. The copy is checked before it appears; no file is overwritten.
    """
    from ringtrue.journal import copy_journal

    source, target = Place.of(study).in_file(), Path(place)
    target = target / source.name if target.is_dir() else target if target.suffix else target.with_suffix(source.suffix)
    events = copy_journal(source, target)
    say(as_json, {"place": str(target), "events": events}, f"{target}: {count(events, 'event')}, all sound")
    return 0


@click.command("recover")
@study_argument
@click.option(
    "--out", metavar="NEW", help="The new study's file. By default NAME-recovered.ringtrue beside the old one."
)
@json_option
def recover(study: str, out: str | None, as_json: bool) -> int:
    """Save all that is sound in STUDY before its damage into a new study, and say what is lost.

    STUDY itself is left as it is. Events after the damage rest on what is lost and are not taken over.
    """
    from ringtrue.study import recover as save
    from ringtrue.study import study_name

    path = Place.of(study).in_file()
    place = path.with_name(f"{study_name(path)}-recovered.ringtrue") if out is None else Place.of(out).file
    recovered = save(path, place)
    say(as_json, recovered.to_json(), str(recovered))
    return 0


@click.command("move")
@study_argument
@click.argument("place", metavar="PLACE")
@journal_option
@json_option
def move(study: str, place: str, journal: str | None, as_json: bool) -> int:
    """Move STUDY to PLACE: into PostgreSQL, or from there into a file.

    \b
    ringtrue move loans postgresql://HOST/DATABASE
    ringtrue move loans kept.ringtrue --journal postgresql://HOST/DATABASE

    Its events are copied with their times and hashes. Once the copy has as many events and the same hash over them
    all, STUDY is sealed: it can be read, and says where it goes on. Files that the study names stay where they are.
    """
    from ringtrue.journal import check_address, is_address, resembles_address
    from ringtrue.study import Home, study_name
    from ringtrue.study import move as bring

    if resembles_address(place):  # not taken for a file's name, and printed: it may hold a password
        check_address(place)
    source = Place.of(study, journal).existing()
    if is_address(place):
        target = Home(source.file, place)
    else:
        file = Path(place) / f"{study_name(source.file)}.ringtrue" if Path(place).is_dir() else Place.of(place).file
        target = Home(file)
    if (source.journal is None) == (target.journal is None):
        how = "`ringtrue copy` copies a file" if source.journal is None else "move it into a file, and from there"
        raise InvalidInput(f"PLACE={place!r} is of the same kind as STUDY: {how}")
    with Preparing() as advance:
        moved = bring(Home(source.file, source.journal), target, advance=advance)
    result = {"study": moved.study, "place": moved.place, "events": moved.events, "link": moved.link}
    say(as_json, result, str(moved), f"{source} is sealed: it can be read, and goes on there")
    return 0
