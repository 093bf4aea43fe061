"""Means over a pool: fair games by enumeration for every kind of bet, one step at a time as all at once."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from ringtrue.stats import generator
from ringtrue.stats._bets import EITHER, RARE, Wealth
from ringtrue.stats._guesses import Guess
from ringtrue.stats._pool_means import LearntMeans, PoolMeans, Predicted
from ringtrue.stats._spread_bets import SPREAD, OneLook

BETS = {"rare": RARE, "either": EITHER, "spread": SPREAD, "one look": OneLook(4)}
SCORES = np.array([5.0, 1.0, 2.0, 1.0, 3.0])
PREDICTIONS = np.array([0.1, 0.3, 0.6, 0.0, 0.8])


def told(values, order, *, uneven=0.5, pick=None, unknown=(), predictions=PREDICTIONS, scores=SCORES):
    """Two means of a pool, of the values and of one minus them, by two ways: with predictions and with none."""
    size = len(values)
    found = PoolMeans(size, [0.0, 0.0], [size, size], ways=2)
    for step, item in enumerate(order):
        gone = set(order[:step])
        left = [one for one in range(size) if one not in gone]
        chance = (1 - uneven) / len(left) + uneven * scores[left] / scores[left].sum()
        both = np.array([values[item], 1 - values[item]])
        low, high = (np.zeros(2), np.ones(2)) if item in unknown else (both, both)
        if step == pick:
            found.take(low, high)
            continue
        guess = np.stack([predictions, 1 - predictions])[:, left]
        plain = np.zeros(guess.shape)
        ways = np.stack([guess, plain])  # (ways, means, items left)
        predicted = Predicted(
            ways[:, :, left.index(item)],
            ways.sum(axis=2),
            (-ways / chance).min(axis=2),
            ((1 - ways) / chance).max(axis=2),
        )
        found.take(low, high, probability=float(chance[left.index(item)]), predicted=predicted)
    return found


def chance_of(order, *, uneven=0.5, pick=None, values=None):
    """The probability of an order; the item at `pick` is chosen by looking at the value before it."""
    found, left = 1.0, list(range(len(SCORES)))
    for step, item in enumerate(order):
        if step == pick:
            found *= item == max(left, key=lambda one: SCORES[one] * (1 if values[order[step - 1]] else -1))
        else:
            chance = (1 - uneven) / len(left) + uneven * SCORES[left] / SCORES[left].sum()
            found *= float(chance[left.index(item)])
        left.remove(item)
    return found


@cache
def every_order(values, *, pick=None, unknown=()):
    """Every order in which four of five items can come, as its chance and what it tells."""
    orders = [(chance_of(order, pick=pick, values=values), order) for order in itertools.permutations(range(5), 4)]
    return [(chance, told(values, order, pick=pick, unknown=unknown)) for chance, order in orders if chance]


@pytest.mark.parametrize("bets", BETS.values(), ids=BETS)
@pytest.mark.parametrize("values", [(0, 0, 0, 0, 1), (1, 0, 1, 0, 1), (1, 1, 1, 1, 0), (0.2, 0.9, 0.5, 0.5, 0.0)])
@pytest.mark.parametrize("pick", [None, 1])
def test_no_bet_against_the_truth_is_expected_to_win(bets, values, pick):
    """All orders of a pool of five with unequal chances: the wealth against the true means is 1 on average."""
    truth = np.array([np.mean(values), 1 - np.mean(values)])
    wealth = np.zeros((2, 4, 2))
    for chance, one in every_order(values, pick=pick):
        means = one.means(bets)
        wealth += chance * np.exp([means.path(truth, sign) for sign in (1, -1)])
    assert np.all(wealth <= 1 + 1e-9)
    # Fixed shares are lost where the truth is the end of a guess, and nothing can be gained.
    fair = bets not in (RARE, EITHER) or 0 < min(values) < max(values) < 1
    assert np.all(wealth > 0.05) if not fair else wealth == pytest.approx(np.ones(wealth.shape))


@pytest.mark.parametrize("bets", BETS.values(), ids=BETS)
def test_what_cannot_be_told_never_helps_a_bet_against_the_truth(bets):
    """Whatever the values of two items are that the oracle cannot tell: the wealth is at most 1 on average."""
    for first, second in itertools.product((0, 1), repeat=2):
        values = (first, 1, 0, second, 1)
        truth = np.array([np.mean(values), 1 - np.mean(values)])
        wealth = np.zeros((2, 4, 2))
        for chance, one in every_order(values, unknown=(0, 3)):
            means = one.means(bets)
            wealth += chance * np.exp([means.path(truth, sign) for sign in (1, -1)])
        assert np.all(wealth <= 1 + 1e-9)


def sampled(seed, answers=60, size=200, **options):
    """Answers drawn with the chances that they are told with."""
    rng = generator(seed, "pool means")
    values, scores = (rng.random(size) < 0.3).astype(float), rng.random(size) + 0.1
    predictions = np.clip(0.3 + 0.3 * (values - 0.3) + 0.1 * rng.normal(size=size), 0.0, 1.0)
    left, order = list(range(size)), []
    for _ in range(answers):
        chance = 0.5 / len(left) + 0.5 * scores[left] / scores[left].sum()
        order.append(left.pop(int(rng.choice(len(left), p=chance))))
    return told(values, order, predictions=predictions, scores=scores, **options)


@pytest.mark.parametrize("bets", [RARE, EITHER, SPREAD], ids=["rare", "either", "spread"])
def test_answer_by_answer_is_the_same_as_all_at_once(bets):
    """Evidence kept up to date equals the path, and the path ends where the bounds look."""
    found = sampled(1, answers=90, pick=7, unknown=range(0, 200, 9))
    at = np.array([0.2, 0.65])
    means, wealth = found.means(bets), Wealth(at, bets=bets)
    above, below = means.path(at, 1), means.path(at, -1)
    for place in range(found.answers):
        wealth.take(Guess(found._rows[place], bool(found._drawn[place])))
        assert wealth.log_above == pytest.approx(above[place])
        assert wealth.log_below == pytest.approx(below[place])
    assert means.log_above(at) == pytest.approx(above[-1])
    assert means.log_below(at) == pytest.approx(below[-1])


@pytest.mark.parametrize("bets", [RARE, EITHER, SPREAD], ids=["rare", "either", "spread"])
def test_bounds_are_where_the_evidence_suffices(bets):
    means = sampled(2, answers=150, size=900).means(bets)
    low, high = means.bounds(0.025, 0.025)
    assert np.all(means.log_above(low - 1e-6) >= np.log(40))
    assert np.all(means.log_above(low + 1e-6) < np.log(40))
    assert np.all(means.log_below(high + 1e-6) >= np.log(40))
    assert np.all(means.log_below(high - 1e-6) < np.log(40))
    assert np.all((means.least < low) & (low < high) & (high < means.most))
    open_low, open_high = means.bounds(0.0, 0.0)
    assert np.array_equal([open_low, open_high], [means.least, means.most])


def test_one_bet_is_sized_for_its_number_of_answers():
    """300 answers without a failure, fixed beforehand, show less than what a longer or a shorter plan would."""
    found = PoolMeans(10_000, 0.0, 10_000.0)
    for left in range(10_000, 9_700, -1):
        found.take(0.0, 0.0, probability=1 / left, predicted=Predicted(0.0, 0.0, 0.0, left))
    planned, longer = (float(found.means(OneLook(number)).bounds(0.0, 0.05)[1][0]) for number in (300, 30_000))
    assert planned == pytest.approx(0.0107, abs=2e-4)
    assert planned < longer


def test_bounds_of_the_first_answers_are_those_a_look_would_have_given():
    whole, part = sampled(3, answers=80, unknown=(4, 5)), sampled(3, answers=33, unknown=(4, 5))
    for mine, theirs in zip(whole.means(RARE, end=33).bounds(0.1, 0.1), part.means(RARE).bounds(0.1, 0.1), strict=True):
        assert np.array_equal(mine, theirs)


def test_rows_before_the_first_bet_and_picks_bet_nothing():
    found = sampled(4, pick=20)
    path = found.means(EITHER).path([0.3, 0.7], 1)
    assert np.array_equal(path[20], path[19])
    later = found.means(EITHER, begin=10)
    assert len(later.path([0.3, 0.7], 1)) == found.answers - 10
    whole = found.means(EITHER)
    drawn = found.drawn[:, None] & (np.arange(found.answers)[:, None] >= 10)
    some = tuple(replace(way, drawn=drawn) for way in whole.low)
    assert replace(whole, low=some).path([0.3, 0.7], 1)[-1] == pytest.approx(later.path([0.3, 0.7], 1)[-1])


@pytest.mark.parametrize("bets", BETS.values(), ids=BETS)
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_an_end_that_nothing_seen_has_left_is_the_bound(bets, value):
    """However strange the predictions: no failure seen, no lower bound; nothing right seen, no upper one."""
    rng = generator(5, "pool means")
    found = PoolMeans(100, 0.0, 100.0)
    for left in range(100, 60, -1):
        guess = float(rng.random())
        predicted = Predicted(guess, guess * left, -0.99 * left, 0.99 * left)
        found.take(value, value, probability=1 / left, predicted=predicted)
    (low,), (high,) = found.means(bets).bounds(0.3, 0.3)
    means = found.means(bets)
    if value == 0:
        assert low == 0.0
        assert means.log_above(0.01) <= 0
    else:
        assert high == 1.0
        assert means.log_below(0.99) <= 0


def test_a_pool_known_in_full_is_a_point():
    values = np.array([0.2, 0.9, 0.5, 0.5, 0.0])
    low, high = told(values, [3, 1, 0, 4, 2], pick=1).means(RARE).bounds(0.05, 0.05)
    assert low == pytest.approx([0.42, 0.58])
    assert high == pytest.approx([0.42, 0.58])


def test_a_value_that_comes_up_later_is_possible_as_far_as_the_answers_leave_it():
    found = sampled(6, answers=40)
    found.widen(3, (0.0, 2.0), (0.0, 1.0))
    least, most = found.possible()
    assert (least[2], most[2]) == pytest.approx((0.0, 162 / 200))
    found.take([0, 1, 1], [0, 1, 1])
    assert [end[2] for end in found.possible()] == pytest.approx([1 / 200, 162 / 200])
    assert found.means(EITHER).low[0].base.shape == (41, 3)


def test_learnt_predictions_are_used_up_by_the_items_they_were_of():
    """Three kinds of items: the sum of what is predicted of those left falls by what was predicted of each."""
    kinds, items = np.array([[0.1], [0.5], [0.9]]), np.array([5.0, 3.0, 2.0])
    found = LearntMeans(10, 0.0, 10.0)
    found.learn((items @ kinds)[None], (-kinds).min(axis=0)[None], (1 - kinds).max(axis=0)[None])
    for place, kind in enumerate((0, 2, 1)):
        left = 10 - place
        found.take_learnt(kinds[kind][None], 1.0, 1.0, probability=1 / left, floor=1 / left)
        items[kind] -= 1
        assert found.rest == pytest.approx((items @ kinds)[None])
    guesses = found.means(RARE).low[0]
    assert guesses.base[:, 0] == pytest.approx(np.array([3.8, 1 + 3.7, 2 + 2.8]) / 10)
    assert guesses.step[:, 0] == pytest.approx(np.array([0.9 * 10, 0.1 * 9, 0.5 * 8]) / 10)
    assert guesses.highest[:, 0] == pytest.approx(np.array([0.9 * 10, 0.9 * 9, 0.9 * 8]) / 10)
    assert found.guessed()[:, 0] == pytest.approx((guesses.base + guesses.step)[:, 0])


def test_many_answers_and_rows_of_any_number_give_the_same_wealth():
    """The product of a block of factors must neither overflow nor lose what single logarithms have."""
    for answers in (1, 15, 16, 17, 130):
        means = sampled(7, answers=answers).means(RARE)
        for sign in (1, -1):
            (game,) = (RARE.on(way, sign, 0.05) for way in means.low[:1])
            total, path = game.total(np.array([0.01, 0.99])), game.path(np.array([0.01, 0.99]))
            assert total == pytest.approx(path[:, -1])


@pytest.mark.parametrize("bets", [RARE, EITHER, SPREAD], ids=["rare", "either", "spread"])
def test_a_quick_no_is_never_said_where_the_evidence_suffices(bets):
    """Random values up to the last item; limits near the rate and far from it, and the rate itself."""
    said = []
    for seed in range(6):
        rng = generator(seed, "quick no")
        values = (rng.random(30) < rng.choice([0.05, 0.4])).astype(float)
        order = rng.permutation(30).tolist()
        rate = values.mean()
        wealth = Wealth(limits := [rate, 1 - rate], bets=bets), Wealth([0.1, 0.6], bets=bets)
        for n in range(1, 31):
            found = told(values, order[:n], predictions=np.full(30, 0.1), scores=np.arange(1.0, 31.0))
            for one, at in zip(wealth, (limits, [0.1, 0.6]), strict=True):
                one.take(found.last())
                least, most = found.possible()
                for enough in (0.5, 3.0):
                    best = max(one.log_above.max(), one.log_below.max())
                    settled = np.any(least > np.array(at) - 1e-12) or np.any(most <= np.array(at) + 1e-12)
                    said.append(one.may_reach(enough))
                    assert said[-1] or (best < enough and not settled)
    assert 0.1 < np.mean(said) < 0.9


def test_before_the_first_answer_nothing_is_known():
    none = PoolMeans(10, [0.0, 1.0], [10.0, 9.0])
    for bets in BETS.values():
        low, high = none.means(bets).bounds(0.05, 0.05)
        assert low.tolist() == [0.0, 0.1]
        assert high.tolist() == [1.0, 0.9]
        assert none.means(bets).log_above([0.5, 0.5]).tolist() == [0, 0]
    assert Wealth([0.1, 0.5]).log_below.tolist() == [0, 0]
