"""The case study of the reliability assessment model: its parts by hand, and its kept results beside the paper's."""

import gzip
import importlib.util
import json

import numpy as np
import pytest
from scipy.stats import norm

from reliability._data import Images, Points, missing, points, shared_folder
from reliability.kept import KeptResults
from reliability.latent import Setting, latent_row, pixel_separation
from reliability.paper import NAMES, PAPER
from reliability.run import KEPT, README, main, results, run_all
from reliability.synthetic import CELLS, empty, resolution, synthetic_row
from reliability.tables import images_table, labels_table, paper_table, separation_table
from reliability.trained import Trained
from reliability.webb import WebbBalls, margin_over
from ringtrue.papers.reliability_assessment import Grid, PcaLatent
from ringtrue.papers.reliability_assessment._latent_failures import Balls

needs_points = pytest.mark.skipif(
    not (shared_folder() / "data" / "siemens_challenge" / "ds2.csv.gz").is_file(),
    reason="the points of the Siemens challenge are not beside the checkout",
)
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
DIGIT = 1e-6
"""The last digit that the paper prints: some of its numbers are rounded and some cut off."""


def agrees_with_the_paper(name, found):
    printed = PAPER[name]
    train, test = (f"{wrong / many:.4f}" for many, wrong in (found["train"], found["test"]))
    assert (train, test) == tuple(printed.errors.split("/"))
    assert f"{found['separation']:.6f}" == printed.separation
    ours = found["acu"], found["estimate"], found["std"], found["upper"]
    theirs = printed.acu, printed.estimate, printed.variance, printed.upper
    for one, other in zip(ours, theirs, strict=True):
        assert abs(one - float(other)) < DIGIT
    assert found["variance"] == pytest.approx(found["std"] ** 2)
    assert found["variance"] < 0.01 * float(printed.variance), "what is printed as a variance is none"


@needs_points
@pytest.mark.parametrize("name", ["running_example", "ds1", pytest.param("ds2", marks=pytest.mark.slow)])
def test_the_rows_of_points_come_out_to_the_printed_digits(name):
    found = synthetic_row(points(name), CELLS[name])
    agrees_with_the_paper(name, found)
    assert found["upper"] < found["low"], "the bound lies below what held-out labels leave possible"


def test_the_kept_rows_are_the_papers_and_the_readme_is_what_the_run_wrote(tmp_path):
    """Without data: everything is kept, so that nothing is worked out."""
    lines = [json.loads(line) for line in KEPT.read_text(encoding="utf-8").splitlines()]
    seeds = 1 + max(line["settings"]["seed"] for line in lines if line["name"] == "synthetic")
    found = run_all(KeptResults(KEPT), seeds, tmp_path)
    for name, rows in found.synthetic.items():
        agrees_with_the_paper(name, rows[0])
        assert len(rows) == seeds
    page = README.read_text(encoding="utf-8")
    assert results(found) in page
    shares = "{:.0%}, {:.0%} and {:.0%}".format(*(one["share"] for one in found.empty.values()))
    assert f"{shares.replace('%', '', 2)} of the operation in the square lies in\n  cells without a point" in page


def test_what_lies_in_cells_without_a_point_is_what_the_kernels_put_there():
    """Two points in opposite corners of 2 by 2 cells: of each kernel the centres of all four cells, next and far."""
    of = Points(np.array([[0.25, 0.25], [0.75, 0.75]]), np.array([0, 1]))
    near, far = norm.pdf(0), norm.pdf(0.5 / 0.2)
    assert empty(of, 2)["share"] == pytest.approx(2 * near * far / (near + far) ** 2)


def test_no_result_is_worked_out_twice(tmp_path):
    file, asked = tmp_path / "results.jsonl", []

    def find():
        asked.append(1)
        return {"x": [1, 2.5]}

    first = KeptResults(file).get("row", {"seed": 0}, find)
    with file.open("a") as half:
        half.write('{"name": "row", "settings": {"seed": 1}, "fou')  # a line that a kill cut short
    again = KeptResults(file)
    assert again.get("row", {"seed": 0}, find) == first == {"x": [1, 2.5]}
    assert len(asked) == 1
    again.get("row", {"seed": 1}, find)
    assert len(asked) == 2
    third = KeptResults(file)  # what came after the half line stands in a line of its own
    for seed in (0, 1):
        third.get("row", {"seed": seed}, find)
    assert len(asked) == 2
    assert [json.loads(line)["settings"]["seed"] for line in file.read_text().splitlines()] == [0, 1]
    assert KeptResults(None).get("row", {"seed": 0}, find) == first


def test_points_are_read_from_plain_and_from_packed_files(tmp_path):
    folder = tmp_path / "data" / "siemens_challenge"
    folder.mkdir(parents=True)
    text = "x1,x2,label\n0.25,0.5,1\n0.75,1.0,0\n"
    (folder / "ds1.csv").write_text(text)
    (folder / "ds2.csv.gz").write_bytes(gzip.compress(text.encode()))
    for name in ("ds1", "ds2"):
        read = points(name, tmp_path)
        assert read.points.tolist() == [[0.25, 0.5], [0.75, 1.0]]
        assert read.labels.tolist() == [1, 0]
    assert len(missing(tmp_path)) == 7


def test_missing_data_is_said_in_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--shared", str(tmp_path)])
    assert "has no data/siemens_challenge/running_example.csv" in capsys.readouterr().err


def test_a_finer_grid_makes_the_model_look_better():
    rng = np.random.default_rng(0)
    of = type("Points", (), {})()
    of.points = rng.random((400, 2))
    of.labels = (of.points[:, 0] + 0.2 * np.sin(6 * of.points[:, 1]) > 0.5).astype(int)
    found = resolution(of, (20, 80))
    assert found["80"] < 0.6 * found["20"]


def test_the_score_is_at_least_nought_where_the_model_says_something_else():
    def logits(inputs):
        return np.stack([inputs[:, 0], inputs[:, 1], np.full(len(inputs), 0.2)], axis=1)

    score = margin_over(logits, 1)(np.array([[0.5, 0.9], [0.9, 0.5], [0.1, 0.15]]))
    assert score == pytest.approx([-0.4, 0.4, 0.05])


def ten(first):
    """Logits of ten classes, all but the first two out of reach."""
    return np.concatenate([first, np.full((len(first), 8), -9.0)], axis=1)


def test_splitting_finds_the_share_of_a_ball_that_fails():
    """Pixels within 0.2 of a corner at 0.5: the first exceeds 0.6 in a quarter; cut off at 0.55, it never does."""

    def logits(inputs):
        return ten(np.stack([np.full(len(inputs), 0.6), inputs[:, 0]], axis=1))

    latent_plane = PcaLatent(np.zeros(3), np.eye(3)[:1])
    grid = Grid.over((0,), (1,), 2)
    local = WebbBalls(logits, particles=400, steps=20)
    for high, wanted in ((1.0, 0.25), (0.55, 0.0)):
        balls = Balls(latent_plane, grid, 0.2, np.zeros(3), np.full(3, high), False, None, tuple(range(10)))
        found = local(balls, np.array([[1]] * 12), np.zeros(12, dtype=np.int64), level=0.95, seed=1)
        assert found.share.mean() == pytest.approx(wanted, abs=4 * 0.25 / np.sqrt(12 * 40) + 1e-6)
        assert found.calls > 0


@pytest.fixture
def of():
    """Sixty images of two bright or dark pixels in four; the model sees the class but for the last of them."""
    rng = np.random.default_rng(3)
    labels = np.arange(60) % 2
    pixels = (rng.integers(0, 60, (60, 4)) + 150 * labels[:, None] * np.array([1, 1, 0, 0])).astype(np.uint8)
    images = Images(pixels, labels, 40)

    def logits(values):
        bright = values[:, :2].sum(axis=1)
        return ten(np.stack([np.full(len(values), 0.8), np.where(bright > 1.5, 0.0, bright)], axis=1))

    return Trained("made up", images, PcaLatent.fit(images.values(), axes=2), logits, "abc")


def test_a_row_of_images_tells_what_it_rests_on(of):
    setting = Setting(0.2, 40, points=30, judged=6, particles=30, steps=3)
    found = latent_row(of, setting)
    assert found["train"] == (40, int(of.wrong()[:40].sum()))
    assert found["test"] == (20, int(of.wrong()[40:].sum()))
    assert found["axes"] == 2
    assert 0 < found["covered"] <= 1
    assert found["cells"] <= 40
    assert 0 <= found["acu"][0] <= 1
    assert found["acu_program"][0] <= found["acu"][0], "a power above 1 of a chance is smaller"
    assert found["low"] <= found["test"][1] / 20 <= found["high"]
    assert found["pixels"] == pixel_separation(of)


def test_the_separation_of_pixels_is_of_two_classes_one_of_them_held_out():
    pixels = np.array([[0, 0], [250, 0], [0, 90], [60, 0]], dtype=np.uint8)
    made = Trained("made up", Images(pixels, np.array([0, 1, 0, 1]), 3), None, None, "abc")
    assert pixel_separation(made) == 60 / 255, "from the first; the second is of the same class"


def test_tables_have_every_row_of_the_paper():
    row = {
        "train": (10, 0), "test": (10, 1), "separation": 0.1, "half": 0.01, "closer": 3, "acu": 0.1, "estimate": 0.2,
        "std": 0.01, "upper": 0.3, "seconds": 2e-5, "chance": 0.001, "low": 0.4, "high": 0.5,
    }  # fmt: skip
    image = {
        **row, "acu": (0.1, 0.01), "estimate": (0.2, 0.02), "cells": 7, "seconds": 0.5, "settings": {"side": 0.1},
        "axes": 8, "radius": 0.3, "pixels": 0.8, "covered": 1e-7, "empty": 0.5, "by_rule": 0.1, "relabelled": 0.2,
        "heavy_class": (1, 0.1), "judged": 4, "acu_program": (0.05, 0.01), "estimate_program": (0.06, 0.01),
    }  # fmt: skip
    images = dict.fromkeys(("MNIST", "CIFAR10"), image)
    text = paper_table(dict.fromkeys(CELLS, row), images)
    assert all(f"| {name} | paper |" in text for name in NAMES.values())
    assert "0.200 ± 0.020" in text
    assert separation_table(dict.fromkeys(CELLS, row), images).count("| 0.0100 | 3 |") == 2
    assert "| 10% are 1 | 8 | 0.050 ± 0.010, 0.060 ± 0.010 |" in images_table(images)
    assert "0.000020" in text
    said = labels_table({"ds1": [row, {**row, "chance": 0.5, "upper": 0.45}]}, {"ds1": {"share": 0.985}}, {})
    assert "| 1 of 2 | 1 of 2 | 98% |" in said


@needs_torch
def test_a_classifier_learns_keeps_and_repeats_itself(tmp_path, monkeypatch):
    from reliability import networks

    monkeypatch.setattr(networks, "EPOCHS", {784: 12, 3072: 1})
    rng = np.random.default_rng(0)
    for size in (784, 3072):
        labels = np.arange(300) % 2
        patterns = rng.integers(0, 2, (2, size))
        pixels = (rng.integers(0, 90, (300, size)) + 120 * patterns[labels]).astype(np.uint8)
        made = networks.train(pixels, labels, 0)
        seen = networks.planes(pixels) / 255
        said = networks.logits(made, seen)
        assert said.shape == (300, 10)
        if size == 784:  # the other learns more slowly than a test should take
            assert np.mean(said.argmax(axis=1) == labels) > 0.9
        networks.save(made, tmp_path / "kept.npz")
        np.testing.assert_array_equal(networks.logits(networks.load(tmp_path / "kept.npz", size), seen), said)
        np.testing.assert_array_equal(networks.logits(networks.train(pixels, labels, 0), seen), said)


def test_planes_are_one_colour_after_the_other():
    from_rows = np.arange(3072).reshape(1, -1) % 251
    pytest.importorskip("torch")
    from reliability.networks import planes

    photograph = from_rows.astype(np.uint8)
    assert planes(photograph)[0, :3].tolist() == [0, 3, 6]
    assert planes(photograph[:, :784]).tolist() == photograph[:, :784].tolist()
