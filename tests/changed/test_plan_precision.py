"""The closed forms behind a plan: assumed answers, mean errors, and when a change shows."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from ringtrue.changed._baseline import Baseline
from ringtrue.changed._census import Census
from ringtrue.changed.paired._bound import shared_out
from ringtrue.changed.planning import assumed_answers
from ringtrue.changed.planning._detection import calls_to_decide, calls_to_see, calls_to_see_drop
from ringtrue.changed.planning._precision import (
    _expected_rest,
    _rest,
    chi_mean,
    masa_error,
    mean_norm,
    oneshot_error,
    paired_error,
    uniform_error,
)

WITHOUT_REPLACEMENT = [uniform_error, oneshot_error, paired_error]


def pool(size=1000, labels=3, accuracy=0.8, seed=0, confidence=True, labelled=True):
    rng = np.random.default_rng(seed)
    truth = rng.integers(labels, size=size)
    old = np.where(rng.random(size) < accuracy, truth, rng.integers(labels, size=size))
    sure = rng.random(size) if confidence else None
    known = Baseline.of(old=old.tolist(), truth=truth.tolist() if labelled else None, confidence=sure)
    return Census.take(known)[0]


def made_of(*cells):
    """A census of (truth, old, items)."""
    truth, old, items = (np.array(column) for column in zip(*cells, strict=True))
    names = tuple("abcdef"[: max(truth.max(), old.max()) + 1])
    return Census(names, int(truth.max()) + 1, True, truth, old, np.zeros(len(truth), dtype=int), items)


def share_changed(census, means):
    stays = means[np.arange(census.kinds), census.old]
    return float(census.items @ (1 - stays)) / census.size


@given(
    st.integers(1, 5), st.floats(0, 1), st.floats(0, 1), st.integers(0, 3), st.booleans(), st.booleans(),
    st.sampled_from([1, 2, 30, 300]),
)  # fmt: skip
def test_assumed_answers_are_shares_and_change_as_many_as_said(labels, accuracy, share, seed, sure, labelled, size):
    census = pool(size, labels, accuracy, seed, sure, labelled)
    means = assumed_answers(census, share)
    assert means.min() >= -1e-12
    assert means.sum(axis=1) == pytest.approx(np.ones(census.kinds))
    assert share_changed(census, means) == pytest.approx(share, abs=1e-9)


def test_wrong_answers_change_most_and_those_of_unsure_right_ones_before_sure_ones():
    census = pool(5000, 2, 0.8)
    means = assumed_answers(census, 0.05)
    changed = 1 - means[np.arange(census.kinds), census.old]
    assert changed[~census.right].min() > changed[census.right].max()
    for label in range(2):
        here = census.right & (census.truth == label)
        levels = changed[here][np.argsort(census.level[here])]
        assert levels[0] == pytest.approx(2 * levels[1]) == pytest.approx(4 * levels[2])


def test_redrawn_answers_leave_the_confusion_matrix_as_it_was():
    census = made_of((0, 0, 800), (0, 1, 200), (1, 1, 700), (1, 0, 300))
    means = assumed_answers(census, 0.1)
    assert census.matrix(means) == pytest.approx(census.old_matrix(), abs=2e-4)  # but for what labels borrow


def test_a_model_that_said_one_thing_only_says_something_new():
    census = made_of((0, 0, 50))
    assert assumed_answers(census, 0.2).tolist() == [[pytest.approx(0.8), pytest.approx(0.2)]]


def test_without_labels_new_answers_are_those_given_in_general():
    census = pool(900, 3, labelled=False)
    means = assumed_answers(census, 0.1)
    said = census.old_matrix().sum(axis=0)
    others = np.delete(said, census.old[0])
    leaving = np.delete(means[0], census.old[0])
    assert leaving / leaving.sum() == pytest.approx(others / others.sum())


@given(st.lists(st.tuples(st.floats(0.01, 10), st.floats(0.01, 10)), min_size=1, max_size=8), st.floats(0, 1.5))
def test_parts_make_up_the_total_and_stay_proportional_below_their_most(entries, part):
    weights, most = np.array(entries).T
    total = part * most.sum()
    parts = shared_out(weights, most, total, rounds=len(most))
    assert parts.sum() == pytest.approx(min(total, most.sum()))
    assert (parts <= most * (1 + 1e-12)).all()
    free = parts < most * (1 - 1e-9)
    if free.any():
        level = (parts / weights)[free]
        assert level == pytest.approx(np.full(len(level), level[0]))
        assert ((parts / weights)[~free] <= level[0] * (1 + 1e-9)).all()


def test_a_uniform_sample_has_the_textbook_error():
    """Two cells of one label: the error is (e, -e), normal with one degree of freedom."""
    census = made_of((0, 0, 600), (0, 1, 400))
    means = np.eye(2)
    variance = 0.6 * 0.4 / 100 * (1000 - 100) / 999
    assert uniform_error(census, means, 100) == pytest.approx(math.sqrt(2 * variance) * math.sqrt(2 / math.pi))


@pytest.mark.parametrize("freedom", [1, 2, 5, 40])
def test_the_norm_of_equal_normals_has_the_mean_of_chi(freedom):
    rng = np.random.default_rng(0)
    norms = np.linalg.norm(rng.normal(size=(40_000, freedom)), axis=1)
    assert norms.mean() / math.sqrt(freedom) == pytest.approx(
        chi_mean(freedom), abs=4 * 0.71 / 200 / math.sqrt(freedom)
    )


def test_the_mean_norm_matches_its_covariance_by_simulation():
    """Errors of two rows as normals: 20,000 draws, a standard error of about 0.4%."""
    rng = np.random.default_rng(1)
    answers = rng.dirichlet(np.ones(4), size=5)
    rows, scale = np.array([0, 0, 0, 1, 1]), rng.random(5)
    total = np.zeros((20_000, 2, 4))
    for row, mean, each in zip(rows, answers, scale, strict=True):
        covariance = each * (np.diag(mean) - np.outer(mean, mean))
        total[:, row] += rng.multivariate_normal(np.zeros(4), covariance, size=20_000, method="eigh")
    found = np.linalg.norm(total, axis=(1, 2)).mean()
    assert mean_norm(scale, answers, rows) == pytest.approx(found, rel=0.02)  # Satterthwaite is no identity


@pytest.mark.parametrize(("items", "size", "calls"), [(3, 10, 4), (1, 10, 9), (400, 1000, 100), (5, 60_000, 2000)])
def test_the_expected_rest_is_that_of_the_hypergeometric_numbers(items, size, calls):
    drawn = np.arange(min(items, calls) + 1)
    chance = hypergeom.pmf(drawn, size, items, calls)
    rest = sum(c * float(_rest(int(d), items)) for d, c in zip(drawn, chance, strict=True) if d)
    found, missed = _expected_rest(np.array([items, items]), size, calls)
    assert found == pytest.approx([rest, rest], rel=1e-6)
    assert missed == pytest.approx([chance[0]] * 2, rel=1e-6)


@pytest.mark.parametrize("error", WITHOUT_REPLACEMENT)
def test_an_exhausted_pool_leaves_no_error(error):
    for census in (pool(200), pool(30, 4), made_of((0, 0, 1)), made_of((0, 1, 1), (1, 1, 1))):
        assert error(census, assumed_answers(census, 0.3), census.size) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("error", [oneshot_error, paired_error])
def test_nothing_changed_leaves_no_error_from_the_first_call_on(error):
    for census in (pool(200), pool(3000, 5), made_of((0, 0, 9))):
        assert error(census, assumed_answers(census, 0.0), 1) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("error", [*WITHOUT_REPLACEMENT, masa_error])
def test_more_calls_never_hurt(error):
    """But for one sample of so few calls that most cells are left as they were, which is near if little changed."""
    census = pool(700, 4)
    for share in (0.01, 0.3):
        means = assumed_answers(census, share)
        errors = [error(census, means, calls) for calls in range(60 if error is oneshot_error else 1, 700, 13)]
        assert all(after <= before * (1 + 1e-9) for before, after in itertools.pairwise(errors))


@pytest.mark.parametrize(("size", "share", "chance"), [(50, 0.1, 0.5), (50, 0.02, 0.95), (3000, 0.004, 0.9)])
def test_the_first_change_is_seen_as_the_hypergeometric_says(size, share, chance):
    changed = round(share * size)
    calls = calls_to_see(size, share, chance)
    assert hypergeom.pmf(0, size, changed, calls) <= 1 - chance + 1e-9
    assert hypergeom.pmf(0, size, changed, calls - 1) > 1 - chance


def test_no_change_is_never_seen_and_a_tiny_one_is_at_least_one_answer():
    assert calls_to_see(100, 0.0, 0.5) is None
    assert calls_to_see(100, 1e-6, 0.95) == 95
    assert calls_to_see(1, 1.0, 0.5) == 1


def test_a_limit_of_zero_is_kept_by_the_whole_pool_and_broken_by_one_answer():
    assert calls_to_decide(500, 0.0, 0.0, 0.95) == 500
    assert calls_to_decide(500, 0.1, 0.0, 0.95) == calls_to_see(500, 0.1, 0.5)


def test_a_share_at_the_limit_takes_the_whole_pool_and_others_less_the_further_off():
    assert calls_to_decide(5000, 0.05, 0.05, 0.95) == 5000
    below = [calls_to_decide(5000, share, 0.05, 0.95) for share in (0.0, 0.01, 0.03, 0.045)]
    above = [calls_to_decide(5000, share, 0.05, 0.95) for share in (0.06, 0.1, 0.3, 1.0)]
    assert below == sorted(below)
    assert above == sorted(above, reverse=True)


def test_a_drop_takes_more_calls_the_smaller_it_is_and_the_more_else_changed():
    drops = [calls_to_see_drop(10**6, 0.1, drop, 0.95) for drop in (0.1, 0.05, 0.01)]
    assert drops == sorted(drops)
    shares = [calls_to_see_drop(10**6, share, 0.05, 0.95) for share in (0.05, 0.1, 0.5)]
    assert shares == sorted(shares)
    assert calls_to_see_drop(10**6, 0.05, 0.1, 0.95) is None
    assert max(calls_to_see_drop(200, 0.1, 0.01, 0.95)) <= 200


def test_a_sample_looked_at_once_is_mcnemars():
    """Connor (1987): discordant 0.2 against 0.1, two-sided 5%, power 80%."""
    share, drop = 0.3, 0.1
    expected = (1.959964 * math.sqrt(share) + 0.841621 * math.sqrt(share - drop**2)) ** 2 / drop**2
    assert calls_to_see_drop(10**9, share, drop, 0.95)[1] == math.ceil(expected)
