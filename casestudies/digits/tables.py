"""The searches as Markdown tables, and the paper's numbers beside those found here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from digits._data import DIGITS
from digits.runs import Results
from kept_searches import Searched, largest
from pages import markdown

PLACE = "worst at (shear x, shear y, rotation)"


def paper_table(training: float, found: Results) -> str:
    """What the paper says in section 4.2, and what came out here."""
    size, on_grid = max(found.grids.items())
    guided = largest(found.overall["search"])
    rows = [
        ["mean error on the training digits", "4.1%", _percent(training)],
        ["largest error by grid search", f"5.7% at {place_text((-0.2, -0.2, 3.0))}",
         f"{_at(on_grid)} ({size} evaluations)"],
        ["largest error by the search", f"7.1% at {place_text((0.088, -0.2, 175.7))} (400 evaluations)",
         f"{_at(guided)} ({len(guided.tasks)} evaluations, the best of {len(found.overall['search'])} seeds)"],
        ["digit with the largest error", "2", _votes(found.alone["exp3bo"])],
    ]  # fmt: skip
    return markdown(["", "the paper", "here"], rows)


def overall_table(found: Results) -> str:
    """The largest error over all digits after as many evaluations as the grids have."""
    budgets = sorted(found.grids)
    on_grids = [found.grids[budget].worst for budget in budgets]
    rows = [["grid", *(_percent(worst.deviation) for worst in on_grids), place_text(on_grids[-1].place)]]
    for name, searches in found.overall.items():
        spreads = (_spread(searches, budget) for budget in budgets)
        rows.append([name, *spreads, place_text(largest(searches).worst.place)])
    return markdown(["search", *(f"{budget} evaluations" for budget in budgets), PLACE], rows)


def digits_table(found: Results, budgets: Sequence[int]) -> str:
    """The largest error of any digit after so many evaluations, of one digit each or of all nine."""
    rows = []
    for digits, runs in ((1, found.alone), (len(DIGITS), found.together)):
        for name, searches in runs.items():
            best = largest(searches)
            rows.append([
                name, str(digits), *(_spread(searches, each) if each <= len(best.tasks) else "" for each in budgets),
                _votes(searches), place_text(best.worst.place),
            ])  # fmt: skip
    heads = ["search", "digits an evaluation", *(f"{budget} evaluations" for budget in budgets)]
    return markdown([*heads, "worst digit (seeds)", PLACE], rows)


def chosen_table(found: Results) -> str:
    """How often each digit was asked about, mean over the seeds."""
    rows = [
        [name, *(f"{np.mean([np.sum(each.tasks == digit) for each in searches]):.0f}" for digit in range(len(DIGITS)))]
        for name, searches in found.alone.items()
    ]
    return markdown(["search", *DIGITS], rows)


def _spread(searches: Sequence[Searched], budget: int) -> str:
    found = np.array([each.best[budget - 1] for each in searches])
    if len(found) == 1:
        return _percent(found[0])
    return f"{_percent(found.mean())} ± {100 * found.std(ddof=1) / np.sqrt(len(found)):.2f} ({_percent(found.max())})"


def _votes(searches: Sequence[Searched]) -> str:
    """The digits that were found to be worst, the most frequent first, and by how many seeds."""
    digits, counts = np.unique([each.worst.task for each in searches], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return ", ".join(f"{DIGITS[digits[place]]} ({counts[place]})" for place in order)


def _at(searched: Searched) -> str:
    return f"{_percent(searched.worst.deviation)} at {place_text(searched.worst.place)}"


def place_text(distortion: Sequence[float]) -> str:
    """Shear x, shear y and rotation."""
    return f"({distortion[0]:.3f}, {distortion[1]:.3f}, {distortion[2]:.1f}°)".replace("-", "−")


def _percent(share: float) -> str:
    return f"{share:.2%}"
