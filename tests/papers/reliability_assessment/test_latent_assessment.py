"""The assessment against answers that are known: a plane in twenty dimensions, thresholds and exact areas."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.papers.reliability_assessment import Draws, PcaLatent, assess_latent
from ringtrue.risk._grid import Grid
from ringtrue.risk.cells._points import Census, Separation
from ringtrue.risk.cells._profile import KernelProfile
from ringtrue.stats import clopper_pearson

FEATURES = 20
CELLS = 8


@dataclass
class Plane:
    """Labelled points of a plane in twenty dimensions, 0 in the last; the model errs between 0 and `at`."""

    inputs: np.ndarray
    labels: np.ndarray
    latent: PcaLatent
    at: float = 0.25
    rows: int = 0
    questions: int = 0

    @classmethod
    def make(cls, rows=600, seed=1):
        rng = np.random.default_rng(seed)
        turn, _ = np.linalg.qr(rng.normal(size=(FEATURES - 1, 2)))
        flat = rng.normal(size=(rows, 2)) * (1.0, 0.6)
        inputs = np.hstack([flat @ turn.T, np.zeros((rows, 1))])
        latent = PcaLatent.fit(inputs, axes=2)
        return cls(inputs, (latent.encode(inputs)[:, 0] > 0).astype(int), latent)

    def predict(self, inputs):
        """The threshold of the labels, but at the wrong place."""
        self.rows += len(inputs)
        self.questions += 1
        return (self.latent.encode(inputs)[:, 0] > self.at).astype(int)

    def assess(self, predict=None, **changes):
        settings = {
            "domain": (-9, 9), "bandwidth": 0.4, "k": 30, "cells": CELLS, "radius": 1e-9, "local": Draws(400),
            "profile_draws": 4000,
        }  # fmt: skip
        return assess_latent(self.inputs, self.labels, predict or self.predict, self.latent, **settings | changes)

    def grid(self):
        latents = self.latent.encode(self.inputs)
        return Grid.over(latents.min(axis=0), latents.max(axis=0), CELLS)


@pytest.fixture
def plane():
    return Plane.make()


def exact_shares(plane, grid, label):
    """How much of each cell lies on the side of the threshold that is not the label's."""
    left = grid.corners(np.arange(grid.size))[:, 0]
    above = np.clip((left + grid.sides[0] - plane.at) / grid.sides[0], 0, 1)
    return np.where(label == 1, 1 - above, above)


def test_on_a_plane_the_answer_is_that_of_the_plain_grid(plane):
    grid = plane.grid()
    latents = plane.latent.encode(plane.inputs)
    census = Census.of(grid, latents, plane.labels)
    mass = KernelProfile(latents, 0.8, at="integral").mass(grid)
    shares = np.where(census.label == -2, 1.0, exact_shares(plane, grid, census.label))
    known = census.label != -1
    finding = plane.assess(k=grid.size, bandwidth=0.8, profile_draws=100_000, local=Draws(3000))
    assert finding.census == {"normal": census.normal, "empty": census.empty, "cross": census.cross}
    assert finding.covered == pytest.approx(mass[known].sum(), rel=1e-9)
    # A cell's share is off by at most 0.5 / sqrt(3000) = 0.009 in standard deviation, the mean over cells by less.
    average = mass[known] @ shares[known] / mass[known].sum()
    assert finding.judged.average == pytest.approx(average, abs=0.005)
    assert finding.judged.acu == pytest.approx(shares[known].mean(), abs=0.01)
    assert 0.05 < average < 0.5
    least = mass[census.label >= 0] @ shares[census.label >= 0]
    assert finding.low < least < least + 1 - mass[known].sum() < finding.high
    cells = np.ravel_multi_index(tuple(finding.ranked.steps.T), grid.cells)
    normal = finding.judged.truth >= 0
    assert np.all(finding.judged.low[normal] <= shares[cells][normal] + 1e-12)
    assert np.all(finding.judged.high[normal] >= shares[cells][normal] - 1e-12)


@pytest.mark.parametrize(
    ("radius", "top", "chance"),
    [(0.1, 9, 0.05 / 0.2), (0.1, 0.08, 0.03 / 0.18), (0.04, 9, 0.0), (0.5, 9, 0.45)],
)
def test_failures_are_looked_for_in_the_input_space_around_decoded_points(plane, radius, top, chance):
    """The model errs where the last feature, which no latent moves, exceeds 0.05: a known share of the ball."""

    def predict(inputs):
        return np.where(inputs[:, -1] > 0.05, 1 - truth(inputs), truth(inputs))

    def truth(inputs):
        return (plane.latent.encode(inputs)[:, 0] > 0).astype(int)

    # Far from the boundary the truth itself does not change within the ball.
    plane.inputs = plane.inputs[np.abs(plane.latent.encode(plane.inputs)[:, 0]) > 1.0]
    plane.labels = truth(plane.inputs)
    high = np.full(FEATURES, 9.0)
    high[-1] = top
    finding = plane.assess(
        predict, radius=radius, domain=(-9, high), k=12, cells=30, local=Draws(2000), profile_draws=0
    )
    asked = finding.judged.truth >= 0
    assert asked.all()
    # Twelve cells of 2,000 draws: a standard deviation of at most 0.0033 for their mean.
    assert finding.judged.acu == pytest.approx(chance, abs=0.012)
    assert np.all((finding.judged.low <= chance) & (chance <= finding.judged.high))


def test_no_failure_gives_an_upper_limit_and_not_zero(plane):
    finding = plane.assess(lambda inputs: (plane.latent.encode(inputs)[:, 0] > 0).astype(int), k=20, cells=31)
    clean = finding.judged.share == 0
    asked = int(np.sum(finding.judged.truth >= 0))
    assert clean.sum() > 10
    limit = clopper_pearson(0, 400, level=1 - 0.05 / asked).high
    assert np.allclose(finding.judged.high[clean], limit)
    assert limit > 0.01


def test_all_limits_hold_together():
    """Of 200 repetitions at 80 % at least 160 should break no limit; 143 lies three standard deviations below."""
    plane = Plane.make(rows=200)
    grid = plane.grid()
    held = 0
    for seed in range(200):
        finding = plane.assess(k=12, local=Draws(40), level=0.8, seed=seed, profile_draws=0)
        cells = np.ravel_multi_index(tuple(finding.ranked.steps[:12].T), grid.cells)
        normal = finding.judged.truth >= 0
        label = np.zeros(grid.size)
        label[cells] = finding.judged.truth
        shares = exact_shares(plane, grid, label)[cells][normal]
        low, high = finding.judged.low[normal], finding.judged.high[normal]
        held += bool(np.all((low <= shares + 1e-12) & (shares <= high + 1e-12)))
    assert held >= 143


def test_the_rest_is_the_worst_or_the_average(plane):
    worst, average = (plane.assess(k=20, rest=rest) for rest in ("worst", "average"))
    judged = worst.judged
    assert 0 < worst.covered < 1
    assert worst.estimate == pytest.approx(judged.average * worst.covered + worst.unassessed)
    assert average.estimate == pytest.approx(judged.average)
    assert (worst.low, worst.high) == (average.low, average.high)
    assert worst.low < average.estimate < worst.estimate <= worst.high
    assert worst.unassessed == pytest.approx(1 - worst.covered)


def test_an_empty_cell_is_not_judged_by_the_model_itself(plane):
    """A model that is wrong wherever no data are: the assessment must not say that it is right there."""
    finding = plane.assess(k=50)
    empty = finding.ranked.label[:50] == -1
    assert empty.sum() >= 5
    assert np.isnan(finding.judged.share[empty]).all()
    assert finding.covered == pytest.approx(finding.judged.mass[~empty].sum())
    paper = plane.assess(k=50, mode="paper")
    assert not np.isnan(paper.judged.share).any()
    assert paper.covered == pytest.approx(finding.judged.mass.sum())
    assert np.all(paper.judged.share[empty] == 0)  # by its own word, with a ball of no size
    assert "self-consistency, not correctness" in str(paper)
    assert paper.to_json()["meaning"].startswith("self-consistency, not correctness")
    assert "self-consistency" not in str(finding)


def test_the_paper_judges_a_cell_at_its_lower_corner(plane):
    paper = plane.assess(k=30, mode="paper")
    corners = np.asarray(paper.ranked.grid.low) + paper.ranked.steps[:30] * paper.ranked.grid.sides
    own = (corners[:, 0] > plane.at).astype(int)
    label = paper.ranked.label[:30]
    expected = np.where(label == -2, 1.0, np.where((label >= 0) & (label != own), 1.0, 0.0))
    assert np.array_equal(paper.judged.share, expected)
    assert 0 < expected.sum() < 30
    assert np.all(paper.judged.low[expected == 1] == 0)  # by rule, not by asking


def test_a_cell_where_classes_meet_counts_as_one_but_may_be_anything(plane):
    finding = plane.assess(k=30)
    cross = finding.ranked.label[:30] == -2
    assert cross.sum() >= 2
    assert np.all(finding.judged.share[cross] == 1)
    assert np.all(finding.judged.low[cross] == 0)
    assert np.all(finding.judged.high[cross] == 1)


def test_the_model_is_asked_in_batches_and_every_answer_is_counted(plane):
    finding = plane.assess(k=30)
    assert finding.calls == plane.rows
    assert plane.questions <= 4
    plane.rows = 0
    assert plane.assess(k=30, mode="paper").calls == plane.rows


def test_a_cells_draws_do_not_depend_on_the_batch_nor_on_k(plane, monkeypatch):
    first = plane.assess(k=20)
    more = plane.assess(k=25)
    monkeypatch.setattr("ringtrue.papers.reliability_assessment._latent_failures._HELD", 22 * 150)
    small = plane.assess(k=20)
    assert np.array_equal(first.judged.share, small.judged.share, equal_nan=True)
    assert np.array_equal(first.judged.share, more.judged.share[:20], equal_nan=True)
    assert not np.array_equal(first.judged.share, plane.assess(k=20, seed=1).judged.share, equal_nan=True)


def test_the_radius_is_half_the_smallest_distance_between_classes(plane):
    finding = plane.assess(radius=None)
    assert finding.radius == Separation.of(plane.inputs, plane.labels).half > 0
    told = finding.to_json()["separation"]
    assert told["minimum"] == 2 * told["half"] == 2 * finding.radius
    assert plane.assess(radius=0.01).to_json()["separation"] is None


def test_reconstruction_is_told(plane):
    exact = plane.assess().reconstruction
    assert exact.rms < 1e-12
    assert exact.relabelled == 0
    blind = PcaLatent(plane.latent.mean, plane.latent.components[1:])
    plane.latent, whole = blind, plane.latent
    lossy = plane.assess(lambda inputs: (whole.encode(inputs)[:, 0] > 0.25).astype(int), k=5, radius=0.01)
    lost = plane.inputs - blind.decode(blind.encode(plane.inputs))
    assert lossy.reconstruction.rms == pytest.approx(np.sqrt(np.mean(lost**2)))
    assert lossy.reconstruction.largest == pytest.approx(np.abs(lost).max())
    # Without the axis that tells, every image lies on one side; the model puts about two in five on the other.
    assert 0.3 < lossy.reconstruction.relabelled < 0.5
    assert lossy.reconstruction.within_radius < 0.1
    assert "Decoded inputs are not data" in lossy.assumptions[0]


def test_operation_may_be_other_inputs_than_the_labelled_ones(plane):
    elsewhere = plane.inputs + 2 * plane.latent.components[0]
    finding = plane.assess(operational=elsewhere, k=30)
    latents = plane.latent.encode(elsewhere)
    cell = np.ravel_multi_index(tuple(finding.ranked.steps[:30].T), finding.ranked.grid.cells)
    expected = KernelProfile(latents, 0.4, at="integral").mass(finding.ranked.grid)[cell]
    assert np.allclose(finding.judged.mass, expected, rtol=1e-9)
    assert finding.covered < plane.assess(k=30).covered


def test_the_finding_serialises_and_its_maps_add_up(plane):
    finding = plane.assess(k=40)
    told = json.loads(json.dumps(finding.to_json(), allow_nan=False))
    assert told["sentence"] == str(finding)
    assert told["covered"] == finding.covered
    assert told["interval"] == {"low": finding.low, "high": finding.high}
    assert len(told["ranked"]) == 20
    assert [cell["risk"] for cell in told["ranked"]] == sorted((c["risk"] for c in told["ranked"]), reverse=True)
    assert np.sum(told["maps"]["product"]) == pytest.approx(finding.judged.risk.sum())
    assert np.sum(told["maps"]["profile"]) == pytest.approx(
        KernelProfile(plane.latent.encode(plane.inputs), 0.4).inside(finding.ranked.grid)
    )
    place = np.argwhere(np.array(told["maps"]["product"]) == np.max(told["maps"]["product"]))[0]
    assert place[::-1].tolist() == told["ranked"][0]["cell"]  # rows along the second axis
    best = told["ranked"][0]
    inside = np.abs(plane.latent.encode(plane.inputs) - best["centre"]) <= finding.ranked.grid.sides / 2
    assert best["items"] == np.flatnonzero(inside.all(axis=1)).tolist()


def test_an_average_is_held_against_the_labelled_inputs(plane):
    """A model that is right in the middle of operation alone: the densest cells say that it never errs."""

    def predict(inputs):
        latents = plane.latent.encode(inputs)
        far = np.abs(latents[:, 1]) > 0.7
        return np.where(far, 1 - (latents[:, 0] > 0), latents[:, 0] > 0).astype(int)

    apart = np.abs(plane.latent.encode(plane.inputs)[:, 0]) > 0.6  # so that no cell holds both classes
    plane.inputs, plane.labels = plane.inputs[apart], plane.labels[apart]
    worst, average = (plane.assess(predict, k=8, cells=30, rest=rest) for rest in ("worst", "average"))
    assert average.failures == np.sum(predict(plane.inputs) != plane.labels) > 50
    assert average.contradiction.contradicts
    assert average.contradiction.p_value < 1e-6
    assert average.to_json()["contradiction"]["failures"] == average.failures
    assert f"fails on {average.failures} of {apart.sum()} labelled inputs" in str(average)
    assert not worst.contradiction.contradicts


def test_labels_may_be_words(plane):
    words = np.array(["no", "yes"])
    plane.labels = words[plane.labels]
    finding = plane.assess(lambda inputs: words[plane.predict(inputs)], classes=("yes", "no", "maybe"))
    assert 0 < finding.judged.average < 1
    assert {cell["label"] for cell in finding.to_json()["ranked"]} <= {"yes", "no", None}


def test_none_of_the_cells_may_have_a_known_class(plane):
    finding = plane.assess(operational=plane.inputs + 30 * plane.latent.components[0], k=3, rest="average")
    assert finding.judged.average is finding.judged.acu is finding.estimate is None
    assert (finding.covered, finding.low, finding.high) == (0, 0, 1)
    assert str(finding).startswith("unastuteness unknown: none of 3 latent cells has a known class")
    json.dumps(finding.to_json(), allow_nan=False)


class Encoder:
    """A latent whose halves can be broken one at a time."""

    def __init__(self, encode, decode):
        self.encode, self.decode = encode, decode


BAD = {
    "inputs of one dimension": (lambda p: {"inputs": p.inputs[:, 0]}, "shape"),
    "inputs with NaN": (lambda p: {"inputs": np.where(p.inputs > 2, np.nan, p.inputs)}, "not finite"),
    "too few labels": (lambda p: {"labels": p.labels[:-1]}, "labels of the shape"),
    "one class only": (lambda p: {"labels": np.zeros(600)}, "labels are all 0.0"),
    "a label outside the classes": (lambda p: {"classes": (0, 2)}, "label 1 must be one of the classes"),
    "a missing label": (lambda p: {"labels": np.where(p.labels == 1, np.nan, 0)}, "NaN"),
    "k too large": (lambda p: {"k": 10_000}, r"k=10000 must lie in \[1, \d+\], the number of cells found"),
    "k of nothing": (lambda p: {"k": 0}, "k=0 must lie in"),
    "no draws": (lambda p: {"local": Draws(0)}, "draws=0 must be"),
    "negative draws": (lambda p: {"profile_draws": -1}, "profile_draws=-1 must be"),
    "a level of 1": (lambda p: {"level": 1.0}, "level=1.0 must lie"),
    "an unknown mode": (lambda p: {"mode": "best"}, "mode='best' must be one of 'assessed', 'paper'"),
    "an unknown rest": (lambda p: {"rest": "best"}, "rest='best' must be one of 'worst', 'average'"),
    "a negative radius": (lambda p: {"radius": -1}, "radius=-1 must be positive"),
    "a bandwidth of 0": (lambda p: {"bandwidth": 0}, "bandwidth=0 must be positive"),
    "an input outside the domain": (lambda p: {"domain": (-1, 1)}, r"inputs row \d+ lies outside the domain"),
    "a domain that falls": (lambda p: {"domain": (1, -1)}, "domain must rise"),
    "a domain of another width": (lambda p: {"domain": (np.zeros(3), 1)}, "domain must be the lowest"),
    "a latent outside the box": (lambda p: {"box": (-1, 1)}, "outside the box"),
    "a box of another width": (lambda p: {"box": ((-9, -9, -9), 9)}, "box must be the lowest"),
    "no cells": (lambda p: {"cells": 0}, "cells=0 must be"),
    "operation of other features": (lambda p: {"operational": p.inputs[:, 1:]}, "operational has 19 features"),
    "equal inputs of two classes": (
        lambda p: {
            "inputs": np.vstack([p.inputs[:-1], p.inputs[:1]]), "labels": np.append(p.labels[:-1], 1 - p.labels[0]),
            "radius": None,
        }, "radius must be given",
    ),
    "labels of another kind from the model": (lambda p: {"predict": lambda x: ["?"] * len(x)}, "not one of classes"),
    "too few answers": (lambda p: {"predict": lambda x: p.predict(x)[:-1]}, "one label each"),
    "answers that are NaN": (lambda p: {"predict": lambda x: np.full(len(x), np.nan)}, "NaN"),
    "an encoder that drops rows": (
        lambda p: {"latent": Encoder(lambda x: p.latent.encode(x)[1:], p.latent.decode)}, "encode gave 599 rows for 600"
    ),
    "an encoder of one axis that never moves": (
        lambda p: {"latent": Encoder(lambda x: np.zeros((len(x), 1)), p.latent.decode)}, "must vary"
    ),
    "a decoder of another width": (
        lambda p: {"latent": Encoder(p.latent.encode, lambda z: z)}, r"decode gave the shape \(\d+, 2\)"
    ),
    "a decoder that gives NaN": (
        lambda p: {"latent": Encoder(p.latent.encode, lambda z: np.full((len(z), FEATURES), np.nan))}, "not finite"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_meant_is_refused_in_one_line(plane, case):
    changes, line = BAD[case]
    given = {
        "inputs": plane.inputs, "labels": plane.labels, "predict": plane.predict, "latent": plane.latent,
        "domain": (-9, 9), "bandwidth": 0.4, "k": 10, "cells": CELLS, "radius": 0.01, "local": Draws(20),
    }  # fmt: skip
    with pytest.raises(InvalidInput, match=line) as refused:
        assess_latent(**given | changes(plane))
    assert "\n" not in str(refused.value)
