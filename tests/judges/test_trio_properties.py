"""What must hold for every sketch of three judges: the equations, the unit cube, symmetries, and the edges."""

import json
from fractions import Fraction
from itertools import permutations, product
from math import lcm, prod

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import STATUSES, ExactPoint, Surd, mirror, solve_trio, solve_trios
from ringtrue.papers.algebraic_evaluation import variety_residuals

JUDGES, LABELS = ("ann", "bob", "cyd"), ("no", "yes")
PATTERNS = list(product((0, 1), repeat=3))

sizes = st.sampled_from([2, 3, 6, 40, 1000, 10**6, 10**12, 10**40])
any_tables = sizes.flatmap(lambda most: st.lists(st.integers(0, most), min_size=8, max_size=8))
# Judges who mostly agree: about half of these have a solution inside the unit cube.
agreeing_tables = any_tables.map(lambda cells: [cells[0] + 2 * max(cells), *cells[1:7], cells[7] + 2 * max(cells)])
tables = st.one_of(any_tables, agreeing_tables)


def sketch(cells):
    return Sketch.from_cells(JUDGES, LABELS, cells)


def frequency(point, pattern):
    """How often independent judges at this point vote so."""
    first, second = point.prevalence, 1 - point.prevalence
    for (a, b), vote in zip(point.accuracies, pattern, strict=True):
        first, second = (first * a, second * (1 - b)) if vote == 0 else (first * (1 - a), second * b)
    return first + second


def permuted(cells, order):
    """The counts with the judges in another order."""
    by_pattern = dict(zip(PATTERNS, cells, strict=True))
    return [by_pattern[tuple(pattern[order.index(judge)] for judge in range(3))] for pattern in PATTERNS]


def flipped(cells, judges):
    """The counts when these judges vote the other way round."""
    by_pattern = dict(zip(PATTERNS, cells, strict=True))
    return [by_pattern[tuple(vote ^ (place in judges) for place, vote in enumerate(p))] for p in PATTERNS]


@settings(deadline=None)
@given(tables)
def test_both_solutions_solve_all_eight_equations_exactly(cells):
    trio = solve_trio(sketch(cells))
    assume(trio.exact())
    for point in trio.exact():
        for pattern, count in zip(PATTERNS, cells, strict=True):
            assert frequency(point, pattern) == Fraction(count, sum(cells))
        residuals = variety_residuals(point, sketch(cells))
        assert set(residuals.single) == set(residuals.pair) == {0}


@settings(deadline=None)
@given(tables)
def test_the_hyperdeterminant_is_the_discriminant(cells):
    facts = solve_trio(sketch(cells)).facts
    assert facts.triple**2 + 4 * prod(facts.pairs) == facts.items**2 * facts.hyperdeterminant
    a, b, c, d, e, f, g, h = cells
    cayley = a * a * h * h + b * b * g * g + c * c * f * f + e * e * d * d + 4 * (a * d * f * g + b * c * e * h)
    cayley -= 2 * (a * b * g * h + a * c * f * h + a * e * d * h + b * c * f * g + b * e * d * g + c * e * d * f)
    assert facts.hyperdeterminant == cayley


@settings(deadline=None, max_examples=200)
@given(tables)
def test_the_status_is_what_the_solutions_are(cells):
    trio = solve_trio(sketch(cells))
    numbers = [[point.prevalence, *(rate for row in point.accuracies for rate in row)] for point in trio.exact()]
    if trio.status in ("empty", "unidentified"):
        facts = trio.facts
        assert 0 in facts.pairs or facts.hyperdeterminant == 0
        return
    real = all(number.is_real for number in numbers[0])
    assert real == (trio.status != "complex")
    if real:
        inside = [all(0 <= number <= 1 for number in point) for point in numbers]
        assert inside == [trio.valid] * 2
        rational = all(number.is_rational for number in numbers[0])
        assert not trio.valid or rational == (trio.status == "ok")
        for point, exact in zip(trio.points, numbers, strict=True):
            floats = [point.prevalence[0], *point.accuracies.ravel()]
            np.testing.assert_allclose(floats, [float(number) for number in exact], rtol=4e-16, atol=0)


@settings(deadline=None)
@given(tables)
def test_empty_and_unidentified_are_told_apart_by_the_third_moment(cells):
    """Independently of the code: with two unrelated pairs the votes factor exactly when the third moment is zero."""
    trio = solve_trio(sketch(cells))
    facts = trio.facts
    if facts.pairs.count(0) < 2:
        assert trio.status != "unidentified"
        return
    n = facts.items
    second = [Fraction(votes, n) if n else 0 for votes in facts.votes]
    moment = sum(
        count * prod(vote - share for vote, share in zip(p, second, strict=True))
        for p, count in zip(PATTERNS, cells, strict=True)
    )
    assert trio.status == ("unidentified" if moment == 0 else "empty")


rates = st.fractions(0, 1, max_denominator=8)


@settings(deadline=None, max_examples=60)
@given(st.fractions("1/9", "8/9", max_denominator=9), st.tuples(*[st.tuples(rates, rates)] * 3), st.integers(1, 10**9))
def test_independent_judges_are_recovered_exactly(share, accuracies, times):
    skills = [a + b - 1 for a, b in accuracies]
    assume(all(skills))
    chances = [frequency(ExactPoint(share, accuracies), pattern) for pattern in PATTERNS]
    whole = lcm(*(chance.denominator for chance in chances)) * times
    trio = solve_trio(sketch([int(chance * whole) for chance in chances]))
    assert trio.status == "ok"
    found = {(point.prevalence, point.accuracies) for point in trio.exact()}
    assert (share, accuracies) in found
    assert (1 - share, tuple((1 - b, 1 - a) for a, b in accuracies)) in found
    if sum(skill > 0 for skill in skills) >= 2:
        assert trio.exact()[trio.choice] == ExactPoint(share, accuracies)


@settings(deadline=None)
@given(tables, st.permutations([0, 1, 2]))
def test_the_order_of_the_judges_does_not_matter(cells, order):
    trio = solve_trio(sketch(cells))
    other = solve_trio(Sketch.from_cells([JUDGES[judge] for judge in order], LABELS, permuted(cells, order)))
    assert other.status == trio.status
    for point, same in zip(trio.exact(), other.exact(), strict=True):
        assert same.prevalence == point.prevalence
        assert same.accuracies == tuple(point.accuracies[judge] for judge in order)
    assert (other.choice is None) == (trio.choice is None)
    if trio.chosen is not None:
        assert other.chosen.prevalence.tolist() == trio.chosen.prevalence.tolist()


@settings(deadline=None)
@given(tables, st.sets(st.sampled_from([0, 1, 2])))
def test_a_judge_who_votes_the_other_way_round_exchanges_right_and_wrong(cells, judges):
    trio, other = solve_trio(sketch(cells)), solve_trio(sketch(flipped(cells, judges)))
    assert other.status == trio.status
    mirrored = len(judges) % 2  # the sign of the root follows the product of the skills
    points = other.exact()[::-1] if mirrored else other.exact()
    for point, same in zip(trio.exact(), points, strict=True):
        assert same.prevalence == point.prevalence
        for place, (a, b) in enumerate(point.accuracies):
            assert same.accuracies[place] == ((1 - a, 1 - b) if place in judges else (a, b))


@settings(deadline=None)
@given(tables)
def test_renaming_the_labels_exchanges_the_two_shares(cells):
    trio, other = solve_trio(sketch(cells)), solve_trio(Sketch.from_cells(JUDGES, LABELS[::-1], cells[::-1]))
    assert other.status == trio.status
    if trio.choice is not None:
        point, same = trio.exact()[trio.choice], other.exact()[other.choice]
        assert same.prevalence == 1 - point.prevalence
        assert same.accuracies == tuple((b, a) for a, b in point.accuracies)


@settings(deadline=None)
@given(tables, st.integers(1, 10**15))
def test_counting_every_item_several_times_changes_nothing(cells, times):
    trio, other = solve_trio(sketch(cells)), solve_trio(sketch([times * count for count in cells]))
    assert (other.status, other.reason) == (trio.status, trio.reason)
    assert other.exact() == trio.exact()


@settings(deadline=None)
@given(tables, tables)
def test_a_merged_sketch_is_solved_like_one_counted_at_once(cells, more):
    together = [one + two for one, two in zip(cells, more, strict=True)]
    assert solve_trio(sketch(cells) + sketch(more)) == solve_trio(sketch(together))


@settings(deadline=None)
@given(agreeing_tables)
def test_the_second_solution_is_the_mirror_of_the_first(cells):
    trio = solve_trio(sketch(cells))
    assume(trio.valid)
    first, second = trio.points
    np.testing.assert_allclose(mirror(first).prevalence, second.prevalence, atol=1e-15)
    np.testing.assert_allclose(mirror(first).confusion, second.confusion, atol=1e-15)
    assert mirror(mirror(first)).confusion.tolist() == first.confusion.tolist()
    assert (trio.chosen.skill > 0).sum() >= 2


@settings(deadline=None)
@given(agreeing_tables, st.sets(st.sampled_from([0, 1, 2])), st.sampled_from([0, 1, 2]), st.sampled_from([0.2, 0.7]))
def test_what_is_stated_holds_in_the_chosen_solution(cells, judges, able, share):
    panel = sketch(flipped(cells, judges))
    trio = solve_trio(panel, better=JUDGES[able])
    if trio.chosen is not None:
        assert trio.chosen.skill[able] > 0
        nearer = solve_trio(panel, prevalence=share).chosen.prevalence[0]
        assert abs(nearer - share) <= abs(1 - nearer - share)


@settings(deadline=None, max_examples=60)
@given(sizes.flatmap(lambda most: st.lists(st.lists(st.integers(0, most), min_size=8, max_size=8), max_size=40)))
@example([[0] * 8])
@example(
    [
        [10**320, 1, 1, 1, 1, 1, 1, 10**320],
        [10**90, 10**89, 1, 10**88, 1, 1, 10**85, 10**90],
        [2**62, 1, 0, 2**62, 1, 0, 1, 2**62],
    ]
)
def test_many_at_once_are_what_each_is_alone(rows):
    trios = solve_trios(np.array(rows, dtype=object).reshape(-1, 8))
    assert len(trios.codes) == len(rows)
    for cells, code, prevalence, accuracies in zip(rows, trios.codes, trios.prevalence, trios.accuracies, strict=True):
        check_alike(solve_trio(sketch(cells)), code, prevalence, accuracies)


def check_alike(trio, code, prevalence, accuracies):
    assert STATUSES[code] == ("ok" if trio.valid else trio.status)
    if trio.chosen is None:
        assert np.isnan(prevalence)
        assert np.isnan(accuracies).all()
    else:
        assert prevalence == pytest.approx(trio.chosen.prevalence[0], abs=1e-9)
        np.testing.assert_allclose(accuracies, trio.chosen.accuracies, atol=1e-9)


@pytest.mark.parametrize("power", [0, 3, 5, 8, 13, 17, 90])
def test_many_at_once_decide_knife_edges_exactly(power):
    """Sketches on the border between two statuses, and one item off it, at sizes where floating point cannot tell."""
    edges = [
        [3, 2, 4, 3, 4, 4, 0, 4],  # the determinant is zero
        [3, 6, 4, 2, 0, 6, 4, 0],  # one pair is zero
        [5, 0, 0, 2, 5, 0, 0, 2],  # two pairs are zero
        [3, 1, 1, 3, 2, 2, 2, 2],  # two pairs are zero, the third moment is not
        [1, 1, 1, 1, 1, 1, 1, 1],  # all are zero
        [2, 0, 0, 2, 0, 2, 2, 0],
        [6, 3, 2, 1, 1, 2, 3, 6],  # a slice is zero: an accuracy is 1
        [1, 2, 2, 1, 1, 2, 0, 0],
        [5, 0, 0, 0, 0, 0, 0, 4],
        [0, 0, 0, 0, 0, 0, 0, 7],
        [10, 3, 9, 20, 8, 25, 4, 21],  # complex, and far from any border
    ]
    scale, rows = 10**power, []
    for edge in edges:
        cells = [scale * count for count in edge]
        rows.append(cells)
        rows.extend([[*cells[:k], cells[k] + 1, *cells[k + 1 :]] for k in range(8)])
        rows.extend([[*cells[:k], cells[k] - 1, *cells[k + 1 :]] for k in range(8) if cells[k]])
    dtype = np.int64 if power < 17 else object
    trios = solve_trios(np.array(rows, dtype=dtype))
    for cells, code in zip(rows, trios.codes, strict=True):
        trio = solve_trio(sketch(cells))
        assert STATUSES[code] == ("ok" if trio.valid else trio.status), cells
    assert sum(trios.tally().values()) == len(rows)


def test_many_at_once_refuse_what_are_not_counts():
    with pytest.raises(InvalidInput, match=r"shape \(8,\), not \(m, 8\)"):
        solve_trios([1] * 8)
    with pytest.raises(InvalidInput, match="not whole numbers"):
        solve_trios(np.full((2, 8), 0.125))
    with pytest.raises(InvalidInput, match="not whole numbers"):
        solve_trios(np.full((2, 8), 0.5, dtype=object))
    with pytest.raises(InvalidInput, match="counts holds -1"):
        solve_trios([[1, 2, 3, 4, 5, 6, 7, -1]])
    assert str(solve_trios(np.zeros((0, 8), dtype=int))) == "0 trios: none"


@pytest.mark.parametrize("scale", [1, 10**9])
@pytest.mark.parametrize("off", [-1, 0, 1])
def test_a_prevalence_at_and_beside_one_half_has_accuracies(scale, off):
    """Where the third moment is zero, and one item to either side: nothing is divided by it."""
    cells = [count * scale for count in (114, 26, 54, 46, 36, 24, 36, 64)]
    cells[0] += off
    trio = solve_trio(sketch(cells))
    assert trio.valid
    assert trio.chosen.prevalence[0] == pytest.approx(0.5, abs=0.01 if scale == 1 else 1e-9)
    np.testing.assert_allclose(
        trio.chosen.accuracies, [[0.8, 0.6], [0.75, 0.75], [0.9, 0.7]], atol=0.01 if scale == 1 else 1e-9
    )
    exact = trio.exact()[trio.choice].prevalence - Fraction(1, 2)
    assert np.sign(trio.facts.triple) == exact.sign == abs(off)


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        ([7, 0, 0, 0, 0, 0, 0, 0], "unidentified"),  # one label, everybody agrees
        ([1, 0, 0, 0, 0, 0, 0, 0], "unidentified"),  # a single item
        ([0, 0, 0, 1, 0, 0, 0, 0], "unidentified"),
        ([0, 0, 0, 0, 0, 0, 0, 0], "unidentified"),  # no item
        ([9, 0, 0, 3, 2, 0, 0, 5], "ok"),  # two clones and another judge: they come out as perfect
        ([40, 10, 20, 30, 0, 0, 0, 0], "unidentified"),  # a judge who always votes the same
        ([10**12, 0, 0, 0, 0, 0, 0, 10**12 + 1], "ok"),  # all agree, both labels
    ],
)
def test_edges(cells, status):
    trio = solve_trio(sketch(cells))
    assert trio.status == status
    json.dumps(trio.to_json(), allow_nan=False)


def test_clones_pass_for_perfect_judges():
    trio = solve_trio(sketch([9, 0, 0, 3, 2, 0, 0, 5]))
    assert trio.chosen.accuracies[1:].tolist() == [[1, 1], [1, 1]]


def test_huge_counts_keep_every_digit():
    share, rate = Fraction(1, 3), Fraction(3, 4)
    for size in (10**12, 10**60, 10**400):
        cells = []
        for pattern in PATTERNS:
            first, second = 3 ** pattern.count(0), 3 ** pattern.count(1)
            cells.append((first + 2 * second) * size)
        trio = solve_trio(sketch(cells))
        assert trio.status == "ok"
        assert trio.exact()[0].prevalence == share
        assert f"33.3% of {sum(cells):,} items" in str(trio)
        assert trio.chosen.prevalence[0] == 1 / 3
        assert trio.chosen.accuracies.tolist() == [[float(rate)] * 2] * 3
        cells[0] += 1
        near = solve_trio(sketch(cells))
        assert near.status == "irrational"
        assert near.chosen.prevalence[0] == pytest.approx(1 / 3, abs=1e-12)


def test_points_far_outside_stay_finite():
    """One item beside a hyperdeterminant of zero, with so many items that the share leaves floating point's range."""
    cells = [count * 10**700 for count in (3, 2, 4, 3, 4, 4, 0, 4)]
    statuses = set()
    for place in range(8):
        trio = solve_trio(sketch([*cells[:place], cells[place] + 1, *cells[place + 1 :]]))
        statuses.add(trio.status)
        json.dumps(trio.to_json(), allow_nan=False)
        if trio.points:
            assert max(trio.points[0].prevalence[0], trio.points[1].prevalence[0]) > 1e300
    assert statuses == {"complex", "outside"}


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_named_offender_moves_with_the_judges(order):
    cells = [40, 2, 1, 7, 9, 6, 5, 30]
    trio = solve_trio(Sketch.from_cells([JUDGES[judge] for judge in order], LABELS, permuted(cells, list(order))))
    assert "where bob votes 'yes'" in trio.offender


def test_a_solution_is_a_surd_of_one_root():
    point = solve_trio(sketch([986, 630, 5801, 7972, 562, 493, 7712, 12686])).exact()[0]
    numbers = [point.prevalence, *(rate for row in point.accuracies for rate in row)]
    assert all(isinstance(number, Surd) for number in numbers)
    assert {number.d for number in numbers} == {3328641826009}
