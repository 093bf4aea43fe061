"""Intervals on a change: exact where the pool is used up, never pointlike before, and open about what is open."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringtrue.changed._baseline import Baseline
from ringtrue.changed._census import Census
from ringtrue.changed.evidence import Repeats, ShiftDraws, _shift_draws, outcome
from ringtrue.core import InvalidInput
from ringtrue.stats import Wealth
from support.changed_orders import every_order, pool, unequal, uniform


def simulated(size=60, labels=3, changed=0.2, seed=0, truth=True):
    """A pool with one slice column; some new answers are words that nobody used before."""
    rng = np.random.default_rng(seed)
    real = rng.integers(labels, size=size)
    old = np.where(rng.random(size) < 0.8, real, rng.integers(labels, size=size))
    new = np.where(rng.random(size) < changed, rng.integers(labels + 1, size=size), old)
    known = Baseline.of(old=old.tolist(), truth=real.tolist() if truth else None)
    census, kind = Census.take(known)
    part = rng.integers(2, size=size)
    counted = {str(place): np.bincount(kind[part == place], minlength=census.kinds) for place in range(2)}
    return dataclasses.replace(census, slices={"part": counted}), kind, known.code(new.tolist())[1], part


def draw_some(census, kind, new, part, count, *, seed=1, missing=0.0):
    """Draw so many items with unequal chances, each told as a study tells it."""
    rng = np.random.default_rng(seed)
    draws, asked = ShiftDraws(census), []
    for _ in range(count):
        weights = 1.0 + np.arange(census.kinds) % 3
        each = weights / (weights @ draws.left)
        chances = np.where(np.isin(np.arange(len(kind)), asked), 0.0, each[kind])
        item = int(rng.choice(len(kind), p=chances / chances.sum()))
        row, value = census.truth == census.truth[kind[item]], str(part[item])
        draws.take(
            int(kind[item]), None if rng.random() < missing else int(new[item]),
            probability=float(each[kind[item]]), floor=float(each[draws.left > 0].min()),
            share=float((draws.left * each)[row].sum()), slices={"part": value},
            slice_shares={"part": float(draws.slice_left("part", value) @ each)},
        )  # fmt: skip
        asked.append(item)
    return draws


def true_shift(census, kind, new, columns):
    table = np.zeros((census.labels, columns))
    np.add.at(table, (census.truth[kind], new), 1 / len(new))
    return table - census.old_matrix(columns)


def test_a_pool_that_is_used_up_is_known_exactly():
    census, kind, new, part = simulated()
    draws = draw_some(census, kind, new, part, len(new))
    truth, old = census.truth[kind], census.old[kind]
    change, difference = draws.change(), draws.accuracy_difference()
    assert change.low == change.estimate == change.high == pytest.approx(np.mean(new != old))
    assert difference.low == difference.high == pytest.approx(np.mean(new == truth) - np.mean(old == truth))
    for found in draws.cells():
        np.testing.assert_allclose(found, true_shift(census, kind, new, found.shape[1]), atol=1e-12)
    for one in draws.slices():
        inside = part == int(one.value)
        assert one.items == one.answers == inside.sum()
        assert one.change.low == one.change.high == pytest.approx(np.mean((new != old)[inside]))


def test_an_unanswered_question_stays_open_for_good():
    census, kind, new, part = simulated()
    draws = draw_some(census, kind, new, part, len(new), missing=0.1)
    assert draws.unanswerable > 0
    change = draws.change()
    assert change.high - change.low == pytest.approx(draws.unanswerable / census.size)
    assert change.low <= np.mean(new != census.old[kind]) <= change.high


@settings(max_examples=40)
@given(st.integers(0, 59), st.integers(0, 5), st.sampled_from([0.0, 0.2, 1.0]), st.sampled_from([0.0, 0.1]))
def test_intervals_are_never_pointlike_and_never_leave_what_is_possible(count, seed, changed, missing):
    census, kind, new, part = simulated(changed=changed, seed=seed)
    draws = draw_some(census, kind, new, part, count, seed=seed, missing=missing)
    left = census.size - count
    low, high = draws.change().low, draws.change().high
    seen = draws.counts.sum() - draws.counts[np.arange(census.kinds), census.old].sum()
    assert seen / census.size - 1e-9 <= low < high <= (seen + left + draws.unanswerable) / census.size + 1e-9
    estimate, lows, highs = draws.cells()
    assert (lows <= estimate).all()
    assert (estimate <= highs).all()
    open_rows = np.bincount(census.truth, weights=draws.left, minlength=census.labels) > 0
    assert (lows[open_rows] < highs[open_rows]).all()
    new_matrix = np.array([lows, highs]) + census.old_matrix(lows.shape[1])
    assert new_matrix.min() >= -1e-12
    assert (new_matrix[1].max(axis=1) <= np.bincount(census.truth, weights=census.items) / census.size + 1e-12).all()


def test_nothing_changed_is_an_estimate_of_exactly_zero():
    census, kind, _, part = simulated(labels=5)
    draws = draw_some(census, kind, census.old[kind], part, 30)
    estimate, low, high = draws.cells()
    assert not np.any(np.abs(estimate) > 1e-15)
    assert (low < 0).any()
    assert (high > 0).any()
    assert draws.change().estimate == draws.accuracy_difference().estimate == 0


@pytest.mark.slow
@pytest.mark.parametrize("weigh", [uniform, unequal])
def test_estimates_are_unbiased_and_rows_of_cells_are_a_fair_game(weigh, monkeypatch):
    """Over every order of a tiny pool, with predictions learnt anew after each answer."""
    monkeypatch.setattr(_shift_draws, "settled", lambda answers: answers)
    census, kind, new = pool("aaabbb", "aabbba", "abbbba")
    shift = true_shift(census, kind, new, 2)
    inside = census.items[census.truth == 0].sum()

    class Cells:
        def __init__(self, draws):
            self.draws, self.evidence = draws, []
            self.bets = Wealth((shift + census.old_matrix())[0, 1] * census.size / inside)
            self.answers = 0

        def send(self, told):
            row = self.draws._rows[0]
            if row.answers > self.answers:
                self.answers = row.answers
                # What was not seen yet is held back; what is held back is a fair game.
                said = row.last().of(slice(1, 2))
                self.bets.take(dataclasses.replace(said, low_cap=np.inf, high_cap=-np.inf))
            means = self.draws._pool._estimates() if len(self.draws._truths) == 3 else (0.0, 0.0)
            self.evidence.append((*self.bets.log_above, *self.bets.log_below, *means))

    found = list(every_order(census, kind, new, weigh, Cells))
    chances, seen = np.array([chance for chance, _ in found]), np.array([path for _, path in found])
    np.testing.assert_allclose(np.einsum("o,ots->ts", chances, np.exp(seen[:, :, :2])), 1.0, atol=1e-6)
    change, right = chances @ seen[:, 2, 2:]
    assert change == pytest.approx(np.mean(new != census.old[kind]))
    assert right == pytest.approx(np.mean(new == census.truth[kind]))


def test_what_holds_is_what_the_bounds_say():
    """The short cut of the coverage suite and the bounds are one: a mean just inside holds, one just outside not."""
    census, kind, new, part = simulated(size=240, changed=0.3)
    draws = draw_some(census, kind, new, part, 150)
    change, difference = draws.change(), draws.accuracy_difference()
    for move, expected in ((-1e-4, True), (1e-4, False)):  # towards the inside, and outside
        for end in (0, 1):
            sign = 1 if end else -1
            told = draws.pool_holds(
                (change.low, change.high)[end] + sign * move, (difference.low, difference.high)[end] + sign * move
            )
            assert told[-1].tolist() == [expected, expected]
    estimate, low, high = draws.cells(0.5)
    assert draws.cells_hold(estimate, 0.5)[-1]
    least = np.zeros(low.shape)
    np.add.at(least, census.truth, draws.counts / census.size)
    left = np.bincount(census.truth, weights=draws.left) / census.size
    least -= census.old_matrix(low.shape[1])
    most = least + left[:, None]
    told = 0
    for bound, end, sign in ((low, least, -1), (high, most, 1)):
        for place in np.argwhere(np.abs(bound - end) > 1e-3):  # where answers say more than what is possible anyway
            for move, expected in ((-1e-4, True), (1e-4, False)):
                matrix = estimate.copy()
                matrix[tuple(place)] = bound[tuple(place)] + sign * move
                assert draws.cells_hold(matrix, 0.5)[-1] == expected
                told += 1
    assert told >= 10
    parts = {(one.column, one.value): (one.change.estimate, one.accuracy.estimate) for one in draws.slices()}
    assert draws.slices_hold(parts)[-1]
    parts["part", "0"] = (draws.slices()[0].change.high + 1e-4, parts["part", "0"][1])
    assert not draws.slices_hold(parts)[-1]


def test_an_answer_that_nobody_gave_before_gets_a_column_that_bets_from_then_on():
    known = Baseline.of(old=["a"] * 50 + ["b"] * 50)
    census, kind = Census.take(known)
    draws = ShiftDraws(census)
    for place, item in enumerate([0, 50, 1, 51]):
        chance = 1 / (100 - place)
        draws.take(int(kind[item]), 2 if item == 1 else int(kind[item]), probability=chance, floor=chance)
    assert draws.counts.shape[1] == 3
    assert [group._told._begin.tolist() for group in draws._rows] == [[0, 0, 2], [0, 0, 1]]
    estimate, low, high = draws.cells()
    assert low[0, 2] == pytest.approx(0.01)
    assert high[0, 2] == pytest.approx(0.49)
    assert low[1, 2] == 0
    assert estimate.shape == (2, 3)


def test_unequal_draws_without_their_shares_are_known_only():
    census, kind, new, _ = simulated()
    blind = ShiftDraws(census)
    floor = 0.5 / census.size
    blind.take(int(kind[0]), int(new[0]), probability=1.2 / census.size, floor=floor)
    assert not any(group._told.drawn.any() for group in blind._rows)
    assert blind._pool._told.drawn.tolist() == [True]


def test_a_chance_equal_to_the_average_is_not_taken_for_a_uniform_draw():
    census, kind, new, _ = simulated()
    draws = ShiftDraws(census)
    draws.take(int(kind[0]), int(new[0]), probability=1 / census.size, floor=0.5 / census.size)
    assert not any(group._told.drawn.any() for group in draws._rows)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"kind": 99, "answer": 0}, "kind=99 has no item left"),
        ({"kind": 0, "answer": -1}, "answer=-1"),
        ({"kind": 0, "answer": 0, "probability": 0.1}, "floor=None"),
        ({"kind": 0, "answer": 0, "probability": 0.1, "floor": 0.2}, "floor=0.2"),
        ({"kind": 0, "answer": 0, "probability": 0.5, "floor": 0.001, "share": 0.2}, "share=0.2"),
        ({"kind": 0, "answer": 0, "slices": {"part": "nowhere"}}, "slices=.part:nowhere. was not counted"),
    ],
)
def test_bad_input_is_one_clear_line(told, message):
    census, _, _, _ = simulated()
    with pytest.raises(InvalidInput, match=message) as error:
        ShiftDraws(census).take(told.pop("kind"), told.pop("answer"), **told)
    assert "\n" not in str(error.value)


def test_accuracy_needs_true_labels():
    census, kind, new, part = simulated(truth=False)
    draws = draw_some(census, kind, new, part, 20)
    with pytest.raises(InvalidInput, match="true labels"):
        draws.accuracy_difference()
    assert all(one.accuracy is None for one in draws.slices())
    assert draws.change().n == 20


def test_repeats_measure_noise_and_what_is_beyond_it():
    rng = np.random.default_rng(2)
    old, first, second = rng.integers(3, size=(3, 200))
    repeats = Repeats()
    for place in range(200):
        repeats.take(outcome(old[place], first[place], second[place]))
    changed = first != old
    excess = np.mean(changed & (second == first)) - np.mean(changed & (second == old))
    assert repeats.excess().estimate == pytest.approx(excess)
    assert repeats.excess().low < 0 < repeats.excess().high
    assert repeats.noise().estimate == pytest.approx(np.mean(changed) - excess)
    assert repeats.noise().low < 2 / 3 < repeats.noise().high


def test_repeats_that_are_missing_count_both_ways():
    repeats = Repeats()
    assert (repeats.excess().low, repeats.excess().high) == (-1, 1)
    for _ in range(30):
        repeats.take(None)
    assert (repeats.excess().low, repeats.excess().high) == (-1, 1)
    assert (repeats.noise().low, repeats.noise().high) == (0, 1)


def test_an_item_lost_before_an_answer_came_up_may_have_had_it():
    census, kind = Census.take(Baseline.of(old=["a", "b"] * 50, truth=["a", "b"] * 50))
    for lost_first in (True, False):
        draws = ShiftDraws(census)
        told = [(place, None) for place in range(20)] + [(20, 2)]
        for item, answer in told if lost_first else told[::-1]:
            draws.take(int(kind[item]), answer)
        _, low, high = draws.cells()
        assert low[0, 2] == pytest.approx(0.01)
        assert high[0, 2] >= 0.01 + 10 / 100
