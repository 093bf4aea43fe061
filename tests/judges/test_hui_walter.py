"""Two judges in two strata, exactly; and the fit over strata for any number of judges."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ringtrue.core import InvalidInput, Sketch, canonical_json
from ringtrue.judges import fit_strata, hui_walter
from ringtrue.stats import generator


def cells(share, firsts, seconds, items):
    """The expected counts of all patterns, which must be whole."""
    counts = []
    for votes in product((0, 1), repeat=len(firsts)):
        chance = [share, 1 - share]
        for a, b, vote in zip(firsts, seconds, votes, strict=True):
            chance[0] *= a if vote == 0 else 1 - a
            chance[1] *= b if vote == 1 else 1 - b
        counts.append(items * sum(chance))
    assert all(count == int(count) for count in counts)
    return [int(count) for count in counts]


def pair(counts):
    return Sketch.from_cells(["a", "b"], ["alpha", "beta"], counts)


FIRSTS = (Fraction(4, 5), Fraction(3, 4))
SECONDS = (Fraction(7, 10), Fraction(9, 10))
STRATA = [pair(cells(share, FIRSTS, SECONDS, 1000)) for share in (Fraction(3, 10), Fraction(3, 5))]


def test_the_published_case_is_recovered_exactly():
    found = hui_walter(*STRATA)
    assert found.status == "ok"
    assert found.prevalences == (Fraction(3, 10), Fraction(3, 5))
    assert found.accuracies == ((Fraction(4, 5), Fraction(7, 10)), (Fraction(3, 4), Fraction(9, 10)))
    assert found.reason == "both judges are better than chance"
    first, second = found.evaluations
    assert first.prevalence.tolist() == pytest.approx([0.3, 0.7])
    np.testing.assert_allclose(second.accuracies, [[0.8, 0.7], [0.75, 0.9]])


tenths = st.integers(1, 9).map(lambda tenth: Fraction(tenth, 10))


@given(tenths, tenths, tenths, tenths, tenths, tenths)
@settings(max_examples=100, deadline=None)
def test_any_two_independent_judges_are_recovered(p1, p2, a1, a2, b1, b2):
    assume(p1 != p2)
    assume(a1 + b1 != 1)
    assume(a2 + b2 != 1)
    strata = [pair(cells(share, (a1, a2), (b1, b2), 1000)) for share in (p1, p2)]
    found = hui_walter(*strata, better="a" if a1 + b1 > 1 else None)
    assert found.status == "ok"
    true = ((p1, p2), ((a1, b1), (a2, b2)))
    mirrored = ((1 - p1, 1 - p2), ((1 - b1, 1 - a1), (1 - b2, 1 - a2)))
    if a1 + b1 > 1:
        assert (found.prevalences, found.accuracies) == true
        assert found.reason == "a is better than chance"
    else:
        assert (found.prevalences, found.accuracies) in (true, mirrored)
        skills = [sum(rates) - 1 for rates in found.accuracies]
        assert sum(skills) >= 0


def test_an_irrational_solution_satisfies_the_equations():
    counts = [[211, 240, 90, 459], [365, 230, 121, 284]]
    found = hui_walter(*map(pair, counts))
    assert found.status == "irrational"
    (a1, b1), (a2, b2) = found.accuracies
    for share, observed in zip(found.prevalences, counts, strict=True):
        both = share * a1 * a2 + (1 - share) * (1 - b1) * (1 - b2)
        neither = share * (1 - a1) * (1 - a2) + (1 - share) * b1 * b2
        assert 1000 * both == pytest.approx(observed[0])
        assert 1000 * neither == pytest.approx(observed[3])


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        ([201, 249, 94, 456], [402, 498, 188, 912], "unidentified"),  # the same prevalence
        ([25, 25, 25, 25], [25, 25, 25, 25], "unidentified"),
        ([30, 20, 30, 20], [20, 30, 20, 30], "unidentified"),  # the first judge votes at random
        ([40, 10, 20, 30], [30, 20, 10, 40], "empty"),  # the first rates agree, yet the votes go together
        ([50, 10, 10, 30], [10, 20, 20, 50], "outside"),
        ([28, 24, 29, 19], [19, 31, 20, 30], "complex"),
    ],
)
def test_failures_have_a_status_and_a_reason(first, second, status):
    found = hui_walter(pair(first), pair(second))
    assert found.status == status
    assert found.reason
    assert found.evaluations == ()
    assert not found.valid
    assert status in str(found)


def test_one_judge_worse_than_chance():
    strata = [pair(cells(share, (Fraction(4, 5), Fraction(3, 10)), (Fraction(4, 5), Fraction(2, 5)), 1000))
              for share in (Fraction(3, 10), Fraction(3, 5))]  # fmt: skip
    found = hui_walter(*strata)
    assert found.accuracies == ((Fraction(4, 5), Fraction(4, 5)), (Fraction(3, 10), Fraction(2, 5)))
    assert "worse than chance" in found.reason
    turned = hui_walter(*strata, better="b")
    assert turned.accuracies == ((Fraction(1, 5), Fraction(1, 5)), (Fraction(3, 5), Fraction(7, 10)))


def test_large_counts_stay_exact():
    found = hui_walter(*(pair([10**15 * count for count in sketch.cells()]) for sketch in STRATA))
    assert found.prevalences == (Fraction(3, 10), Fraction(3, 5))


def test_wrong_strata_are_refused():
    three = Sketch.from_cells(["a", "b", "c"], ["alpha", "beta"], range(8))
    other = Sketch.from_cells(["a", "c"], ["alpha", "beta"], [1, 2, 3, 4])
    gaps = Sketch(["a", "b"], ["alpha", "beta"], {(0, -1): 2})
    for wrong, why in ((three, "3 judges"), (other, "same judges"), (gaps, "missing"), (pair([0] * 4), "no items")):
        with pytest.raises(InvalidInput, match=why):
            hui_walter(STRATA[0], wrong)
    with pytest.raises(InvalidInput, match="none of"):
        hui_walter(*STRATA, better="nobody")


def test_it_prints_and_serialises():
    found = hui_walter(*STRATA)
    assert "30% and 60% of the items are 'alpha'" in str(found)
    assert '"3/10"' in canonical_json(found.to_json())
    assert canonical_json(hui_walter(STRATA[0], STRATA[0]).to_json())


def test_the_fit_over_strata_has_the_closed_form_as_its_maximum():
    fit = fit_strata(STRATA)
    assert fit.converged
    np.testing.assert_allclose([each.prevalence[0] for each in fit.evaluations], [0.3, 0.6], atol=1e-6)
    np.testing.assert_allclose(fit.evaluations[0].accuracies, [[0.8, 0.7], [0.75, 0.9]], atol=1e-6)
    assert fit.test.p is None
    assert "cannot be checked" in str(fit)
    assert np.all(np.diff(fit.path) >= -1e-9)


def drawn(seed, *, prevalences, second=None, items=1500, missing=0.0):
    """Three judges; in the second stratum they may have other accuracies."""
    rng = generator(seed, "strata")
    sketches = []
    for place, share in enumerate(prevalences):
        rates = np.array([[0.8, 0.7], [0.75, 0.85], [0.7, 0.75]]) if not place or second is None else np.array(second)
        truth = (rng.random(items) > share).astype(int)
        votes = np.where(rng.random((items, 3)) < rates[:, truth].T, truth[:, None], 1 - truth[:, None])
        votes[rng.random(votes.shape) < missing] = -1
        sketches.append(Sketch(["a", "b", "c"], ["x", "y"]))
        for row in votes.tolist():
            sketches[-1].count(tuple(row))
    return sketches


def test_three_judges_in_two_strata_can_be_checked():
    """Size 5% and a mean p of one half over 100 pairs of strata, give or take 2.2 points and 0.03."""
    found = [fit_strata(drawn(seed, prevalences=(0.3, 0.6))).test for seed in range(100)]
    assert {each.df for each in found} == {6}
    ps = np.array([each.p for each in found])
    assert np.mean(ps <= 0.05) <= 0.10
    assert 0.41 < ps.mean() < 0.59
    other = drawn(1, prevalences=(0.3, 0.6), second=[[0.6, 0.9], [0.75, 0.85], [0.9, 0.6]])
    assert fit_strata(other).test.p < 1e-4


def test_strata_may_have_gaps_and_more_labels():
    fit = fit_strata(drawn(1, prevalences=(0.2, 0.5, 0.8), missing=0.2))
    np.testing.assert_allclose([each.prevalence[0] for each in fit.evaluations], [0.2, 0.5, 0.8], atol=0.08)
    assert "votes are missing" in str(fit.test)
    assert len(fit.evaluations) == 3
    few = [Sketch(["a", "b", "c"], ["x", "y", "z"], {(k, k, k): 9 + s + k, (k, 0, k): 2} | {(0, k, 2): 1})
           for s in range(2) for k in (1, 2)]  # fmt: skip
    assert "too few items" in str(fit_strata(few).test)
    assert canonical_json(fit.to_json())


def test_strata_that_do_not_go_together_are_refused():
    with pytest.raises(InvalidInput, match="two strata or more"):
        fit_strata(STRATA[:1])
    with pytest.raises(InvalidInput, match="same judges"):
        fit_strata([STRATA[0], Sketch.from_cells(["a", "c"], ["alpha", "beta"], [1, 2, 3, 4])])
    with pytest.raises(InvalidInput, match="no votes"):
        fit_strata([STRATA[0], pair([0] * 4)])
