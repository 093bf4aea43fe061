"""Fisher information of votes, checked against two other derivations and against sums over every pattern."""

from itertools import combinations, product

import numpy as np
import pytest

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import Evaluation, fit_latent
from ringtrue.judges.latent._em import arrays_of
from ringtrue.judges.latent._information import information, order_of, slopes_of

TRIO = Evaluation.binary(
    ("ann", "bob", "cyd"), ("no", "yes"), 0.35, np.array([[0.8, 0.7], [0.9, 0.65], [0.75, 0.85]]), "assumed"
)


def panel(judges, labels, seed):
    rng = np.random.default_rng(seed)
    confusion = rng.dirichlet(np.ones(labels), size=(judges, labels)) + 2 * np.eye(labels)
    confusion /= confusion.sum(axis=2, keepdims=True)
    names = tuple(f"judge {place}" for place in range(judges))
    return Evaluation(names, tuple("abcd"[:labels]), rng.dirichlet(np.full(labels, 5.0)), confusion, "random")


def from_parameters(parameters, judges, labels):
    """An evaluation's prevalence and confusion from its free parameters."""
    free = labels - 1
    rows = np.asarray(parameters).reshape(-1, free)
    rows = np.concatenate([rows, 1 - rows.sum(axis=1, keepdims=True)], axis=1)
    confusion = np.empty((judges, labels, labels), dtype=rows.dtype)
    for place, row in enumerate(rows[1:]):
        judge, label = divmod(place, labels)
        confusion[judge, label, order_of(label, labels)] = row
    return rows[0], confusion


def parameters_of(evaluation):
    judges, labels = evaluation.confusion.shape[:2]
    rows = [evaluation.prevalence]
    rows += [evaluation.confusion[j, t, order_of(t, labels)] for j in range(judges) for t in range(labels)]
    return np.array(rows)[:, :-1].ravel()


def joint(parameters, patterns, labels):
    """The chance of each pattern with each true label, straight from the definition."""
    judges = patterns.shape[1]
    prevalence, confusion = from_parameters(parameters, judges, labels)
    chance = np.tile(prevalence, (len(patterns), 1))
    for judge in range(judges):
        for row, vote in enumerate(patterns[:, judge]):
            if vote >= 0:
                chance[row] = chance[row] * confusion[judge, :, vote]
    return chance


def slopes(function, at):
    """Derivatives by a step along the imaginary axis, exact to rounding."""
    return np.stack([np.imag(function(at + 1e-30j * unit)) / 1e-30 for unit in np.eye(len(at))], axis=-1)


@pytest.mark.parametrize(("judges", "labels"), [(3, 2), (4, 2), (3, 3)])
def test_information_is_the_variance_of_the_score_over_every_pattern(judges, labels):
    evaluation = panel(judges, labels, seed=judges * labels)
    patterns = np.array(list(product(range(labels), repeat=judges)))
    at = parameters_of(evaluation)
    chance = joint(at, patterns, labels)
    slope = slopes(lambda x: joint(x, patterns, labels), at)
    votes, votes_slope = chance.sum(axis=1), slope.sum(axis=1)
    observed = (votes_slope / votes[:, None]).T @ votes_slope
    complete = np.einsum("etp,etq->pq", slope / chance[:, :, None], slope)
    told = information(evaluation)
    assert told.observed == pytest.approx(observed, abs=1e-10)
    assert told.complete == pytest.approx(complete, abs=1e-10)


@pytest.mark.parametrize(("judges", "labels"), [(3, 2), (5, 2), (3, 3)])
def test_errors_on_this_test_vary_as_the_difference_of_the_two_influence_functions(judges, labels):
    """The covariance of the two is the inverse complete information, so that variances simply subtract."""
    evaluation = panel(judges, labels, seed=judges + labels)
    patterns = np.array(list(product(range(labels), repeat=judges)))
    at = parameters_of(evaluation)
    chance = joint(at, patterns, labels)
    slope = slopes(lambda x: joint(x, patterns, labels), at)
    seen = (slope.sum(axis=1) / chance.sum(axis=1)[:, None]) @ np.linalg.inv(information(evaluation).observed)
    full = (slope / chance[:, :, None]) @ np.linalg.inv(information(evaluation).complete)
    both = np.einsum("et,ep,etq->pq", chance, seen, full)
    assert both == pytest.approx(np.linalg.inv(information(evaluation).complete), abs=1e-8)
    off = seen[:, None] - full
    here = np.einsum("et,etp,etq->pq", chance, off, off)
    assert information(evaluation).covariance("on this test") == pytest.approx(here, abs=1e-8)


def closed_form(frequencies):
    """Prevalence and accuracies of three judges from the eight frequencies, by moments of the second label's votes."""
    table = frequencies.reshape(2, 2, 2)
    mean = [table[1].sum(), table[:, 1].sum(), table[:, :, 1].sum()]
    pair = {
        (0, 1): table[1, 1].sum() - mean[0] * mean[1],
        (0, 2): table[1, :, 1].sum() - mean[0] * mean[2],
        (1, 2): table[:, 1, 1].sum() - mean[1] * mean[2],
    }
    third = table[1, 1, 1] - mean[0] * mean[1] * mean[2]
    third = third - mean[0] * pair[1, 2] - mean[1] * pair[0, 2] - mean[2] * pair[0, 1]
    root = np.sqrt(third**2 + 4 * pair[0, 1] * pair[0, 2] * pair[1, 2])
    result = [(1 + third / root) / 2]
    for judge, others in ((0, (1, 2)), (1, (0, 2)), (2, (0, 1))):
        result += [
            1 - mean[judge] + (root - third) / (2 * pair[others]),
            mean[judge] + (root + third) / (2 * pair[others]),
        ]
    return np.array(result)


def test_three_judges_in_general_agree_with_the_delta_method():
    patterns = np.array(list(product(range(2), repeat=3)))
    chance = joint(parameters_of(TRIO), patterns, 2).sum(axis=1)
    assert closed_form(chance) == pytest.approx(parameters_of(TRIO), abs=1e-12)
    jacobian = slopes(closed_form, chance.astype(complex))
    delta = jacobian @ (np.diag(chance) - np.outer(chance, chance)) @ jacobian.T
    assert information(TRIO).covariance("in general") == pytest.approx(delta, rel=1e-8, abs=1e-10)


def test_three_judges_on_this_test_agree_with_chance_error_correlations():
    """Independent judges have error correlations by chance alone; each moves the estimates to first order."""
    share, (a, b) = TRIO.prevalence[0], TRIO.accuracies.T
    skill = a + b - 1
    spread_a, spread_b = a * (1 - a), b * (1 - b)
    variance = np.zeros(7)
    for j, k in combinations(range(3), 2):
        (i,) = {0, 1, 2} - {j, k}
        pair = skill[j] * skill[k]
        of_a, of_b = spread_a[j] * spread_a[k] / share, spread_b[j] * spread_b[k] / (1 - share)
        variance[0] += (share / pair) ** 2 * of_a + ((1 - share) / pair) ** 2 * of_b
        variance[1 + 2 * j] += of_a / skill[k] ** 2
        variance[1 + 2 * k] += of_a / skill[j] ** 2
        variance[2 + 2 * j] += of_b / skill[k] ** 2
        variance[2 + 2 * k] += of_b / skill[j] ** 2
        variance[1 + 2 * i] += ((1 - share) / share * skill[i] / pair) ** 2 * of_b
        variance[2 + 2 * i] += (share / (1 - share) * skill[i] / pair) ** 2 * of_a
        three = share**2 * spread_a.prod() / share + (1 - share) ** 2 * spread_b.prod() / (1 - share)
        variance[1 + 2 * i] += three / (share * pair) ** 2
        variance[2 + 2 * i] += three / ((1 - share) * pair) ** 2
    variance[0] += 4 * three / skill.prod() ** 2
    assert np.diagonal(information(TRIO).covariance("on this test")) == pytest.approx(variance, rel=1e-9)


def test_with_all_labels_known_the_parameters_do_not_disturb_each_other():
    complete = np.linalg.inv(information(TRIO).complete)
    share, (a, b) = TRIO.prevalence[0], TRIO.accuracies.T
    diagonal = [share * (1 - share)]
    for judge in range(3):
        diagonal += [a[judge] * (1 - a[judge]) / share, b[judge] * (1 - b[judge]) / (1 - share)]
    assert complete == pytest.approx(np.diag(diagonal), abs=1e-12)


def test_information_on_a_sketch_is_minus_the_second_derivative_at_the_best_fit():
    rng = np.random.default_rng(3)
    truth = rng.random(600) < 0.4
    votes = np.where(rng.random((600, 4)) < 0.8, truth[:, None], ~truth[:, None]).astype(int)
    votes[rng.random((600, 4)) < 0.3] = -1
    sketch = Sketch(("a", "b", "c", "d"), ("no", "yes"))
    for row in votes.tolist():
        sketch.count(tuple(row))
    fitted = fit_latent(sketch).evaluation
    patterns, counts = arrays_of(sketch)
    at = parameters_of(fitted)

    def gradient(parameters):
        slope = slopes(lambda x: joint(x, patterns, 2).sum(axis=1), parameters)
        return counts @ (slope / joint(parameters, patterns, 2).sum(axis=1)[:, None])

    step = 1e-5
    curvature = -np.stack([(gradient(at + step * u) - gradient(at - step * u)) / (2 * step) for u in np.eye(9)])
    told = information(fitted, sketch=sketch)
    assert sketch.size * told.observed == pytest.approx(curvature, rel=1e-4, abs=1e-2)


def test_information_of_listed_patterns_is_that_of_a_sketch_in_their_proportions():
    patterns = list(product(range(2), repeat=3))
    chance = joint(parameters_of(TRIO), np.array(patterns), 2).sum(axis=1)
    sketch = Sketch(TRIO.judges, TRIO.labels, {p: round(1e12 * c) for p, c in zip(patterns, chance, strict=True)})
    told, listed = information(TRIO, sketch=sketch), information(TRIO)
    assert told.observed == pytest.approx(listed.observed, abs=1e-9)
    assert told.complete == pytest.approx(listed.complete, abs=1e-9)


def test_a_known_prevalence_leaves_less_to_estimate():
    free, known = information(TRIO), information(TRIO, prevalence_known=True)
    assert known.covariance("in general")[0, 0] == 0.0
    assert np.all(np.diagonal(known.covariance("in general"))[1:] < np.diagonal(free.covariance("in general"))[1:])
    inner = np.linalg.inv(free.observed[1:, 1:])
    assert known.covariance("in general")[1:, 1:] == pytest.approx(inner, rel=1e-9)
    # The realised share of these items is as far from the known one as chance makes it.
    here = known.covariance("on this test")
    assert here[0, 0] == pytest.approx(0.35 * 0.65)
    assert here[1:, 1:] == pytest.approx(inner - np.linalg.inv(free.complete)[1:, 1:], rel=1e-9)


def test_judges_no_better_than_chance_tell_nothing_but_give_numbers():
    useless = Evaluation.binary(("a", "b", "c"), ("no", "yes"), 0.3, np.full((3, 2), 0.5), "assumed")
    covariance = information(useless).covariance("in general")
    assert np.all(np.isfinite(covariance))
    assert covariance[0, 0] > 1e9
    perfect = Evaluation.binary(("a", "b", "c"), ("no", "yes"), 0.3, np.ones((3, 2)), "assumed")
    assert information(perfect).covariance("in general")[0, 0] == pytest.approx(0.21, rel=1e-6)
    assert information(perfect).covariance("on this test")[0, 0] == pytest.approx(0.0, abs=1e-6)


def test_slopes_follow_the_quantities():
    evaluation = panel(3, 3, seed=5)
    at = parameters_of(evaluation)

    def quantities(parameters):
        prevalence, confusion = from_parameters(parameters, 3, 3)
        accuracies = np.diagonal(confusion, axis1=1, axis2=2)
        return np.concatenate([prevalence, accuracies.ravel(), accuracies @ prevalence])

    assert slopes_of(evaluation) == pytest.approx(slopes(quantities, at), abs=1e-12)


def test_too_many_patterns_need_a_sketch():
    many = panel(13, 2, seed=1)
    with pytest.raises(InvalidInput, match="13 judges with 2 labels have more than 4,096 patterns: give the sketch"):
        information(many)
