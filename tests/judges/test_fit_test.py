"""The check of independence: its exact numbers, its size on independent panels, its power on clustered ones."""

import re

import numpy as np
import pytest
from scipy.stats import chi2

from ringtrue.core import InvalidInput, Sketch, canonical_json
from ringtrue.judges import Evaluation, arrays_of, fit_latent, fit_test, pair_excess, pair_residuals
from ringtrue.judges.latent._climb import climb
from ringtrue.judges.latent._em import Point
from ringtrue.judges.latent._fit_test import degrees_of_freedom, simulate_panels
from ringtrue.judges.latent._pairs import pair_tables
from ringtrue.stats import generator

UCI_ADULT = [986, 630, 5801, 7972, 562, 493, 7712, 12686]
TWONORM = [538, 265, 139, 133, 239, 160, 143, 204, 311, 200, 153, 202, 211, 299, 244, 559]


def names(judges):
    return [f"j{place}" for place in range(judges)]


def sketch_of(votes, labels=2):
    sketch = Sketch(names(votes.shape[1]), [f"l{label}" for label in range(labels)])
    for row in votes.tolist():
        sketch.count(tuple(row))
    return sketch


def independent(seed, judges, items, *, low=0.65, high=0.85, missing=0.0):
    rng = generator(seed, "independent panel")
    truth = (rng.random(items) < 0.4).astype(int)
    right = rng.random((items, judges)) < rng.uniform(low, high, (judges, 2))[:, truth].T
    votes = np.where(right, truth[:, None], 1 - truth[:, None])
    votes[rng.random(votes.shape) < missing] = -1
    return sketch_of(votes)


def clustered(seed, items, *, judges=5, cluster=2, share=0.55, missing=0.0):
    """Independent judges, but the first few each follow one and the same source on a share of the items."""
    rng = generator(seed, "clustered panel")
    truth = (rng.random(items) < 0.6).astype(int)
    votes = np.where(rng.random((items, judges)) < 0.75, truth[:, None], 1 - truth[:, None])
    source = np.where(rng.random(items) < 0.75, truth, 1 - truth)
    follows = rng.random((items, cluster)) < share
    votes[:, :cluster] = np.where(follows, source[:, None], votes[:, :cluster])
    votes[rng.random(votes.shape) < missing] = -1
    return sketch_of(votes)


def checked(sketch, *, repetitions=39, seed=0, **fitting):
    return fit_test(sketch, fit_latent(sketch, **fitting), repetitions=repetitions, seed=seed)


def test_four_judges_on_twonorm():
    sketch = Sketch.from_cells(["a", "b", "c", "d"], ["0", "1"], TWONORM)
    found = checked(sketch)
    assert found.statistic == pytest.approx(7.7411, abs=5e-5)
    assert found.df == 6
    assert found.p == pytest.approx(0.2577, abs=5e-5)
    assert found.method == "G-squared against chi-square"
    known = checked(sketch, prevalence=0.5)
    assert known.df == 7
    assert known.p == pytest.approx(chi2.sf(known.statistic, 7))


def test_three_judges_on_two_labels_leave_nothing_to_check():
    found = checked(Sketch.from_cells(["a", "b", "c"], ["x", "y"], UCI_ADULT))
    assert (found.p, found.statistic, found.df) == (None, None, None)
    assert str(found).startswith("with 3 judges and 2 labels the fit cannot be checked")
    assert checked(Sketch.from_cells(["a", "b"], ["x", "y"], [4, 3, 2, 1])).p is None
    gaps = Sketch(["a", "b", "c"], ["x", "y"], {(0, 0, -1): 40, (1, 1, 0): 30, (0, 1, 1): 9, (-1, 0, 0): 20})
    assert checked(gaps).p is None


def test_a_known_prevalence_gives_three_judges_one_degree_of_freedom():
    sketch = Sketch.from_cells(["a", "b", "c"], ["x", "y"], UCI_ADULT)
    own = fit_latent(sketch).evaluation.prevalence[0]
    assert checked(sketch, prevalence=float(own)).statistic == pytest.approx(0, abs=1e-6)
    wrong = checked(sketch, prevalence=0.3)
    assert wrong.df == 1
    assert wrong.p < 1e-4


@pytest.mark.parametrize(
    ("judges", "labels", "known", "df"),
    [(3, 2, False, 0), (3, 2, True, 1), (4, 2, False, 6), (5, 2, False, 20), (3, 3, False, 6), (3, 4, False, 24)],
)
def test_degrees_of_freedom(judges, labels, known, df):
    assert degrees_of_freedom(judges, labels, known_prevalence=known) == df


def test_three_labels_can_be_checked_with_three_judges():
    """Votes that two judges share by a habit: they call x what the third calls anything."""
    counts = {
        (i, j, k): 40 if i == j == k else 12 if i == j else 6 for i in range(3) for j in range(3) for k in range(3)
    }
    sketch = Sketch(["a", "b", "c"], ["x", "y", "z"], counts)
    found = checked(sketch)
    assert found.df == 6
    assert 0 <= found.p <= 1


SIZES = {
    "G-squared against chi-square": {"judges": 5, "items": 700},
    "G-squared against simulated panels": {"judges": 4, "items": 300, "low": 0.9, "high": 0.96},
    "pair residuals against simulated panels": {"judges": 6, "items": 200, "missing": 0.3},
}


@pytest.mark.slow
@pytest.mark.parametrize("method", SIZES)
def test_independent_panels_are_rejected_as_often_as_promised(method):
    """At 5%: of 200 panels 3% to 8% are (standard error 1.5 points); of 40 simulated ones at most 5 (expected 2)."""
    panels = 40 if "simulated" in method else 200
    found = [checked(independent(seed, **SIZES[method]), seed=seed, repetitions=19) for seed in range(panels)]
    assert sum(re.sub(r"\d+ ", "", each.method) == method for each in found) > 0.9 * panels
    rejected = sum(each.p <= 0.05 for each in found)
    if panels == 200:
        assert 6 <= rejected <= 16
    else:
        assert rejected <= 5
    assert np.mean([each.p for each in found]) == pytest.approx(0.5, abs=3 * 0.29 / panels**0.5)


@pytest.mark.parametrize(("cluster", "items"), [(2, 1000), (3, 2000)])
def test_five_judges_of_whom_some_err_together_are_found_out(cluster, items):
    """Power above 0.95: with 60 panels, more than 57 are rejected."""
    found = [checked(clustered(seed, items, cluster=cluster)) for seed in range(60)]
    assert np.mean([each.p <= 0.05 for each in found]) > 0.95


def test_ten_judges_and_gaps_are_found_out_pair_by_pair():
    for seed in range(5):
        found = checked(clustered(seed, 1000, judges=10, cluster=3, missing=0.2), repetitions=19)
        assert found.method == "pair residuals against 19 simulated panels"
        assert found.df is None
        assert found.p == 0.05


def test_a_fit_on_the_boundary_is_compared_with_simulated_panels():
    sketch = sketch_of(np.array([[0, 0, 0, 0]] * 60 + [[1, 1, 1, 1]] * 50 + [[0, 0, 0, 1]] * 20 + [[1, 1, 0, 1]] * 20))
    fit = fit_latent(sketch)
    assert fit.on_boundary
    assert "simulated" in fit_test(sketch, fit, repetitions=9).method


def test_a_refit_is_free_to_leave_the_boundary(monkeypatch):
    starts = []

    def spy(votes, start, **how):
        starts.append(min(start.prevalence.min(), start.chance.min()))
        return climb(votes, start, **how)

    monkeypatch.setattr("ringtrue.judges.latent._fit_test.climb", spy)
    checked(sketch_of(np.array([[0, 0, 0, 0]] * 60 + [[1, 1, 1, 1]] * 50 + [[0, 0, 0, 1]] * 9)), repetitions=3)
    assert len(starts) == 3
    assert min(starts) > 0


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_simulated_panels_vote_like_the_fit_where_votes_were_given(missing):
    sketch = independent(1, 5, 3000, missing=missing)
    patterns, counts = arrays_of(sketch)
    point = Point.of(fit_latent(sketch).evaluation)
    rates = (point.chance @ point.prevalence[0]).reshape(5, 2)[:, 1]
    for votes in simulate_panels(patterns, counts, point, [generator(0, "fit test", step) for step in range(3)]):
        assert votes.items == counts[(patterns >= 0).any(axis=1)].sum()
        tables = pair_tables(votes)
        given = tables.sum(axis=(2, 3))
        np.testing.assert_allclose(given, np.einsum("k,ki,kj->ij", counts, patterns >= 0, patterns >= 0))
        said = np.diagonal(tables[:, :, 1, 1]) / np.diagonal(given)
        np.testing.assert_allclose(said, rates, atol=4 * 0.5 / np.sqrt(np.diagonal(given).min()))


def test_the_same_seed_gives_the_same_p():
    sketch = independent(3, 6, 200, missing=0.3)
    fit = fit_latent(sketch)
    assert fit_test(sketch, fit, seed=4, repetitions=19) == fit_test(sketch, fit, seed=4, repetitions=19)


def test_items_without_votes_change_nothing():
    sketch = Sketch.from_cells(["a", "b", "c", "d"], ["0", "1"], TWONORM)
    more = sketch + Sketch(sketch.judges, sketch.labels, {(-1, -1, -1, -1): 500})
    assert checked(more).p == pytest.approx(checked(sketch).p)


def test_many_items_do_not_take_long_and_say_the_same():
    counts = {(0, 0, 0, 0, -1): 10**9, (1, 1, 1, 1, -1): 10**9, (0, 1, 0, 1, 0): 10**8, (1, 0, 1, 0, 1): 10**8}
    counts |= {(0, 0, 1, 0, 0): 10**8, (1, 1, 0, 1, 1): 10**8, (0, 0, 0, 1, 1): 10**8}
    assert checked(Sketch(names(5), ["x", "y"], counts), repetitions=9).p == 0.1


def test_nothing_to_compare_is_said():
    counts = {(0, 1, -1, -1): 5, (-1, 0, 1, -1): 5, (-1, -1, 1, 1): 5, (0, -1, -1, 0): 5}
    found = checked(Sketch(names(4), ["x", "y"], counts))
    assert found.p is None
    assert "no two judges share 10 items" in str(found)


def test_a_fit_of_another_sketch_is_refused():
    fit = fit_latent(Sketch.from_cells(["a", "b", "c", "d"], ["0", "1"], TWONORM))
    with pytest.raises(InvalidInput, match="fit this sketch"):
        fit_test(Sketch.from_cells(["a", "b", "c"], ["0", "1"], UCI_ADULT), fit)
    with pytest.raises(InvalidInput, match="repetitions=0"):
        fit_test(Sketch.from_cells(["a", "b", "c", "d"], ["0", "1"], TWONORM), fit, repetitions=0)


def test_it_serialises():
    sketch = Sketch.from_cells(["a", "b", "c", "d"], ["0", "1"], TWONORM)
    assert "7.741" in canonical_json(checked(sketch).to_json())


def test_residuals_by_hand():
    """Of 100 items two coins are expected to agree on 50, give or take 5: they agree on 70."""
    sketch = Sketch.from_cells(["a", "b"], ["x", "y"], [35, 15, 15, 35])
    coins = Evaluation.binary(sketch.judges, sketch.labels, 0.5, np.full((2, 2), 0.5), "")
    np.testing.assert_allclose(pair_residuals(sketch, coins), [[0, 4], [4, 0]])


def test_residuals_under_the_truth_are_standard_normal():
    """Of 40 panels with 15 pairs each: mean 0 and variance 1, give or take 0.05 and 0.07."""
    found = []
    for seed in range(40):
        rng = generator(seed, "residuals")
        truth = rng.integers(0, 3, 500)
        confusion = rng.dirichlet([2.0, 2.0, 2.0], (6, 3))
        chance = np.cumsum(confusion, axis=2)[:, truth, :-1].transpose(1, 0, 2)
        votes = (rng.random((500, 6, 1)) > chance).sum(axis=2)
        votes[rng.random(votes.shape) < 0.2] = -1
        sketch = sketch_of(votes, 3)
        evaluation = Evaluation(sketch.judges, sketch.labels, np.full(3, 1 / 3), confusion, "")
        found.append(pair_residuals(sketch, evaluation)[np.triu_indices(6, 1)])
    assert np.mean(found) == pytest.approx(0, abs=0.1)
    assert np.var(found) == pytest.approx(1, abs=0.15)


def test_residuals_are_never_nan():
    sketch = Sketch(names(3), ["x", "y"], {(0, -1, 0): 5, (-1, 1, -1): 3, (1, -1, 0): 1})
    sure = Evaluation.binary(sketch.judges, sketch.labels, 1.0, np.ones((3, 2)), "")
    found = pair_residuals(sketch, sure)
    assert np.all(np.isfinite(found))
    assert np.all(np.diagonal(found) == 0)
    assert found[0, 1] == found[1, 2] == 0
    np.testing.assert_array_equal(found, found.T)
    with pytest.raises(InvalidInput, match="same judges and labels"):
        pair_residuals(sketch.marginal(["j0", "j1"]), sure)


@pytest.mark.parametrize(("judges", "cluster"), [(5, 2), (6, 3), (10, 3)])
def test_the_pair_that_errs_together_stands_out_by_its_excess(judges, cluster):
    """In at least 26 of 30 panels; residuals of the fit name it in 7 of 30 for five judges."""
    named = 0
    for seed in range(30):
        excess = pair_excess(clustered(seed, 1000, judges=judges, cluster=cluster))
        named += max(np.unravel_index(int(excess.argmax()), excess.shape)) < cluster
    assert named >= 26


def test_the_excess_of_independent_judges_is_noise():
    excess = pair_excess(independent(1, 6, 20_000))
    assert np.abs(excess).max() < 0.05
    assert np.all(np.diagonal(excess) == 0)
    gaps = pair_excess(Sketch(names(5), ["x", "y"], {(0, 1, -1, -1, -1): 30, (1, 1, -1, 0, 1): 4}))
    assert np.all(gaps == 0)
    with pytest.raises(InvalidInput, match="fewer than five"):
        pair_excess(independent(1, 4, 100))
    with pytest.raises(InvalidInput, match="labels, not two"):
        pair_excess(Sketch(names(5), ["x", "y", "z"], {(0, 1, 2, 0, 1): 30}))


def test_items_without_votes_do_not_make_up_for_common_items_that_are_lacking():
    few = independent(1, 5, 9)
    more = few + Sketch(few.judges, few.labels, {(-1,) * 5: 500})
    assert np.all(pair_excess(few) == 0)
    assert np.all(pair_excess(more) == 0)


def test_simulating_ends_once_the_fit_is_plainly_not_rejected():
    """Ten panels that fit worse are plenty; a fit that is rejected is compared with all."""
    sketch = independent(3, judges=6, items=200, missing=0.3)
    found = checked(sketch, repetitions=199)
    made = int(re.search(r"against (\d+) simulated", found.method)[1])
    assert made < 199
    assert found.p == pytest.approx(10 / made)
