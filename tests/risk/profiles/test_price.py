"""Pricing profiles from the same labels: coverage, refusal, what is unassessed, and the errors."""

import json

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.risk.profiles import FLOOR, effective_size, price
from ringtrue.stats import WeightedDraws, weighted_mean_sequence
from support.profiles import slices

SIZE = 1_000
KIND = np.repeat([0, 1, 2], [600, 300, 100])
FAILED = np.isin(np.arange(SIZE) % 50, [0]) | ((KIND == 2) & (np.arange(SIZE) % 4 == 0))
POOL = {0: 600, 1: 300, 2: 100}
EVEN = {0: 60, 1: 30, 2: 10}
HARD = {0: 30, 1: 40, 2: 30}


def weights(operation):
    profile = slices("p", POOL, operation, ["kind"])
    by_kind = {one.values: one.weight for one in profile.classes}
    return np.array([by_kind[(str(kind),)] for kind in KIND]), profile


def drawn(count, rng, score=None):
    """Rows without replacement, half evenly and half by score, with the chance of each and the least of its draw."""
    score = np.ones(SIZE) if score is None else score
    left, rows = np.ones(SIZE, dtype=bool), []
    for _ in range(count):
        chance = np.where(left, 0.5 / left.sum() + 0.5 * score / score[left].sum(), 0.0)
        row = int(np.searchsorted(np.cumsum(chance), rng.random() * chance.sum()))
        rows.append((row, chance[row], chance[left].min()))
        left[row] = False
    row, chance, least = np.array(rows).T
    return row.astype(int), chance, least


def test_one_set_of_labels_prices_several_profiles_and_covers():
    """150 sets of 200 labels, drawn with unequal chances: each profile's interval must hold as often as it says.

    An interval that holds 90% of the time (standard error 2.4 points) holds at least 127 of 150 times but for a chance
    of 1.4%. Without weights the interval holds the hard profile's rate less than half of the time.
    """
    rng, score = np.random.default_rng(11), np.where(KIND == 2, 2.0, 1.0)
    held, plain, widths = {"even": 0, "hard": 0}, 0, []
    profiles = {"even": weights(EVEN), "hard": weights(HARD)}
    truth = {name: float(np.mean(weight * FAILED)) for name, (weight, _) in profiles.items()}
    assert (truth["even"], truth["hard"]) == pytest.approx((0.044, 0.092))
    for _ in range(150):
        row, chance, least = drawn(200, rng, score)
        for name, (weight, profile) in profiles.items():
            told = price(
                name, FAILED[row], weight[row], chance, least, population=SIZE, most=profile.most,
                unassessed=profile.unassessed, level=0.9,
            )  # fmt: skip
            held[name] += told.interval.low <= truth[name] <= told.interval.high
            widths.append(told.interval.high - told.interval.low)
            assert told.interval.low <= told.interval.estimate <= told.interval.high
        ones = price("none", FAILED[row], np.ones(200), chance, least, population=SIZE, most=1.0, level=0.9).interval
        plain += ones.low <= truth["hard"] <= ones.high
    assert min(held.values()) >= 127, held
    assert np.mean(widths) < 0.12
    assert plain < 75


def test_estimates_center_on_the_truth():
    """200 sets of 100 even labels; the mean of the estimates within three standard errors of the truth."""
    rng = np.random.default_rng(12)
    weight, profile = weights(HARD)
    found = []
    for _ in range(200):
        row = rng.permutation(SIZE)[:100]
        chance = 1 / (SIZE - np.arange(100))
        told = price("hard", FAILED[row], weight[row], chance, chance, population=SIZE, most=profile.most)
        found.append(told.interval.estimate)
    error = np.std(found) / np.sqrt(200)
    assert np.mean(found) == pytest.approx(float(np.mean(weight * FAILED)), abs=3 * error)
    assert error < 0.004


def test_even_weights_give_the_interval_of_the_pool():
    row, chance, least = drawn(120, np.random.default_rng(1))
    told = price("same", FAILED[row], np.ones(120), chance, least, population=SIZE, most=1.0)
    draws = WeightedDraws.of(FAILED[row], chance, least)
    bounds = weighted_mean_sequence(draws, population=SIZE)
    assert (told.interval.low, told.interval.high) == pytest.approx((bounds.low[0], bounds.high[0]), abs=1e-7)
    assert told.interval.estimate == pytest.approx(FAILED[row].mean())
    assert told.effective == pytest.approx(120)


def test_a_pool_labelled_in_full_is_exact():
    row = np.random.default_rng(2).permutation(SIZE)
    chance = 1 / np.arange(SIZE, 0, -1)
    weight, profile = weights(HARD)
    told = price("hard", FAILED[row], weight[row], chance, chance, population=SIZE, most=profile.most)
    truth = float(np.mean(weight * FAILED))
    assert told.interval.low == pytest.approx(truth, abs=1e-9)
    assert told.interval.high == pytest.approx(truth, abs=1e-9)
    assert told.interval.estimate == pytest.approx(truth, abs=1e-9)


def test_unassessed_operation_is_added_to_the_upper_bound_alone():
    weight, assessed = weights(HARD)
    _, profile = weights({**HARD, 3: 100})  # half of operation is of a kind that the pool lacks
    assert (profile.unassessed, profile.most) == (0.5, assessed.most / 2)
    row, chance, least = drawn(200, np.random.default_rng(3))
    options = {"population": SIZE, "most": profile.most}
    half = price("half", FAILED[row], weight[row] / 2, chance, least, unassessed=0.5, **options).interval
    known = price("known", FAILED[row], weight[row] / 2, chance, least, **options).interval
    assert half.low == known.low
    assert half.high == pytest.approx(known.high + 0.5)
    whole = price("whole", FAILED[row], weight[row], chance, least, population=SIZE, most=assessed.most).interval
    assert half.estimate == pytest.approx(whole.estimate)  # as if the rest failed alike
    assert price("all", np.ones(200), weight[row] / 2, chance, least, unassessed=0.5, **options).interval.high == 1.0


def test_too_few_effective_labels_are_refused_with_the_numbers():
    chance = 1 / (SIZE - np.arange(400))
    weight = np.where(np.arange(400) < 35, 50.0, 0.01)
    failed = np.zeros(400)
    told = price("rare", failed, weight, chance, chance, population=SIZE, most=50.0)
    assert told.interval is None
    assert FLOOR < told.effective < 40  # enough by number, too few by share
    assert told.refusal.startswith(
        "400 labels are worth 35.1 even ones under its weights (largest 50), below the floor"
    )
    assert "floor of 40" in told.refusal
    assert "\n" not in str(told)
    few = price("few", failed[:29], np.ones(29), chance[:29], chance[:29], population=SIZE, most=1.0)
    assert few.interval is None
    assert "floor of 30" in few.refusal
    assert price("30", failed[:30], np.ones(30), chance[:30], chance[:30], population=SIZE, most=1.0).refusal is None
    none = price("none", [], [], [], [], population=SIZE, most=1.0)
    assert (none.interval, none.effective) == (None, 0.0)
    nothing = price("elsewhere", failed, np.zeros(400), chance, chance, population=SIZE, most=0.0, unassessed=1.0)
    assert nothing.interval is None


def test_items_nobody_could_label_fail_in_one_bound_and_pass_in_the_other():
    row, chance, least = drawn(200, np.random.default_rng(4), score=1.0 + KIND)
    weight, profile = weights(HARD)
    failed, options = FAILED[row].astype(float), {"population": SIZE, "most": profile.most}
    unknown = np.arange(200) % 20 == 3
    told = price("u", np.where(unknown, np.nan, failed), weight[row], chance, least, **options)
    right = price("r", np.where(unknown, 0, failed), weight[row], chance, least, **options)
    wrong = price("w", np.where(unknown, 1, failed), weight[row], chance, least, **options)
    assert (told.interval.low, told.interval.high) == (right.interval.low, wrong.interval.high)
    assert told.interval.n == 190
    assert told.effective < right.effective
    assert right.effective == pytest.approx(effective_size(weight[row], chance * (SIZE - np.arange(200))))


def test_items_picked_without_chance_are_known_and_not_weighted():
    row, chance, least = drawn(200, np.random.default_rng(6))
    picked = np.arange(200) % 4 == 0
    chance, least = np.where(picked, np.nan, chance), np.where(picked, np.nan, least)
    told = price("p", FAILED[row], np.ones(200), chance, least, population=SIZE, most=1.0)
    assert told.effective == pytest.approx(150)
    known, rest = FAILED[row][picked].sum(), FAILED[row][~picked].mean()
    assert told.interval.estimate == pytest.approx((known + (SIZE - 50) * rest) / SIZE)


@pytest.mark.parametrize(
    ("sizes", "probabilities", "effective"),
    [([2, 2, 2], None, 3), ([1, 0, 0], None, 1), ([3, 1], None, 1.6), ([], None, 0), ([0, 0], None, 0),
     ([1, 1], [0.3, 0.1], 1.6), ([3, 1], [0.3, 0.1], 2)],
)  # fmt: skip
def test_effective_size(sizes, probabilities, effective):
    assert effective_size(sizes, probabilities) == pytest.approx(effective)


def test_it_reads_as_a_sentence_and_as_json():
    row, chance, least = drawn(200, np.random.default_rng(3))
    weight, profile = weights(HARD)
    told = price("hard", FAILED[row], weight[row], chance, least, population=SIZE, most=profile.most, unassessed=0.01)
    entry = json.loads(json.dumps(told.to_json()))
    assert entry["sentence"].startswith("profile 'hard': ")
    assert entry["sentence"].endswith("even ones, 1% of operation unassessed")
    assert entry["interval"]["n"] == 200
    assert entry["most_weight"] == profile.most
    assert told == price(
        "hard", FAILED[row], weight[row], chance, least, population=SIZE, most=profile.most, unassessed=0.01
    )


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"failed": np.zeros(39)}, "one of each per label"),
        ({"failed": np.full(40, 0.5)}, "failed must hold 0, 1, or NaN"),
        ({"weight": np.full(40, 2.5)}, r"weight must lie in \[0, most=2\]"),
        ({"weight": np.full(40, np.nan)}, r"weight must lie in \[0, most=2\]"),
        ({"unassessed": 1.5}, "unassessed=1.5 must lie in"),
        ({"level": 95}, "level=95 must lie strictly between 0 and 1"),
        ({"probability": np.zeros(40)}, "probability must be positive"),
        ({"floor": np.zeros(40)}, "0 < floor"),
    ],
)
def test_arguments_that_break_a_rule(change, line):
    chance = 1 / (SIZE - np.arange(40))
    given = {
        "name": "p", "failed": np.zeros(40), "weight": np.ones(40), "probability": chance, "floor": chance,
        "population": SIZE, "most": 2.0, "unassessed": 0.0, **change,
    }  # fmt: skip
    with pytest.raises(InvalidInput, match=line):
        price(**given)
