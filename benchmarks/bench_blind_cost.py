"""What an answer of a hunt costs, by the size of the pool, the goal and the share of random draws: CPU milliseconds.

    python benchmarks/bench_blind_cost.py [--items 30000 300000] [--answers 400] [--write]

The first answer, which looks at every item, stands apart. Up to 60 answers the models are fitted again at each, later
as the answers grow by a twentieth. Measured is the search alone, in a made-up pool with eight features and two signals;
a study adds the write of its journal to the disk.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kept_lines import write
from ringtrue.blind import Blind, simulate
from ringtrue.core import Draw, View
from ringtrue.stats import generator

PAGE = Path(__file__).resolve().parents[1] / "docs" / "blind.md"
BEGIN, END = "<!-- costs: written by bench_blind_cost.py --write -->", "<!-- end of costs -->"
ITEMS, ANSWERS = (30_000, 300_000), 400
HUNTS = (("errors", 0.0), ("excess", 0.0), ("errors", 0.5), ("excess", 0.5))
"""Goals, and shares of random draws."""

EXACT = 60
"""Answers up to which the models are fitted again at each."""


def made_up(items: int) -> tuple[dict[str, NDArray[Any]], NDArray[np.bool_]]:
    """Return what is known of a pool of so many items, calibrated, and which are wrong."""
    rng = generator(items, "cost of an answer")
    confidence = rng.uniform(0.65, 1, items)
    known = {
        "label": np.ones(items, dtype=np.int64), "confidence": confidence, "scope": np.full(items, items),
        "neighbours": rng.integers(0, 21, items) / 20, "nearness": rng.normal(size=items),
        "space": rng.normal(size=(items, 8)),
    }  # fmt: skip
    return known, rng.random(items) < 1 - confidence


def costs(items: int, goal: str, floor: float, answers: int) -> NDArray[np.float64]:
    """Return the CPU milliseconds of every answer."""
    known, wrong = made_up(items)
    question, found = Blind(None, threshold=0.0, goal=goal, floor=floor), []
    propose = question.policy.propose

    def timed(view: View, n: int) -> list[Draw]:
        start = time.process_time()
        draws = propose(view, n)
        found.append(time.process_time() - start)
        return draws

    question.policy.propose = timed  # type: ignore[method-assign]
    simulate(question, known, wrong, budget=answers)
    return 1e3 * np.array(found)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, nargs="+", default=ITEMS, help="sizes of the pool")
    parser.add_argument("--answers", type=int, default=ANSWERS)
    parser.add_argument("--write", action="store_true", help="put the table into docs/blind.md")
    given = parser.parse_args(arguments)
    head = ["items", "search", "at random", "first answer", f"answers 2 to {EXACT}", f"answers {EXACT + 1} to "
            f"{given.answers}", "the dearest of these"]  # fmt: skip
    rows = [head, ["---"] * len(head)]
    for items in given.items:
        for goal, floor in HUNTS:
            found = costs(items, goal, floor, given.answers)
            early, late = found[1:EXACT], found[EXACT:]
            cells = [f"{found[0]:.0f} ms", f"{early.mean():.1f} ms", f"{late.mean():.1f} ms", f"{late.max():.0f} ms"]
            rows.append([f"{items:,}", f"`--goal {goal}`", f"{floor:.0%}" if floor else "none", *cells])
    text = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    print(text)
    if given.write:
        write(text, PAGE, BEGIN, END)
    return 0


if __name__ == "__main__":
    sys.exit(main())
