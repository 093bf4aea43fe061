"""Two judges in two strata, exactly."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ringtrue.core import InvalidInput, Sketch, canonical_json
from ringtrue.judges import hui_walter


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


def test_skills_that_cancel_leave_the_labels_unnamed():
    found = hui_walter(
        *(Sketch.from_cells(["a", "b"], ["no", "yes"], cells) for cells in ([10, 60, 20, 10], [10, 20, 60, 10]))
    )
    assert found.reason.endswith("by as much as the other is better: votes do not tell which")


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
