"""What it takes to watch a bound, after 100, 1,000 and 10,000 answers; beside an earlier version if one is given.

For each question that bounds means over a pool, three CPU times:
  draw   of one item by the policy, on average over all answers so far
  take   of one answer, with a look at the verdict, on average over all answers so far
  look   of a finding after so many answers, with all of its intervals

      python benchmarks/bench_watched_bound.py                  # this version alone
      python benchmarks/bench_watched_bound.py ../earlier/src   # and its ratio to an earlier one, in the same run

Exits 1 if ten times the answers take more than twenty times as long, where the time would grow with the square of the
answers; and, beside an earlier version, if other items were drawn, or if a ratio is above 1.1 from 1,000 answers on.

The versions take turns in processes of their own, so that a noisy machine disturbs both alike; the least of the turns.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
USERS = ("risk, even", "risk, by doubt", "risk, weighted", "changed", "judges", "blind")
SIZES = (100, 1_000, 10_000)
PARTS = ("draw", "take", "look")
TURNS = 3
RATIO, FROM, GROWTH = 1.1, 1_000, 20.0
SHORTEST = 0.02
"""Seconds below which a time is noise and no ratio is held against it."""

Cells = list[dict[str, Any]]
"""One cell per number of answers."""


def measured(source: Path, user: str) -> Cells:
    """Measure one version, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(source), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(HERE / "watched_bounds.py"), user, ",".join(map(str, SIZES))]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return [json.loads(line) for line in done.stdout.splitlines()]


def best_of_turns(sources: list[Path], user: str) -> list[Cells]:
    """Measure the versions in turns, and keep the least time of each part."""
    best = [measured(source, user) for source in sources]
    for _ in range(TURNS - 1):
        for place, source in enumerate(sources):
            for kept, now in zip(best[place], measured(source, user), strict=True):
                kept.update({part: min(kept[part], now[part]) for part in PARTS})
    return best


def shown(user: str, new: dict[str, Any], old: dict[str, Any] | None) -> str:
    """Write the times of one cell in a line, with their ratios to those of the earlier version."""
    line = f"{user:16s} {new['answers']:7,d}"
    for part in PARTS:
        each, unit = (1e3 * new[part], "ms") if part == "look" else (1e6 * new[part] / new["answers"], "us")
        line += f"   {part} {each:8.1f} {unit}"
        if old is not None:
            line += f" x{new[part] / old[part]:5.2f}" if old[part] else "  none"
    return line


def broken(user: str, new: Cells, old: Cells | None) -> list[str]:
    """Return what breaks a rule."""
    found = []
    for before, after in pairwise(new):
        more = after["answers"] / before["answers"]
        for part in PARTS:
            if before[part] > SHORTEST and after[part] > GROWTH / 10 * more * before[part]:
                grown = after[part] / before[part]
                found.append(f"{user}: {part} takes {grown:.0f} times as long after {more:.0f} times the answers")
    for mine, theirs in zip(new, old, strict=True) if old else ():
        where = f"{user}, {mine['answers']:,} answers"
        if any(mine[name] != theirs[name] for name in ("drawn", "verdict")):
            found.append(f"{where}: other items were drawn, or another verdict reached")
        for part in PARTS:
            if mine["answers"] >= FROM and mine[part] > max(SHORTEST, RATIO * theirs[part]):
                found.append(f"{where}: {part} takes {mine[part] / theirs[part]:.2f} times as long as before")
    return found


def main() -> int:
    """Print a line per cell, then what breaks a rule."""
    sources = [HERE.parent / "src", *map(Path, sys.argv[1:2])]
    wrong = []
    for user in USERS:
        new, *others = best_of_turns(sources, user)
        old = others[0] if others else None
        for place, cell in enumerate(new):
            print(shown(user, cell, old[place] if old else None), flush=True)
        wrong += broken(user, new, old)
    print("\n".join(wrong) or "nothing grows with the square of the answers" + ", never slower" * (len(sources) > 1))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
