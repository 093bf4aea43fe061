"""The evidence of mixed draws: uniform first, then unequal, with picks in between, in one valid process."""

import numpy as np
import pytest

from ringtrue.risk._draw_row import DrawRow
from ringtrue.risk._evidence import Witness
from support.beginnings import expected_wealth

SCORES = np.array([5.0, 1.0, 2.0, 1.0, 3.0])


def chances(left, step, unequal_from):
    """Uniform at first; then half uniform and half by score."""
    if step < unequal_from:
        return np.full(len(left), 1 / len(left))
    return 0.5 / len(left) + 0.5 * SCORES[left] / SCORES[left].sum()


def beginnings(fails, steps, unequal_from, pick_at, rows=(), chance_so_far=1.0, left=(0, 1, 2, 3, 4)):
    """Every beginning of an order in which the items can come, after the one it goes on from; see `expected_wealth`.

    The pick looks at the answer before it.
    """
    items, step = list(left), len(rows)
    if step == pick_at:
        best = max(items, key=lambda other: SCORES[other] * (1 if rows and rows[-1].failed else -1))
        coming = [(best, 1.0, DrawRow(bool(fails[best]), None, None))]
    else:
        chance = chances(items, step, unequal_from)
        least = float(chance.min())
        coming = [
            (item, float(one), DrawRow(bool(fails[item]), float(one), least))
            for item, one in zip(items, chance, strict=True)
        ]
    for item, one, row in coming:
        yield step + 1, chance_so_far * one, row
        if step + 1 < steps:
            rest = [other for other in items if other != item]
            yield from beginnings(fails, steps, unequal_from, pick_at, (*rows, row), chance_so_far * one, rest)


@pytest.mark.parametrize("fails", [(0, 0, 1, 1, 0), (1, 1, 1, 0, 1), (0, 0, 0, 0, 1)])
@pytest.mark.parametrize("unequal_from", [1, 2, 3])
@pytest.mark.parametrize("pick_at", [None, 1, 2])
def test_the_expected_evidence_for_what_is_false_is_at_most_one(fails, unequal_from, pick_at):
    """Exact, over all histories of a pool of five and at every step of them, for every limit that matters."""
    truth = sum(fails) / len(fails)
    every = list(beginnings(fails, 4, unequal_from, pick_at))
    for items in range(len(fails)):
        limit = (items + 0.5) / len(fails)
        witness = Witness(len(fails), (limit, limit), 0.95)
        expected = expected_wealth(witness, every, steps=4, speaks_below=truth > limit)
        assert np.all(expected <= 1 + 1e-9), (limit, expected)


def test_changing_to_unequal_draws_keeps_the_evidence_and_the_bounds_hold_the_truth():
    rng = np.random.default_rng(4)
    size, failing = 300, 12
    fails = np.zeros(size, dtype=bool)
    fails[rng.choice(size, failing, replace=False)] = True
    witness = Witness(size, (0.1, 0.1), 0.95)
    order = rng.permutation(size)
    for place, item in enumerate(order[:120]):
        left = size - place
        even = place < 60
        chances = (1 / left, 1 / left) if even else (1.2 / left, 0.5 / left)
        witness.add(DrawRow(bool(fails[item]), *chances))
        if place == 59:
            before = witness.evidence()
    assert witness._wealth.earned[1] == pytest.approx(before[0])
    bounds = witness.bounds([0, 30, 60, 61, 120], level=0.95, side="both")
    assert np.all(bounds.low <= failing / size)
    assert np.all(failing / size <= bounds.high)
    assert bounds.high[3] == pytest.approx(bounds.high[2], abs=0.02)
    assert bounds.high[4] < bounds.high[2]


def mixed_history(seed, size=40, switch=15, end=32):
    """Uniform draws, then unequal ones, with a pick now and then; told as (failed, probability, floor)."""
    rng = np.random.default_rng([7, seed])
    fails, scores = rng.random(size) < rng.choice([0.0, 0.1, 0.5]), rng.random(size) + 0.05
    left, history = list(range(size)), []
    for step in range(end):
        chance = np.full(len(left), 1 / len(left))
        if step >= switch:
            chance = 0.5 * chance + 0.5 * scores[left] / scores[left].sum()
        picked = rng.random() < 0.1
        place = int(np.argmax(scores[left])) if picked else int(rng.choice(len(left), p=chance / chance.sum()))
        weights = (None, None) if picked else (float(chance[place]), float(chance.min()))
        history.append((bool(fails[left.pop(place)]), *weights))
    return history


@pytest.mark.parametrize("seed", range(12))
def test_bounds_exclude_a_limit_exactly_when_the_evidence_rejects_it(seed):
    """The evidence is enumerated above; that the bounds say the same makes them cover, before and after the change."""
    history, size, level = mixed_history(seed), 40, 0.8
    for end in (10, 16, 24, 32):
        for items in (0, 1, 3, 6, 12, 20, 30):
            limit = (items + 0.5) / size
            witness = Witness(size, (limit, limit), level)
            for one in history[:end]:
                witness.add(DrawRow(*one))
            below, above = witness.evidence()
            threshold = -np.log1p(-level)
            if not items:  # the bounds do not depend on the limit
                upper = witness.bounds([end], level=level, side="upper").high[0]
                lower = witness.bounds([end], level=level, side="lower").low[0]
            assert (upper < limit) == (below >= threshold), (end, items)
            assert (lower > limit) == (above >= threshold), (end, items)
