"""Profiles from counts: exact weights, what the pool lacks, the way to JSON and back, and the errors."""

import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringtrue.core import Batch, InvalidInput
from ringtrue.risk.profiles import ProfileClass, ProfileWeights
from support.profiles import slices


def batch(**columns):
    size = len(next(iter(columns.values())))
    return Batch([f"item-{row}" for row in range(size)], {name: np.array(cells) for name, cells in columns.items()})


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6))
def test_weights_are_exact_ratios_of_shares(counts):
    """Against fractions: each weight, the largest, what is unassessed, and the mean over the pool."""
    pool, operation = (Counter({str(kind): pair[side] for kind, pair in enumerate(counts)}) for side in (0, 1))
    if not pool.total() or not operation.total():
        return
    profile = slices("drawn", pool, operation, ["kind"])
    items = [kind for kind in pool for _ in range(pool[kind])]
    exact = {
        kind: Fraction(operation[kind], operation.total()) / Fraction(pool[kind], pool.total()) for kind in set(items)
    }
    weights = profile.weights(batch(kind=items))
    assert weights.tolist() == pytest.approx([float(exact[kind]) for kind in items], rel=1e-14)
    assert profile.most == pytest.approx(float(max(exact.values())))
    lacking = Fraction(sum(operation[kind] for kind in operation if not pool[kind]), operation.total())
    assert profile.unassessed == pytest.approx(float(lacking))
    assert weights.mean() == pytest.approx(float(1 - lacking))


def test_two_columns_are_combined_and_labels_are_compared_as_text():
    pool = {("eu", True): 6, ("eu", False): 2, ("us", 1): 2}
    profile = slices("mix", pool, {("eu", "true"): 1, ("us", 1.0): 1}, ["region", "night"])
    assert profile.kind == "slices"
    assert profile.classes == (
        ProfileClass(("eu", "false"), 2, 0, 0.0),
        ProfileClass(("eu", "true"), 6, 1, 0.5 / 0.6),
        ProfileClass(("us", "1"), 2, 1, 2.5),
    )
    night = np.array([True, False, 1], dtype=object)
    assert profile.weights(batch(region=["eu", "eu", "us"], night=night)).tolist() == [0.5 / 0.6, 0.0, 2.5]


def test_the_weighted_mean_is_the_rate_in_operation_when_failures_go_by_slice():
    """Exact within a pool; over 400 pools unbiased for the rates that made them, within three standard errors."""
    rates, pool_shares, shares = np.array([0.02, 0.1, 0.4]), np.array([0.7, 0.2, 0.1]), np.array([0.2, 0.3, 0.5])
    truth, found = float(rates @ shares), []
    rng = np.random.default_rng(5)
    for _ in range(400):
        kind = rng.choice(3, 500, p=pool_shares)
        failed = rng.random(500) < rates[kind]
        profile = slices("shifted", Counter(kind.tolist()), {0: 20, 1: 30, 2: 50}, ["kind"])
        weights = profile.weights(batch(kind=kind))
        by_slice = [failed[kind == one].mean() for one in range(3)]
        found.append(float(np.mean(weights * failed)))
        assert found[-1] == pytest.approx(float(shares @ by_slice), rel=1e-12)
    error = np.std(found) / 20
    assert error < 0.002
    assert np.mean(found) == pytest.approx(truth, abs=3 * error)
    assert abs(float(rates @ pool_shares) - truth) > 20 * error  # unweighted it would be seen to be wrong


def test_what_the_pool_lacks_is_named_as_unassessed():
    profile = slices("launch", {"day": 50}, {"day": 75, "night": 20, "fog": 5}, ["time"])
    assert profile.unassessed == 0.25
    assert profile.most == 0.75
    assert [one.values for one in profile.lacking] == [("fog",), ("night",)]
    told = [line for line in profile.assumptions if "25% of operation is of kinds the pool has no item of" in line]
    assert len(told) == 1
    assert "time='night'; time='fog'" in told[0]


def test_nothing_in_common_leaves_everything_unassessed():
    profile = slices("elsewhere", {"a": 3}, {"b": 2}, ["kind"])
    assert (profile.unassessed, profile.most) == (1.0, 0.0)


def test_json_round_trip():
    profile = slices("mix", {("eu", 1): 6, ("us", 2): 4}, {("eu", 1): 1, ("us", 3): 2}, ["region", "tier"])
    entry = json.loads(json.dumps(profile.to_json()))
    again = ProfileWeights.from_json(entry)
    assert again == profile
    assert again.to_json() == entry
    assert entry["classes"][0] == {
        "values": ["eu", "1"], "name": "region='eu', tier='1'", "pool": 6, "operation": 1, "weight": (1 / 3) / 0.6,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: slices("p", {}, {"a": 1}, ["k"]), "pool has no rows"),
        (lambda: slices("p", {"a": 1}, {"a": 0}, ["k"]), "operation has no rows"),
        (lambda: slices("p", dict.fromkeys(range(10_001), 1), {0: 1}, ["k"]), "more than 10,000 kinds"),
    ],
)
def test_counts_that_make_no_profile(make, line):
    with pytest.raises(InvalidInput, match=line) as error:
        make()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        ({"time": ["day", "dusk\n"]}, "item 'item-1' has time='dusk', and the pool of profile 'p' had no such item"),
        ({"time": ["day", "fog"]}, "time='fog', and the pool"),  # counted in operation, and still not in the pool
        ({"other": ["day"]}, "column 'time' is missing: name one of other"),
        ({"time": np.array(["day", None], dtype=object)}, "column 'time' of item 'item-1', None, is missing"),
        ({"time": np.zeros((2, 3))}, "arrays for cells"),
    ],
)
def test_batches_that_are_not_of_the_pool(columns, line):
    profile = slices("p", {"day": 2}, {"day": 1, "fog": 1}, ["time"])
    with pytest.raises(InvalidInput, match=line) as error:
        profile.weights(batch(**columns))
    assert "\n" not in str(error.value)
