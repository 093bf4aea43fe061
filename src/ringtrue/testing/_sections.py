"""Sections of the coverage table that can be written alone: in place of the older one, or at the end."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path


def append_section(document: str, text: str, heading: str) -> str:
    """A document with this section in place of the older one under its heading, or else at its end."""
    before, found, after = document.partition(heading)
    following = after.find("\n## ") if found else -1
    rest = "" if following < 0 else after[following:]
    return f"{before.rstrip()}\n\n{text}{rest}"


def write_section(
    arguments: Sequence[str] | None, section: Callable[[int], tuple[str, Sequence[object]]], *, module: str,
    words: str | None, heading: str, repetitions: int,
) -> int:  # fmt: skip
    """Write a section, print where promises are broken, and return 1 if any is."""
    parser = argparse.ArgumentParser(prog=f"python -m ringtrue.testing.{module}", description=words)
    parser.add_argument("--out", type=Path, help="the Markdown file at whose end to write; printed if missing")
    parser.add_argument("--repetitions", type=int, default=repetitions, help="simulated studies for each row")
    options = parser.parse_args(arguments)
    text, broken = section(options.repetitions)
    if options.out is None:
        print(text)
    else:
        old = options.out.read_text(encoding="utf-8") if options.out.exists() else ""
        options.out.write_text(append_section(old, text, heading).lstrip(), encoding="utf-8")
    for fall in broken:
        print(fall)
    return 1 if broken else 0
