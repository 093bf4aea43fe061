"""The likelihood against dense formulas and finite differences, and what its maximum finds."""

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.stats import cauchy, norm

from ringtrue.core import InvalidInput
from ringtrue.worst.surrogate import KERNELS, GaussianProcess, Shape, fit_common, fit_shape
from ringtrue.worst.surrogate._fit import NOISES, Likelihood, most_likely, penalty
from ringtrue.worst.surrogate._kernels import Covariance


def drawn(seed, n, lengthscales, *, noise=0.0, count=1, kernel="squared-exponential"):
    """Outputs drawn from the process itself."""
    rng = np.random.default_rng(seed)
    inputs = rng.random((n, len(lengthscales)))
    covariance = Covariance(KERNELS[kernel], np.asarray(lengthscales)).between(inputs, inputs)
    root = np.linalg.cholesky(covariance + (noise + 1e-9) * np.eye(n))
    return inputs, root @ rng.standard_normal((n, count))


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_restricted_likelihood_is_that_of_contrasts(kernel):
    """Differences of values do not know the mean; their plain profile likelihood is the restricted one."""
    inputs, outputs = drawn(1, 11, [0.3, 0.7], noise=0.1, count=3)
    contrasts = null_space(np.ones((1, 11)))
    covariance = Covariance(KERNELS[kernel], np.array([0.2, 0.5])).between(inputs, inputs) + 0.05 * np.eye(11)
    projected, seen = contrasts.T @ covariance @ contrasts, contrasts.T @ outputs
    variances = np.sum(seen * np.linalg.solve(projected, seen), axis=0) / 10
    expected = -0.5 * (10 * np.sum(np.log(variances)) + 3 * (np.linalg.slogdet(projected)[1] + np.log(11)))
    found, _ = Likelihood(KERNELS[kernel], inputs, outputs)(np.log([0.2, 0.5, 0.05]))
    assert found == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("width", "count"), [(1, 1), (7, 4)])
@pytest.mark.parametrize("noise", [1e-6, 0.1])
def test_its_gradient_is_that_of_finite_differences(kernel, width, count, noise):
    inputs, outputs = drawn(width, 14, np.linspace(0.3, 1, width), noise=noise, count=count)
    inputs[3], outputs[3] = inputs[8], outputs[8]
    likelihood = Likelihood(KERNELS[kernel], inputs, outputs)
    logs = np.log(np.append(np.linspace(0.2, 1.5, width), noise))
    _, gradient = likelihood(logs)
    step = 1e-3
    for place, along in enumerate(step * np.eye(width + 1)):
        # Fourth order: a step wide enough for the rounding of nearly singular matrices.
        near = likelihood(logs + along)[0] - likelihood(logs - along)[0]
        far = likelihood(logs + 2 * along)[0] - likelihood(logs - 2 * along)[0]
        assert gradient[place] == pytest.approx((8 * near - far) / (12 * step), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_fit_ends_where_the_slope_is_none_and_not_where_the_search_gave_up(kernel):
    """Exact values of a smooth function make the likelihood so rough that a search by its values stops short."""
    rng = np.random.default_rng(4)
    inputs = rng.random((40, 3))
    outputs = np.sin(3 * inputs[:, :1]) * np.cos(2 * inputs[:, 1:2]) + inputs[:, 2:] ** 2
    shape = fit_shape(inputs, outputs, kernel=kernel)
    logs = np.log([*shape.lengthscales, shape.noise])
    likelihood = Likelihood(KERNELS[kernel], inputs, (outputs - outputs.mean(axis=0)) / np.std(outputs, axis=0))
    slope = penalty(logs, most_likely(3))[1] - likelihood(logs)[1]
    np.testing.assert_allclose(slope[:-1], 0.0, atol=1e-4)
    assert logs[-1] == pytest.approx(np.log(NOISES[0]))
    assert slope[-1] > 0, "noise is at its lower bound, and would go below"


@pytest.mark.parametrize("kernel", KERNELS)
def test_lengthscales_and_noise_are_found_again(kernel):
    inputs, outputs = drawn(5, 150, [0.25, 0.9], noise=0.01, count=4, kernel=kernel)
    shape = fit_shape(inputs, outputs, kernel=kernel)
    # Over seeds, the logarithms' standard errors are .1 and .15 for the lengthscales and .3 for the noise.
    np.testing.assert_allclose(np.log(shape.lengthscales), np.log([0.25, 0.9]), atol=0.4)
    assert np.log(shape.noise) == pytest.approx(np.log(0.01), abs=0.9)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_units_and_constant_outputs_do_not_matter(factor):
    inputs, outputs = drawn(6, 25, [0.4, 0.4], count=2)
    constant = np.full((25, 1), 3.0)
    plain, scaled = fit_shape(inputs, outputs), fit_shape(inputs, np.hstack([factor * (outputs + 5), constant]))
    np.testing.assert_allclose(scaled.lengthscales, plain.lengthscales, rtol=1e-3)


def test_the_same_values_give_the_same_bits():
    inputs, outputs = drawn(7, 20, [0.4] * 3)
    one, other = fit_shape(inputs, outputs), fit_shape(inputs.copy(), outputs.copy())
    assert one.lengthscales.tobytes() == other.lengthscales.tobytes()
    assert one.noise == other.noise


@pytest.mark.parametrize("width", [1, 7, 20])
@pytest.mark.parametrize("values", [[[2.0]], [[2.0], [2.0]], [[0.0], [0.0], [0.0]]])
def test_values_that_tell_nothing_give_the_mode_of_the_prior(width, values):
    inputs = np.random.default_rng(0).random((len(values), width))
    shape = fit_shape(inputs, np.array(values))
    np.testing.assert_allclose(shape.lengthscales, 0.2 * np.sqrt(width))
    assert shape.noise == pytest.approx(1e-8)


@pytest.mark.parametrize("width", [1, 20])
@pytest.mark.parametrize("n", [2, 3, 8])
def test_few_values_give_a_shape_that_predicts(width, n):
    inputs, outputs = drawn(n, n, [0.5] * width)
    inputs[-1], outputs[-1] = inputs[0], outputs[0] + 0.1
    shape = fit_shape(inputs, outputs)
    found = GaussianProcess.of(inputs, outputs, shape).predict(np.random.default_rng(1).random((10, width)))
    assert np.all(np.isfinite(found.mean))
    assert np.all(found.sd > 0)


def test_with_the_prior_few_values_keep_sensible_lengthscales():
    inputs, outputs = drawn(9, 6, [0.5] * 7)
    shape = fit_shape(inputs, outputs)
    assert np.all((shape.lengthscales > 0.02) & (shape.lengthscales < 20))


def test_values_that_disagree_at_one_point_are_noisy():
    inputs, outputs = drawn(10, 30, [0.5, 0.5])
    rng = np.random.default_rng(0)
    inputs, outputs = np.vstack([inputs] * 3), np.vstack([outputs] * 3) + 0.3 * rng.standard_normal((90, 1))
    shape = fit_shape(inputs, outputs)
    process = GaussianProcess.of(inputs, outputs, shape)
    assert process.noise_sd[0] == pytest.approx(0.3, rel=0.25)  # 60 degrees of freedom: nine percent is one error


def test_an_earlier_shape_is_a_start_like_the_others():
    inputs, outputs = drawn(11, 40, [0.3, 0.6])
    earlier = fit_shape(inputs[:30], outputs[:30])
    likelihood = Likelihood(KERNELS["squared-exponential"], inputs, outputs / np.std(outputs))

    def height(shape):
        logs = np.log([*shape.lengthscales, max(shape.noise, 1e-8)])
        return likelihood(logs)[0] - penalty(logs, most_likely(2))[0]

    warm = fit_shape(inputs, outputs, near=earlier)
    assert height(warm) >= height(earlier) - 1e-9
    with pytest.raises(InvalidInput, match="2 coordinates"):
        fit_shape(inputs, outputs, near=Shape(np.ones(3), 0.0))


def test_what_functions_have_in_common_is_told_by_all_of_them_though_each_has_inputs_of_its_own():
    tables = [drawn(seed, 8, [0.25, 1.5]) for seed in range(20)]
    alone = np.array([np.log(fit_shape(*table).lengthscales) for table in tables])
    common = np.log(fit_common(tables).lengthscales)
    truth = np.log([0.25, 1.5])
    assert np.all(np.abs(common - truth) < 0.35)
    assert np.mean(np.abs(alone - truth)) > 2 * np.mean(np.abs(common - truth))


def test_few_values_leave_a_shape_where_it_is_believed_to_be_and_many_do_not():
    believed = Shape(np.array([0.1, 3.0]), 0.0)
    inputs, outputs = drawn(3, 60, [0.5, 0.5])
    few, many = (fit_shape(inputs[:n], outputs[:n], believed=believed).lengthscales for n in (2, 60))
    assert few == pytest.approx(believed.lengthscales, rel=0.35)
    assert many == pytest.approx([0.5, 0.5], rel=0.35)
    with pytest.raises(InvalidInput, match="believed has 1 lengthscales"):
        fit_shape(inputs, outputs, believed=Shape(np.ones(1), 0.0))


def test_a_function_that_is_known_at_one_place_tells_nothing_of_the_shape():
    tables = [drawn(seed, 12, [0.4]) for seed in range(2)]
    one = (np.array([[0.5]]), np.array([[7.0]]))
    assert fit_common([*tables, one]).lengthscales == pytest.approx(fit_common(tables).lengthscales, rel=1e-6)


def test_what_cannot_be_fitted_is_refused():
    with pytest.raises(InvalidInput, match="kernel='cubic'"):
        fit_shape(np.zeros((2, 1)), np.array([[0.0], [1.0]]), kernel="cubic")
    with pytest.raises(InvalidInput, match="must be finite"):
        fit_shape(np.zeros((2, 1)), np.array([[0.0], [np.inf]]))


def test_the_prior_is_that_of_its_densities_and_its_slope_is_their_derivative():
    mode, rng = most_likely(3), np.random.default_rng(2)
    for logs in mode + rng.normal(0, 2, (10, 4)):
        cost, slope = penalty(logs, mode)
        lengths = cauchy.logpdf(mode[:-1], mode[:-1], 0.7) - cauchy.logpdf(logs[:-1], mode[:-1], 0.7)
        assert cost == pytest.approx(lengths.sum() + norm.logpdf(0, 0, 6) - norm.logpdf(logs[-1], mode[-1], 6))
        differences = [
            (penalty(logs + step, mode)[0] - penalty(logs - step, mode)[0]) / 2e-6 for step in 1e-6 * np.eye(4)
        ]
        np.testing.assert_allclose(slope, differences, atol=1e-5)


def test_the_prior_of_a_search_lets_lengthscales_be_long_and_holds_short_ones_as_before():
    mode, away = most_likely(1), np.array([1.5, 0.0])
    wide = cauchy.logpdf(0, 0, 3) - cauchy.logpdf(1.5, 0, 3)
    assert penalty(mode + away, mode, 3.0)[0] == pytest.approx(wide)
    assert penalty(mode - away, mode, 3.0)[0] == pytest.approx(penalty(mode - away, mode)[0])
    differences = [penalty(mode + away + step, mode, 3.0)[0] for step in ([1e-6, 0], [-1e-6, 0])]
    slope = penalty(mode + away, mode, 3.0)[1][0]
    assert slope == pytest.approx((differences[0] - differences[1]) / 2e-6, rel=1e-5)


def test_where_few_coordinates_matter_that_is_learnt_from_fewer_values():
    """Fourteen values in seven dimensions, of which two matter."""
    strict, expecting = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        inputs, others = rng.random((14, 7)), rng.random((200, 7))
        for found, few_matter in ((strict, False), (expecting, True)):
            values, truth = (np.sin(3 * x[:, :1]) + x[:, 1:2] for x in (inputs, others))
            process = GaussianProcess.of(inputs, values, fit_shape(inputs, values, few_matter=few_matter))
            found.append(float(np.mean((process.predict(others).mean - truth) ** 2)))
    assert np.mean(expecting) < 0.7 * np.mean(strict)


def test_a_coordinate_that_does_nothing_gets_a_long_lengthscale_and_the_others_do_not():
    """Fifty values in seven dimensions, of which two matter."""
    rng = np.random.default_rng(4)
    inputs = rng.random((50, 7))
    shape = fit_shape(inputs, np.sin(6 * inputs[:, :1]) * np.cos(5 * inputs[:, 1:2]))
    assert np.all(shape.lengthscales[:2] < 1.0)
    assert np.all(shape.lengthscales[2:] > 2.0)
