"""Sketches with known answers: every integer, both solutions, the status and the words."""

import json
from fractions import Fraction

import numpy as np
import pytest

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import Surd, majority_vote, mirror, solve_trio
from ringtrue.papers.algebraic_evaluation import error_correlations, supervised

F = Fraction
JUDGES, LABELS = ("ann", "bob", "cyd"), ("a", "b")

# counts in the order aaa, aab, ..., bbb; items; votes for b; covariances times items^2; third moment times items^3;
# hyperdeterminant; status. S1 are the counts of the package ntqr's example on the UCI Adult data.
FIXTURES = {
    "S1": (
        (986, 630, 5801, 7972, 562, 493, 7712, 12686), 36842, (21453, 34171, 21781),
        (18432653, 18272925, 16803485), -134252672172, 29957776434081, "irrational",
    ),
    "S2": (
        (114, 26, 60, 60, 36, 24, 45, 85), 450, (190, 250, 195), (11000, 12000, 16500), -330000, 6600**2, "ok",
    ),
    "S3": ((114, 26, 54, 46, 36, 24, 36, 64), 400, (160, 200, 160), (8000, 9600, 12000), 0, 4800**2, "ok"),
    "S5": ((10, 3, 9, 20, 8, 25, 4, 21), 100, (58, 54, 69), (-632, 598, 374), -16484, -29367, "complex"),
    "S6": ((40, 2, 1, 7, 9, 6, 5, 30), 100, (50, 43, 45), (1350, 1350, 1765), -3800, 1288129, "outside"),
    "S7": ((1, 2, 2, 1, 1, 2, 0, 0), 9, (3, 3, 5), (-9, 3, -6), 9, 9, "ok"),
    "S9": ((3, 6, 4, 2, 0, 6, 4, 0), 25, (10, 10, 14), (0, 10, -90), -600, 576, "empty"),
    "S11": ((3, 2, 4, 3, 4, 4, 0, 4), 24, (12, 11, 13), (-36, 36, 25), 360, 0, "empty"),
    "S12": ((5, 0, 0, 2, 5, 0, 0, 2), 14, (7, 4, 4), (0, 0, 40), 0, 0, "unidentified"),
    "S13": ((5, 0, 0, 0, 0, 0, 0, 4), 9, (4, 4, 4), (20, 20, 20), 20, 400, "ok"),
}  # fmt: skip

# Both solutions: share of a, then (accuracy on a, accuracy on b) per judge.
POINTS = {
    "S2": [
        (F(4, 9), ((F(4, 5), F(3, 5)), (F(3, 4), F(4, 5)), (F(9, 10), F(7, 10)))),
        (F(5, 9), ((F(2, 5), F(1, 5)), (F(1, 5), F(1, 4)), (F(3, 10), F(1, 10)))),
    ],
    "S3": [
        (F(1, 2), ((F(4, 5), F(3, 5)), (F(3, 4), F(3, 4)), (F(9, 10), F(7, 10)))),
        (F(1, 2), ((F(2, 5), F(1, 5)), (F(1, 4), F(1, 4)), (F(3, 10), F(1, 10)))),
    ],
    "S7": [
        (F(2, 3), ((F(1, 2), F(0)), (F(1), F(1)), (F(1, 3), F(1, 3)))),
        (F(1, 3), ((F(1), F(1, 2)), (F(0), F(0)), (F(2, 3), F(2, 3)))),
    ],
    "S13": [(F(5, 9), ((F(1), F(1)),) * 3), (F(4, 9), ((F(0), F(0)),) * 3)],
}

ROOT = 3328641826009
S1_LOW = {
    "prevalence": 0.167114439653051,
    "accuracies": [
        [0.688996977450412, 0.636731271854222],
        [0.321976660859350, 0.977557745989399],
        [0.656115773222299, 0.640823020735720],
    ],
}


def sketch(name):
    return Sketch.from_cells(JUDGES, LABELS, FIXTURES[name][0])


@pytest.mark.parametrize("name", FIXTURES)
def test_every_integer_and_the_status(name):
    _, items, votes, pairs, triple, determinant, status = FIXTURES[name]
    trio = solve_trio(sketch(name))
    facts = trio.facts
    assert (facts.items, facts.votes, facts.pairs, facts.triple) == (items, votes, pairs, triple)
    assert facts.hyperdeterminant == determinant
    assert trio.status == status
    assert trio.valid == (status in ("ok", "irrational"))
    assert (trio.chosen is not None) == trio.valid
    assert len(trio.points) == (2 if status in ("ok", "irrational", "outside") else 0)
    assert len(trio.exact()) == (0 if status in ("empty", "unidentified") else 2)
    assert (trio.offender is None) == (trio.valid or status == "unidentified")
    assert "\n" not in str(trio)
    json.dumps(trio.to_json(), allow_nan=False)


@pytest.mark.parametrize("name", POINTS)
def test_rational_solutions_are_exact(name):
    trio = solve_trio(sketch(name))
    for exact, point, (prevalence, accuracies) in zip(trio.exact(), trio.points, POINTS[name], strict=True):
        assert exact.prevalence == prevalence
        assert exact.accuracies == accuracies
        assert point.prevalence[0] == float(prevalence)
        assert point.accuracies.tolist() == [[float(rate) for rate in row] for row in accuracies]


def test_the_adult_example_in_exact_numbers():
    low, high = solve_trio(sketch("S1")).exact()
    shift = Surd(0, 11187722681, ROOT, 61316911076911789)
    assert low.prevalence == F(1, 2) - shift
    assert high.prevalence == F(1, 2) + shift
    assert low.accuracies == (
        (Surd(17681731, 3, ROOT, 33606970), Surd(15925239, 3, ROOT, 33606970)),
        (Surd(2097847, 1, ROOT, 12181950), Surd(10084103, 1, ROOT, 12181950)),
        (Surd(18714539, 3, ROOT, 36865306), Surd(18150767, 3, ROOT, 36865306)),
    )
    assert high.accuracies == tuple((1 - b, 1 - a) for a, b in low.accuracies)
    assert str(low.accuracies[0][0]) == "(17681731 + 3*sqrt(3328641826009))/33606970"


def test_the_adult_example_in_floating_point():
    trio = solve_trio(sketch("S1"))
    assert trio.chosen.prevalence[0] == pytest.approx(S1_LOW["prevalence"], abs=1e-12)
    np.testing.assert_allclose(trio.chosen.accuracies, S1_LOW["accuracies"], atol=1e-12, rtol=0)
    flipped = mirror(trio.chosen)
    np.testing.assert_allclose(flipped.accuracies, trio.points[1].accuracies, atol=1e-15)
    np.testing.assert_allclose(flipped.prevalence, trio.points[1].prevalence, atol=1e-15)
    # The printed formula, one half less half of T over the root, is the solution with judges worse than chance.
    assert trio.points[1].prevalence[0] == pytest.approx(0.832885560346949, abs=1e-12)
    assert (trio.points[1].skill < 0).all()


def test_the_quadratic_of_the_prevalence():
    assert solve_trio(sketch("S1")).quadratic == (
        F(29957776434081, 1842352775161025296),
        -F(29957776434081, 1842352775161025296),
        F(5659724374199502787125, 2500686153042940042298657344),
    )
    assert solve_trio(sketch("S2")).quadratic == (F(484, 455625), -F(484, 455625), F(1936, 7381125))


def test_the_complex_and_the_outside_example():
    trio = solve_trio(sketch("S5"))
    first, second = trio.exact()
    assert second.prevalence == F(1, 2) - Surd(0, 317, -3263, 37650)
    assert complex(first.prevalence) == pytest.approx(0.5 + 0.480953199929427j, abs=1e-12)
    assert trio.offender == "ann and bob disagree more than by chance, yet both agree with cyd"

    trio = solve_trio(sketch("S6"))
    assert trio.points[0].prevalence[0] == pytest.approx(0.4832592881141559, abs=1e-12)
    assert trio.points[0].accuracies[1, 0] == pytest.approx(1.00442878091229, abs=1e-12)
    assert trio.chosen is None
    assert trio.offender == (
        "ann and cyd agree more than by chance over all items, but disagree more than by chance where bob votes 'b'"
    )


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ((3, 6, 4, 2, 0, 6, 4, 0), "ann and bob are not related, yet both are related to cyd"),
        ((3, 2, 4, 3, 4, 4, 0, 4), "meet where no judge is better than chance"),
        ((5, 0, 0, 2, 5, 0, 0, 2), "ann is related to no other judge, and two judges are too few"),
        ((2, 0, 0, 2, 0, 2, 2, 0), "no two judges are related, yet the three together are"),
        ((1, 1, 1, 1, 1, 1, 1, 1), "only one label is there, or the judges guess"),
        ((0, 0, 0, 0, 0, 0, 0, 0), "no item has been counted"),
        ((3, 1, 1, 3, 2, 2, 2, 2), "ann is related to no other judge, yet to what the other two say together"),
        ((0, 3, 3, 3, 3, 3, 3, 0), "disagree, each with each other, more than by chance"),
    ],
)
def test_failures_are_explained_in_words(cells, words):
    trio = solve_trio(Sketch.from_cells(JUDGES, LABELS, cells))
    assert words in trio.reason
    assert words in str(trio)


def test_majority_vote_fractions():
    majority = majority_vote(sketch("S1"))
    assert majority.prevalence[0] == F(7979, 36842)
    assert majority.accuracies == (
        (F(7417, 7979), F(20891, 28863)),
        (F(2178, 7979), F(28370, 28863)),
        (F(7349, 7979), F(21151, 28863)),
    )
    majority = majority_vote(sketch("S2"))
    assert majority.prevalence[0] == F(118, 225)
    assert majority.accuracies == (
        (F(50, 59), F(77, 107)),
        (F(44, 59), F(95, 107)),
        (F(105, 118), F(169, 214)),
    )
    assert majority_vote(sketch("S3")).prevalence[0] == F(23, 40)


def labelled_adult():
    """The same example with its truth, as the package ntqr ships it."""
    by_label = {
        0: (715, 161, 2406, 455, 290, 94, 1335, 231),
        1: (271, 469, 3395, 7517, 272, 399, 6377, 12455),
    }
    whole = Sketch([*JUDGES, "truth"], LABELS)
    for truth, cells in by_label.items():
        for place, times in enumerate(cells):
            whole.count((place >> 2 & 1, place >> 1 & 1, place & 1, truth), times)
    return whole


def test_the_adult_example_with_its_truth():
    whole = labelled_adult()
    assert whole.without("truth") == sketch("S1")
    truth = supervised(whole, "truth")
    accuracies = (
        (F(3737, 5687), F(6501, 10385)),
        (F(1260, 5687), F(29744, 31155)),
        (F(4746, 5687), F(4168, 6231)),
    )
    assert truth.prevalence[0] == pytest.approx(5687 / 36842, abs=1e-15)
    np.testing.assert_allclose(truth.accuracies, np.array(accuracies, dtype=float), rtol=1e-15)
    correlations = error_correlations(whole, "truth")
    for judge, rates in zip(JUDGES, accuracies, strict=True):
        assert tuple(correlations.accuracy(judge, label) for label in LABELS) == rates
    expected = {
        ("ann", "bob"): (F(273192, 32341969), F(2204576, 323544675)),
        ("ann", "cyd"): (F(13325, 32341969), F(-79682, 12941787)),
        ("bob", "cyd"): (F(-264525, 32341969), F(94508, 38825361)),
    }
    for (judge, other), gammas in expected.items():
        assert tuple(correlations.pair(judge, other, label) for label in LABELS) == gammas
        assert tuple(correlations.pairs(label)[judge, other] for label in LABELS) == gammas
    assert correlations.triple(*JUDGES, "a") == F(452568508, 183928777703)
    assert correlations.triple(*JUDGES, "b") == F(-27265589, 134400457995)
    assert correlations.largest() == ("ann", "bob", "a", F(273192, 32341969))


def test_the_choice_of_a_solution():
    usual = solve_trio(sketch("S2"))
    assert usual.choice == 0
    assert usual.reason == "all three judges are better than chance"
    assert solve_trio(sketch("S2"), better="bob").choice == 0
    assert solve_trio(sketch("S2"), better="bob").reason == "bob is better than chance, as stated"
    assert solve_trio(sketch("S2"), prevalence=0.2).choice == 0
    other = solve_trio(sketch("S2"), prevalence=0.9)
    assert other.choice == 1
    assert other.chosen.prevalence[0] == pytest.approx(5 / 9)
    assert "nearer to the stated 90%" in other.reason

    mixed = solve_trio(sketch("S7"))  # in either solution bob stands against the other two
    assert (mixed.choice, mixed.reason) == (1, "most judges, ann and cyd, are better than chance")
    assert solve_trio(sketch("S7"), better="bob").choice == 0
    assert solve_trio(sketch("S7"), better="cyd").choice == 1


@pytest.mark.parametrize(("name", "prevalence"), [("S3", 0.9), ("S2", 0.5)])
def test_a_prevalence_that_tells_nothing_leaves_the_choice_to_the_majority(name, prevalence):
    trio = solve_trio(sketch(name), prevalence=prevalence)
    assert trio.choice == 0
    assert "does not tell the two solutions apart" in trio.reason


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"better": "dee"}, "judge='dee' is none of"),
        ({"prevalence": 1.2}, "prevalence=1.2 must lie in"),
        ({"prevalence": float("nan")}, "prevalence=nan must lie in"),
        ({"prevalence": 0.2, "better": "ann"}, "give one of them"),
    ],
)
def test_options_that_are_refused(options, words):
    with pytest.raises(InvalidInput, match=words):
        solve_trio(sketch("S2"), **options)


def test_sketches_that_are_refused():
    with pytest.raises(InvalidInput, match="4 judges, not three"):
        solve_trio(Sketch("wxyz", LABELS))
    with pytest.raises(InvalidInput, match="3 labels, not two"):
        solve_trio(Sketch("xyz", "abc"))
    with pytest.raises(InvalidInput, match="1 vote missing"):
        solve_trio(Sketch("xyz", LABELS, {(0, 1, -1): 1, (0, 0, 0): 2}))
    with pytest.raises(InvalidInput, match="more than one mirror"):
        mirror(majority_vote(Sketch("x", "abc", {(0,): 1, (1,): 1, (2,): 1})).evaluation)


def test_the_sentence():
    assert str(solve_trio(sketch("S2"))) == (
        "if the errors of ann, bob and cyd are independent, 44.4% of 450 items are 'a' and the accuracies on 'a'/'b' "
        "are ann 80%/60%, bob 75%/80%, cyd 90%/70% (all three judges are better than chance); three judges cannot show "
        "whether they are"
    )
