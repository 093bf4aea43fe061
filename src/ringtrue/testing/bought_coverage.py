"""Coverage of bought labels: panels whose judges share mistakes, watched label by label or looked at once.

Run `python -m ringtrue.testing.bought_coverage --out docs/coverage.md` to write this section alone; the coverage suite
writes it with the rest.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Record, Sketch, View, percent
from ringtrue.judges import Judges
from ringtrue.judges._evaluation import Estimates, Floats
from ringtrue.judges.bought._bought_draws import BoughtDraws
from ringtrue.judges.bought._bought_numbers import BoughtNumbers
from ringtrue.judges.bought._pattern_index import PatternIndex
from ringtrue.judges.bought._shares import Shares
from ringtrue.stats import Means, generator
from ringtrue.testing._sections import write_section

__all__ = ["PANELS", "BoughtHits", "BoughtPanel", "BoughtShortfall", "check", "main", "section", "simulate"]

HEADING = "## Bought labels: watched, and looked at once"
LEVEL = 0.95
SEED = 20261116
REPETITIONS = 200
ITEMS = 800
LABELS = (50, 150)
QUANTITIES = ("prevalence", "accuracy", "error")
Looking: TypeAlias = Literal["watched", "fixed"]


@dataclass(frozen=True, slots=True)
class BoughtPanel:
    """Judges with these accuracies; so many items are traps, which fool each judge four times in five, all alike."""

    name: str
    shares: tuple[float, ...]
    accuracies: tuple[float, ...]
    traps: float

    def draw(self, items: int, random: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Votes (items, judges) and truth (items,), as places of labels."""
        labels, judges = len(self.shares), len(self.accuracies)
        truth = random.choice(labels, items, p=self.shares)[:, None]
        wrong = (truth + random.integers(1, labels, (items, judges))) % labels
        votes = np.where(random.random((items, judges)) < np.array(self.accuracies), truth, wrong)
        fooled = (random.random((items, 1)) < self.traps) & (random.random((items, judges)) < 0.8)
        return np.where(fooled, (truth + 1) % labels, votes), truth[:, 0]


PANELS = (
    BoughtPanel("5 judges who err independently", (0.3, 0.7), (0.92, 0.88, 0.85, 0.8, 0.78), 0.0),
    BoughtPanel("3 judges who share mistakes", (0.3, 0.7), (0.93, 0.77, 0.92), 0.1),
    BoughtPanel("4 judges, 3 labels, shared mistakes", (0.5, 0.3, 0.2), (0.9, 0.85, 0.8, 0.7), 0.1),
    BoughtPanel("3 judges who hardly err", (0.2, 0.8), (0.995, 0.98, 0.97), 0.005),
)


@dataclass(frozen=True, slots=True, eq=False)
class BoughtHits:
    """For each quantity: whether each interval held the truth, shape (studies, intervals), and its mean width."""

    panel: str
    looking: Looking
    labels: int
    held: dict[str, Floats]
    width: dict[str, float]

    def coverage(self, quantity: str) -> float:
        return float(self.held[quantity].mean())

    def error(self, quantity: str) -> float:
        """The Monte Carlo standard error of a coverage: intervals of one study go together, studies do not."""
        held = self.held[quantity]
        least = math.sqrt(LEVEL * (1 - LEVEL) / held.size)
        return max(float(held.mean(axis=1).std(ddof=1)) / math.sqrt(len(held)), least)


@dataclass(frozen=True, slots=True)
class BoughtShortfall:
    """Where intervals hold the truth less often than their level says, by more than chance explains."""

    panel: str
    looking: Looking
    labels: int
    quantity: str
    coverage: float

    def __str__(self) -> str:
        how = "at every look up to" if self.looking == "watched" else "at one look after"
        return (
            f"{self.panel}: {how} {self.labels} labels the {self.quantity} is held in {percent(self.coverage)}, "
            f"promised {percent(LEVEL)}"
        )


def simulate(
    panel: BoughtPanel, labels: int, looking: Looking, *, repetitions: int = REPETITIONS, seed: int = SEED
) -> BoughtHits:
    """Draw panels, buy labels as a study would, and see what the intervals hold: at every look, or at the last."""
    held: dict[str, list[list[bool]]] = {quantity: [] for quantity in QUANTITIES}
    width: dict[str, list[float]] = {quantity: [] for quantity in QUANTITIES}
    for study in range(repetitions):
        votes, truth = panel.draw(ITEMS, generator(seed, f"bought {panel.name}", study))
        sketch = Sketch(
            [f"judge {place + 1}" for place in range(votes.shape[1])],
            [f"label {place + 1}" for place in range(len(panel.shares))],
            Counter(map(tuple, votes.tolist())),
        )
        question = Judges(sketch, fixed=labels if looking == "fixed" else None)
        records = _bought(question, votes, truth, labels, seed=study)
        estimator = question.estimator(size=ITEMS, claim=None)
        estimator.update(records)
        found = estimator.finding().estimates
        within = _watched(sketch, records, votes, truth) if looking == "watched" else _held(found, votes, truth)
        for quantity, hits in within.items():
            held[quantity].append(hits)
        for quantity, (low, high) in _ends(found).items():
            width[quantity].append(float(np.mean(high - low)))
    return BoughtHits(
        panel.name, looking, labels, {quantity: np.array(rows, dtype=float) for quantity, rows in held.items()},
        {quantity: float(np.mean(rows)) for quantity, rows in width.items()},
    )  # fmt: skip


def _bought(
    question: Judges, votes: NDArray[np.int64], truth: NDArray[np.int64], labels: int, *, seed: int
) -> list[Record]:
    """What the question's policy buys, one label at a time."""
    sketch = question.sketch
    index = PatternIndex(sketch)
    told = [
        {judge: sketch.labels[vote] for judge, vote in zip(sketch.judges, row, strict=True)} for row in votes.tolist()
    ]
    patterns = np.array([index.place("", None, one) for one in told])
    records: list[Record] = []
    asked: set[int] = set()
    for step in range(labels):
        view = View(seed, step, ITEMS, asked, records, None, {"pattern": patterns})
        (draw,) = question.policy.propose(view, 1)
        row = draw.row
        assert row is not None
        record = Record(
            step, question.name, question.policy.name, "oracle", row, str(row), "", draw.probability, draw.floor,
            Decimal(0), None, known={"votes": told[row]},
        )  # fmt: skip
        record.state, record.value = "answered", sketch.labels[truth[row]]
        records.append(record)
        asked.add(row)
    return records


def _truths(votes: NDArray[np.int64], truth: NDArray[np.int64], labels: int) -> dict[str, Floats]:
    right = votes == truth[:, None]
    return {
        "prevalence": np.array([np.mean(truth == label) for label in range(labels)]),
        "accuracy": np.array([right[truth == label].mean(axis=0) for label in range(labels)]).T.ravel(),
        "error": 1 - right.mean(axis=0),
    }


def _ends(found: Estimates) -> dict[str, tuple[Floats, Floats]]:
    rows = {
        "prevalence": [(one.low, one.high) for one in found.prevalence],
        "accuracy": [(one.low, one.high) for row in found.accuracy for one in row],
        "error": [(1 - one.high, 1 - one.low) for one in found.overall],
    }
    return {quantity: (np.array(ends)[:, 0], np.array(ends)[:, 1]) for quantity, ends in rows.items()}


def _held(found: Estimates, votes: NDArray[np.int64], truth: NDArray[np.int64]) -> dict[str, list[bool]]:
    """Whether the intervals of the one look hold the truth."""
    real = _truths(votes, truth, len(found.labels))
    return {
        quantity: ((low <= real[quantity] + 1e-9) & (real[quantity] <= high + 1e-9)).tolist()
        for quantity, (low, high) in _ends(found).items()
    }


def _watched(
    sketch: Sketch, records: Sequence[Record], votes: NDArray[np.int64], truth: NDArray[np.int64]
) -> dict[str, list[bool]]:
    """Whether no look along the way excludes the truth."""
    draws = BoughtDraws(PatternIndex(sketch))
    for record in records:
        draws.take(record)
    numbers = BoughtNumbers(draws)
    judges, labels = range(len(sketch.judges)), range(len(sketch.labels))
    told: dict[str, list[Means | Shares]] = {
        "prevalence": [numbers.prevalence(label) for label in labels],
        "accuracy": [numbers.accuracy(judge, label) for judge in judges for label in labels],
        "error": [numbers.errors(judge) for judge in judges],
    }
    real, enough = _truths(votes, truth, len(labels)), -math.log((1 - LEVEL) / 2)
    return {
        quantity: [_most_evidence(one, float(value)) < enough for one, value in zip(each, real[quantity], strict=True)]
        for quantity, each in told.items()
    }


def _most_evidence(number: Means | Shares, value: float) -> float:
    """The most that any look had against a value, on either side."""
    return float(max(number.path(value, sign).max() for sign in (1, -1)))


def check(hits: BoughtHits) -> list[BoughtShortfall]:
    """Where coverage is below the level by more than three Monte Carlo standard errors."""
    return [
        BoughtShortfall(hits.panel, hits.looking, hits.labels, quantity, hits.coverage(quantity))
        for quantity in QUANTITIES
        if hits.coverage(quantity) < LEVEL - 3 * hits.error(quantity)
    ]


def section(
    *, panels: Sequence[BoughtPanel] = PANELS, labels: Sequence[int] = LABELS, repetitions: int = REPETITIONS,
    seed: int = SEED,
) -> tuple[str, list[BoughtShortfall]]:  # fmt: skip
    """The section as Markdown, and where promises are broken. The same arguments give the same text."""
    lines, broken = [], []
    for panel in panels:
        for number in labels:
            for looking in get_args(Looking):
                hits = simulate(panel, number, looking, repetitions=repetitions, seed=seed)
                broken += check(hits)
                shares = [hits.coverage(quantity) for quantity in QUANTITIES]
                cells = [f"**{100 * x:.1f}**" if x < LEVEL else f"{100 * x:.1f}" for x in shares]
                widths = [f"{100 * hits.width[quantity]:.1f}" for quantity in QUANTITIES]
                lines.append(f"| {panel.name} | {number} | {looking} | " + " | ".join(cells + widths) + " |")
    text = _TEXT.format(
        heading=HEADING,
        items=ITEMS,
        repetitions=repetitions,
        error=100 * math.sqrt(LEVEL * (1 - LEVEL) / repetitions),
        seed=seed,
        verdict="Every promise is kept." if not broken else "\n".join(f"- BROKEN: {fall}" for fall in broken),
        lines="\n".join(lines),
    )
    return text, broken


_TEXT = """{heading}

How often the 95% intervals of bought labels hold the truth on the pool, in %; below nominal in bold; and their mean
widths in points. Watched: items on which judges disagree are drawn more often, and an interval counts as held if no
look after any label up to the number excludes the truth. Fixed: items are drawn evenly and looked at once, after the
number. Shared mistakes: on a tenth of the items every judge is fooled four times in five, all alike. {items:,} items,
{repetitions:,} studies for each row, Monte Carlo standard error at most {error:.1f} points; seed {seed}.

{verdict}

| panel | labels | looking | prevalence | accuracy | error | width: prevalence | accuracy | error |
|---|---:|---|---:|---:|---:|---:|---:|---:|
{lines}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the section, print where promises are broken, and return 1 if any is."""
    return write_section(
        arguments, lambda repetitions: section(repetitions=repetitions), module="bought_coverage", words=__doc__,
        heading=HEADING, repetitions=REPETITIONS,
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
