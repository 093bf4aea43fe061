"""The cases of a change: a pool asked again, the tests of "it changed", and the rule behind `--error`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ringtrue.changed.evidence import AccuracyTest, ChangeTest, PersistenceTest
from ringtrue.changed.paired import error_bound, paired_shift
from ringtrue.core import percent
from ringtrue.stats import Guess, generator
from ringtrue.testing._changed_simulation import World, counts_at, study_of
from ringtrue.testing.coverage._case import LEVEL, Case, Row
from ringtrue.testing.coverage._studies import by_study, numbers, watched

SEED = 20261115
NEW_SEED = 20261203
"""Of the cases that were added later."""

ITEMS = 300
SIZES = (20, 50, 100, 200, 300)

ROWS = {
    "change": Row(
        "changed", "share of changed answers", "watched", shown=("ShiftFinding.change", "ShiftFinding.bound")
    ),
    "difference in accuracy": Row(
        "changed", "new accuracy, and its difference", "watched", shown=("Accuracy.new", "Accuracy.difference")
    ),
    "cells": Row("changed", "all cells of the shift at once", "watched", shown=("Cell.shift",)),
    "slices": Row("changed", "all slices at once", "watched", shown=("Slice.change", "Slice.accuracy")),
    "excess": Row("changed", "change beyond the noise", "watched", shown=("Noise.beyond",)),
    "noise": Row("changed", "noise floor", "watched", shown=("Noise.floor",)),
}
VERDICT = Row(
    "changed", "a verdict on a claim is not wrong", "watched", shown=("ShiftFinding.verdict", "ClaimPath.low")
)
CHANGED = Row("changed", "no change is detected where there is none", "watched", shown=("ShiftFinding.changed",))
ACCURACY = Row(
    "changed", "no new accuracy is detected where it is the old", "watched", shown=("ShiftFinding.accuracy_changed",)
)
ERROR = Row(
    "changed", "error of the shift when --error stops (a rule, not a theorem)", "fixed", shown=("ErrorPath.bound",)
)
CALLS = Row("changed", "calls until --error stops, of the pool", "mean")


def asked_again(labels: int, changed: float, *, items: int = ITEMS, sizes: tuple[int, ...] = SIZES) -> Case:
    """Return the case of pools of so many labels, of which a share has new answers, asked until they are used up.

    Asked as a study does by default: uniformly until an answer has changed, then by what the answers teach, without
    replacement. In every fourth study one question in fifty stays unanswered; some answers are words not used before.
    """
    ends = np.array(sizes) - 1

    def study(number: int, seed: int) -> Mapping[str, Any]:
        held = study_of(World.of, labels, changed, items, seed, number)
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
        chance = noise * rng.choice(
            [0.0, 0.5, 2.5], answers, p=[0.4, 0.3, 0.3]
        )  # of an odd answer; on average the noise
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
        return {
            "stated noise": [stated.detected_at is None],
            "measured noise": [measured.detected_at is None],
            "accuracy": [accuracy.detected_at is None],
        }

    rows = {"stated noise": CHANGED, "measured noise": CHANGED, "accuracy": ACCURACY}
    where = f"an unchanged model, noise {percent(noise)}"
    return Case(where, rows, by_study(study), NEW_SEED, numbers((answers,)), repetitions=400, seconds=0.1)


def stopped(labels: int, changed: float, error: float, *, items: int = 2000) -> Case:
    """Return the case of studies that stop as soon as the rule says that the shift is known to within an error."""
    looks = [look for look in (*range(20, 200, 20), *(int(200 * 1.08**step) for step in range(30))) if look < items]

    def study(number: int, seed: int) -> Mapping[str, Any]:
        rng = generator(seed, f"stopped {labels} {changed} {error}", number)
        world = World.of(labels, changed, items, rng)
        counts = next(
            found for found in counts_at(world, [*looks, items], rng) if error_bound(world.census, found) <= error
        )
        off = float(np.linalg.norm(paired_shift(world.census, counts) - world.shift))
        return {"error": [off <= error], "calls": [counts.sum() / items]}

    where = f"stopped at {error:g}, {labels} labels, {percent(changed)} changed"
    rows = {"error": ERROR, "calls": CALLS}
    return Case(where, rows, by_study(study), NEW_SEED, repetitions=300, seconds=0.15, version="2")


CASES: tuple[Case, ...] = (
    *(asked_again(labels, changed) for labels in (2, 3, 5) for changed in (0.0, 0.01, 0.05, 0.5)),
    *map(unchanged, (0.01, 0.05)),
    *(stopped(labels, changed, 0.02) for labels in (2, 7) for changed in (0.0, 0.05, 0.2)),
)
