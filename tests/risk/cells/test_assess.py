"""Assessing by cells: who may say what is right, what stays unknown, and what is refused."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression

from ringtrue.core import InvalidInput, Verdict
from ringtrue.papers.reliability_assessment import NearestLabel, SaidBy
from ringtrue.risk.cells import LOCALS, Grid, KernelProfile, Separation, assess
from ringtrue.risk.cells._survey import Surveyor
from support.discs import discs, failure_rate, in_discs

POINTS, LABELS, HELD_OUT, FOREST = discs()
GRID = Grid.over((0, 0), (1, 1), 40)
PROFILE = KernelProfile(POINTS, 0.1, at="integral", reflect=True)


def asked(**changes):
    """An assessment of the discs, exact unless told otherwise."""
    given = {"grid": GRID, "profile": PROFILE, "local": "trees", "held_out": HELD_OUT, **changes}
    points, labels, model = (
        given.pop(name, own) for name, own in (("points", POINTS), ("labels", LABELS), ("model", FOREST))
    )
    return assess(points, labels, model, **given)


@cache
def plain():
    return asked()


SCHEMA = {
    "sentence", "mode", "meaning", "claim", "verdict", "estimate", "std", "claimed", "upper", "level", "acu",
    "interval", "unassessed", "unassessed_interval", "covered", "by_class", "grid", "census", "separation", "bandwidth",
    "kernel", "local", "calls", "resolution", "resolution_moves", "contradiction", "refused", "assumptions", "maps",
    "ranked",
}  # fmt: skip


def test_the_interval_holds_the_truth_and_names_what_nobody_has_assessed():
    finding = plain()
    assert finding.interval["low"] < failure_rate() < finding.interval["high"] <= finding.upper
    assert finding.unassessed == pytest.approx(1 - PROFILE.mass(GRID)[np.unique(GRID.index(POINTS))].sum())
    assert finding.unassessed_interval["low"] < finding.unassessed < finding.unassessed_interval["high"]
    assert finding.meaning.startswith("failures where somebody says what is right")


def test_what_is_assessed_is_what_labelled_cells_show():
    finding = plain()
    ranked = {row["cell"]: row for row in finding.ranked if row["kind"] == "normal"}
    shares = LOCALS["trees"](FOREST, GRID, np.array(list(ranked)), (0, 1), 0, None).shares
    for row, share in zip(ranked.values(), shares, strict=True):
        assert row["unastuteness"] == pytest.approx(1 - share[row["label"]])
        assert row["items"]
        assert set(LABELS[row["items"]]) == {row["label"]}
        assert set(GRID.index(POINTS[row["items"]])) == {row["cell"]}
    assert finding.covered == pytest.approx(1)
    assert sum(finding.by_class.values()) == pytest.approx(
        finding.estimate + PROFILE.mass(GRID)[_meeting(GRID)].sum()
    ), "cells in which classes meet count for either"


def _meeting(grid):
    """The cells that hold points of both classes."""
    cells = grid.index(POINTS)
    return np.intersect1d(cells[LABELS == 0], cells[LABELS == 1])


def test_a_coarse_grid_on_which_every_cell_is_labelled_still_leaves_something_unassessed():
    """No point fell outside known cells: that is no proof that none will."""
    finding = asked(grid=Grid.over((0, 0), (1, 1), 5))
    assert finding.census["empty"] == 0
    assert finding.unassessed == pytest.approx(0)
    assert finding.unassessed_interval["high"] >= 3.6 / 500


def test_cells_in_which_classes_meet_may_fail_in_full_or_not_at_all():
    grid = Grid.over((0, 0), (1, 1), 5)
    finding = asked(grid=grid)
    meeting = PROFILE.mass(grid)[_meeting(grid)].sum()
    assert meeting > 0.3
    assert finding.estimate > meeting > finding.interval["low"]
    assert finding.interval["high"] > finding.interval["low"] + meeting


def test_a_narrow_kernel_cannot_declare_everything_assessed():
    """All of its mass lies in cells of its own points; how many points are alone in their cell says otherwise."""
    narrow = asked(profile=KernelProfile(POINTS, 0.001, at="integral", reflect=True))
    cells, times = np.unique(GRID.index(POINTS), return_counts=True)
    assert narrow.unassessed < 0.1
    assert narrow.unassessed_interval["high"] > np.sum(times == 1) / 500 > 0.6
    assert narrow.upper > failure_rate()
    fresh = np.random.default_rng(3).random((20_000, 2))
    missing = 1 - np.isin(GRID.index(fresh), cells).mean()
    assert narrow.unassessed_interval["low"] < missing < narrow.unassessed_interval["high"]


def test_points_of_operation_without_labels_count_where_they_fall():
    operation = np.random.default_rng(5).beta(8, 8, size=(400, 2))
    finding = asked(profile=KernelProfile(operation, 0.001, at="integral"))
    outside = 1 - np.isin(GRID.index(operation), GRID.index(POINTS)).mean()
    assert finding.unassessed_interval["low"] < outside < finding.unassessed_interval["high"]


def test_mass_outside_the_box_is_unassessed():
    leaking = asked(profile=KernelProfile(POINTS, 0.3, at="integral"))
    assert leaking.covered < 0.8
    assert leaking.unassessed > 1 - leaking.covered


def test_the_models_own_vote_is_named_as_such():
    finding = asked(mode="self-consistency")
    assert finding.meaning == "self-consistency, not correctness"
    assert str(finding).startswith("self-consistency, not correctness: the model differs from its own vote")
    assert any("the model's own vote was taken as right" in line for line in finding.assumptions)
    assert finding.interval == plain().interval, "labels show what they show"
    assert finding.estimate > plain().estimate
    assert finding.contradiction["contradicts"]


@pytest.mark.parametrize("who", [FOREST, FOREST.predict])
@pytest.mark.parametrize("model", [FOREST, FOREST.predict])
def test_the_model_cannot_say_whether_it_is_right(who, model):
    predict = who if callable(who) else who.predict
    with pytest.raises(InvalidInput, match="truth=a friend is the model under test, which cannot say whether") as said:
        asked(model=model, truth=SaidBy("a friend", predict, error=0.01))
    assert "\n" not in str(said.value)


def test_a_model_in_disguise_is_told_apart_by_what_it_never_does():
    disguised = asked(truth=SaidBy("a friend", lambda points: FOREST.predict(points), error=0.01))
    # The centre of a cell may differ from most of it, but hardly anywhere: only an honest friend disagrees.
    honest = asked(truth=SaidBy("the discs", in_discs, error=0.01))
    assert not any("make sure it is not the model" in line for line in honest.assumptions)
    assert disguised.estimate < 0.6 * honest.estimate


def test_one_who_agrees_everywhere_is_suspected():
    constant = asked(model=lambda points: np.zeros(len(points), dtype=int), local="lattice",
                     truth=SaidBy("an echo", lambda points: np.zeros(len(points), dtype=int), error=0.1))  # fmt: skip
    assert any("In no cell does an echo differ from" in line for line in constant.assumptions)


def test_a_named_truth_assesses_the_rest_and_its_error_widens_the_interval():
    sure, unsure = (asked(truth=SaidBy("the discs", in_discs, error=error)) for error in (0.0, 0.05))
    assert sure.unassessed == pytest.approx(0)
    assert sure.interval["low"] < failure_rate() < sure.upper < plain().upper
    assert any("the discs said what is right, and is wrong in at most 5%" in line for line in unsure.assumptions)
    filled = plain().unassessed
    assert unsure.interval["low"] == pytest.approx(max(0, sure.interval["low"] - 0.05 * filled))
    assert unsure.interval["high"] == pytest.approx(sure.interval["high"] + 0.05 * filled)
    assert unsure.upper == pytest.approx(sure.upper + 0.05 * filled)


def test_points_around_say_what_is_right_only_where_all_of_a_cell_is_near_points_of_one_class():
    around = NearestLabel(POINTS, LABELS, within=0.06)
    said = around.say(GRID, np.arange(GRID.size), (0, 1))
    for cell in range(0, GRID.size, 7):
        centre = GRID.centres([cell])[0]
        near = np.abs(POINTS - centre).max(axis=1) <= 0.06 - 1 / 80
        own = np.all(np.abs(POINTS - centre) <= 1 / 80, axis=1)
        classes = set(LABELS[near & ~own])
        if not own.any():
            assert said[cell] == (classes.pop() if len(classes) == 1 else -1)
    assert asked(truth=around).unassessed < plain().unassessed


def test_half_the_separation_reaches_nowhere_here():
    """With the distance that labels allow, points speak for nothing but themselves: the truth about this method."""
    half = Separation.of(POINTS, LABELS).half
    assert asked(truth=NearestLabel(POINTS, LABELS, within=half)).unassessed == pytest.approx(plain().unassessed)


def test_the_cells_that_carry_most_and_a_bound_for_the_rest():
    all_of_it, worst, average = plain(), asked(k=800), asked(k=800, rest="average")
    assert worst.covered == pytest.approx(np.sort(PROFILE.mass(GRID))[-800:].sum())
    assert worst.unassessed > all_of_it.unassessed
    assert worst.interval == average.interval, "the interval takes nothing as average"
    below = 1 - worst.covered
    share = average.estimate / (1 - worst.unassessed)
    assert worst.claimed - average.claimed == pytest.approx(below * (1 - share))


@pytest.mark.parametrize("local", ["lattice", "monte-carlo"])
def test_looks_into_cells_come_near_exact_areas_and_say_how_far_off_they_may_be(local):
    looks = LOCALS[local] if local == "lattice" else _few_draws
    sampled, exact = asked(local=looks if local != "lattice" else local, seed=3), plain()
    assert abs(sampled.estimate - exact.estimate) < 3 * sampled.std
    assert sampled.std > exact.std
    assert sampled.upper >= sampled.estimate


def _few_draws(model, grid, cells, classes, seed, executor):
    """A way of looking that somebody made: 50 draws in each cell."""
    from ringtrue.risk.cells import monte_carlo

    return monte_carlo(model.predict, grid, cells, classes, draws=50, seed=seed, executor=executor)


def test_the_chance_of_looks_is_no_smaller_than_what_other_draws_show():
    """Over 40 seeds, whose spread is known to 11 %. Cells without a hit make the chance larger, not ten times."""
    surveyor = Surveyor(POINTS, LABELS, (0, 1), FOREST, PROFILE, _few_draws)
    surveys = (replace(surveyor, seed=seed).look(GRID, fragility=False) for seed in range(40))
    shown = np.std([float(survey.carried @ survey.wrong) for survey in surveys], ddof=1)
    told = np.sqrt(asked(local=_few_draws).std ** 2 - plain().std ** 2)
    assert 0.8 * shown < told < 10 * shown


def test_splitting_finds_what_draws_do_not_meet():
    """A logistic model cuts a sliver of one part in 50,000 off a corner of the cell: its area is known."""
    points = np.random.default_rng(2).random((200, 2))
    labels = (points.sum(axis=1) > 1).astype(int)
    model = LogisticRegression().fit(points, labels)
    model.coef_, model.intercept_ = np.array([[9.0, 9.0]]), np.array([-9.0])  # the line from corner to corner
    sliver = 0.2 / np.sqrt(50_000)
    box = Grid.over((0.3, 0.3), (0.5 + sliver / np.sqrt(2),) * 2, 1)
    side = float(box.sides[0])
    area = (2 * (box.high[0] - 0.5)) ** 2 / 2 / side**2
    found = LOCALS["splitting"](model, box, np.array([0]), (0, 1), 1, None)
    assert area == pytest.approx(2e-5, rel=0.02)
    assert found.shares[0, 1] == pytest.approx(area, rel=0.3)
    assert 0 < found.variance[0] < area**2


def test_splitting_can_assess():
    """A model that looks at the other feature: it is wrong in 70 % of one cell and in 30 % of the other."""
    labels = (POINTS[:, 1] > 0.5).astype(int)
    model = LogisticRegression().fit(POINTS, labels)
    model.coef_, model.intercept_ = np.array([[9.0, 0.0]]), np.array([-2.7])
    halves = Grid.over((0, 0), (1, 1), (1, 2))
    finding = asked(model=model, labels=labels, grid=halves, local="splitting", held_out=None)
    masses = PROFILE.mass(halves)
    assert finding.estimate == pytest.approx(masses @ [0.7, 0.3], abs=4 * np.sqrt(0.21 / 10_000))
    assert finding.local == "splitting"
    with pytest.raises(InvalidInput, match="model=function must have classes_ and decision_function"):
        asked(model=in_discs, grid=halves, local="splitting")


def test_the_finding_is_json_and_draws_itself():
    finding = asked(
        mode="paper", profile=None, local=None, claim="failure <= 2% at 95%", ids=[f"p{n}" for n in range(500)]
    )
    stored = json.loads(json.dumps(finding.to_json(), allow_nan=False))
    assert set(stored) == SCHEMA
    assert (stored["claim"], stored["verdict"]) == ("failure <= 2% at 95%", "not yet known")
    axes = Figure().add_subplot()
    finding.draw(axes)
    assert axes.get_title() == "both: where the risk lies"
    assert any(item.startswith("p") for row in finding.ranked for item in row["items"])


def test_maps_are_sums_and_means_of_blocks_the_second_axis_upwards():
    finding = asked(grid=Grid.over((0, 0), (1, 1), (200, 130)))
    profile, fragility, product = (np.array(finding.maps[name]) for name in ("profile", "fragility", "product"))
    assert profile.shape == fragility.shape == product.shape == (65, 100)
    assert profile.sum() == pytest.approx(1)
    assert np.allclose(product, profile * fragility)
    counts, *_ = np.histogram2d(POINTS[:, 1], POINTS[:, 0], bins=(5, 5), range=((0, 1), (0, 1)))
    blocks = profile.reshape(5, 13, 5, 20).sum(axis=(1, 3))
    assert np.corrcoef(counts.ravel(), blocks.ravel())[0, 1] > 0.7
    assert finding.maps["extent"] == [0, 1, 0, 1]


@pytest.mark.parametrize("axes", [1, 3])
def test_one_feature_or_three(axes):
    rng = np.random.default_rng(8)
    points = rng.random((300, axes))
    labels = np.where(points[:, 0] > 0.5, "up", "down")

    def model(points):
        return np.where(points[:, 0] > 0.45, "up", "down")

    finding = assess(
        points, labels, model, grid=Grid.over([0] * axes, [1] * axes, 10),
        features=[f"f{axis}" for axis in range(axes)],
        profile=KernelProfile(points, 0.1, at="integral", reflect=True),
    )  # fmt: skip
    assert finding.interval["low"] <= 0.05 <= finding.upper
    assert finding.by_class["down"] > finding.by_class["up"] / 2
    assert finding.grid["features"][0] == "f0"
    assert (finding.maps is None) == (axes == 1)
    finding.draw(Figure().add_subplot())
    if axes == 3:
        assert np.array(finding.maps["product"]).sum() == pytest.approx(sum(_risks(finding, points, model)), rel=0.3)


def _risks(finding, points, model):
    """Masses of the cells that the model's threshold cuts, by their fragility: half of each."""
    grid = Grid.over(finding.grid["low"], finding.grid["high"], tuple(finding.grid["cells"]))
    mass = KernelProfile(points, 0.1, at="integral", reflect=True).mass(grid).reshape(grid.cells)
    yield 0.5 * mass[4].sum()


def test_without_a_profile_the_bandwidth_is_cross_validated():
    finding = asked(profile=None)
    assert finding.bandwidth in {0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2}
    assert finding.covered == pytest.approx(1)


def test_the_same_seed_gives_the_same_numbers_and_another_does_not():
    first, again, other = (asked(local="lattice", seed=seed).estimate for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [("failure <= 99% at 95%", "rings true"), ("failure <= 5% at 95%", "not yet known"),
     ("failure <= 0.01% at 95%", "rings false")],
)  # fmt: skip
def test_only_what_labels_show_decides_a_claim(claim, verdict):
    finding = asked(claim=claim)
    assert finding.verdict.value == verdict
    assert str(finding).startswith(claim)
    assert finding.level == 0.95
    assert asked(claim=claim, mode="self-consistency").verdict is Verdict.NOT_YET_KNOWN


def test_a_refused_bound_decides_nothing():
    """Somebody who calls every empty cell right makes a bound that held-out labels contradict."""
    flattered = asked(truth=SaidBy("a flatterer", lambda points: FOREST.predict(points), error=0.0),
                      claim="failure <= 4% at 95%")  # fmt: skip
    assert flattered.claimed < failure_rate()
    assert flattered.refused
    assert flattered.upper is None
    assert flattered.verdict is Verdict.NOT_YET_KNOWN
    assert "refused, because" in str(flattered)


def answering(change):
    """A model that spoils its answers."""
    return lambda points: change(FOREST.predict(points))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"labels": np.where(LABELS == 1, 2, 0), "classes": (0, 1)}, r"label 2 must be one of the classes \(0, 1\)"),
        ({"labels": np.zeros(500)}, "labels are all 0.0: a separation needs points of at least two classes"),
        ({"points": POINTS * [1, 0]}, "feature 1 is 0.0 in all 500 points and must vary: drop the feature"),
        (
            {"points": POINTS + np.array([0.5, 0])},
            r"point \d+, .* lies outside the box .*: widen the box or leave the point out",
        ),
        ({"points": POINTS[:, :1]}, r"points of the shape \(500, 1\) must have the shape \(points, 2\)"),
        ({"labels": LABELS[:-1]}, r"labels of the shape \(499,\) must be one for each of the 500 points"),
        ({"model": answering(lambda said: said[:-1]), "local": "lattice"}, "the model .* shape"),
        ({"model": answering(lambda said: said[:, None]), "local": "lattice"}, "the model .* shape"),
        ({"model": answering(lambda said: said * np.nan), "local": "lattice"}, "NaN"),
        ({"model": answering(lambda said: said + 5), "local": "lattice"}, "the model .* label 5"),
        ({"model": 7, "local": "lattice"}, "model=7 must be a function of points, or have a method predict"),
        ({"model": in_discs}, "model=function is no"),
        ({"k": 1601}, r"k=1601 must lie in \[1, 1600\], the number of cells"),
        ({"rest": "best"}, "rest='best' is unknown: use worst or average"),
        ({"mode": "lenient"}, "mode='lenient' is unknown: use assessed, self-consistency, paper"),
        ({"mode": "paper"}, "mode='paper' has its own profile and local: leave it out, or call paper_model"),
        ({"mode": "self-consistency", "truth": SaidBy("me", in_discs, error=0)}, "lets the model vote in empty cells"),
        ({"local": "guess"}, "local='guess' is unknown: use lattice, monte-carlo, trees, splitting"),
        ({"level": 95}, "level=95 must lie strictly between 0 and 1"),
        ({"features": ["x"]}, r"features=\['x'\] must name the 2 axes of the grid"),
        ({"ids": [1, 2]}, "ids are 2 and must be one for each of the 500 points"),
        ({"claim": "change <= 1%"}, "speaks of change: this question decides error or failure"),
        ({"grid": Grid.over((0, 0), (1, 1), 5000)}, "are 25,000,000, more than 20,000,000: take fewer per axis"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(changes, said):
    if changes.get("points") is not None:
        changes = {"profile": None, **changes}
    with pytest.raises(InvalidInput, match=said) as raised:
        asked(**changes)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: NearestLabel(POINTS, LABELS, within=0), "within=0 must be positive"),
        (lambda: SaidBy("me", in_discs, error=1), r"error=1 must lie in \[0, 1\): write 0.02 for 2%"),
    ],
)
def test_a_truth_without_sense_is_refused(make, said):
    with pytest.raises(InvalidInput, match=said):
        make()
