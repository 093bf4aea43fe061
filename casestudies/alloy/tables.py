"""The searches as Markdown tables, and the paper's numbers beside those found here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from alloy.runs import Results
from alloy.sample import Sample
from alloy.space import SPACE
from kept_searches import Searched, largest
from pages import markdown

PAPER_TRAINED = (0.85, 2.06, 0.18, 0.88, 8.25, 0.37, 0.56)
PAPER_SINGLE = (0.38, 6.04, 4.89, 0.48, 6.95, 0.86, 2.51)
"""The compositions that the paper gives for the worst training sample and for the worst that it found."""


def paper_table(found: Results) -> str:
    """What the paper says in section 4.1, and what came out here."""
    searched = largest(found.single["search"])
    rows = [
        ["largest RMSE on the training sample", f"0.27 at {place_text(PAPER_TRAINED)}", _at(found.trained)],
        ["largest RMSE by random search", "", _at(largest(found.single["random"]))],
        ["largest RMSE by the search", f"0.59 at {place_text(PAPER_SINGLE)}", _at(searched)],
        ["largest deviation of a phase on the training sample", "", _of(found, found.trained_any)],
        ["the same by EXP3BO, priced alone", "1.05, AL12MN", _of(found, largest(found.alone["exp3bo"]))],
        ["the same by the default, priced alone", "", _of(found, largest(found.alone["default"]))],
        ["the same, all phases revealed", "", _of(found, largest(found.together["all phases"]))],
    ]  # fmt: skip
    return markdown(["", "the paper", "here, the best of all seeds"], rows)


def single_table(found: Results, budgets: Sequence[int]) -> str:
    """The largest RMSE after so many evaluations."""
    return markdown(
        ["search", *_heads(budgets)], [[name, *_spreads(runs, budgets)] for name, runs in found.single.items()]
    )


def phases_table(found: Results, budgets: Sequence[int]) -> str:
    """The largest deviation of any phase after so many evaluations, of one phase each or of all of them."""
    rows = []
    for number, runs in ((1, found.alone), (len(found.phases), found.together)):
        for name, searches in runs.items():
            worst = largest(searches).worst.task
            share = np.mean([np.mean(each.tasks == worst) for each in searches])
            asked = f"{share:.0%}" if number == 1 else ""
            rows.append([name, str(number), *_spreads(searches, budgets), _votes(found, searches), asked])
    heads = ["search", "phases an evaluation", *_heads(budgets), "worst phase (seeds)", "asked about the first of them"]
    return markdown(heads, rows)


def sample_table(sample: Sample) -> str:
    """The phases that were chosen: in how many training compositions each is, and how much of it at most."""
    rows = [
        [phase, f"{share:.1%}", f"{largest_amount:.4f}"]
        for phase, share, largest_amount in zip(sample.phases, sample.shares, sample.amounts.max(axis=0), strict=True)
    ]
    return markdown(["phase", "in the sample", "largest mole fraction"], rows)


def place_text(percents: Sequence[float]) -> str:
    """A composition in weight percent."""
    return ", ".join(f"{name} {value:.2f}" for name, value in zip(SPACE.names, percents, strict=True))


def _heads(budgets: Sequence[int]) -> list[str]:
    return [f"{budget} evaluations" for budget in budgets]


def _spreads(searches: Sequence[Searched], budgets: Sequence[int]) -> list[str]:
    """Mean over the seeds ± its standard error, and the largest."""
    texts = []
    for budget in budgets:
        if budget > len(searches[0].tasks):
            texts.append("")
            continue
        found = np.array([each.best[budget - 1] for each in searches])
        error = f" ± {found.std(ddof=1) / np.sqrt(len(found)):.2f} ({found.max():.2f})" if len(found) > 1 else ""
        texts.append(f"{found.mean():.2f}{error}")
    return texts


def _votes(found: Results, searches: Sequence[Searched]) -> str:
    """The phases that were found to be worst, the largest deviation first, and by how many seeds."""
    worst = sorted((each.worst for each in searches), key=lambda leader: -leader.deviation)
    phases = [leader.task for leader in worst]
    return ", ".join(f"{found.phases[phase]} ({phases.count(phase)})" for phase in dict.fromkeys(phases))


def _at(searched: Searched) -> str:
    return f"{searched.worst.deviation:.2f} at {place_text(searched.worst.place)}"


def _of(found: Results, searched: Searched) -> str:
    worst = searched.worst
    return f"{worst.deviation:.2f}, {found.phases[worst.task]} at {place_text(worst.place)}"
