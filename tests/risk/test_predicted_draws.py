"""Draws that were predicted: the evidence is enumerated exactly, and no draw can surprise more than was said."""

import numpy as np
import pytest

from ringtrue.core import Prediction
from ringtrue.risk._draw_row import DrawRow
from ringtrue.risk._evidence import Witness
from ringtrue.testing._replayed import follow
from support.beginnings import expected_wealth

DOUBT = np.array([0.7, 0.2, 0.6, 0.1, 0.3])
WEIGHT = np.array([2.0, 0.5, 1.0, 1.0, 0.5])


def guesses(told_so_far):
    """What is predicted may depend on all answers before, however foolishly."""
    shift = 0.25 * sum(row.failed for row in told_so_far)
    return np.clip(DOUBT + shift * np.array([1, -1, 1, -1, 1]), 0, 1)


def beginnings(fails, weight, steps, even_for, rows=(), chance_so_far=1.0, left=(0, 1, 2, 3, 4)):
    """Every beginning of an order in which the items can come, after the one it goes on from; see `expected_wealth`."""
    items = list(left)
    guess = guesses(rows)
    even = np.full(len(items), 1 / len(items))
    predicted = len(rows) >= even_for
    chance = 0.5 * even + 0.5 * DOUBT[items] / DOUBT[items].sum() if predicted else even
    for place, item in enumerate(items):
        prediction = None
        if predicted:
            prediction = Prediction(
                guess[item],
                float(weight[items] @ guess[items]),
                float(np.min(-weight[items] * guess[items] / chance)),
                float(np.max(weight[items] * (1 - guess[items]) / chance)),
            )
        row = DrawRow(bool(fails[item]), float(chance[place]), float(chance.min()), weight[item], prediction)
        now, rest = chance_so_far * float(chance[place]), [other for other in items if other != item]
        yield len(rows) + 1, now, row
        if len(rows) + 1 < steps:
            yield from beginnings(fails, weight, steps, even_for, (*rows, row), now, rest)


@pytest.mark.parametrize("fails", [(0, 0, 1, 1, 0), (1, 1, 1, 0, 1), (0, 0, 0, 0, 1), (1, 0, 0, 0, 0)])
@pytest.mark.parametrize("even_for", [0, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_expected_evidence_for_what_is_false_is_at_most_one(fails, even_for, weighted):
    """Exact, over all histories of a pool of five and at every step of them, for every limit that matters."""
    weight = WEIGHT if weighted else np.ones(5)
    truth = float(weight @ np.array(fails)) / 5
    every = list(beginnings(fails, weight, 4, even_for))
    for limit in (0.05, 0.15, 0.25, 0.35, 0.5, 0.65, 0.85):
        witness = Witness(5, (limit, limit), 0.95, weights=(2.0, 0.0) if weighted else None)
        expected = expected_wealth(witness, every, steps=4, speaks_below=truth > limit)
        assert np.all(expected <= 1 + 1e-9), (limit, expected)


def test_a_limit_out_of_reach_is_never_undercut():
    """Where a tenth of operation is out of reach, a claim below a tenth cannot be shown by any labels."""
    witness = Witness(100, (-0.05, 0.05), 0.95, weights=(1.0, 0.1))
    for place in range(90):
        chance = 1 / (100 - place)
        witness.add(DrawRow(False, chance, chance, 0.9))
    below, above = witness.evidence()
    assert below < np.log(20)
    assert above < np.log(20)


@pytest.mark.parametrize("method", ["stratified", "importance", "prediction-powered"])
def test_guesses_are_unbiased_and_never_surprise_more_than_was_said(method):
    """The mean of the guesses over 150 studies is the pool's rate, within four standard errors at every draw."""
    rng = np.random.default_rng(4)
    doubt = rng.beta(0.3, 3, 400)
    errors = rng.random(400) < doubt
    sums = []
    for seed in range(150):
        rows = follow(errors, doubt, method=method, seed=seed, answers=16).rows
        known, found = 0.0, []
        for row in rows:
            guess, rest, least, most = row.prediction or (0.0, 0.0, 0.0, 1 / row.floor)
            surprise = (row.failed - guess) / row.probability
            assert least - 1e-9 <= surprise <= most + 1e-9
            found.append((known + rest + surprise) / 400)
            known += row.failed
        sums.append(found)
    mean, error = np.mean(sums, axis=0), np.std(sums, axis=0) / np.sqrt(150)
    assert np.all(np.abs(mean - errors.mean()) < 4 * error)


@pytest.mark.parametrize("shape", [(0.05, 20), (0.3, 6), (1.5, 12)])
@pytest.mark.parametrize(("claim", "answers"), [("error <= 5%", 70), ("error <= 1%", 340), (None, 100)])
@pytest.mark.parametrize("method", ["stratified", "prediction-powered"])
def test_doubt_costs_nothing_while_nothing_fails(method, shape, claim, answers):
    """However much doubt there is: draws stay even, and the bound is that of simple random draws."""
    doubt = np.random.default_rng(1).beta(*shape, 5000)
    none = np.zeros(5000, dtype=bool)
    ends = [20, 40, answers]
    careful, simple = (
        follow(none, doubt, method=method, seed=3, answers=answers, claim=claim) for method in (method, "simple-random")
    )
    mine, theirs = (one.bounds(ends, level=0.95, side="upper").high for one in (careful, simple))
    assert np.array_equal(mine, theirs)
    assert claim is None or careful.evidence()[0] >= np.log(20)


def test_doubt_is_gone_by_from_the_first_failure_on():
    rng = np.random.default_rng(2)
    doubt = rng.beta(0.3, 6, 2000)
    errors = rng.random(2000) < doubt
    rows = follow(errors, doubt, method="stratified", seed=1, answers=200, claim="error <= 8%").rows
    first = [row.failed for row in rows].index(True)
    even = [row.is_even(2000 - place) for place, row in enumerate(rows)]
    assert all(even[: first + 1])
    assert not even[first + 1]
    assert np.mean(even) < 0.5


def excess(errors, doubt, method, seeds, answers=600):
    """By how much the upper bound exceeds the rate after so many answers, in each study."""
    studies = (follow(errors, doubt, method=method, seed=seed, answers=answers) for seed in seeds)
    return np.array([one.bounds([answers], level=0.95, side="upper").high[0] for one in studies]) - errors.mean()


@pytest.mark.slow
def test_informative_doubt_tightens_the_bound_and_misleading_doubt_costs_little():
    """Measured in 40 studies: 0.72 and 1.13 times the excess of simple random draws, standard errors 0.03 and 0.07."""
    rng = np.random.default_rng(7)
    doubt = rng.beta(0.25, 8, 6000)
    errors = rng.random(6000) < doubt
    simple = excess(errors, doubt, "simple-random", range(40)).mean()
    good = excess(errors, doubt, "stratified", range(16))
    wrong = excess(errors, rng.permutation(doubt), "stratified", range(16))
    assert good.mean() < 0.85 * simple
    assert wrong.mean() < 1.25 * simple
