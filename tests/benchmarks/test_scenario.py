"""Changes whose truth is known: what a scenario holds, made-up updates, and calls to reach a target."""

import doctest

import numpy as np
import pytest

from ringtrue.changed._baseline import Baseline
from ringtrue.core import InvalidInput
from simulated_shifts import METHODS, Scenario, calls_to_reach, errors, mean_errors, methods, scenario, switched


@pytest.fixture(scope="module")
def pool():
    rng = np.random.default_rng(0)
    truth, sure = rng.integers(0, 3, 5_000), rng.random(5_000)
    old = np.where(rng.random(5_000) < 0.8, truth, rng.integers(0, 3, 5_000))
    other = np.where(rng.random(5_000) < 0.7, truth, rng.integers(0, 4, 5_000))
    known = Baseline.of(old=old.tolist(), truth=truth.tolist(), confidence=sure)
    return known, *known.code(other.tolist())


def test_a_scenario_holds_the_true_shift(pool):
    known, names, other = pool
    found = Scenario.of(known, other, names)
    assert names == ("0", "1", "2", "3")
    expected = np.zeros((3, 4))
    for truth, old, new in zip(known.truth, known.old, other, strict=True):
        expected[truth, new] += 1 / 5_000
        expected[truth, old] -= 1 / 5_000
    assert found.shift == pytest.approx(expected, abs=1e-12)
    assert found.changed == np.mean(known.old != other)
    assert found.error(found.shift) == 0
    assert found.error(np.stack([found.shift, found.shift + 0.1])) == pytest.approx([0, 0.1 * np.sqrt(12)])
    assert found.census.items[found.kind].min() >= 1


def test_what_does_not_fit_is_refused(pool):
    known, names, other = pool
    with pytest.raises(InvalidInput, match="new has 10 entries for 5,000 items"):
        Scenario.of(known, other[:10], names)
    with pytest.raises(InvalidInput, match="answers must begin with those of the baseline"):
        Scenario.of(known, other, names[::-1])
    found = Scenario.of(known, other, names)
    with pytest.raises(InvalidInput, match="method='magic' is unknown"):
        mean_errors(found, "magic", [100], 1)
    for budgets in ([], [0], [100, 50]):
        with pytest.raises(InvalidInput, match="must be at least 1 and increase"):
            errors(found, "uniform", budgets, 1)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.1])
def test_an_update_switches_this_share_and_rather_where_unsure(pool, share):
    known, _, other = pool
    new = switched(known, other, share, seed=3)
    changed = new != known.old
    assert changed.sum() == round(share * 5_000)
    assert (new[changed] == other[changed]).all()
    assert (switched(known, other, share, seed=3) == new).all()
    if share == 0.1:
        assert (switched(known, other, share, seed=4) != new).any()
        differs = known.old != other
        assert known.confidence[changed].mean() < known.confidence[differs].mean() - 0.05
        assert known.confidence[changed].max() > 0.9, "sure answers change too, now and then"


def test_an_update_without_confidences_is_even_and_one_too_large_is_refused(pool):
    known, _, other = pool
    bare = Baseline.of(old=[known.answers[code] for code in known.old], truth=[known.answers[c] for c in known.truth])
    assert np.mean(switched(bare, other, 0.05) != bare.old) == 0.05
    with pytest.raises(InvalidInput, match=r"share=0.9 must lie in \[0, 0.\d+\]"):
        switched(known, other, 0.9)
    with pytest.raises(InvalidInput, match=r"share=-0\.1 must lie"):
        switched(known, other, -0.1)
    with pytest.raises(InvalidInput, match="other has 3 entries"):
        switched(known, other[:3], 0.1)


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_repeats_itself_and_gets_better(pool, method):
    known, names, other = pool
    found = Scenario.of(known, switched(known, other, 0.05), names)
    one = errors(found, method, [200, 1_600], 12, seed=5)
    assert one.shape == (12, 2)
    assert (one == errors(found, method, [200, 1_600], 12, seed=5)).all()
    assert not (one == errors(found, method, [200, 1_600], 12, seed=6)).all()
    assert one[:, 1].mean() < one[:, 0].mean()


def test_calls_to_reach_follow_the_law_of_the_method(pool):
    """Uniform sampling errs in proportion to one over the root; its mean error is close to the root mean square."""
    known, names, other = pool
    found = Scenario.of(known, other, names)
    matrix = found.shift + found.old_matrix
    needed = {target: calls_to_reach(found, "uniform", target, runs=1_000) for target in (0.02, 0.04)}
    assert needed[0.02] / needed[0.04] == pytest.approx(4, rel=0.08)
    assert needed[0.02] == pytest.approx((1 - (matrix**2).sum()) / 0.02**2, rel=0.1)


def test_calls_to_reach_have_their_ends(pool):
    known, names, other = pool
    found = Scenario.of(known, other, names)
    assert calls_to_reach(found, "masa", 0.9, runs=10) == 25
    small = Baseline.of(old=["a", "b"] * 20, truth=["a"] * 40)
    still = Scenario.of(small, small.old, small.answers)
    assert 25 < calls_to_reach(still, "masa-without-replacement", 1e-9, runs=10) <= 40
    assert calls_to_reach(still, "uniform", 1e-9, runs=2) == np.inf


@pytest.mark.parametrize("module", [methods, scenario])
def test_the_examples_are_true(module):
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed
