"""Counts, their Monte Carlo error, and when a promise counts as broken."""

import numpy as np
import pytest

from ringtrue.testing.coverage import Case, Count, Row, check
from ringtrue.testing.coverage._case import shortfalls, together

WATCHED, ABOUT = Row("stats", "a rate", "watched"), Row("stats", "a share", "about")


def case(row=WATCHED, held=None, **options):
    def simulate(numbers, seed):
        return {"it": np.array([held(number) for number in numbers])}

    return Case("here", {"it": row}, simulate, 1, **options)


def first(share):
    """Hits of which so many in a hundred hold."""
    return lambda number: [number % 100 < 100 * share]


@pytest.mark.parametrize(("share", "falls"), [(1.0, 0), (0.95, 0), (0.89, 0), (0.88, 1), (0.5, 1)])
def test_a_promise_is_broken_three_standard_errors_below_its_level(share, falls):
    """100 studies: the standard error is 2.18 points, so that 88.5% is what is needed."""
    assert len(check(case(held=first(share)), repetitions=100)) == falls
    assert check(case(Row("stats", "shown", "none"), held=first(share)), repetitions=100) == []


def test_a_shortfall_says_what_is_needed():
    (fall,) = check(case(held=first(0.88)), repetitions=100)
    assert fall.required == pytest.approx(0.95 - 3 * np.sqrt(0.95 * 0.05 / 100))
    assert str(fall) == "stats, a rate: holds in 88%, where at least 88.5% is needed (here, it)"


def test_about_has_two_sides():
    few = {"repetitions": 10_000}
    assert check(case(ABOUT, held=first(0.93)), **few) == check(case(ABOUT, held=first(0.97)), **few) == []
    assert "at most 97.65%" in str(check(case(ABOUT, held=first(0.99)), **few)[0])
    assert "at least 92.35%" in str(check(case(ABOUT, held=first(0.92)), **few)[0])


@pytest.mark.parametrize(("share", "falls"), [(0.5, 0), (0.88, 0), (0.89, 1), (0.95, 1), (1.0, 1)])
def test_a_wrong_way_must_fall_short_of_its_level_beyond_chance(share, falls):
    """Else the warning is wrong. Only the last look counts: with few answers even a wrong way may hold."""
    wrong = Row("stats", "a wrong way", "below")
    assert len(check(case(wrong, held=first(share)), repetitions=100)) == falls
    late = case(wrong, held=lambda number: [True, number % 2 > 0], looks=("10", "100"))
    assert check(late, repetitions=100) == []
    assert wrong.words == "stays below 95%"
    if falls:
        (fall,) = check(case(wrong, held=first(share)), repetitions=100)
        assert "where at most 88.5% is needed" in str(fall)


def test_what_must_always_hold_may_never_fail():
    always = Row("judges", "bounds", "fixed", 1.0)
    assert check(case(always, held=first(1.0)), repetitions=100) == []
    assert len(check(case(always, held=first(0.99)), repetitions=100)) == 1


def test_intervals_of_one_study_go_together():
    """Four intervals that hold or fail as one are worth one; four that do so apart are worth four."""
    rng = np.random.default_rng(0)
    alike = np.repeat(rng.random((400, 1, 1)) < 0.95, 4, axis=2)
    apart = rng.random((400, 1, 4)) < 0.95
    one = np.sqrt(0.95 * 0.05 / 400)
    assert Count.of(alike.astype(float)).errors(0.95)[0] == pytest.approx(one, rel=0.2)
    assert Count.of(apart.astype(float)).errors(0.95)[0] == pytest.approx(one / 2, rel=0.2)
    nothing = Count.of(np.ones((400, 1, 4)))
    assert nothing.errors(0.95)[0] == pytest.approx(one / 2), "a run in which all held is not exact"
    carried = Count(400, 4, nothing.total, None)
    assert carried.errors(0.95)[0] == pytest.approx(one), "of what was not kept the worst is thought"


def test_counts_add_up_whichever_chunks_they_came_in():
    held = np.random.default_rng(1).random((60, 3, 2)) < 0.9
    whole = Count.of(held.astype(float))
    parts = Count.of(held[:13].astype(float)) + Count.of(held[13:].astype(float))
    assert (parts.repetitions, parts.intervals) == (whole.repetitions, whole.intervals) == (60, 2)
    np.testing.assert_allclose(parts.total, whole.total)
    np.testing.assert_allclose(parts.errors(0.95), whole.errors(0.95))


def test_a_family_falls_short_where_none_of_its_cells_does():
    """Twenty cells of 60 studies, six false claims in each: each may be chance, all together are not."""
    cell = Count(60, 1, np.array([54.0]), np.array([54.0]))
    assert not list(shortfalls(case(held=first(1)), "it", cell))
    (fall,) = together(WATCHED, "it", [cell] * 20)
    assert "all 20 cases together" in fall.where
    assert not list(together(WATCHED, "it", [Count(60, 1, np.array([58.0]), np.array([58.0]))] * 20))
    assert not list(together(WATCHED, "it", [cell])), "one case is no family"
