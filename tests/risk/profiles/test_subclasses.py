"""Profiles from features: groups with exact shares, a known shift, balance, and the errors."""

import json

import numpy as np
import pytest

from ringtrue.core import Batch, InvalidInput
from ringtrue.risk.profiles import ProfileWeights, Score
from support.profiles import subclasses


def batch(values, names):
    columns = {name: values[:, place] for place, name in enumerate(names)}
    return Batch([str(row) for row in range(len(values))], columns)


def gaussians(shift, axes=2, rows=4_000, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, axes)), rng.normal(size=(rows, axes)) + shift


def rate(values):
    """How often inputs fail: the more, the higher their features."""
    return 1 / (1 + np.exp(2 - values.sum(axis=1)))


def test_weights_are_the_shares_of_the_groups_and_average_one():
    pool, operation = gaussians(0.7)
    profile = subclasses("shifted", pool, operation, ["x", "y"])
    assert profile.kind == "subclasses"
    assert len(profile.classes) == profile.score.groups == 10
    assert sum(one.pool for one in profile.classes) == sum(one.operation for one in profile.classes) == 4_000
    # The groups are equal parts of both sides taken together.
    assert {one.pool + one.operation for one in profile.classes} == {800}
    groups = profile.score.group_of(pool)
    weights = profile.weights(batch(pool, ["x", "y"]))
    for one in profile.classes:
        assert one.pool == np.sum(groups == one.values[0])
        assert one.operation == np.sum(profile.score.group_of(operation) == one.values[0])
        assert set(weights[groups == one.values[0]]) == {one.weight}
        assert one.weight == pytest.approx(one.operation / one.pool)
    assert weights.mean() == pytest.approx(1, abs=1e-12)
    assert weights.max() == profile.most


@pytest.mark.parametrize(("axes", "shift"), [(1, 1.0), (2, 0.7), (5, 0.4)])
def test_a_known_shift_is_weighted_away(axes, shift):
    """Two Gaussians: of the difference between pool and operation at least nine tenths go, as Cochran found for five
    groups and more; the rest is what differs within groups."""
    names = [f"x{axis}" for axis in range(axes)]
    pool, operation = gaussians(shift, axes)
    profile = subclasses("shifted", pool, operation, names)
    weighted = float(np.mean(profile.weights(batch(pool, names)) * rate(pool)))
    plain, truth = rate(pool).mean(), rate(operation).mean()
    assert truth - plain > 0.1
    assert weighted == pytest.approx(truth, abs=0.1 * (truth - plain))
    for one in profile.balance:
        assert one.before == pytest.approx(shift, abs=0.08)
        assert abs(one.after) < 0.1
    assert not any("still differs" in line for line in profile.assumptions)


def test_a_wider_operation_is_told_by_squares():
    """Equal means and unequal spreads: a score without squares would see nothing."""
    rng = np.random.default_rng(3)
    pool, operation = rng.normal(size=(3_000, 1)), 1.6 * rng.normal(size=(3_000, 1))
    profile = subclasses("wider", pool, operation, ["x"])
    far = np.abs(pool[:, 0]) > 1.5
    weighted = np.mean(profile.weights(batch(pool, ["x"])) * far)
    truth = np.mean(np.abs(operation) > 1.5)
    assert truth - far.mean() > 0.15
    assert weighted == pytest.approx(truth, abs=0.02)


def test_the_same_distribution_gives_weights_near_one():
    pool, operation = gaussians(0.0)
    assert subclasses("same", pool, operation, ["x", "y"]).most < 1.25
    assert subclasses("twin", pool, pool.copy(), ["x", "y"]).most == pytest.approx(1.0)


def test_both_sides_count_the_same_however_many_rows_they_have():
    pool, operation = gaussians(0.7)
    profile = subclasses("few", pool, operation[:400], ["x", "y"])
    shares = [one.pool / 4_000 + one.operation / 400 for one in profile.classes]
    assert shares == pytest.approx([0.2] * 10, abs=1 / 400)


def test_groups_that_the_pool_lacks_are_unassessed():
    rng = np.random.default_rng(4)
    pool = rng.normal(size=(900, 1))
    operation = np.concatenate([rng.normal(size=(600, 1)), 30 + rng.normal(size=(300, 1))])
    profile = subclasses("far", pool, operation, ["x"], groups=20)
    assert 0.2 < profile.unassessed <= 1 / 3
    assert profile.weights(batch(pool, ["x"])).mean() == pytest.approx(1 - profile.unassessed)
    assert any("of kinds the pool has no item of (score group " in line for line in profile.assumptions)
    # The weights do not speak for what is far off, and are not blamed for it.
    assert profile.balance[0].before > 0.9
    assert abs(profile.balance[0].after) < 0.2


def test_what_weighting_leaves_apart_is_warned_of():
    pool, operation = gaussians(2.5, axes=1, rows=2_000)
    profile = subclasses("distant", pool, operation, ["x"], groups=3)
    assert profile.balance[0].after > 0.1
    assert any("still differs from operation in x by +" in line for line in profile.assumptions)


def test_the_same_bits_again_in_any_chunks_and_through_json():
    pool, operation = gaussians(0.7, axes=3)
    names = ["x", "y", "z"]
    profile = subclasses("shifted", pool, operation, names)
    assert subclasses("shifted", pool, operation, names) == profile
    whole = profile.weights(batch(pool, names))
    pieces = [profile.weights(batch(part, names)) for part in np.array_split(pool, 777)]
    assert np.array_equal(np.concatenate(pieces), whole)
    again = ProfileWeights.from_json(json.loads(json.dumps(profile.to_json())))
    assert again == profile
    assert np.array_equal(again.weights(batch(pool, names)), whole)


def test_equal_scores_stay_in_one_group():
    values = np.repeat([[0.0], [1.0], [2.5]], [50, 30, 20], axis=0)
    profile = subclasses("ties", values, values[::2] + 0.0, ["x"])
    assert len(profile.classes) <= 3
    assert profile.weights(batch(values, ["x"])).mean() == pytest.approx(1)


def test_the_score_by_hand():
    """Features (1, 2) less (0, 1) over (1, 0.5) are (1, 2): 1 + 2·2 + 3·1 + 4·2 + 5·4 = 36."""
    score = Score(("x", "y"), (0.0, 1.0), (1.0, 0.5), (1.0, 2.0, 3.0, 4.0, 5.0), (35.0, 36.0, 37.0))
    assert score.group_of(np.array([[1.0, 2.0]])).tolist() == [1]
    assert score.group_of(np.array([[1.0, 2.01]])).tolist() == [2]


@pytest.mark.parametrize(
    ("pool", "operation", "features", "options", "line"),
    [
        ([[1.0, 3.0], [2.0, 3.0]], [[1.0, 3.0]], ["x", "y"], {}, "feature 'y' is 3 everywhere"),
        ([[1.0], [np.nan]], [[1.0]], ["x"], {}, "column 'x' of item 'pool row 1', nan, is missing"),
        ([[1.0], [2.0]], [[np.inf]], ["x"], {}, "must be finite"),
        ([1.0, 2.0], [1.5], ["x"], {"groups": 1}, "groups=1 must be at least 2"),
        (np.eye(31), np.eye(31), [str(n) for n in range(31)], {}, "features has 31 names"),
    ],
)
def test_features_that_make_no_profile(pool, operation, features, options, line):
    with pytest.raises(InvalidInput, match=line) as error:
        subclasses("p", pool, operation, features, **options)
    assert "\n" not in str(error.value)
