"""Bets in units of the spread seen so far: fair games by enumeration, one step at a time as all at once."""

import itertools

import numpy as np
import pytest

from ringtrue.stats import Bets, ScaledBets, ScaledEvidence, generator


def guesses(values, order, predictions):
    """Unbiased guesses of a pool's mean from even draws without replacement, with a prediction for each item."""
    size, start, gain, top = len(values), [], [], []
    for step, row in enumerate(order):
        left = [item for item in range(size) if item not in order[:step]]
        base = (sum(values[item] for item in order[:step]) + predictions[left].sum()) / size
        least, most = min(-predictions[left]), max(1 - predictions[left])
        weight = len(left) / size
        start.append(base + least * weight)
        gain.append((values[row] - predictions[row] - least) * weight)
        top.append(base + most * weight)
    return Bets(np.array(start), np.array(gain), np.array(top), np.ones(len(order), dtype=bool))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("values", [(0, 0, 0, 0, 1), (1, 0, 1, 0, 1), (1, 1, 1, 1, 0), (0.2, 0.9, 0.5, 0.5, 0.0)])
def test_no_bet_against_the_truth_is_expected_to_win(values, sign):
    """All orders of a pool of five: the wealth against the true mean is 1 on average after every draw."""
    values, predictions = np.array(values), np.array([0.1, 0.3, 0.6, 0.0, 0.8])
    wealth = np.zeros(4)
    orders = list(itertools.permutations(range(5), 4))
    for order in orders:
        wealth += np.exp(ScaledBets(guesses(values, list(order), predictions)).path(float(values.mean()), sign))
    assert wealth / len(orders) == pytest.approx(np.ones(4))


def random_bets(seed, draws=60):
    rng = generator(seed, "scaled")
    return guesses((rng.random(200) < 0.3).astype(float), rng.permutation(200)[:draws].tolist(), rng.random(200))


@pytest.mark.parametrize("sign", [1, -1])
def test_draw_by_draw_is_the_same_as_all_at_once(sign):
    bets = [random_bets(seed) for seed in range(3)]
    means = np.array([0.2, 0.3, 0.45])
    evidence = ScaledEvidence(3, sign)
    for draw in range(60):
        start, gain, top = (np.array([getattr(one, part)[draw] for one in bets]) for part in ("start", "gain", "top"))
        evidence.add(start - means, gain, top - means)
        once = [ScaledBets(one.first(draw + 1)).log_wealth(mean, sign) for one, mean in zip(bets, means, strict=True)]
        assert evidence.log_wealth == pytest.approx(np.array(once))


def test_rows_without_chance_bet_nothing():
    bets = random_bets(5)
    drawn = bets.drawn.copy()
    drawn[10:20] = False
    some = Bets(bets.start, bets.gain, bets.top, drawn)
    path = ScaledBets(some).path(0.3, 1)
    assert np.ptp(path[9:20]) == 0
    kept = Bets(bets.start[drawn], bets.gain[drawn], bets.top[drawn], drawn[drawn])
    assert ScaledBets(kept).log_wealth(0.3, 1) == pytest.approx(path[-1])


def test_bounds_are_where_the_evidence_suffices():
    bets = random_bets(6, draws=150)
    low, high = ScaledBets(bets).bounds(0.0, 1.0, 0.025, 0.025)
    assert ScaledBets(bets).log_wealth(low - 1e-6, 1) >= np.log(40) > ScaledBets(bets).log_wealth(low + 1e-6, 1)
    assert ScaledBets(bets).log_wealth(high + 1e-6, -1) >= np.log(40) > ScaledBets(bets).log_wealth(high - 1e-6, -1)
    assert ScaledBets(bets).bounds(0.1, 0.9, 0.0, 0.0) == (0.1, 0.9)


def test_before_the_first_draw_nothing_is_known():
    none = Bets(*(np.zeros(0) for _ in range(3)), np.zeros(0, dtype=bool))
    assert ScaledBets(none).bounds(0.0, 1.0, 0.05, 0.05) == (0.0, 1.0)
    assert ScaledBets(none).log_wealth(0.5, 1) == 0
