"""What may be claimed of the whole space, and when it is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ringtrue.core import Claim, Verdict, percent
from ringtrue.worst import Choice, Integer, Real, SearchSpace, Worst, simulate
from ringtrue.worst._bound import excursion_chance
from ringtrue.worst._calibration import HeldOut, calibration, inflation
from ringtrue.worst.surrogate import Shape

LINE = SearchSpace([Real("x", 0, 1)])
SHAPE = Shape(np.array([0.3]), 1e-6)


def wave(values):
    return math.sin(6 * values["x"]) + 0.3 * values["x"]


def residuals(scores):
    return HeldOut(SHAPE, scores, scores, 30)


def verdict_of(question, trace):
    estimator = question.estimator(size=0, claim=question.claim)
    estimator.update(trace.records)
    return estimator.verdict, estimator.finding()


@pytest.fixture(scope="module")
def searched():
    question = Worst(LINE, evaluations=65, claim="deviation <= 1.5")
    return question, simulate(question, wave)


def test_the_chance_of_an_excursion_agrees_with_simulated_processes():
    """20,000 draws on a grid of 120 points, lengthscale one half: the chance error is below .0013 at these chances."""
    x = np.linspace(0, 1, 120)[:, None]
    covariance = np.exp(-0.5 * ((x - x.T) / 0.5) ** 2) + 1e-9 * np.eye(120)
    draws = np.linalg.cholesky(covariance) @ np.random.default_rng(3).standard_normal((120, 20_000))
    for height in (2.2, 2.6, 3.0):
        assert np.mean(draws.max(axis=0) > height) == pytest.approx(
            excursion_chance(height, np.array([2.0])), abs=0.005
        )


def test_without_numbers_the_chance_is_a_normal_tail():
    assert excursion_chance(1.6448536, np.array([])) == pytest.approx(0.05, abs=1e-7)


def test_a_smooth_function_well_below_the_limit_rings_true(searched):
    verdict, finding = verdict_of(*searched)
    assert verdict is Verdict.RINGS_TRUE
    truth = max(abs(wave({"x": x})) for x in np.linspace(0, 1, 5001))
    assert truth <= finding.bound.upper <= 1.5
    interval = finding.estimate
    assert (interval.low, interval.high) == (finding.worst.deviation, finding.bound.upper)
    assert (interval.level, interval.n) == (0.95, 65)
    assert "smooth" in str(finding)
    assert any("spike" in line for line in finding.assumptions)


def test_a_claim_that_rings_true_says_which_bumps_it_answers_for_and_what_holds_without_a_surrogate(searched):
    _, finding = verdict_of(*searched)
    assert "but for a bump with a standard deviation of 10% of each range or more" in str(finding)
    share = percent(finding.above.high, toward="above")
    assert str(finding).endswith(f" alone, at most {share} of the space deviates more")
    assert any("one bump at a random place" in line for line in finding.assumptions)


def test_a_limit_just_above_the_worst_found_needs_the_bound_to_reach_it(searched):
    question, trace = searched
    estimator = question.estimator(size=0, claim=Claim("deviation", float(trace.best[-1]) * (1 + 1e-12)))
    estimator.update(trace.records)
    bound = estimator.finding().bound
    assert (estimator.verdict is Verdict.RINGS_TRUE) == (bound.upper is not None and bound.upper <= bound.limit)


def test_before_ten_held_out_evaluations_nothing_is_claimed(searched):
    question, trace = searched
    estimator = question.estimator(size=0, claim=question.claim)
    estimator.update(trace.records[:30])
    assert estimator.verdict is Verdict.NOT_YET_KNOWN
    assert estimator.finding().bound is None


def test_a_counterexample_outweighs_any_bound(searched):
    question, trace = searched
    estimator = question.estimator(size=0, claim=question.claim)
    estimator.update(trace.records)
    estimator.update([further(trace, 9.0)])
    assert estimator.verdict is Verdict.RINGS_FALSE


def further(trace, value):
    """One more evaluation after a search, somewhere."""
    later = simulate(Worst(LINE, evaluations=1), lambda _: value, seed=5).records[0]
    later.number, later.note = len(trace.records), {**later.note, "place": len(trace.records)}
    return later


def test_a_bound_that_an_evaluation_refutes_is_withdrawn(searched):
    """Above the bound and below the limit: nothing is known any more."""
    question, trace = searched
    estimator = question.estimator(size=0, claim=question.claim)
    estimator.update([*trace.records, further(trace, 1.45)])
    assert estimator.verdict is Verdict.NOT_YET_KNOWN
    assert "refuted" in estimator.finding().bound.refused
    assert estimator.finding().estimate is None


def test_a_deviation_that_never_changed_proves_nothing():
    """A model that is wrong in a small corner that nobody met: all evaluations are 0, and smooth as nothing else."""
    question = Worst(LINE, evaluations=65, deviation="given", claim="deviation <= 0.5")
    trace = simulate(question, lambda values: float(0.4103 < values["x"] < 0.4104))
    verdict, finding = verdict_of(question, trace)
    assert verdict is Verdict.NOT_YET_KNOWN
    assert "smoothness" in finding.bound.refused
    assert finding.above.high > 0.1


def test_nothing_is_looked_at_beyond_a_query_that_is_out(searched):
    question, trace = searched
    estimator = question.estimator(size=0, claim=question.claim)
    estimator.update([record for record in trace.records if record.number != 20])
    assert estimator.finding().bound is None
    estimator.update([trace.records[20]])
    assert estimator.verdict is Verdict.RINGS_TRUE


def test_a_finite_space_that_was_evaluated_everywhere_is_decided_exactly():
    few = SearchSpace([Integer("k", 0, 8)])
    question = Worst(few, evaluations=20, deviation="given", claim="deviation <= 8")
    verdict, finding = verdict_of(question, simulate(question, lambda values: float(values["k"])))
    assert verdict is Verdict.RINGS_TRUE
    assert finding.bound.upper == 8.0
    assert "every point" in str(finding)
    assert (finding.estimate.low, finding.estimate.high) == (8.0, 8.0)


def test_looks_come_out_the_same_whenever_they_are_taken(searched):
    """One record at a time, as a study goes, or all at once, as a report is written."""
    question, trace = searched
    grown = question.estimator(size=0, claim=question.claim)
    for record in trace.records:
        grown.update([record])
        if grown.verdict is not Verdict.NOT_YET_KNOWN:
            break
    at_once = question.estimator(size=0, claim=question.claim)
    at_once.update(trace.records)
    assert grown.finding().bound == at_once.finding().bound


def test_a_surrogate_that_is_too_sure_is_refused():
    sure = residuals(np.full(12, 2.0))
    state = calibration(12, [sure])
    assert state.calibrated is False
    assert "times as large" in state.reason
    spike = HeldOut(SHAPE, np.array([0.1] * 11 + [5.0]), np.array([0.1] * 11 + [1.0]), 30)
    assert calibration(12, [spike]).calibrated is False


def test_one_bad_task_of_many_is_enough_to_refuse():
    fine, bad = residuals(np.zeros(12)), residuals(np.full(12, 3.0))
    assert calibration(12, [fine, fine]).calibrated is True
    assert calibration(12, [fine, bad]).calibrated is False


def test_a_task_without_held_out_evaluations_leaves_it_open():
    fine = residuals(np.zeros(12))
    assert calibration(12, [fine, None]).calibrated is None


def test_residuals_of_the_right_size_widen_the_band_by_what_they_leave_open():
    """Ten residuals of size one: the fifth percentile of chi-squared with ten degrees of freedom is 3.940."""
    assert inflation(residuals(np.ones(10)), 0.05) == pytest.approx(math.sqrt(10 / 3.9403), rel=1e-4)
    assert inflation(residuals(np.zeros(10)), 0.05) == 1.0


def test_rough_functions_and_needles_do_not_ring_true_unnoticed():
    """A saw with a hundred teeth is nothing that evaluations 1/60 apart can follow."""
    question = Worst(LINE, evaluations=65, claim="deviation <= 1.05")
    trace = simulate(question, lambda values: math.sin(700 * values["x"]) * (1 + 0.1 * values["x"]))
    assert verdict_of(question, trace)[0] is not Verdict.RINGS_TRUE


def test_noise_alone_is_no_counterexample():
    """The deviation is 1 everywhere; with noise of .2 the largest of 30 evaluations is far above the limit of 1.25."""
    rng = np.random.default_rng(8)
    question = Worst(LINE, evaluations=30, deviation="given", claim="deviation <= 1.25", noise=0.2)
    trace = simulate(question, lambda values: 1.0 + 0.05 * values["x"] + 0.2 * rng.standard_normal())
    assert trace.best[-1] > 1.25
    estimator = question.estimator(size=0, claim=question.claim)
    estimator.update(trace.records)
    assert estimator.verdict is not Verdict.RINGS_FALSE
    exact = Worst(LINE, evaluations=30, deviation="given", claim="deviation <= 1.25").estimator(
        size=0, claim=question.claim
    )
    exact.update(trace.records)
    assert exact.verdict is Verdict.RINGS_FALSE
    worst = estimator.finding().worst
    assert worst.low < 1.05 < worst.high


def test_each_choice_has_a_process_of_its_own():
    from ringtrue.worst._bound import band_width
    from ringtrue.worst.surrogate import GaussianProcess

    plain, chosen = LINE, SearchSpace([Real("x", 0, 1), Choice("kind", ["a", "b", "c"])])
    widths = []
    for space in (plain, chosen):
        plan = Worst(space, evaluations=9).plan
        shape = Shape(np.full(space.width, 0.3), 1e-6)
        process = GaussianProcess.of(space.sobol(4, 0), np.arange(4.0)[:, None], shape)
        widths.append(band_width(plan, process, 0.05))
    assert widths[1] > widths[0]
