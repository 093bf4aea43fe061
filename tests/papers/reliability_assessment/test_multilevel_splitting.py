"""Splitting against probabilities known exactly: sums of uniform numbers (Irwin-Hall), boxes within boxes."""

import math
from fractions import Fraction

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.papers.reliability_assessment import multilevel_splitting
from ringtrue.stats import clopper_pearson

LOW, HIGH = np.full(10, 0.2), np.full(10, 0.8)


def chance_of_sum(threshold):
    """P(sum >= threshold) for ten uniform numbers on [0.2, 0.8], in exact arithmetic until the last step."""
    x = (Fraction(threshold) - 10 * Fraction("0.2")) / Fraction("0.6")
    below = sum((-1) ** k * math.comb(10, k) * (x - k) ** 10 for k in range(math.floor(x) + 1))
    return float(1 - below / math.factorial(10))


def sum_beyond(threshold):
    return lambda points: points.sum(axis=1) - float(threshold)


def test_the_yardstick_is_the_published_one():
    assert chance_of_sum("5.0") == 0.5
    assert chance_of_sum("6.0") == pytest.approx(0.03371, abs=5e-6)
    assert chance_of_sum("6.6") == pytest.approx(1.269336e-3, rel=5e-7)
    assert chance_of_sum("7.2") == pytest.approx(4.893507e-6, rel=5e-7)


@pytest.mark.parametrize("threshold", ["6.6", "7.2"])
def test_the_mean_of_twenty_runs_is_within_a_fifth_and_the_interval_holds(threshold):
    """The mean has a standard error of 2 % and 3 %, so that a fifth is six errors and more."""
    truth = chance_of_sum(threshold)
    event = multilevel_splitting(sum_beyond(threshold), LOW, HIGH, runs=20, seed=1)
    assert event.probability == pytest.approx(truth, rel=0.2)
    assert event.low <= truth <= event.high
    assert event.high / event.low < 1.3
    assert event.method == "splitting"
    assert event.found == event.runs == 20
    assert event.log_probability == math.log(event.probability)
    theory = math.sqrt(-math.log(truth) / math.log(2) / 1000)
    assert 0.6 * theory < event.spread < 1.8 * theory, "single runs vary about as much as independent points would"


def test_common_failures_cost_no_climb_and_have_the_binomial_interval():
    event = multilevel_splitting(sum_beyond("6.0"), LOW, HIGH, runs=20, seed=1)
    truth = chance_of_sum("6.0")
    assert event.calls == 20_000
    assert event.method == "draws"
    assert event.probability == pytest.approx(truth, rel=0.2)
    bounds = clopper_pearson(round(event.probability * 20_000), 20_000)
    assert (event.low, event.high) == (bounds.low, bounds.high)
    assert event.low <= truth <= event.high
    assert event.variance == pytest.approx(truth * (1 - truth) / 20_000, rel=0.2)


def test_intervals_hold_the_truth_as_often_as_they_say():
    """At 95 % fewer than 17 of 20 have a chance of 1.6 %; seeds are fixed, so the count is, too."""
    truth = chance_of_sum("7.2")
    events = [
        multilevel_splitting(sum_beyond("7.2"), LOW, HIGH, particles=200, runs=5, seed=seed) for seed in range(20)
    ]
    assert sum(event.low <= truth <= event.high for event in events) >= 17
    # 100 runs of 200 particles: one run has a relative error of about 0.3, their mean 0.03.
    assert np.mean([event.probability for event in events]) == pytest.approx(truth, rel=0.12)


def test_the_mean_is_right_even_where_copies_hardly_part():
    """One move a level: runs vary far more than theory says, yet around the truth, and the interval widens with them.

    400 runs with a relative error near 0.8 each: the mean is known to 4 %.
    """
    truth = chance_of_sum("6.6")
    event = multilevel_splitting(sum_beyond("6.6"), LOW, HIGH, particles=100, runs=400, steps=1, seed=3)
    theory = math.sqrt(-math.log(truth) / math.log(2) / 100)
    assert event.probability == pytest.approx(truth, rel=0.16)
    assert event.spread > 1.5 * theory
    assert event.low <= truth <= event.high


@pytest.mark.parametrize("axes", [1, 3, 60])
def test_the_width_of_moves_finds_itself_in_few_and_many_dimensions(axes):
    """A corner cube of volume 1e-5; 20 runs of 200 have a mean with a relative error of about 0.07."""
    side = 1e-5 ** (1 / axes)
    event = multilevel_splitting(
        lambda points: side - points.max(axis=1), np.zeros(axes), np.ones(axes), particles=200, runs=20, seed=5
    )
    assert event.probability == pytest.approx(1e-5, rel=0.28)
    assert event.low <= 1e-5 <= event.high


def test_scores_with_few_values_are_counted_not_assumed_apart():
    """Scores rounded down to eighths: whole levels tie. The failing region is the same as that of the plain sum."""
    truth = chance_of_sum("7.25")
    event = multilevel_splitting(
        lambda points: np.floor(8 * points.sum(axis=1)) / 8 - 7.25, LOW, HIGH, particles=500, runs=20, seed=2
    )
    assert event.method == "splitting"
    assert event.low <= truth <= event.high
    assert event.probability == pytest.approx(truth, rel=0.3)


def test_a_tie_in_the_upper_half_is_explored_before_a_run_gives_up():
    """Half of the box scores -1, the other half -0.5, and 1 in 2000 fails: the -0.5 survive and lead there."""
    event = multilevel_splitting(
        lambda points: np.where(points[:, 0] > 0.9995, 1.0, np.where(points[:, 0] > 0.5, -0.5, -1.0)),
        [0],
        [1],
        particles=400,
        runs=20,
        seed=4,
    )
    assert event.found > 0
    assert event.low <= 0.0005 <= event.high


def test_no_failure_is_an_upper_limit_never_zero():
    flat = multilevel_splitting(lambda points: np.full(len(points), -1.0), [0, 0], [1, 1], seed=0)
    assert (flat.probability, flat.low, flat.found) == (0.0, 0.0, 0)
    assert flat.high == pytest.approx(clopper_pearson(0, 10_000).high)
    assert flat.log_probability == -math.inf
    assert flat.variance > 0
    assert flat.calls == 10_000
    assert flat.reached == 1.0
    assert str(flat) == "at most 0.0003688 (95%): no failure found in 10,000 points"

    steep = multilevel_splitting(lambda points: points[:, 0] - 2, [0, 0], [1, 1], particles=50, runs=4, floor=1e-6)
    assert steep.high == pytest.approx(clopper_pearson(0, 200).high), "what the runs climbed through is no proof"
    assert 1e-7 < steep.reached < 1e-6


def test_certain_failure_is_no_certainty():
    event = multilevel_splitting(lambda points: points[:, 0], [0], [1], particles=100, runs=2)
    assert event.probability == event.high == 1.0
    assert event.low == pytest.approx(clopper_pearson(200, 200).low)
    assert event.variance > 0


def test_runs_that_disagree_about_whether_there_are_failures_leave_it_to_the_draws():
    """The score leads to a false summit from most of the box; the true one is found by some runs only."""

    def score(points):
        failing = sum_beyond("7.2")(points)
        return np.maximum(failing, -0.05 - points.mean(axis=1))

    event = multilevel_splitting(score, LOW, HIGH, particles=200, runs=10, seed=1)
    assert 0 < event.found < event.runs
    assert event.method == "draws"
    assert math.isnan(event.spread)
    assert event.low == 0.0
    assert event.high == event.high_by_draws
    assert event.low <= chance_of_sum("7.2") <= event.high


def test_points_stay_within_their_box_and_batches_are_full():
    low, high = np.array([-3.0, 0.1, 5.0]), np.array([-2.9, 0.3, 1000.0])
    rows = []

    def score(points):
        assert np.all((points >= low) & (points <= high))
        rows.append(len(points))
        return (points[:, 2] - 999.9) / 100

    multilevel_splitting(score, low, high, particles=100, runs=8, seed=0)
    assert rows[0] == 800
    assert np.median(rows) == 400, "half of the points of all runs"


def test_equal_seeds_give_equal_answers_and_global_randomness_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    one, same, other = (
        multilevel_splitting(sum_beyond("6.6"), LOW, HIGH, particles=50, runs=3, seed=seed) for seed in (7, 7, 8)
    )
    assert one == same
    assert one != other
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def untouched(points):
    raise AssertionError("the model was asked before the arguments were checked")


WRONG = [
    ({"low": [0, 1]}, "low=1 must lie below high=1 on axis 1, both finite: drop an axis that is constant"),
    ({"high": [1, np.inf]}, "low=0 must lie below high=inf on axis 1, both finite: drop an axis that is constant"),
    ({"low": [0]}, "low (1,) and high (2,) must have one shape: give one number per axis"),
    (
        {"low": [[0, 0]], "high": [[1, 1]]},
        "low of the shape (1, 2) must be one corner: use cell_unastuteness for several boxes",
    ),
    ({"particles": 19}, "particles=19 must be a whole number of at least 20: fewer tell too little"),
    ({"particles": 1e3}, "particles=1000.0 must be a whole number of at least 20: fewer tell too little"),
    ({"runs": 1}, "runs=1 must be a whole number of at least 2: the interval rests on how independent runs differ"),
    ({"steps": 0}, "steps=0 must be a whole number of at least 1: copies of a point must move apart"),
    ({"floor": 0}, "floor=0 must lie strictly between 0 and 1: the share at which a run gives up"),
    ({"level": 95}, "level=95 must lie strictly between 0 and 1: write 0.95 for 95%"),
]


@pytest.mark.parametrize(("arguments", "told"), WRONG)
def test_wrong_arguments_are_told_in_one_line_before_the_model_is_asked(arguments, told):
    with pytest.raises(InvalidInput) as error:
        multilevel_splitting(untouched, **({"low": [0, 0], "high": [1, 1]} | arguments))
    assert str(error.value) == told


@pytest.mark.parametrize(
    ("score", "told"),
    [
        (lambda x: np.full(len(x), np.nan), "NaN for point 0 of 10000: every point in the box needs a number"),
        (lambda x: np.zeros((len(x), 1)), "the shape (10000, 1): it must return (10000,), one number per point"),
        (lambda x: 0.0, "the shape (): it must return (10000,), one number per point"),
        (lambda x: ["cat"] * len(x), "list: it must return one number per point"),
    ],
)
def test_wrong_scores_are_told_in_one_line(score, told):
    with pytest.raises(InvalidInput) as error:
        multilevel_splitting(score, [0, 0], [1, 1])
    assert str(error.value) == f"score returned {told}"
