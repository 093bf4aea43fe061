"""Comparisons of two models, simulated: the changes that a study finds, and how often its bounds hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.changed._baseline import Baseline, Floats, Ints
from ringtrue.changed._census import Census
from ringtrue.changed.evidence import AccuracyTest, ChangeTest, LimitVerdict, PersistenceTest, Repeats, ShiftDraws
from ringtrue.changed.evidence._group import EXCESS, NOISE, Outcome
from ringtrue.changed.paired import EVEN, draw_weights, error_bound, paired_shift
from ringtrue.changed.watch import Alarm
from ringtrue.core import Verdict, percent
from ringtrue.stats import Guess, even_and_weighted, generator, settled
from ringtrue.testing.coverage._case import LEVEL, Case, Row, by_study, numbers, watched

_UNANSWERED = 0.02
"""The share of questions that stay unanswered, in every fourth study: they only widen intervals."""
_SLICES = ("left", "right")
_CHANGES: dict[Outcome, float] = {"persisted": 0.6, "reverted": 0.3, "third": 0.1}


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """A pool by kind, and what the new model answers to each item: a code, and what a second question would bring."""

    census: Census
    kind: Ints
    new: Ints
    became: list[Outcome]
    part: Ints

    @classmethod
    def of(
        cls, labels: int, changed: float | None, n: int, rng: np.random.Generator, *, rare: float | None = None
    ) -> World:
        """Draw items whose old answers are right five times in six; changed ones go anywhere, at times to new words.

        Parameters
        ----------
        labels
            How many labels there are, all equally likely.
        changed
            The share that changed. With None another model answers, which is right three times in four whatever the old
            one said; with `rare`, eleven times in twelve.
        n
            How many items there are.
        rng
            What draws them.
        rare
            The share of one of two labels, if they are not equally likely.
        """
        truth = rng.integers(labels, size=n) if rare is None else (rng.random(n) < rare).astype(np.int64)
        right = rng.random(n) < 5 / 6
        old = np.where(right, truth, (truth + rng.integers(1, labels, size=n)) % labels)
        known = Baseline.of(old=old.tolist(), truth=truth.tolist(), confidence=(rng.random(n) + right).tolist())
        census, kind = Census.take(known)
        part = rng.integers(len(_SLICES), size=n)
        counted = {name: np.bincount(kind[part == place], minlength=census.kinds) for place, name in enumerate(_SLICES)}
        census = replace(census, slices={"part": counted})
        new, became = known.old.copy(), np.full(n, "unchanged", dtype=object)
        if changed is None:
            new = np.where(
                rng.random(n) < (3 / 4 if rare is None else 11 / 12),
                truth,
                (truth + rng.integers(1, labels, size=n)) % labels,
            )
        where = rng.permutation(n)[: round((changed or 0.0) * n)]
        new[where] = (new[where] + rng.integers(1, labels + 1, size=len(where))) % (labels + 1)
        became[where] = rng.choice(list(_CHANGES), size=len(where), p=list(_CHANGES.values()))
        return cls(census, kind, new, became.tolist(), part)

    def urn(self, rng: np.random.Generator) -> list[list[int]]:
        """Return the items of each kind in random order."""
        return [rng.permutation(np.flatnonzero(self.kind == kind)).tolist() for kind in range(self.census.kinds)]

    @property
    def shift(self) -> Floats:
        columns = self.census.labels + 1
        table = np.zeros((self.census.labels, columns))
        np.add.at(table, (self.census.truth[self.kind], self.new), 1 / len(self.new))
        return table - self.census.old_matrix(columns)

    def means(self, rows: NDArray[np.bool_] | slice = slice(None)) -> tuple[float, float]:
        """Return the share of changed answers and the difference in accuracy over some items."""
        truth, old, new = self.census.truth[self.kind][rows], self.census.old[self.kind][rows], self.new[rows]
        return float(np.mean(new != old)), float(np.mean((new == truth) * 1.0 - (old == truth)))

    @property
    def repeated(self) -> tuple[float, float]:
        """The expected excess and noise: chances of the model, whatever its answers happened to be."""
        changed = float(np.mean([one != "unchanged" for one in self.became]))
        expected = (sum(share * values[one] for one, share in _CHANGES.items()) for values in (EXCESS, NOISE))
        excess, noise = (changed * value for value in expected)
        return excess, noise


def _study(labels: int, changed: float, items: int, seed: int, number: int) -> dict[str, NDArray[np.bool_]]:
    """Return whether what is said of a change holds after each answer of a study that uses up its pool."""
    rng = generator(seed, f"changed Case(labels={labels}, changed={changed}, items={items})", number)
    world = World.of(labels, changed, items, rng)
    census = world.census
    draws, repeats = ShiftDraws(census), Repeats()
    share, difference = world.means()
    claims = {"true claim": LimitVerdict.at_most(share), "false claim": LimitVerdict.at_most(share - 1 / items)}
    never = {"true claim": Verdict.RINGS_FALSE, "false claim": Verdict.RINGS_TRUE}
    right: dict[str, list[bool]] = {label: [] for label in claims}
    urn = world.urn(rng)
    weights: Floats | None = None
    for place in range(items):
        chances = chances_of(draws.left, weights)
        kind = int(rng.choice(census.kinds, p=draws.left * chances / (draws.left @ chances)))
        item = urn[kind].pop()
        unanswered = bool(number % 4 == 0 and rng.random() < _UNANSWERED)
        part = _SLICES[world.part[item]]
        inside = draws.slice_left("part", part)
        said = draws.take(
            kind,
            None if unanswered else int(world.new[item]),
            probability=float(chances[kind]),
            floor=float(chances[draws.left > 0].min()),
            share=float((draws.left * chances)[census.truth == census.truth[kind]].sum()),
            slices={"part": part},
            slice_shares={"part": float(inside @ chances)},
        )
        for label, claim in claims.items():
            claim.take(said.changed)
            right[label].append(claim.verdict is not never[label])
        if weights is None:  # items that were chosen for their old answers tell nothing of chances
            repeats.take(None if unanswered else world.became[item])
        if settled(place + 1) == place + 1:
            weights = weights_of(census, draws.counts)
    pool, twice = draws.pool_holds(share, difference), repeats.holds(*world.repeated)
    twice = twice[np.minimum(np.arange(items), len(twice) - 1)]  # nothing more is learnt after the uniform draws
    parts = {("part", name): world.means(world.part == place) for place, name in enumerate(_SLICES)}
    return {
        "change": pool[:, 0],
        "difference in accuracy": pool[:, 1],
        "cells": draws.cells_hold(world.shift[:, : draws.counts.shape[1]]),
        "slices": draws.slices_hold(parts),
        "excess": twice[:, 0],
        "noise": twice[:, 1],
        **{label: np.array(held) for label, held in right.items()},
    }


def counts_at(world: World, looks: Sequence[int], rng: np.random.Generator) -> Iterator[Floats]:
    """Yield the answers by kind at some numbers of answers of a study that draws as it does by default."""
    census, urn = world.census, world.urn(rng)
    counts, left = np.zeros((census.kinds, census.labels + 1)), census.items.astype(float)
    weights: Floats | None = None
    for place in range(1, max(looks) + 1):
        chances = left * chances_of(left, weights)
        kind = int(np.searchsorted(np.cumsum(chances), rng.random() * chances.sum(), side="right"))
        counts[kind, world.new[urn[kind].pop()]] += 1
        left[kind] -= 1
        if settled(place) == place:
            weights = weights_of(census, counts)
        if place in looks:
            yield counts


def weights_of(census: Census, counts: Floats) -> Floats | None:
    """Return what the answers teach about where to ask, None as long as none of them has changed."""
    changed = counts.sum() > counts[np.arange(census.kinds), census.old].sum()
    return draw_weights(census, counts) if changed else None


def chances_of(left: Floats, weights: Floats | None) -> Floats:
    """Return the chance of one item of each kind: equal, or half equal and half by weight."""
    return np.full(len(left), 1 / left.sum()) if weights is None else even_and_weighted(left, weights, even=EVEN)


row_of = partial(Row, "changed")
SEED = 20261115
NEW_SEED = 20261203
"""Of the cases that were added later."""

ITEMS = 300
SIZES = (20, 50, 100, 200, 300)

ROWS = {
    "change": row_of("share of changed answers", "watched", shown=("ShiftFinding.change", "ShiftFinding.bound")),
    "difference in accuracy": row_of(
        "new accuracy, and its difference", "watched", shown=("Accuracy.new", "Accuracy.difference")
    ),
    "cells": row_of("all cells of the shift at once", "watched", shown=("Cell.shift",)),
    "slices": row_of("all slices at once", "watched", shown=("Slice.change", "Slice.accuracy")),
    "excess": row_of("change beyond the noise", "watched", shown=("Noise.beyond",)),
    "noise": row_of("noise floor", "watched", shown=("Noise.floor",)),
}
VERDICT = row_of("a verdict on a claim is not wrong", "watched", shown=("ShiftFinding.verdict", "ClaimPath.low"))
CHANGED = row_of("no change is detected where there is none", "watched", shown=("ShiftFinding.changed",))
ACCURACY = row_of(
    "no new accuracy is detected where it is the old", "watched", shown=("ShiftFinding.accuracy_changed",)
)
ERROR = row_of("error of the shift when --error stops (a rule, not a theorem)", "fixed", shown=("ErrorPath.bound",))
LOOKED = row_of("error of the shift at all looks at once until --error stops", "none", shown=("ErrorPath.bound",))
CALLS = row_of("calls until --error stops, of the pool", "mean")
ALARM = row_of("no alarm in a year of --watch where nothing changed", "watched", shown=("WatchFinding.raised_at",))


def asked_again(labels: int, changed: float, *, items: int = ITEMS, sizes: tuple[int, ...] = SIZES) -> Case:
    """Return the case of pools of so many labels, of which a share has new answers, asked until they are used up.

    Asked as a study does by default: uniformly until an answer has changed, then by what the answers teach, without
    replacement. In every fourth study one question in fifty stays unanswered; some answers are words not used before.
    """
    ends = np.array(sizes) - 1

    def study(number: int, seed: int) -> Mapping[str, Any]:
        held = _study(labels, changed, items, seed, number)
        return {label: watched(one)[ends] for label, one in held.items()}

    # Where nothing changed, no claim about a share can be false by an item.
    rows = ROWS | {"true claim": VERDICT} | ({"false claim": VERDICT} if changed else {})
    where = f"{labels} labels, {percent(changed)} changed"
    return Case(where, rows, by_study(study), SEED, numbers(sizes), seconds=0.2)


def unchanged(noise: float, *, answers: int = 500) -> Case:
    """Return the case of a model that did not change and gives another answer with a chance that differs by item.

    The tests are told of uniform draws, as a study tells them: first answers, changed ones once more, and gains less
    losses in accuracy.
    """

    def study(number: int, seed: int) -> Mapping[str, Any]:
        rng = generator(seed, f"unchanged {noise}", number)
        # The chance of an odd answer: on average the noise.
        chance = noise * rng.choice([0.0, 0.5, 2.5], answers, p=[0.4, 0.3, 0.3])
        odd = rng.random((3, answers)) < chance
        old, first, second = odd.astype(int)
        right = np.where(rng.random(answers) < 0.8, 0, 1)
        stated = ChangeTest(2 * noise, level=LEVEL)  # two answers differ with at most twice the chance of an odd one
        measured, accuracy = PersistenceTest(level=LEVEL), AccuracyTest(0.0, level=LEVEL)
        for place in range(answers):
            moved = first[place] != old[place]
            stated.take(Guess.of_stream(float(moved)))
            if moved:
                measured.take(old[place], first[place], second[place])
            gain = float(first[place] == right[place]) - float(old[place] == right[place])
            accuracy.take(Guess.of_stream(gain, lowest=-1.0))
        detected = (stated.detected_at, measured.detected_at, accuracy.detected_at)
        return {label: [one is None] for label, one in zip(rows, detected, strict=True)}

    rows = {"stated noise": CHANGED, "measured noise": CHANGED, "accuracy": ACCURACY}
    where = f"an unchanged model, noise {percent(noise)}"
    return Case(where, rows, by_study(study), NEW_SEED, numbers((answers,)), repetitions=400, seconds=0.1)


def stopped(labels: int, changed: float | None, error: float, *, items: int = 2000, rare: float | None = None) -> Case:
    """Return the case of studies that stop as soon as the rule says that the shift is known to within an error.

    Parameters
    ----------
    labels
        How many labels there are.
    changed
        The share that changed; with None, another model answers.
    error
        How well the shift is to be known.
    items
        How many items there are.
    rare
        The share of one of two labels, if they are not equally likely.
    """
    looks = [look for look in (*range(20, 200, 20), *(int(200 * 1.08**step) for step in range(30))) if look < items]

    def study(number: int, seed: int) -> Mapping[str, Any]:
        rng = generator(seed, f"stopped {labels} {changed} {error}" + (f" {rare}" if rare else ""), number)
        world = World.of(labels, changed, items, rng, rare=rare)
        kept: list[bool] = []
        for counts in counts_at(world, [*looks, items], rng):
            bound = error_bound(world.census, counts)
            off = float(np.linalg.norm(paired_shift(world.census, counts) - world.shift))
            kept.append(off <= bound + 1e-9)  # once all were asked both are zero, but for rounding
            if bound <= error:
                break
        return {"error": [off <= error], "every look": [all(kept)], "calls": [counts.sum() / items]}

    where = f"stopped at {error:g}, {labels} labels, " + (
        "swapped" if changed is None else f"{percent(changed)} changed"
    )
    where += "" if rare is None else f", one of {percent(rare)}"
    rows = {"error": ERROR, "every look": LOOKED, "calls": CALLS}
    return Case(where, rows, by_study(study), NEW_SEED, repetitions=300, seconds=0.15, version="3")


def watched_year(noise: float, *, sentinels: int = 20, baseline: int = 100, year: int = 365) -> Case:
    """Return the case of a model that is watched for a year and does not change; its noise differs by item."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        rng = generator(seed, f"watched {noise}", number)
        odd, calm = rng.exponential(noise, sentinels), 0
        alarm = Alarm(questions=sentinels, baseline=baseline, year=year, seed=number, level=LEVEL)
        for _ in range(baseline + year):
            item = int(rng.integers(sentinels))
            alarm.take(item, int(rng.integers(1, 4)) if rng.random() < odd[item] else calm)
        return {"alarm": [alarm.raised_at is None]}

    where = f"a year of {year} calls, noise {percent(noise)}"
    return Case(where, {"alarm": ALARM}, by_study(study), NEW_SEED, repetitions=1_000, seconds=0.03)


def watched_by_chance(noise: float, *, items: int = 2_000, baseline: int = 100, year: int = 365) -> Case:
    """Return the case of a watch without confidences: each answer, to any item by chance, is the old one or not."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        rng = generator(seed, f"watched by chance {noise}", number)
        odd = np.minimum(rng.exponential(noise, items), 1.0)
        alarm = Alarm(questions=1, baseline=baseline, year=year, seed=number, level=LEVEL)
        for item in rng.integers(items, size=baseline + year):
            alarm.take(0, bool(rng.random() >= odd[item]))
        return {"alarm": [alarm.raised_at is None]}

    where = f"a year of {year} calls about items by chance, noise {percent(noise)}"
    return Case(where, {"alarm": ALARM}, by_study(study), NEW_SEED, repetitions=1_000, seconds=0.03)


CASES: tuple[Case, ...] = (
    *(asked_again(labels, changed) for labels in (2, 3, 5) for changed in (0.0, 0.01, 0.05, 0.5)),
    *map(unchanged, (0.01, 0.05)),
    *(stopped(labels, changed, 0.02) for labels in (2, 7) for changed in (0.0, 0.05, 0.2)),
    *(stopped(labels, None, 0.03, items=10_000) for labels in (2, 7)),
    stopped(2, None, 0.02, rare=0.05),
    *map(watched_year, (0.0, 0.03, 0.2)),
    *map(watched_by_chance, (0.03, 0.2)),
)
