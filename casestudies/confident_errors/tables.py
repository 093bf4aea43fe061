"""The results as Markdown tables: every search on every task, the default beside AdvDist, and the paper's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from confident_errors.entries import ADVDIST, SHIPPED
from confident_errors.hunts import BUDGETS, SHARE, Hunts
from confident_errors.scores import Floats, Scores
from confident_errors.trained import Judged
from pages import markdown

LEAST_EXCESS = 0.5
"""Means of excess errors below this count as this in a quotient, which says nothing where one is nought or less."""

LEAST_RATIO = 0.1
"""The same for means of the discovery ratio, of which one is nought where a search finds no error at all."""


@dataclass(frozen=True, eq=False)
class Tried:
    """A task, and what every search found in its pools, by name."""

    judged: Judged
    scores: Scores
    found: Mapping[str, Hunts]

    @property
    def name(self) -> str:
        return self.judged.task.name


def tasks_table(tried: Sequence[Tried]) -> str:
    """What the models are like: the paper's tasks had 98/81, 81/81 and 98/94 percent of validation and test right."""
    rows = []
    for each in tried:
        of, scope = each.judged, each.judged.scope
        errors, expected = of.wrong[scope].mean(), (1 - of.confidence[scope]).mean()
        rows.append([
            each.name, of.task.data, of.task.way, of.task.about, f"{of.accuracy_validation:.1%}",
            f"{of.accuracy_test:.1%}", f"{of.temperature:.2f}", f"{len(scope):,}", f"{len(each.scores):,}",
            f"{errors:.1%}", f"{expected:.1%}", f"{errors / expected:.2f}",
        ])  # fmt: skip
    heads = ["task", "images", "errors by", "how", "right, validation", "test", "temperature", "items in scope"]
    return markdown([*heads, "measured", "wrong", "admitted", "ratio"], rows)


def task_table(tried: Tried) -> str:
    """Every search on one task."""
    rows = []
    for name, found in tried.found.items():
        row = [name, f"{found.queries:,.0f}"]
        for place, budget in enumerate(BUDGETS):
            row += [
                f"{found.errors(budget).mean():.1f}", spread_text(found.excess(budget)),
                spread_text(found.ratios(budget), 2), f"{found.pooled_ratio(budget):.2f}",
                f"{found.spreads[:, place].mean():.3f}",
            ]  # fmt: skip
        rows.append(row)
    heads = [f"{head}, {budget}" for budget in BUDGETS for head in ("errors", "excess", "SDR", "pooled SDR", "spread")]
    return markdown(["search", "model queries an item", *heads], rows)


def means_table(tried: Sequence[Tried]) -> str:
    """Every search over all tasks: plain means of errors and excess, geometric means of the pooled ratio."""
    rows = []
    for name in tried[0].found:
        found = [each.found[name] for each in tried]
        row = [name, f"{np.mean([each.queries for each in found]):,.0f}"]
        for budget in BUDGETS:
            pooled = np.maximum([each.pooled_ratio(budget) for each in found], LEAST_RATIO)
            row += [
                f"{np.mean([each.errors(budget).mean() for each in found]):.1f}",
                f"{np.mean([each.excess(budget).mean() for each in found]):.1f}",
                f"{geometric_mean(pooled):.2f}",
            ]
        rows.append(row)
    heads = [f"{head}, {budget}" for budget in BUDGETS for head in ("errors", "excess", "pooled SDR")]
    return markdown(["search", "model queries an item", *heads], rows)


def beside_table(tried: Sequence[Tried]) -> str:
    """The default search beside AdvDist, pool by pool, and the quotients over all tasks.

    In brackets the standard error that the difference would have over other images of the task.
    """
    rows = []
    for each in tried:
        ours, theirs = each.found[SHIPPED.name], each.found[ADVDIST.name]
        row = [each.name]
        for budget in BUDGETS:
            more = ours.excess(budget) - theirs.excess(budget)
            row += [
                _number(ours.excess(budget)),
                _number(theirs.excess(budget)),
                f"{spread_text(more)} ({_other_images(more):.1f})",
            ]
            row += [_number(ours.ratios(budget), 2), _number(theirs.ratios(budget), 2)]
        rows.append([*row, f"{theirs.queries / ours.queries:,.0f}"])
    quotients = [f"{_quotient(tried, budget, kind):.2f}" for budget in BUDGETS for kind in ("excess", "ratios")]
    rows.append([
        "geometric mean of the quotients", "", "", quotients[0], "", quotients[1], "", "", quotients[2], "",
        quotients[3], "",
    ])  # fmt: skip
    heads = ["excess, {0}", "AdvDist's", "difference", "SDR, {0}", "AdvDist's"]
    named = [head.format(budget) for budget in BUDGETS for head in heads]
    return markdown(["task", *named, "times fewer model queries"], rows)


def paper_table(tried: Sequence[Tried]) -> str:
    """What the paper says of its three tasks in words and figures 3 and 4, beside the tasks of the same kind here."""
    rows = []
    for way, paper in PAPER.items():
        of_way = [each for each in tried if each.judged.task.way == way]
        for budget, (theirs, others) in zip(BUDGETS, paper.at, strict=True):
            rows.append([
                f"{paper.task} ({way})", str(budget), theirs, others,
                _each(of_way, (ADVDIST.name,), budget), _each(of_way, _OTHERS, budget),
                _each(of_way, (SHIPPED.name,), budget),
            ])  # fmt: skip
    heads = ["the paper's task", "questions", "SDR of AdvDist", "of the others", "here: AdvDist", "the same others"]
    return markdown([*heads, "learning"], rows)


@dataclass(frozen=True)
class Paper:
    """What the paper says of the mean ratio: of AdvDist and of the other four searches, at 20 and at 50 questions."""

    task: str
    at: tuple[tuple[str, str], tuple[str, str]]


PAPER = {
    "bias": Paper("Kaggle13", (("4", "1"), ("above 2", "1"))),
    "shift": Paper("CelebA", (("above the others", "nearly 2"), ("above the others", "nearly 2"))),
    "overfitting": Paper("UT-Zap50K", (("above the others", "near 1"), ("above the others", "near 1"))),
}
_OTHERS = ("random", "lowest confidence", "Lakkaraju et al.", "Bansal and Weld")


def spread_text(values: Floats, digits: int = 1) -> str:
    """The mean over the pools and its standard error."""
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{values.mean():.{digits}f} ± {error:.{digits}f}".replace("-", "−")


def _number(values: Floats, digits: int = 1) -> str:
    return f"{values.mean():.{digits}f}".replace("-", "−")


def _other_images(values: Floats) -> float:
    """The standard error of the mean if other images of the task had been measured, which pools that overlap hide.

    This is the delete-d jackknife: a pool is the measured items less some (Shao & Wu, Annals of Statistics 17, 1989).
    """
    return float(values.std() * np.sqrt(SHARE / (1 - SHARE)))


def geometric_mean(values: Floats) -> float:
    return float(np.exp(np.mean(np.log(values))))


def _quotient(tried: Sequence[Tried], budget: int, kind: str) -> float:
    """The default's mean over that of AdvDist, in the geometric mean over the tasks; either at least a little."""
    least = LEAST_EXCESS if kind == "excess" else LEAST_RATIO
    means = [
        [max(least, float(getattr(each.found[entry.name], kind)(budget).mean())) for entry in (SHIPPED, ADVDIST)]
        for each in tried
    ]
    return geometric_mean(np.array([ours / theirs for ours, theirs in means]))


def _each(tried: Sequence[Tried], names: Sequence[str], budget: int) -> str:
    """The mean ratio of each task, or its range over several searches."""
    texts = []
    for each in tried:
        means = sorted(float(each.found[name].ratios(budget).mean()) for name in names)
        texts.append(f"{means[0]:.1f}" if len(means) == 1 else f"{means[0]:.1f} to {means[-1]:.1f}")
    return ", ".join(texts)
