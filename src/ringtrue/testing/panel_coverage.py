"""Coverage of unlabelled evaluations: simulated panels of independent judges, and how often intervals hold the truth.

Run `python -m ringtrue.testing.panel_coverage --out docs/coverage.md` to write this section alone; the coverage suite
writes it with the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, get_args

import numpy as np

from ringtrue.core import Interval, Sketch, percent
from ringtrue.judges import Estimates, Evaluation, fit_latent, unlabelled_both
from ringtrue.judges._evaluation import Floats, Target
from ringtrue.stats import generator
from ringtrue.testing._sections import write_section

__all__ = ["PANELS", "PanelHits", "PanelShortfall", "check", "main", "section", "simulate"]

Estimator: TypeAlias = Callable[[Sketch, Evaluation], Mapping[Target, Estimates]]

HEADING = "## Unlabelled evaluations: panels of independent judges"
LEVEL = 0.95
ALLOWED = 0.02
"""Likelihood intervals are exact only in the limit: a promised coverage may be this far from the level."""
SEED = 20261115
REPETITIONS = 250
PREVALENCE = 0.3
QUANTITIES = ("prevalence", "accuracy", "overall")


@dataclass(frozen=True, slots=True)
class Panel:
    """Judges of one accuracy on both labels. `promised` is the number of items from which coverage is promised."""

    name: str
    accuracy: float
    judges: int
    promised: int | None


PANELS = tuple(
    Panel(name, accuracy, judges, promised)
    for name, accuracy, promised in (("strong", 0.9, 500), ("medium", 0.8, 2000), ("weak", 0.65, None))
    for judges in (3, 5)
)
SIZES = (500, 2000, 10_000)


@dataclass(frozen=True, slots=True, eq=False)
class PanelHits:
    """For each target and quantity: whether each interval held the truth, shape (studies, intervals), and its width."""

    panel: Panel
    items: int
    held: dict[tuple[Target, str], Floats]
    width: dict[tuple[Target, str], float]

    def coverage(self, target: Target, quantity: str) -> float:
        return float(self.held[target, quantity].mean())

    def error(self, target: Target, quantity: str) -> float:
        """The Monte Carlo standard error of a coverage; intervals of one study go together, studies do not.

        Never below that of a coverage at the level from as many studies as there are intervals, lest a run in which
        everything held be taken for exact.
        """
        held = self.held[target, quantity]
        least = math.sqrt(LEVEL * (1 - LEVEL) / held.size)
        return max(float(held.mean(axis=1).std(ddof=1)) / math.sqrt(len(held)), least)


@dataclass(frozen=True, slots=True)
class PanelShortfall:
    """Where a promised coverage is missed by more than chance explains."""

    panel: str
    items: int
    target: Target
    quantity: str
    coverage: float

    def __str__(self) -> str:
        return (
            f"{self.panel}, {self.items:,} items: holds the {self.quantity} {self.target} in {percent(self.coverage)} "
            f"of studies, promised {percent(LEVEL)} give or take {percent(ALLOWED)}"
        )


def simulate(
    panel: Panel,
    items: int,
    *,
    estimator: Estimator = unlabelled_both,
    repetitions: int = REPETITIONS,
    seed: int = SEED,
) -> PanelHits:
    """Draw items and votes, evaluate the votes without the labels, and see what the intervals hold.

    No study is left out.
    """
    names = tuple(f"judge {place + 1}" for place in range(panel.judges))
    held: dict[tuple[Target, str], list[list[bool]]] = {}
    width: dict[tuple[Target, str], list[float]] = {}
    for study in range(repetitions):
        rng = generator(seed, f"panel {panel.name} {panel.judges} {items}", study)
        second = rng.random(items) >= PREVALENCE
        right = rng.random((items, panel.judges)) < panel.accuracy
        patterns, counts = np.unique(np.where(right, second[:, None], ~second[:, None]), axis=0, return_counts=True)
        rows = zip(patterns.astype(int).tolist(), counts.tolist(), strict=True)
        sketch = Sketch(names, ("first", "second"), {tuple(pattern): times for pattern, times in rows})
        told = estimator(sketch, fit_latent(sketch).evaluation)
        truths: dict[Target, tuple[Floats, ...]] = {
            "in general": (
                np.array([PREVALENCE]),
                np.full((panel.judges, 2), panel.accuracy),
                np.full(panel.judges, panel.accuracy),
            ),
            "on this test": (
                np.array([1 - second.mean()]),
                np.stack([right[~second].mean(axis=0), right[second].mean(axis=0)], axis=1),
                right.mean(axis=0),
            ),
        }
        for target in get_args(Target):
            for quantity, intervals, truth in zip(QUANTITIES, _intervals(told[target]), truths[target], strict=True):
                pairs = list(zip(intervals, truth.ravel(), strict=True))
                held.setdefault((target, quantity), []).append(
                    [bool(i.low <= x + 1e-9 and x <= i.high + 1e-9) for i, x in pairs]
                )
                width.setdefault((target, quantity), []).append(float(np.mean([i.high - i.low for i in intervals])))
    return PanelHits(
        panel,
        items,
        {key: np.array(rows, dtype=float) for key, rows in held.items()},
        {key: float(np.median(rows)) for key, rows in width.items()},
    )


def _intervals(told: Estimates) -> tuple[list[Interval], ...]:
    return [told.prevalence[0]], [interval for row in told.accuracy for interval in row], list(told.overall)


def check(hits: PanelHits) -> list[PanelShortfall]:
    """Where promised coverage leaves 93% to 97% by more than three Monte Carlo standard errors, on either side."""
    if hits.panel.promised is None or hits.items < hits.panel.promised:
        return []
    name = f"{hits.panel.judges} {hits.panel.name} judges"
    return [
        PanelShortfall(name, hits.items, target, quantity, hits.coverage(target, quantity))
        for target, quantity in hits.held
        if abs(hits.coverage(target, quantity) - LEVEL) > ALLOWED + 3 * hits.error(target, quantity)
    ]


def section(
    *, panels: Sequence[Panel] = PANELS, sizes: Sequence[int] = SIZES, repetitions: int = REPETITIONS, seed: int = SEED
) -> tuple[str, list[PanelShortfall]]:
    """The section as Markdown, and where promises are broken. The same arguments give the same text."""
    lines, broken = [], []
    for panel in panels:
        for items in sizes:
            hits = simulate(panel, items, repetitions=repetitions, seed=seed)
            broken += check(hits)
            mark = "" if panel.promised is not None and items >= panel.promised else " †"
            for target in get_args(Target):
                shares = [hits.coverage(target, quantity) for quantity in QUANTITIES]
                cells = [f"**{100 * x:.1f}**" if x < LEVEL else f"{100 * x:.1f}" for x in shares]
                widths = [f"{hits.width[target, quantity]:.3f}" for quantity in QUANTITIES]
                who = f"{panel.judges} {panel.name} ({percent(panel.accuracy)}){mark}"
                lines.append(f"| {who} | {items:,} | {target} | " + " | ".join(cells + widths) + " |")
    text = _TEXT.format(
        heading=HEADING,
        prevalence=percent(PREVALENCE),
        repetitions=repetitions,
        error=100 * math.sqrt(LEVEL * (1 - LEVEL) / repetitions),
        seed=seed,
        verdict="Every promise is kept." if not broken else "\n".join(f"- BROKEN: {fall}" for fall in broken),
        lines="\n".join(lines),
    )
    return text, broken


_TEXT = """{heading}

How often the nominal 95% intervals of `unlabelled_estimates` hold the truth, in %; below nominal in bold; and their
median widths. {prevalence} of items have the first label, all judges of a panel are equally good on both labels and err
independently: {repetitions:,} studies for each row, none left out, also not those whose best fit lies at an edge;
Monte Carlo standard error {error:.2f} points for the prevalence, less for accuracies, which are averaged over the
judges; seed {seed}. If judges err together, nothing of this holds.

A promise is kept if coverage lies between 93% and 97%, give or take three standard errors. † marks what is promised to
nobody: few items or weak judges.

{verdict}

| judges | items | target | prevalence | accuracy | overall | width: prevalence | accuracy | overall |
|---|---:|---|---:|---:|---:|---:|---:|---:|
{lines}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the section, print where promises are broken, and return 1 if any is."""
    return write_section(
        arguments, lambda repetitions: section(repetitions=repetitions), module="panel_coverage", words=__doc__,
        heading=HEADING, repetitions=REPETITIONS,
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
