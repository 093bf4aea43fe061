"""Adversarial distance: the paper's formula, items without a distance, traits regressed out, refusals."""

import numpy as np
import pytest

from ringtrue.blind.expectation import adversarial_distance, local_spread, loess, wide_enough
from ringtrue.core import InvalidInput


def pool(n=600, seed=1):
    rng = np.random.default_rng(seed)
    confidence = 0.65 + 0.35 * rng.beta(3, 1, n)
    return rng, confidence, np.exp(3 * confidence + rng.normal(0, 0.2, n))


def test_it_is_the_log_distance_less_its_expectation():
    _, confidence, distance = pool()
    found = adversarial_distance(distance, confidence)
    assert found.values == pytest.approx(np.log(distance) - loess(confidence, np.log(distance))(confidence))
    assert found.curve(0.9) == pytest.approx(2.7, abs=0.1)


def test_the_linear_form_is_the_formula_as_printed():
    _, confidence, distance = pool()
    found = adversarial_distance(distance, confidence, log=False, span=0.2, degree=2)
    curve = loess(confidence, distance, span=0.2, degree=2)
    assert found.values == pytest.approx(distance - curve(confidence))


def test_items_that_never_changed_stand_above_all_and_leave_the_curve_alone():
    _, confidence, distance = pool()
    changed = np.arange(600) % 7 > 0
    found = adversarial_distance(np.where(changed, distance, np.nan), confidence, changed=changed)
    alone = adversarial_distance(distance[changed], confidence[changed])
    assert found.values[changed] == pytest.approx(alone.values)
    assert len(np.unique(found.values[~changed])) == 1
    assert found.values[~changed][0] > found.values[changed].max()


def test_traits_that_sway_the_distance_are_taken_out():
    rng, confidence, distance = pool()
    traits = rng.normal(100, 20, (600, 3))
    swayed = distance * np.exp(0.02 * (traits[:, 0] - 100))
    plain = adversarial_distance(swayed, confidence).values
    without = adversarial_distance(swayed, confidence, traits=traits).values
    wanted = adversarial_distance(distance, confidence).values
    assert abs(np.corrcoef(without, traits[:, 0])[0, 1]) < 1e-9
    assert np.corrcoef(plain, wanted)[0, 1] < 0.6
    assert np.corrcoef(without, wanted)[0, 1] > 0.9


def test_constant_traits_change_nothing_but_the_mean():
    _, confidence, distance = pool()
    plain = adversarial_distance(distance, confidence).values
    same = adversarial_distance(distance, confidence, traits=np.full((600, 2), 0.1)).values
    assert same == pytest.approx(plain - plain.mean())


def test_more_traits_than_items_are_not_regressed_out():
    given = {"distance": [1.0, 2.0, 5.0], "confidence": [0.7, 0.8, 0.9]}
    assert (
        adversarial_distance(**given, traits=np.eye(3)).values.tolist() == adversarial_distance(**given).values.tolist()
    )


def test_scaling_evens_out_a_spread_that_grows_with_confidence():
    rng = np.random.default_rng(4)
    confidence = rng.uniform(0.6, 1, 2000)
    distance = np.exp(rng.normal(0, 1, 2000) * np.where(confidence > 0.8, 1.0, 0.1))
    plain = np.abs(adversarial_distance(distance, confidence).values)
    scaled = np.abs(adversarial_distance(distance, confidence, scaled=True).values)
    sure = confidence > 0.85
    unsure = confidence < 0.75
    assert plain[sure].mean() > 8 * plain[unsure].mean()
    assert scaled[sure].mean() == pytest.approx(scaled[unsure].mean(), rel=0.1)


def test_one_confidence_for_all_makes_the_curve_level():
    distance = np.exp(np.linspace(-1, 1, 50))
    found = adversarial_distance(distance, np.full(50, 0.9))
    assert found.values == pytest.approx(np.log(distance), abs=1e-9)


@pytest.mark.parametrize("n", range(1, 11))
def test_small_pools_get_finite_scores(n):
    _, confidence, distance = pool(n)
    confidence[: n // 2] = 1.0
    for degree in (0, 1, 2):
        values = adversarial_distance(distance, confidence, degree=degree, scaled=True, traits=np.ones((n, 3))).values
        assert values.shape == (n,)
        assert np.all(np.isfinite(values))


def test_a_small_pool_keeps_its_outlier():
    """Windows of a tenth of 20 items would follow each of them."""
    confidence = np.linspace(0.7, 0.99, 20)
    distance = np.ones(20)
    distance[12] = 0.1
    distance *= np.exp(0.01 * np.cos(np.arange(20) * 17))
    values = adversarial_distance(distance, confidence).values
    assert int(values.argmin()) == 12
    assert values[12] < -2


def test_windows_widen_in_small_pools_alone():
    assert wide_enough(0.1, 300) == 0.1
    assert wide_enough(0.1, 10) == 3.0


def test_a_local_spread_is_never_zero():
    residual = np.zeros(400)
    assert local_spread(np.arange(400.0), residual, span=0.1).tolist() == [1.0] * 400
    residual[0] = 5
    spread = local_spread(np.arange(400.0), residual, span=0.1)
    assert spread.min() == pytest.approx(5 / 400 / 1000)
    assert spread[0] > 0.1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"distance": [1, np.nan, 2]}, r"distance\[1\]=nan must be finite"),
        ({"distance": [1, 2, 0]}, r"distance\[2\]=0.0 must be positive: give log=False"),
        ({"distance": [1, -2, 0], "log": False}, r"distance\[1\]=-2.0 must be at least 0"),
        ({"distance": [1, 2]}, r"distance of shape \(2,\)"),
        ({"confidence": [0.5, 0.6, 1.2]}, r"confidence\[2\]=1.2 must lie in \[0, 1\]"),
        ({"confidence": [0.5, np.nan, 0.6]}, r"confidence\[1\]=nan must be finite"),
        ({"changed": [0, 0, 0]}, "changed is False for all 3 items"),
        ({"changed": [True]}, r"changed of shape \(1,\)"),
        ({"traits": [1, 2, 3]}, r"traits of shape \(3,\)"),
        ({"traits": [[1.0], [2.0], [np.nan]]}, r"traits\[2\] must be finite"),
    ],
)
def test_bad_input_is_refused_in_one_line(change, message):
    with pytest.raises(InvalidInput, match=message) as refusal:
        adversarial_distance(**{"distance": [1.0, 2.0, 3.0], "confidence": [0.7, 0.8, 0.9], **change})
    assert "\n" not in str(refusal.value)
