"""Maximum likelihood on the sketch: against closed forms, a plain EM, and the truth of simulated panels."""

import csv
import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringtrue.core import InvalidInput, Sketch, canonical_json
from ringtrue.judges import Evaluation, arrays_of, fit_latent, solve_trio
from ringtrue.judges.latent._em import Votes
from ringtrue.judges.latent._starts import starts_of
from ringtrue.stats import generator

UCI_ADULT = [986, 630, 5801, 7972, 562, 493, 7712, 12686]
INDEPENDENT = [114, 26, 60, 60, 36, 24, 45, 85]
TWONORM = [538, 311, 239, 211, 139, 153, 143, 244, 265, 200, 160, 299, 133, 202, 204, 559]
"""Four judges; the place of a count is the sum of vote times 2 to the power of the judge's place."""
CROWD = Path(__file__).resolve().parents[3] / "shared" / "data" / "crowd"


def trio(cells):
    return Sketch.from_cells(["a", "b", "c"], ["alpha", "beta"], cells)


def twonorm():
    counts = {tuple(code >> judge & 1 for judge in range(4)): times for code, times in enumerate(TWONORM)}
    return Sketch(["a", "b", "c", "d"], ["0", "1"], counts)


def panel(judges, items, *, labels=2, low=0.6, high=0.9, missing=0.0, prevalence=None, seed=0):
    """Judges who err independently: the sketch, the truth's evaluation."""
    rng = generator(seed, "test panel")
    prevalence = np.full(labels, 1 / labels) if prevalence is None else np.array(prevalence)
    truth = rng.choice(labels, items, p=prevalence)
    right = rng.uniform(low, high, (judges, labels))
    confusion = np.empty((judges, labels, labels))
    for judge in range(judges):
        for label in range(labels):
            wrong = rng.dirichlet(np.full(labels - 1, 3.0)) * (1 - right[judge, label])
            confusion[judge, label] = np.insert(wrong, label, right[judge, label])
    votes = (rng.random((items, judges, 1)) > np.cumsum(confusion, axis=2)[:, truth, :-1].transpose(1, 0, 2)).sum(
        axis=2
    )
    votes[rng.random(votes.shape) < missing] = -1
    sketch = Sketch([f"j{judge}" for judge in range(judges)], [f"l{label}" for label in range(labels)])
    for row in votes.tolist():
        sketch.count(tuple(row))
    return sketch, Evaluation(sketch.judges, sketch.labels, prevalence, confusion, "truth")


def log_likelihood(sketch, evaluation):
    """Pattern by pattern, as it is written in the book."""
    total = 0.0
    for pattern, times in sketch.items():
        share = sum(
            evaluation.prevalence[truth]
            * math.prod(evaluation.confusion[judge, truth, vote] for judge, vote in enumerate(pattern) if vote >= 0)
            for truth in range(len(sketch.labels))
        )
        total += times * math.log(share)
    return total


def plain_em(sketch, steps):
    """Dawid and Skene's algorithm as published, from the shares of votes."""
    patterns, counts = arrays_of(sketch)
    labels = len(sketch.labels)
    said = np.stack([patterns == label for label in range(labels)], axis=2).astype(float)
    posterior = said.sum(axis=1) / said.sum(axis=(1, 2))[:, None]
    for _ in range(steps):
        weighted = posterior * counts[:, None]
        prevalence = weighted.sum(axis=0) / weighted.sum()
        table = np.einsum("kt,kjv->jtv", weighted, said)
        confusion = table / np.maximum(table.sum(axis=2, keepdims=True), 1e-300)
        logs = np.einsum("kjv,jtv->kt", said, np.log(np.maximum(confusion, 1e-300)))
        logs += np.log(np.maximum(prevalence, 1e-300))
        posterior = np.exp(logs - logs.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
    return Evaluation(sketch.judges, sketch.labels, prevalence, confusion, "plain")


def test_arrays_are_sorted_whatever_the_order_of_counting():
    counts = {(1, 0): 2, (0, -1): 3, (0, 1): 10**12}
    for order in permutations(counts):
        patterns, times = arrays_of(Sketch(["a", "b"], ["x", "y"], {key: counts[key] for key in order}))
        assert patterns.tolist() == [[0, -1], [0, 1], [1, 0]]
        assert times.tolist() == [3.0, 1e12, 2.0]
    assert arrays_of(Sketch(["a", "b"], ["x", "y"]))[0].shape == (0, 2)


def test_three_judges_on_adult_reach_the_algebraic_point():
    fit = fit_latent(trio(UCI_ADULT))
    assert fit.converged
    assert fit.iterations < 50  # plain EM needs more than 1,500
    assert fit.evaluation.prevalence[0] == pytest.approx(0.167114439653051, abs=1e-9)
    wanted = [[0.688996977450412, 0.636731271854222], [0.321976660859350, 0.977557745989399],
              [0.656115773222299, 0.640823020735720]]  # fmt: skip
    np.testing.assert_allclose(fit.evaluation.accuracies, wanted, atol=1e-9)


def test_four_judges_on_twonorm():
    fit = fit_latent(twonorm())
    found = [fit.evaluation.prevalence[1], *fit.evaluation.accuracies[:, 1], *fit.evaluation.accuracies[:, 0]]
    published = [0.50522200, 0.73919994, 0.74826535, 0.68902795, 0.70012449,
                 0.65380448, 0.72369449, 0.80569483, 0.69323271]  # fmt: skip
    np.testing.assert_allclose(found, published, atol=5e-7)
    # Those are from plain EM, which had stopped a little below the top; these are where the gradient is zero.
    exact = [0.5052224136, 0.7391997791, 0.7482651452, 0.6890277549, 0.7001243210,
             0.6538046423, 0.7236946840, 0.8056950490, 0.6932328688]  # fmt: skip
    np.testing.assert_allclose(found, exact, atol=2e-9)
    stopped = Evaluation.binary(
        fit.evaluation.judges, fit.evaluation.labels, 1 - published[0],
        np.column_stack([published[5:], published[1:5]]), "",
    )  # fmt: skip
    assert fit.log_likelihood > log_likelihood(twonorm(), stopped)


counts_of_eight = st.lists(st.integers(0, 60), min_size=8, max_size=8).filter(any)


@given(counts_of_eight)
@settings(max_examples=50, deadline=None)
def test_a_valid_trio_has_the_closed_form_as_its_maximum(cells):
    solved = solve_trio(trio(cells))
    fit = fit_latent(trio(cells))
    saturated = sum(count * math.log(count / sum(cells)) for count in cells if count)
    assert fit.log_likelihood <= saturated + 1e-9 * sum(cells)
    if solved.valid:
        assert fit.log_likelihood == pytest.approx(saturated, abs=1e-9 * sum(cells))
        if np.abs(solved.chosen.skill).min() > 0.1 and 0.02 < solved.chosen.prevalence[0] < 0.98:
            np.testing.assert_allclose(fit.evaluation.prevalence, solved.chosen.prevalence, atol=1e-6)
            np.testing.assert_allclose(fit.evaluation.confusion, solved.chosen.confusion, atol=1e-6)


@st.composite
def sketches(draw):
    judges, labels = draw(st.integers(1, 5)), draw(st.integers(2, 3))
    pattern = st.tuples(*[st.integers(-1, labels - 1)] * judges)
    counts = draw(st.dictionaries(pattern, st.integers(1, 40), min_size=1, max_size=25))
    return Sketch([f"j{judge}" for judge in range(judges)], [f"l{label}" for label in range(labels)], counts)


@given(sketches(), st.booleans())
@settings(max_examples=50, deadline=None)
def test_no_iteration_lowers_the_likelihood_and_the_result_is_a_distribution(sketch, known):
    if sketch.abstentions == sketch.size * len(sketch.judges):
        return
    shares = [0.5, 0.3, 0.2] if len(sketch.labels) == 3 else 0.3
    fit = fit_latent(sketch, prevalence=shares if known else None)
    path = np.array(fit.path)
    rounding = 1e-13 * (sketch.size + abs(path[-1]))
    assert np.all(np.diff(path) >= -rounding)
    assert fit.log_likelihood >= path[-1] - rounding
    assert fit.log_likelihood == pytest.approx(log_likelihood(sketch, fit.evaluation), abs=1e-8)
    np.testing.assert_allclose(fit.evaluation.prevalence.sum(), 1, atol=1e-12)
    np.testing.assert_allclose(fit.evaluation.confusion.sum(axis=2), 1, atol=1e-12)
    np.testing.assert_allclose(fit.posterior.sum(axis=1), 1, atol=1e-12)
    assert fit.evaluation.confusion.min() >= 0
    if known:
        np.testing.assert_allclose(
            fit.evaluation.prevalence, [0.5, 0.3, 0.2] if len(sketch.labels) == 3 else [0.3, 0.7]
        )


@given(sketches())
@settings(max_examples=40, deadline=None)
def test_plain_em_does_not_get_higher(sketch):
    if any(set(pattern) == {-1} for pattern in sketch):
        return
    plain = log_likelihood(sketch, plain_em(sketch, 200))
    assert fit_latent(sketch).log_likelihood >= plain - 1e-9 * abs(plain) - 1e-9


@pytest.mark.parametrize("labels", [2, 3, 4])
def test_the_gradient_is_zero_at_the_top(labels):
    sketch, _ = panel(5, 800, labels=labels, missing=0.2, seed=labels)
    fit = fit_latent(sketch)
    patterns, counts = arrays_of(sketch)
    weighted = fit.posterior * counts[:, None]
    said = np.stack([patterns == label for label in range(labels)], axis=2)
    table = np.einsum("kt,kjv->jtv", weighted, said)
    # Where the chances of the labels reproduce the parameters, an EM step stands still.
    np.testing.assert_allclose(weighted.sum(axis=0) / weighted.sum(), fit.evaluation.prevalence, atol=1e-9)
    np.testing.assert_allclose(table / table.sum(axis=2, keepdims=True), fit.evaluation.confusion, atol=1e-8)


def test_judges_and_labels_may_change_places():
    sketch = twonorm()
    fit = fit_latent(sketch)
    turned = fit_latent(sketch.marginal(["c", "a", "d", "b"]))
    np.testing.assert_allclose(turned.evaluation.confusion, fit.evaluation.confusion[[2, 0, 3, 1]], atol=1e-8)
    swapped = fit_latent(Sketch(sketch.judges, ["1", "0"], {tuple(1 - v for v in e): n for e, n in sketch.items()}))
    np.testing.assert_allclose(swapped.evaluation.confusion, fit.evaluation.confusion[:, ::-1, ::-1], atol=1e-8)


def test_a_million_million_times_as_many_items_change_nothing_but_the_likelihood():
    fit, large = fit_latent(trio(UCI_ADULT)), fit_latent(trio([10**12 * count for count in UCI_ADULT]))
    np.testing.assert_allclose(large.evaluation.confusion, fit.evaluation.confusion, atol=1e-9)
    assert large.log_likelihood == pytest.approx(10**12 * fit.log_likelihood, rel=1e-12)
    assert large.converged


@pytest.mark.parametrize(("missing", "most"), [(0.0, 0.012), (0.2, 0.0145), (0.5, 0.022)])
def test_votes_missing_by_chance_cost_precision_only(missing, most):
    """Mean error of the accuracies over eight panels: in the long run 0.0094, 0.0107, 0.0166, give or take a tenth."""
    errors = []
    for seed in range(8):
        sketch, truth = panel(5, 4000, low=0.65, missing=missing, prevalence=[0.4, 0.6], seed=seed)
        errors.append(np.abs(fit_latent(sketch).evaluation.accuracies - truth.accuracies).mean())
    assert np.mean(errors) < most


def test_an_item_without_votes_says_nothing():
    sketch = trio(INDEPENDENT)
    with_gaps = sketch + Sketch(sketch.judges, sketch.labels, {(-1, -1, -1): 1000})
    fit, same = fit_latent(sketch), fit_latent(with_gaps)
    assert same.log_likelihood == pytest.approx(fit.log_likelihood)
    np.testing.assert_allclose(same.evaluation.confusion, fit.evaluation.confusion, atol=1e-9)
    np.testing.assert_allclose(same.posterior[0], same.evaluation.prevalence)
    assert same.path[-1] == pytest.approx(fit.log_likelihood)


def test_the_posterior_follows_bayes_on_the_patterns_of_arrays_of():
    sketch = trio(INDEPENDENT)
    fit = fit_latent(sketch)
    patterns, _ = arrays_of(sketch)
    place = patterns.tolist().index([0, 1, 0])
    yes = 4 / 9 * 0.8 * 0.25 * 0.9
    no = 5 / 9 * 0.4 * 0.8 * 0.3
    np.testing.assert_allclose(fit.posterior[place], [yes / (yes + no), no / (yes + no)], atol=1e-8)


def test_a_known_prevalence_is_kept_and_names_the_labels():
    fit = fit_latent(trio(INDEPENDENT), prevalence=4 / 9)
    np.testing.assert_allclose(fit.evaluation.accuracies, [[0.8, 0.6], [0.75, 0.8], [0.9, 0.7]], atol=1e-8)
    assert fit.known_prevalence
    strong, truth = panel(4, 3000, low=0.2, high=0.35, prevalence=[0.2, 0.8], seed=5)  # all worse than chance
    named = fit_latent(strong, prevalence=[0.2, 0.8])
    assert named.reason == "named by the known prevalence"
    np.testing.assert_allclose(named.evaluation.accuracies, truth.accuracies, atol=0.07)
    assert np.all(fit_latent(strong).evaluation.skill > 0)  # without it they seem better than chance


def test_a_prevalence_that_does_not_tell_leaves_the_naming_to_the_majority():
    for share in (0.4, 0.5, 0.6):
        fit = fit_latent(twonorm(), prevalence=share)
        assert np.all(fit.evaluation.skill > 0)
        assert "does not tell" in fit.reason
        assert fit.evaluation.prevalence[0] == share


def test_shares_of_three_labels_may_be_known():
    sketch, truth = panel(4, 4000, labels=3, prevalence=[0.2, 0.3, 0.5], seed=3)
    fit = fit_latent(sketch, prevalence=[0.2, 0.3, 0.5])
    assert fit.evaluation.prevalence.tolist() == [0.2, 0.3, 0.5]
    np.testing.assert_allclose(fit.evaluation.accuracies, truth.accuracies, atol=0.06)
    assert fit.log_likelihood <= fit_latent(sketch).log_likelihood + 1e-9


def test_three_labels_are_named_by_the_sum_of_accuracies():
    sketch, truth = panel(4, 6000, labels=3, seed=9)
    fit = fit_latent(sketch)
    np.testing.assert_allclose(fit.evaluation.accuracies, truth.accuracies, atol=0.05)
    sums = [fit.evaluation.confusion.sum(axis=0)[list(order), range(3)].sum() for order in permutations(range(3))]
    assert max(sums) == pytest.approx(fit.evaluation.accuracies.sum())


def test_a_start_is_followed_and_keeps_its_names():
    sketch = trio(INDEPENDENT)
    mirrored = solve_trio(sketch).points[1]
    fit = fit_latent(sketch, start=mirrored)
    assert fit.start == "the start given"
    assert fit.reason == "named as in the start"
    np.testing.assert_allclose(fit.evaluation.accuracies, mirrored.accuracies, atol=1e-8)


def test_a_start_that_calls_the_votes_impossible_is_led_out():
    sketch = trio(INDEPENDENT)
    sure = Evaluation.binary(sketch.judges, sketch.labels, 0.5, np.ones((3, 2)), "")
    fit = fit_latent(sketch, start=sure)
    assert math.isfinite(fit.log_likelihood)
    assert np.all(np.isfinite(fit.path))


def test_votes_for_one_label_only_are_explained_by_that_label():
    fit = fit_latent(trio([5, 0, 0, 0, 0, 0, 0, 0]))
    assert fit.log_likelihood == pytest.approx(0, abs=1e-9)
    assert fit.evaluation.prevalence == pytest.approx([1, 0], abs=1e-9)
    assert "share of 'alpha': 1" in fit.on_boundary
    assert fit.converged


def test_clones_come_out_perfect_and_on_the_boundary():
    fit = fit_latent(trio([9, 0, 0, 3, 2, 0, 0, 5]))  # the second and third always agree
    assert fit.evaluation.accuracies[1:].tolist() == [[1, 1], [1, 1]]
    assert {"b votes 'alpha' on 'alpha': 1", "c votes 'beta' on 'beta': 1"} <= set(fit.on_boundary)


def test_a_top_on_the_boundary_is_reached_to_the_last_digit():
    fit = fit_latent(trio([40, 2, 1, 7, 9, 6, 5, 30]))  # solved by algebra, the second judge would be right too often
    assert fit.converged
    assert fit.evaluation.confusion[1, 0].tolist() == [1, 0]
    assert fit.on_boundary == ("b votes 'alpha' on 'alpha': 1",)


def test_the_trios_of_independent_judges_start_at_the_solution():
    sketch = trio(INDEPENDENT)
    patterns, counts = arrays_of(sketch)
    starts = starts_of(sketch.judges, patterns, counts, Votes.of(patterns, counts, 2))
    assert set(starts) == {"the majority", "the median of trios", *(f"the votes of {name}" for name in "abc")}
    accuracies = np.diagonal(starts["the median of trios"].by_truth(), axis1=1, axis2=2)
    np.testing.assert_allclose(accuracies, [[0.8, 0.6], [0.75, 0.8], [0.9, 0.7]], atol=1e-12)


def test_a_constant_judge_does_no_harm():
    cells = {(*pattern, 0): times for pattern, times in trio(INDEPENDENT).items()}
    fit = fit_latent(Sketch(["a", "b", "c", "always"], ["alpha", "beta"], cells))
    np.testing.assert_allclose(fit.evaluation.accuracies[:3], [[0.8, 0.6], [0.75, 0.8], [0.9, 0.7]], atol=1e-8)
    assert fit.evaluation.confusion[3].tolist() == [[1, 0], [1, 0]]
    silent = {(*pattern, -1): times for pattern, times in trio(INDEPENDENT).items()}
    fit = fit_latent(Sketch(["a", "b", "c", "never"], ["alpha", "beta"], silent))
    assert fit.evaluation.confusion[3].tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_two_judges_get_one_of_many_fits_and_are_told_so():
    fit = fit_latent(Sketch.from_cells(["a", "b"], ["x", "y"], [50, 10, 20, 60]))
    assert not fit.identified
    assert "one of many" in str(fit)
    saturated = sum(count * math.log(count / 140) for count in [50, 10, 20, 60])
    assert fit.log_likelihood == pytest.approx(saturated, abs=1e-6)


def test_what_cannot_be_fitted_is_refused():
    sketch = trio(INDEPENDENT)
    with pytest.raises(InvalidInput, match="no votes"):
        fit_latent(Sketch(["a", "b", "c"], ["x", "y"]))
    with pytest.raises(InvalidInput, match="no votes"):
        fit_latent(Sketch(["a", "b", "c"], ["x", "y"], {(-1, -1, -1): 3}))
    for wrong in (1.2, -0.1, [0.5, 0.4], [1.0], [0.2, 0.3, 0.5], float("nan")):
        with pytest.raises(InvalidInput, match="prevalence="):
            fit_latent(sketch, prevalence=wrong)
    with pytest.raises(InvalidInput, match="same judges and labels"):
        fit_latent(sketch, start=fit_latent(twonorm()).evaluation)
    below = Evaluation.binary(sketch.judges, sketch.labels, 0.5, np.full((3, 2), 1.1), "")
    with pytest.raises(InvalidInput, match="below 0"):
        fit_latent(sketch, start=below)


def test_it_prints_as_a_sentence_and_serialises_without_nan():
    fit = fit_latent(trio(UCI_ADULT))
    assert str(fit).startswith("if the judges err independently, the votes are likeliest with 16.7% 'alpha'")
    assert "NaN" not in canonical_json(fit.to_json())
    assert fit.evaluation.method == "maximum likelihood, independent errors"


@pytest.mark.parametrize(("name", "majority"), [("rte", 0.907), ("dog", 0.815), ("bluebird", 0.759)])
def test_crowds_are_labelled_better_than_by_the_majority(name, majority):
    if not (CROWD / name).exists():
        pytest.skip("the crowd data is not here")
    items = {}
    with (CROWD / name / "label.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            items.setdefault(row["item"], {})[row["worker"]] = row["label"]
    workers = sorted({worker for votes in items.values() for worker in votes})
    sketch = Sketch(workers, sorted({label for votes in items.values() for label in votes.values()}))
    for votes in items.values():
        sketch.add(votes)
    fit = fit_latent(sketch)
    assert fit.converged
    row_of = {tuple(pattern): row for row, pattern in enumerate(arrays_of(sketch)[0].tolist())}
    with (CROWD / name / "truth.csv").open(newline="") as file:
        truth = {row["item"]: row["truth"] for row in csv.DictReader(file)}
    said = {item: sketch.labels[fit.posterior[row_of[sketch.pattern(votes)]].argmax()] for item, votes in items.items()}
    assert np.mean([said[item] == label for item, label in truth.items()]) > majority + 0.015
