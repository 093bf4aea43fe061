"""The runner: simulates what is not there yet, chunk by chunk, keeps each chunk, and writes the pages."""

from __future__ import annotations

import argparse
import fnmatch
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ringtrue.core import count
from ringtrue.testing.coverage import (
    _page,
    blind,
    changed,
    fixed_strata,
    judges,
    judges_labelled,
    repeats,
    risk,
    risk_models,
    second_opinions,
    stats,
    worst,
)
from ringtrue.testing.coverage._case import Case, Count
from ringtrue.testing.coverage._store import FOLDER, Chunk, add, fingerprint, merged, read, write

CHUNKS = "chunks.jsonl"


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate, write the pages, and return 1 if a promise is broken, 130 if the run was stopped."""
    parser = argparse.ArgumentParser(prog="python -m ringtrue.testing.coverage", description=__doc__)
    add_option = parser.add_argument
    add_option("--only", metavar="PATTERN", default="*", help="cases whose name has this in it; * stands for any")
    add_option("--repetitions", type=int, metavar="N", help="at most N studies per case; 0 only writes the pages")
    add_option("--list", action="store_true", help="list the cases with their processor time, and do nothing")
    add_option("--confirm", action="store_true", help="run the first studies again, and compare them with those kept")
    add_option("--out", type=Path, metavar="FOLDER", help="where the pages are written; printed if missing")
    add_option("--results", type=Path, metavar="FOLDER", default=FOLDER, help="where results are kept")
    options = parser.parse_args(arguments)
    wanted = [case for case in CASES if fnmatch.fnmatch(case.name.lower(), f"*{options.only.lower()}*")]
    if not wanted:
        parser.error(f"--only {options.only!r} names no case: see --list")
    chunks = options.results / CHUNKS
    if options.list:
        listed(wanted, chunks)
        return 0
    for case in wanted:
        fingerprint(case.question)  # kept from now on: files that change during a run are not what it simulates
    if options.confirm:
        return told(chunks, options.out, confirm=wanted)
    try:
        for place, case in enumerate(wanted, 1):
            run(case, chunks, repetitions=options.repetitions, place=f"{place}/{len(wanted)}")
    except KeyboardInterrupt:
        print(f"\nstopped; what was simulated is kept in {options.results}: the same command goes on from there")
        return 130
    return told(chunks, options.out)


def run(case: Case, chunks: Path, *, repetitions: int | None = None, place: str = "") -> None:
    """Simulate the studies of a case that are not there yet."""
    code = fingerprint(case.question)
    wanted = case.repetitions if repetitions is None else min(repetitions, case.repetitions)
    before = merged(case, code, read(chunks))
    start = done = 0 if before is None else before.stop
    moving, began = sys.stdout.isatty(), time.process_time()
    while done < wanted:
        if moving:
            print(f"\r[{place}] {case.name}: {done:,} of {count(wanted, 'study')}", end="", flush=True)
        stop = min(done + case.chunk, wanted)
        clock = time.process_time()
        held = case.held(range(done, stop))
        took = time.process_time() - clock
        counts = {label: Count.of(each) for label, each in held.items()}
        first = None if done else {label: Count.of(each[: case.first]) for label, each in held.items()}
        add(chunks, Chunk(case.name, case.seed, case.version, code, done, stop, took, counts, first))
        done = stop
    if done > start:
        took = time.process_time() - began
        said = f"[{place}] {case.name}: {count(done, 'study')}, {took:.0f} s of processor time"
        print(f"\r{said}" if moving else said, flush=True)


def listed(cases: Sequence[Case], chunks: Path) -> None:
    """Print the cases, how many of their studies are there, and the processor time that the others take."""
    known, total = list(read(chunks)), 0.0
    for case in cases:
        before = merged(case, fingerprint(case.question), known)
        done = 0 if before is None else before.stop
        left = max(0, case.repetitions - done) * case.seconds
        total += left
        print(f"{left:7.0f} s  {done:6,} of {case.repetitions:6,}  {case.name}")
    print(f"{total / 3600:.1f} hours of processor time for {count(len(cases), 'case')}")


def confirmed(case: Case, chunk: Chunk) -> Chunk:
    """Return a chunk with the word of the present code, if that makes the same of the first studies of its case.

    A chunk that the present code made gets its first studies, if they were not kept.
    """
    code = fingerprint(case.question)
    if chunk.code == code:
        return chunk if chunk.first else replace(chunk, first=case.count(range(min(case.first, chunk.stop))))
    if not chunk.first:
        print(f"{case.name}: cannot be confirmed, because its first studies were not kept by themselves")
        return chunk
    studies = next(iter(chunk.first.values())).repetitions
    again = case.count(range(studies))
    same = chunk.first.keys() == again.keys() and all(one.is_like(again[label]) for label, one in chunk.first.items())
    print(f"{case.name}: {count(studies, 'study')} {'as before' if same else 'NOT as before: simulate it again'}")
    return replace(chunk, confirmed=code if same else "")


def told(chunks: Path, folder: Path | None, confirm: Sequence[Case] = ()) -> int:
    """Write the pages from all results there are, print the broken promises, and return 1 if there are any.

    The figures of the cases to `confirm` are first compared with those of the present code.
    """
    record = None if folder is None else folder / _page.RECORD
    found = _page.figures(CASES, list(read(chunks)), [] if record is None else list(read(record)))
    names = {case.name for case in confirm}
    behind = {id(one.chunk): (one.case, one.chunk) for one in found if one.case.name in names}
    again = {key: confirmed(*one) for key, one in behind.items()}
    found = [replace(one, chunk=again.get(id(one.chunk), one.chunk)) for one in found]
    falls = _page.broken(found)
    page, details = _page.page(_page.lines(CASES, found), CASES, falls), _page.details(found)
    if folder is None or record is None:
        print(page)
    else:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _page.PAGE).write_text(page, encoding="utf-8")
        (folder / _page.DETAILS).write_text(details, encoding="utf-8")
        write(record, _page.recorded(found))
    for fall in falls:
        print(f"BROKEN: {fall}")
    return 1 if falls else 0


_QUESTIONS = (
    risk, fixed_strata, risk_models, changed, blind, worst, judges_labelled, judges, stats, second_opinions, repeats
)  # fmt: skip
CASES: tuple[Case, ...] = tuple(case for question in _QUESTIONS for case in question.CASES)
