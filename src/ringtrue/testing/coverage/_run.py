"""The runner: simulates what is not there yet, chunk by chunk, keeps each chunk, and writes the pages."""

from __future__ import annotations

import argparse
import fnmatch
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ringtrue.core import count
from ringtrue.testing.coverage import (
    _page,
    _store,
    blind,
    changed,
    judges,
    judges_labelled,
    risk,
    risk_models,
    stats,
    worst,
)
from ringtrue.testing.coverage._case import Case
from ringtrue.testing.coverage._page import broken, figures, lines, recorded
from ringtrue.testing.coverage._store import Chunk, fingerprint, merged

CHUNKS = "chunks.jsonl"


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate, write the pages, and return 1 if a promise is broken, 130 if the run was stopped."""
    parser = argparse.ArgumentParser(prog="python -m ringtrue.testing.coverage", description=__doc__)
    parser.add_argument(
        "--only", metavar="PATTERN", default="*", help="cases whose name has this in it; * stands for any"
    )
    parser.add_argument(
        "--repetitions", type=int, metavar="N", help="at most N studies per case; 0 only writes the pages"
    )
    parser.add_argument("--list", action="store_true", help="list the cases with their processor time, and do nothing")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where the pages are written; printed if missing")
    parser.add_argument("--results", type=Path, metavar="FOLDER", default=_store.FOLDER, help="where results are kept")
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
    before = merged(case, code, _store.read(chunks))
    start = done = 0 if before is None else before.stop
    moving, began = sys.stdout.isatty(), time.process_time()
    while done < wanted:
        if moving:
            print(f"\r[{place}] {case.name}: {done:,} of {count(wanted, 'study')}", end="", flush=True)
        stop = min(done + case.chunk, wanted)
        clock = time.process_time()
        counts = case.count(range(done, stop))
        took = time.process_time() - clock
        _store.add(chunks, Chunk(case.name, case.seed, case.version, code, done, stop, took, counts))
        done = stop
    if done > start:
        took = time.process_time() - began
        said = f"[{place}] {case.name}: {count(done, 'study')}, {took:.0f} s of processor time"
        print(f"\r{said}" if moving else said, flush=True)


def listed(cases: Sequence[Case], chunks: Path) -> None:
    """Print the cases, how many of their studies are there, and the processor time that the others take."""
    known, total = list(_store.read(chunks)), 0.0
    for case in cases:
        before = merged(case, fingerprint(case.question), known)
        done = 0 if before is None else before.stop
        left = max(0, case.repetitions - done) * case.seconds
        total += left
        print(f"{left:7.0f} s  {done:6,} of {case.repetitions:6,}  {case.name}")
    print(f"{total / 3600:.1f} hours of processor time for {count(len(cases), 'case')}")


def told(chunks: Path, folder: Path | None) -> int:
    """Write the pages from all results there are, print the broken promises, and return 1 if there are any."""
    record = None if folder is None else folder / _page.RECORD
    found = figures(CASES, list(_store.read(chunks)), [] if record is None else list(_store.read(record)))
    falls = broken(found)
    page, details = _page.page(lines(CASES, found), CASES, falls), _page.details(found)
    if folder is None or record is None:
        print(page)
    else:
        (folder / _page.PAGE).write_text(page, encoding="utf-8")
        (folder / _page.DETAILS).write_text(details, encoding="utf-8")
        _store.write(record, recorded(found))
    for fall in falls:
        print(f"BROKEN: {fall}")
    return 1 if falls else 0


CASES: tuple[Case, ...] = (
    *risk.CASES,
    *risk_models.CASES,
    *changed.CASES,
    *blind.CASES,
    *worst.CASES,
    *judges_labelled.CASES,
    *judges.CASES,
    *stats.CASES,
)
