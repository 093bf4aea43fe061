"""The paired estimate: exact where it can be, learnt and never assumed where it cannot, and where it asks next."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringtrue.changed import paired
from ringtrue.changed._baseline import Baseline
from ringtrue.changed._census import Census
from ringtrue.changed.paired import draw_weights, expected_answers, oneshot_shift, paired_shift, uniform_shift
from support.paired_cases import counts_of, made_up

LABELS = [1, 2, 7, 31]


def asked(scenario, number, seed=0):
    return counts_of(scenario, np.random.default_rng(seed).permutation(scenario.size)[:number])


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("number", [0, 1, 30, 900, 3_000])
def test_nothing_changed_is_exactly_no_shift(labels, labelled, number):
    known = made_up(labels, changed=0.0, labelled=labelled)
    counts = asked(known, number)
    assert not paired_shift(known.census, counts).any()
    assert not oneshot_shift(known.census, counts).any()
    assert draw_weights(known.census, counts).tolist() == [1.0] * known.census.kinds


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("changed", [0.05, 1.0])
def test_a_pool_that_was_asked_whole_is_known(labels, changed):
    known = made_up(labels, changed=changed, extra=True)
    assert known.error(paired_shift(known.census, asked(known, known.size))) < 1e-12
    assert known.error(uniform_shift(known.census, asked(known, known.size))) < 1e-12


@settings(max_examples=40)
@given(
    labels=st.sampled_from(LABELS), changed=st.sampled_from([0.0, 0.02, 0.5, 1.0]), number=st.integers(0, 400),
    seed=st.integers(0, 9), labelled=st.booleans(), sure=st.booleans(), extra=st.booleans(),
)  # fmt: skip
def test_expected_answers_are_shares_and_weights_are_positive(labels, changed, number, seed, labelled, sure, extra):
    known = made_up(labels, size=400, changed=changed, labelled=labelled, sure=sure, extra=extra, seed=seed)
    counts = asked(known, number, seed)
    expected = expected_answers(known.census, counts)
    assert expected.shape == counts.shape
    assert expected.sum(axis=1) == pytest.approx(1, abs=1e-9)
    assert expected.min() >= 0
    weights = draw_weights(known.census, counts)
    assert np.isfinite(weights).all()
    assert weights.min() > 0
    shift = paired_shift(known.census, counts)
    assert shift.sum(axis=1) == pytest.approx(0, abs=1e-9)


def test_whole_numbers_do():
    known = made_up(3)
    counts = asked(known, 200)
    for name in ("paired_shift", "draw_weights", "oneshot_shift", "uniform_shift", "error_bound", "uniform_bound"):
        function = getattr(paired, name)
        assert np.array_equal(function(known.census, counts), function(known.census, counts.astype(np.int64)))


def two_labels(items=100):
    """Right and wrong old answers for two labels: kinds (a, a), (a, b), (b, a), (b, b)."""
    truth = np.repeat(["a", "a", "b", "b"], items).tolist()
    old = np.repeat(["a", "b", "a", "b"], items).tolist()
    return Census.take(Baseline.of(old=old, truth=truth))[0]


def test_what_was_not_asked_is_expected_to_change_as_the_others_did():
    """All that were right now say b: the kinds that nobody asked are not taken to be as before."""
    census = two_labels()
    counts = np.zeros((4, 2))
    counts[0] = [2, 18]
    expected = expected_answers(census, counts)
    assert expected[3, 1] < 0.3  # right before, said b; nine in ten of the others changed
    assert expected[0, 0] == pytest.approx(0.1, abs=0.05)


def test_of_unrelated_models_the_label_counts():
    """The new model says a for nearly all of label a: a kind with a few answers leans on its label, not on b."""
    census = two_labels()
    few, none = np.array([[38.0, 2], [3, 0], [20, 20], [20, 20]]), np.array([[38.0, 2], [0, 0], [20, 20], [20, 20]])
    assert expected_answers(census, few)[1, 0] > 0.6
    assert expected_answers(census, none)[1, 0] > 0.3


def test_of_like_models_the_old_answer_counts():
    census = two_labels()
    counts = np.array([[99.0, 1], [0, 0], [99, 1], [1, 99]])
    assert expected_answers(census, counts)[1, 1] > 0.9


def test_an_answer_that_nobody_gave_before_is_expected_of_others_too():
    known = made_up(3, changed=1.0, extra=True)
    counts = asked(known, 300)
    never = np.flatnonzero(counts.sum(axis=1) == 0)
    assert len(known.answers) == 4
    assert len(never) == 0 or expected_answers(known.census, counts)[never, 3].min() > 0.05
    assert paired_shift(known.census, counts)[:, 3].sum() == pytest.approx(0.25, abs=0.08)


def test_weights_go_where_answers_differ():
    counts = np.array([[40.0, 0], [20, 20], [0, 0], [0, 40]])
    weights = draw_weights(two_labels(items=1_000), counts)
    assert weights[1] > 3 * max(weights[0], weights[3])


def test_weights_make_up_for_what_is_wanting():
    """A kind that has had more than its share has less weight than one that differs no more and has had less."""
    counts = np.array([[20.0, 20], [200, 200], [20, 20], [20, 20]])
    weights = draw_weights(two_labels(items=1_000), counts)
    assert weights[1] < 0.2 * weights[[0, 2, 3]].min()


def test_public_names_are_there():
    assert sorted(paired.__all__) == paired.__all__
    assert all(hasattr(paired, name) for name in paired.__all__)
