"""Coverage of what a panel's finding shows without reserve, where judges share mistakes of every size.

A share of the items is a trap: on those every judge is wrong four times in five, whatever it is worth elsewhere. Run
`python -m ringtrue.testing.shared_mistakes_coverage --out docs/coverage.md` to write this section alone; the coverage
suite writes it with the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import ABSTAINED, Sketch, percent
from ringtrue.judges import Estimates, PanelFinding, Standing, evaluate
from ringtrue.judges._evaluation import Floats, named_intervals
from ringtrue.stats import generator
from ringtrue.testing._sections import write_section

__all__ = ["PANELS", "SHARES", "SharedHits", "check", "main", "section", "simulate"]

Ints: TypeAlias = NDArray[np.int64]

HEADING = "## Labelled panels: judges who share mistakes"
LEVEL = 0.95
SEED = 20261116
REPETITIONS = 200
ITEMS = 3000
PREVALENCE = 0.3
FOOLED = 0.8
SHARES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3)
LABELS = (50, 200)
PANELS = {"three judges (93%, 77%, 92%)": (0.93, 0.77, 0.92), "five judges (90%)": (0.9,) * 5}
TRUTH = "truth"


@dataclass(frozen=True, slots=True, eq=False)
class SharedHits:
    """What was missed in each study, as shares of its intervals, and whether its standings or its margin were wrong."""

    general: Floats
    here: Floats
    alone: Floats
    standings: Floats
    margin: Floats
    decided: Floats

    @property
    def promised(self) -> dict[str, Floats]:
        """What must not be wrong in more than 5% of studies."""
        return {
            "intervals, items like these": self.general,
            "intervals, these very items": self.here,
            "standings, all at once": self.standings,
            "margin of the votes, all at once": self.margin,
        }


def simulate(
    skill: Sequence[float],
    share: float,
    labels: int,
    *,
    judge: Callable[[Sketch], PanelFinding] = lambda sketch: evaluate(sketch, truth=TRUTH),
    repetitions: int = REPETITIONS,
    seed: int = SEED,
) -> SharedHits:
    """Draw items, votes and labelled items; evaluate; and see which of the numbers shown are wrong.

    Parameters:
        skill: how often each judge is right outside of the trap.
        share: the share of the items that is a trap.
        labels: how many items are labelled, chosen by chance.
        judge: makes the finding; another one shows whether the suite notices.
        repetitions: how many panels are drawn.
        seed: the seed of all of them.
    """
    rows = []
    general = (1 - share) * np.array(skill) + share * (1 - FOOLED)
    for study in range(repetitions):
        rng = generator(seed, f"shared mistakes {skill} {share} {labels}", study)
        truth = (rng.random(ITEMS) >= PREVALENCE).astype(int)
        trapped = rng.random(ITEMS) < share
        right = rng.random((ITEMS, len(skill))) < np.where(trapped[:, None], 1 - FOOLED, np.array(skill))
        votes = np.where(right, truth[:, None], 1 - truth[:, None])
        finding = judge(_sketch(votes, truth, rng.permutation(ITEMS)[:labels]))
        in_general = _numbers(np.array([PREVALENCE, 1 - PREVALENCE]), np.stack([general, general], axis=1), general)
        on_test = _numbers(
            np.array([np.mean(truth == 0), np.mean(truth == 1)]),
            np.stack([right[truth == 0].mean(axis=0), right[truth == 1].mean(axis=0)], axis=1),
            right.mean(axis=0),
        )
        rows.append(
            (
                _missed(finding.labelled, in_general),
                _missed(finding.labelled_here, on_test),
                _missed(finding.general, in_general),
                _wrong_standings(finding, general),
                _beyond_margin(finding, in_general),
                float(np.mean([one is not Standing.OPEN for one in finding.standings.each])),
            )
        )
    return SharedHits(*np.array(rows).T)


def check(hits: SharedHits) -> list[str]:
    """Say which promises are broken: wrong in more than 5%, give or take three Monte Carlo standard errors.

    The error is never taken to be below that of as many studies at 5%, lest a run without a miss be taken for exact.
    """
    broken = []
    for name, missed in hits.promised.items():
        least = math.sqrt(LEVEL * (1 - LEVEL) / len(missed))
        error = max(float(np.std(missed)) / math.sqrt(len(missed)), least if missed.max(initial=0.0) in (0, 1) else 0.0)
        if missed.mean() > 1 - LEVEL + 3 * error:
            broken.append(f"{name}: wrong in {percent(float(missed.mean()))}, promised at most 5%")
    return broken


def _sketch(votes: Ints, truth: Ints, labelled: Ints) -> Sketch:
    known = np.full(len(truth), ABSTAINED)
    known[labelled] = truth[labelled]
    patterns, counts = np.unique(np.column_stack([votes, known]), axis=0, return_counts=True)
    names = [*(f"judge {place + 1}" for place in range(votes.shape[1])), TRUTH]
    rows = zip(patterns.tolist(), counts.tolist(), strict=True)
    return Sketch(names, ("first", "second"), {tuple(pattern): times for pattern, times in rows})


def _numbers(shares: Floats, accuracies: Floats, overall: Floats) -> Floats:
    """The true numbers in the order of `named_intervals`."""
    return np.concatenate([shares, accuracies.ravel(), overall])


def _missed(estimates: Estimates | None, truth: Floats) -> float:
    """The share of intervals that do not hold the truth; the first of two shares says all."""
    if estimates is None:
        return 0.0
    pairs = list(zip([one for _, one in named_intervals(estimates)], truth, strict=True))[1:]
    return float(np.mean([not one.low - 1e-9 <= value <= one.high + 1e-9 for one, value in pairs]))


def _wrong_standings(finding: PanelFinding, accuracies: Floats) -> float:
    wrong = {True: Standing.NOT_GOOD, False: Standing.GOOD}
    bar = finding.standings.bar
    return float(any(one is wrong[bool(x >= bar)] for one, x in zip(finding.standings.each, accuracies, strict=True)))


def _beyond_margin(finding: PanelFinding, truth: Floats) -> float:
    if finding.margin is None or finding.general is None:
        return 0.0
    estimates = [one.estimate for _, one in named_intervals(finding.general)]
    return float(np.abs(np.array(estimates) - truth).max() > finding.margin.most + 1e-9)


def section(
    *, shares: Sequence[float] = SHARES, repetitions: int = REPETITIONS, seed: int = SEED
) -> tuple[str, list[str]]:
    """Write the section as Markdown, and list where promises are broken. The same arguments give the same text."""
    lines, broken = [], []
    for name, skill in PANELS.items():
        for share in shares:
            for labels in LABELS:
                hits = simulate(skill, share, labels, repetitions=repetitions, seed=seed)
                broken += [f"{name}, trap {percent(share)}, {labels} labels: {fall}" for fall in check(hits)]
                shown = (*hits.promised.values(), hits.decided, hits.alone)
                cells = " | ".join(f"{100 * float(one.mean()):.1f}" for one in shown)
                lines.append(f"| {name} | {percent(share)} | {labels} | {cells} |")
    text = _TEXT.format(
        heading=HEADING,
        items=ITEMS,
        prevalence=percent(PREVALENCE),
        repetitions=repetitions,
        error=100 * math.sqrt(LEVEL * (1 - LEVEL) / repetitions),
        seed=seed,
        verdict="Every promise is kept." if not broken else "\n".join(f"- BROKEN: {fall}" for fall in broken),
        lines="\n".join(lines),
    )
    return text, broken


_TEXT = """{heading}

How often what `evaluate` shows without reserve is wrong, in %, at most 5 promised: the intervals that rest on labels (a
share of them), the standings (some judge is said to be good enough and is not, or the reverse), and the margin that
labels give to the numbers from votes alone (some number is off by more). Beside: the share of judges that the labels
decide, and how often the intervals from votes alone miss, which are shown with their reserve. A share of the {items:,}
items is a trap on which every judge is wrong four times in five; {prevalence} of items have the first label.
{repetitions:,} panels for each row; Monte Carlo standard error at most {error:.1f} points; seed {seed}.

{verdict}

| judges | trap | labels | items like these | these very items | standings | margin | decided | votes alone |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
{lines}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the section, print where promises are broken, and return 1 if any is."""
    return write_section(
        arguments, lambda repetitions: section(repetitions=repetitions), module="shared_mistakes_coverage",
        words=__doc__, heading=HEADING, repetitions=REPETITIONS,
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
