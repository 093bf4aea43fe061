"""Intervals of unlabelled evaluations: the profile they claim to be, their limits, and no trouble anywhere."""

import json
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import (
    Evaluation,
    fit_latent,
    information,
    majority_vote,
    mirror,
    unlabelled_both,
    unlabelled_estimates,
)
from ringtrue.judges.latent import _uncertainty as module
from ringtrue.judges.latent._information import slopes_of

NAMES, LABELS = ("ann", "bob", "cyd"), ("no", "yes")
TARGETS = ("in general", "on this test")
FIXTURES = {
    "adult": [986, 630, 5801, 7972, 562, 493, 7712, 12686],
    "independent": [114, 26, 60, 60, 36, 24, 45, 85],
    "half": [114, 26, 54, 46, 36, 24, 36, 64],
    "complex": [10, 3, 9, 20, 8, 25, 4, 21],
    "outside": [40, 2, 1, 7, 9, 6, 5, 30],
    "no meaning": [1, 2, 2, 1, 1, 2, 0, 0],
    "one pair uncorrelated": [3, 6, 4, 2, 0, 6, 4, 0],
    "double root": [3, 2, 4, 3, 4, 4, 0, 4],
    "unidentified": [5, 0, 0, 2, 5, 0, 0, 2],
    "clones": [5, 0, 0, 0, 0, 0, 0, 4],
    "one item": [1, 0, 0, 0, 0, 0, 0, 0],
    "one pattern": [0, 0, 0, 0, 0, 0, 0, 1000],
    "no skill": [125] * 8,
}


def trio(cells):
    return Sketch.from_cells(NAMES, LABELS, cells)


def intervals(told):
    return [*told.prevalence, *(interval for row in told.accuracy for interval in row), *told.overall]


def is_sound(told):
    for interval in intervals(told):
        assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
        assert interval.high - interval.low > 1e-6
        assert interval.method
    json.dumps(told.to_json(), allow_nan=False)


@pytest.mark.parametrize("name", FIXTURES)
def test_every_sketch_has_sound_intervals(name):
    sketch = trio(FIXTURES[name])
    for told in unlabelled_both(sketch, fit_latent(sketch).evaluation).values():
        is_sound(told)
        assert told.prevalence[0].n == sketch.size


@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=8, max_size=8).filter(any))
def test_any_small_sketch_has_sound_intervals(cells):
    sketch = trio(cells)
    for told in unlabelled_both(sketch, fit_latent(sketch).evaluation).values():
        is_sound(told)


def loss(evaluation, items, row, known=False):
    """The log-likelihood that a quantity may cost: of a chi-square quantile, more if the votes tell little of it."""
    slope = slopes_of(evaluation)[row]
    value = np.concatenate([evaluation.prevalence, evaluation.accuracies.ravel(), evaluation.overall])[row]
    covariance = information(evaluation, prevalence_known=known).covariance("in general")
    error = np.sqrt(slope @ covariance @ slope / items / (value * (1 - value)))
    return 3.8415 / 2 * (1 + 5 * error**2)


@pytest.mark.parametrize("name", ["independent", "half", "adult"])
def test_prevalence_ends_where_the_best_fit_around_it_has_lost_the_right_likelihood(name):
    """An independent fit with the prevalence held, at either end."""
    sketch = trio(FIXTURES[name])
    fitted = fit_latent(sketch)
    told = unlabelled_estimates(sketch, fitted.evaluation, target="in general").prevalence[0]
    for end in (told.low, told.high):
        held = fit_latent(sketch, prevalence=end, start=fitted.evaluation)  # from here, lest it be the mirrored hill
        lost = fitted.log_likelihood - held.log_likelihood
        assert lost == pytest.approx(loss(fitted.evaluation, sketch.size, 0), rel=0.03)


def test_prevalence_of_a_fit_at_the_edge_ends_no_earlier_than_chi_square_says():
    sketch = trio(FIXTURES["outside"])
    fitted = fit_latent(sketch)
    assert fitted.on_boundary
    told = unlabelled_estimates(sketch, fitted.evaluation, target="in general").prevalence[0]
    for end in (told.low, told.high):
        held = fit_latent(sketch, prevalence=end, start=fitted.evaluation)  # from here, lest it be the mirrored hill
        lost = fitted.log_likelihood - held.log_likelihood
        assert 0.98 * 3.8415 / 2 < lost < 1.2 * 3.8415 / 2


def log_likelihood(sketch, parameters):
    share, accuracies = parameters[0], np.asarray(parameters[1:]).reshape(-1, 2)
    total = 0.0
    for pattern, times in sketch.items():
        first = share * np.prod([a if v == 0 else 1 - a for v, (a, _) in zip(pattern, accuracies, strict=True)])
        second = (1 - share) * np.prod([b if v == 1 else 1 - b for v, (_, b) in zip(pattern, accuracies, strict=True)])
        total += times * np.log(first + second)
    return total


@pytest.mark.parametrize("known", [None, 0.4], ids=["prevalence free", "prevalence known"])
@pytest.mark.parametrize("quantity", ["accuracy", "overall"])
def test_accuracies_end_where_another_optimiser_says(quantity, known):
    """The least and the greatest value on the surface of likely fits, by sequential quadratic programming."""
    sketch = trio(FIXTURES["half"])
    fitted = fit_latent(sketch, prevalence=known)
    both = unlabelled_both(sketch, fitted.evaluation, prevalence_known=known is not None)
    told = both["in general"]
    interval = told.accuracy[1][0] if quantity == "accuracy" else told.overall[1]

    def value(x):
        return x[3] if quantity == "accuracy" else x[0] * x[3] + (1 - x[0]) * x[4]

    start = np.concatenate([fitted.evaluation.prevalence[:1], fitted.evaluation.accuracies.ravel()])
    row = 4 if quantity == "accuracy" else 9
    room = fitted.log_likelihood - loss(fitted.evaluation, sketch.size, row, known is not None)
    for sign, end in ((1, interval.low), (-1, interval.high)):
        found = minimize(
            lambda x, sign=sign: sign * value(x),
            start,
            bounds=[(0.001, 0.999) if known is None else (known, known)] + [(0.001, 0.999)] * 6,
            constraints=[
                {"type": "ineq", "fun": lambda x: log_likelihood(sketch, x) - room},
                {"type": "ineq", "fun": lambda x: x[1::2] + x[2::2] - 1},  # not the mirrored hill
            ],
            method="SLSQP",
            options={"maxiter": 300, "ftol": 1e-10},
        )
        assert found.success
        assert end == pytest.approx(value(found.x), abs=0.004)


def test_a_likely_fit_on_another_hill_is_not_overlooked():
    """The search from the best fit alone ends at 55%; another optimiser finds a likely fit with 30%."""
    sketch = trio([79, 63, 55, 79, 64, 67, 81, 112])
    fitted = fit_latent(sketch)
    best = -np.inf
    for share in (0.2, 0.5, 0.8):
        start = np.array([share, 0.7, 0.7, 0.7, 0.3, 0.7, 0.7])
        bounds = [(0.001, 0.999)] * 4 + [(0.3, 0.3)] + [(0.001, 0.999)] * 2
        found = minimize(lambda x: -log_likelihood(sketch, x), start, bounds=bounds, method="SLSQP")
        best = max(best, -found.fun)
    assert fitted.log_likelihood - best < 3.8415 / 2
    told = unlabelled_estimates(sketch, fitted.evaluation, target="in general")
    assert told.accuracy[1][1].low < 0.3


@pytest.mark.parametrize("target", TARGETS)
def test_with_many_items_the_ends_are_those_of_fisher_information(target):
    cells = [2000 * count for count in FIXTURES["independent"]]
    sketch = trio(cells)
    fitted = fit_latent(sketch).evaluation
    told = unlabelled_estimates(sketch, fitted, target=target)
    errors = np.sqrt(np.diagonal(information(fitted).covariance(target)) / sketch.size)
    for interval, error in zip(intervals(told)[:1] + intervals(told)[2:8], errors, strict=True):
        assert (interval.high - interval.low) / 2 == pytest.approx(1.96 * error, rel=0.02)


def test_on_this_test_is_narrower_and_more_so_with_good_judges():
    shares = {}
    for accuracy in (0.9, 0.7):
        cells = _expected_cells(accuracy, items=100_000)
        told = unlabelled_both(cells, fit_latent(cells).evaluation)
        general, here = (told[target].prevalence[0] for target in TARGETS)
        shares[accuracy] = (here.high - here.low) / (general.high - general.low)
    assert shares[0.9] < 0.55 < 0.95 < shares[0.7] < 1


def _expected_cells(accuracy, items, share=0.3):
    cells = []
    for place in range(8):
        wrong = bin(place).count("1")
        first = share * accuracy ** (3 - wrong) * (1 - accuracy) ** wrong
        second = (1 - share) * (1 - accuracy) ** (3 - wrong) * accuracy**wrong
        cells.append(round(items * (first + second)))
    return trio(cells)


def test_perfect_agreement_is_not_taken_for_certainty():
    told = unlabelled_both(trio(FIXTURES["clones"]), fit_latent(trio(FIXTURES["clones"])).evaluation)
    for target in TARGETS:
        assert told[target].prevalence[0].high - told[target].prevalence[0].low > 0.1
        assert told[target].accuracy[0][0].low < 0.95


def test_votes_that_tell_nothing_say_so():
    sketch = trio(FIXTURES["no skill"])
    told = unlabelled_estimates(sketch, fit_latent(sketch).evaluation, target="in general")
    assert told.prevalence[0].high - told.prevalence[0].low > 0.99
    assert told.prevalence[0].method.endswith("the votes do not bound it")


@pytest.mark.parametrize("order", list(permutations(range(3)))[1:4])
def test_the_order_of_the_judges_does_not_matter(order):
    sketch = trio(FIXTURES["independent"])
    turned = sketch.marginal([NAMES[place] for place in order])
    told, other = (unlabelled_estimates(s, fit_latent(s).evaluation, target="in general") for s in (sketch, turned))
    for place, judge in enumerate(order):
        for one, same in zip(told.accuracy[judge], other.accuracy[place], strict=True):
            assert (one.low, one.high) == pytest.approx((same.low, same.high), abs=0.002)


@pytest.mark.parametrize("target", TARGETS)
def test_the_other_point_has_the_mirrored_intervals(target):
    sketch = trio(FIXTURES["independent"])
    fitted = fit_latent(sketch).evaluation
    told, other = (unlabelled_estimates(sketch, each, target=target) for each in (fitted, mirror(fitted)))
    first, turned = told.prevalence[0], other.prevalence[0]
    assert (1 - turned.high, 1 - turned.low) == pytest.approx((first.low, first.high), abs=0.002)
    for row, flipped in zip(told.accuracy, other.accuracy, strict=True):
        assert (1 - flipped[1].high, 1 - flipped[1].low) == pytest.approx((row[0].low, row[0].high), abs=0.002)


def test_a_higher_level_is_wider():
    sketch = trio(FIXTURES["independent"])
    fitted = fit_latent(sketch).evaluation
    widths = []
    for level in (0.5, 0.8, 0.95, 0.99):
        told = unlabelled_estimates(sketch, fitted, target="in general", level=level)
        widths.append([interval.high - interval.low for interval in intervals(told)])
        assert told.prevalence[0].level == level
    assert np.all(np.diff(widths, axis=0) > 0)


def test_missing_votes_widen_and_judges_count_their_own_votes():
    rng = np.random.default_rng(11)
    truth = rng.random(3000) < 0.6
    votes = np.where(rng.random((3000, 4)) < 0.8, truth[:, None], ~truth[:, None]).astype(int)
    full, thin = (Sketch(("a", "b", "c", "d"), LABELS) for _ in range(2))
    for row in votes.tolist():
        full.count(tuple(row))
    votes[:, 1:][rng.random((3000, 3)) < 0.4] = -1
    for row in votes.tolist():
        thin.count(tuple(row))
    for target in TARGETS:
        told, less = (unlabelled_estimates(s, fit_latent(s).evaluation, target=target) for s in (full, thin))
        is_sound(less)
        assert less.prevalence[0].n == 3000
        assert less.accuracy[1][0].n == less.overall[1].n == int((votes[:, 1] >= 0).sum())
        for one, other in zip(intervals(told), intervals(less), strict=True):
            assert other.high - other.low > one.high - one.low
        fitted = fit_latent(thin).evaluation
        error = np.sqrt(information(fitted, sketch=thin).covariance(target)[0, 0] / 3000)
        assert less.prevalence[0].high - less.prevalence[0].low == pytest.approx(2 * 1.96 * error, rel=0.05)


def test_a_known_prevalence_is_given_and_sharpens_the_rest():
    sketch = trio(FIXTURES["half"])
    fitted = fit_latent(sketch, prevalence=0.5).evaluation
    free = unlabelled_both(sketch, fit_latent(sketch).evaluation)
    known = unlabelled_both(sketch, fitted, prevalence_known=True)
    assert (known["in general"].prevalence[0].low, known["in general"].prevalence[0].high) == (0.5, 0.5)
    assert known["in general"].prevalence[0].method == "given, not estimated"
    here = known["on this test"].prevalence[0]
    assert (here.high - here.low) / 2 == pytest.approx(1.96 * 0.5 / np.sqrt(400), rel=0.01)
    for target in TARGETS:
        for row, other in zip(known[target].accuracy, free[target].accuracy, strict=True):
            assert all(one.high - one.low < two.high - two.low for one, two in zip(row, other, strict=True))


def test_three_labels_have_intervals_too():
    rng = np.random.default_rng(4)
    truth = rng.choice(3, p=[0.5, 0.3, 0.2], size=4000)
    wrong = (truth[:, None] + rng.integers(1, 3, (4000, 3))) % 3
    votes = np.where(rng.random((4000, 3)) < 0.8, truth[:, None], wrong)
    sketch = Sketch(NAMES, ("x", "y", "z"))
    for row in votes.tolist():
        sketch.count(tuple(row))
    fitted = fit_latent(sketch).evaluation
    for target in TARGETS:
        told = unlabelled_estimates(sketch, fitted, target=target)
        is_sound(told)
        slopes = slopes_of(fitted)
        errors = np.sqrt(np.einsum("qp,pr,qr->q", slopes, information(fitted).covariance(target), slopes) / 4000)
        for interval, error in zip(intervals(told), errors, strict=True):
            assert (interval.high - interval.low) / 2 == pytest.approx(1.96 * error, rel=0.1)


def test_an_estimate_that_is_not_the_most_likely_is_kept_and_named():
    sketch = trio(FIXTURES["independent"])
    majority = majority_vote(sketch).evaluation
    told = unlabelled_estimates(sketch, majority, target="on this test")
    is_sound(told)
    assert told.prevalence[0].estimate == pytest.approx(118 / 225)
    assert told.method.endswith("the estimate is not the most likely one")


def test_a_panel_too_large_to_search_is_told_by_curvature(monkeypatch):
    sketch = trio([50 * count for count in FIXTURES["independent"]])
    fitted = fit_latent(sketch).evaluation
    searched = unlabelled_both(sketch, fitted)
    monkeypatch.setattr(module, "_WORK", 0)
    for target, told in unlabelled_both(sketch, fitted).items():
        is_sound(told)
        assert told.method.startswith("likelihood curvature")
        for one, other in zip(intervals(told), intervals(searched[target]), strict=True):
            assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.004)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": "always"}, "target='always' is not a target: use 'in general' or 'on this test'"),
        ({"level": 1.0}, r"level=1.0 must lie in \[0.5, 1\)"),
        ({"sketch": Sketch(("x", "y", "z"), LABELS, {(0, 0, 0): 1})}, "give the sketch it was made from"),
        ({"sketch": Sketch(NAMES, LABELS)}, "sketch has no items"),
    ],
)
def test_bad_questions_say_what_is_wrong(change, message):
    evaluation = Evaluation.binary(NAMES, LABELS, 0.3, np.full((3, 2), 0.8), "assumed")
    arguments = {"sketch": trio(FIXTURES["half"]), "target": "in general", **change}
    with pytest.raises(InvalidInput, match=message) as error:
        unlabelled_estimates(arguments.pop("sketch"), evaluation, **arguments)
    assert "\n" not in str(error.value)
