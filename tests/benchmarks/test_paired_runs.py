"""The default as a study runs it: chances as stated, no item twice, and how few calls it needs."""

import numpy as np
import pytest
from scipy.stats import chi2

from ringtrue.changed.paired import EVEN, draw_weights, paired_shift
from ringtrue.stats import even_and_weighted, generator
from simulated_shifts import METHODS, mean_errors
from simulated_shifts.paired_runs import _Urn, paired_counts
from support.paired_cases import counts_of, made_up, real


def test_kinds_are_drawn_with_the_stated_chances():
    """The second item of 4,000 urns: half evenly, half by weight; at the 99.9 % point of chi-squared."""
    known = made_up(2, size=60, changed=0.5, sure=False)
    census = known.census
    weights = np.arange(1.0, census.kinds + 1) ** 2
    chance = even_and_weighted(census.items.astype(float), weights, even=EVEN) * census.items
    rng = np.random.default_rng(0)
    drawn = np.array([_Urn(known, rng).draw(2, weights) for _ in range(4_000)])
    assert (drawn[:, 0] != drawn[:, 1]).all()
    first = np.bincount(known.kind[drawn[:, 0]], minlength=census.kinds)
    assert ((first - 4_000 * chance) ** 2 / (4_000 * chance)).sum() < chi2.ppf(0.999, census.kinds - 1)
    after = np.zeros(census.kinds)
    for kind in range(census.kinds):
        left = census.items - np.eye(census.kinds)[kind]
        after += first[kind] * even_and_weighted(left, weights, even=EVEN) * left
    second = np.bincount(known.kind[drawn[:, 1]], minlength=census.kinds)
    assert ((second - after) ** 2 / after).sum() < chi2.ppf(0.999, census.kinds - 1)


@pytest.mark.parametrize("batches", [None, 2, 7])
def test_answers_are_counted_once_each_until_the_pool_is_known(batches):
    known = made_up(7, size=500, changed=0.3)
    totals, before = [], np.zeros(())
    for counts in paired_counts(known, [10, 200, 500, 900], np.random.default_rng(0), batches=batches):
        assert (counts >= before).all()
        before = counts.copy()
        totals.append(int(counts.sum()))
    assert totals == [10, 200, 500, 500]
    assert np.array_equal(before, counts_of(known, np.arange(500)))


def test_draws_are_more_telling_than_half_even_and_half_neyman_with_the_truth_known():
    """Because they make up for what the even half leaves wanting. Variance of stratified means after 1,000 calls,
    mean of 20 runs, known to 1 %; even draws have more than twice it."""
    known, calls = real("YELP", "Amazon", "Google", 0.03), 1_000
    items = known.census.items / known.size
    truth = counts_of(known, np.arange(known.size)) / known.census.items[:, None]
    spread = np.sqrt(1 - (truth**2).sum(axis=1))

    def variance(shares):
        return ((items * spread) ** 2 / shares).sum()

    runs = [next(paired_counts(known, [calls], generator(1, "neyman", run))).sum(axis=1) for run in range(20)]
    found = np.mean([variance(counts / calls) for counts in runs])
    assert found < variance(EVEN * items + (1 - EVEN) * items * spread / (items @ spread))
    assert found < variance(items) / 2


@pytest.mark.parametrize(
    ("dataset", "old", "new", "share", "calls"),
    [
        ("YELP", "Amazon", "Google", 0.01, 100),
        ("YELP", "Amazon", "Google", 0.03, 240),
        pytest.param("SHOP", "Google", "Amazon", 0.03, 320, marks=pytest.mark.slow),
        pytest.param("COMMAND", "Google", "IBM", 0.05, 280, marks=pytest.mark.slow),
    ],
)
def test_a_silent_update_is_known_after_few_calls(dataset, old, new, share, calls):
    """To 1 %, as mean of 50 runs, which is known to 7 % with two labels."""
    assert mean_errors(real(dataset, old, new, share), "paired", [calls], runs=50)[0] < 0.0107


@pytest.mark.parametrize(
    ("old", "new", "calls"), [("Google", "Baidu", 300), pytest.param("Amazon", "Baidu", 300, marks=pytest.mark.slow)]
)
def test_where_old_and_new_are_unrelated_labels_alone_are_not_much_better(old, new, calls):
    """80 runs, known to 6 %: proportional strata by label are the best that is known there."""
    known = real("YELP", old, new)
    found = mean_errors(known, "paired", [calls], runs=80)[0]
    assert found < 1.1 * mean_errors(known, "by-label", [calls], runs=1_000)[0]


@pytest.mark.parametrize(
    "case",
    [
        ("YELP", "Amazon", "Google", 0.03),
        pytest.param(("FERPLUS", "Google", "Microsoft", None), marks=pytest.mark.slow),
    ],
)
def test_two_batches_are_nearly_as_good_as_one_answer_at_a_time(case):
    """Less than 8 % more error, and two standard errors of the comparison."""
    known, runs = real(*case), 30
    off = {batches: [] for batches in (None, 2)}
    for batches, found in off.items():
        for run in range(runs):
            counts = list(paired_counts(known, [1_000], generator(2, "batches", run), batches=batches))[-1]
            found.append(float(known.error(paired_shift(known.census, counts))))
    one, two = (np.array(found) for found in off.values())
    doubt = np.hypot(one.std(), two.std()) / np.sqrt(runs)
    assert two.mean() < 1.08 * one.mean() + 2 * doubt


def test_runs_are_the_same_again():
    known = made_up(3)
    for method in ("paired", "oneshot", "two-phase"):
        runs = [METHODS[method](known, [100, 300], generator(3, "again")) for _ in range(2)]
        assert np.array_equal(*runs)
        assert runs[0].shape == (2, *known.shift.shape)
    assert draw_weights(known.census, counts_of(known, np.arange(50))).shape == (known.census.kinds,)
