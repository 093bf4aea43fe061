"""`ringtrue blind`: what it asks, finds and says, from pictures, files, tables and texts, and what reads its study."""

import json
import os

import numpy as np
import pytest

from ringtrue.blind import SEARCHES
from ringtrue.blind.distances import METHODS
from ringtrue.cli.blind import DISTANCES as NAMED_DISTANCES
from ringtrue.cli.blind import SEARCHES as NAMED_SEARCHES
from ringtrue.study import Study
from support import numbers_of
from support.blind_desk import lay_desk

pytestmark = pytest.mark.usefixtures("undrawn")

FEW = ("--queries", 10, "--gallery", 1)


@pytest.fixture
def desk(cli, tmp_path):
    return (*lay_desk(tmp_path), *FEW)


def told(said, code=0):
    assert said.code == code, said.err
    return numbers_of(said.out)


def test_the_names_of_the_command_line_are_those_there_are():
    assert set(NAMED_SEARCHES) == set(SEARCHES)
    assert set(NAMED_DISTANCES) == {*METHODS, "none"}


def test_errors_are_found_beyond_what_is_admitted_and_told(cli, desk):
    said = cli("blind", "hunt", *desk, "--class", "light", "--budget", 25, "--slice", "corner")
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert "were expected (ratio" in lines[0]
    assert lines[0].endswith("none was drawn at random"), "no claim needs such draws"
    assert lines[1].startswith("overconfident: the evidence sufficed after")
    assert any(line.startswith("corner = white: ") for line in lines)
    assert any(line.startswith("model queries: 120 answers") for line in lines)
    assert lines[-1] == "next: ringtrue report hunt.ringtrue"
    assert "asking the model around the items: 67 of 67 rows" in said.err


@pytest.mark.parametrize(("claim", "floor", "random"), [(0.1, None, 16), (None, None, 0), (0.1, 0.25, 5)])
def test_so_many_draws_are_random_as_the_claim_and_the_budget_need_unless_told(cli, desk, claim, floor, random):
    """Twenty answers could not decide this claim: four in five are drawn at random, the most there are."""
    given = [
        *(() if claim is None else ("--claim", f"error <= {claim:.0%}")),
        *(() if floor is None else ("--floor", floor)),
    ]
    said = cli("blind", "hunt", *desk, "--budget", 20, "--json", *given)
    assert sum(numbers_of(said.out)["path"]["random"]) == random


def test_it_goes_on_with_a_larger_budget_and_asks_nothing_twice(cli, desk, tmp_path):
    first = told(cli("blind", "hunt", *desk, "--budget", 10, "--json"))
    more = told(cli("blind", "hunt", "--oracle", "truth", "--budget", 15, "--json"))
    assert more["path"]["row"][:10] == first["path"]["row"]
    assert len(set(more["path"]["row"])) == 15
    again = told(cli("blind", "hunt", "--oracle", "desk:label", "--json"))
    assert again["path"] == more["path"]


def test_status_report_and_its_check_read_the_study(cli, desk, tmp_path):
    sentence = cli("blind", "hunt", *desk, "--budget", 12, "--class", "dark").out.splitlines()[0]
    assert f"blind: {sentence}" in cli("status", "hunt").out or sentence in cli("status", "hunt").out
    said = cli("report", "hunt")
    assert said.code == 0, said.err
    page = (tmp_path / "hunt.html").read_text()
    assert "data:image/png;base64," in page
    assert cli("report", "--verify", "hunt.json").code == 0
    twin = json.loads((tmp_path / "hunt.json").read_text())
    twin["computed"]["finding"]["errors"] += 1
    (tmp_path / "hunt.json").write_text(json.dumps(twin))
    assert cli("report", "--verify", "hunt.json").code != 0


def test_a_claim_decides_the_exit_code_and_the_gate(cli, desk, tmp_path):
    false = cli("blind", "hunt", *desk, "--budget", 60, "--claim", "error <= 5% at 95%")
    assert false.code == 1, false.out
    assert "rings false" in false.out
    (tmp_path / "claims.toml").write_text('[[claim]]\nstudy = "hunt"\nsays = "error <= 5% at 95%"\n')
    assert cli("check", "claims.toml").code == 1
    open_ = cli("blind", "other", *desk, "--budget", 5, "--claim", "error <= 24% at 95%")
    assert open_.code == 3


def test_risk_goes_on_from_the_labels_of_a_hunt(cli, desk):
    cli("blind", "hunt", *desk, "--budget", 20)
    said = cli("risk", "hunt", "--oracle", "truth", "--claim", "error <= 60% at 90%", "--budget", 80, "--json")
    found = told(said)
    assert found["question"] == "risk"
    assert found["verdict"] == "rings true"
    assert found["answers"] > 20, "the labels bought by the hunt count"


def test_a_hunt_is_added_to_a_study_that_init_made(cli, tmp_path):
    rows = "\n".join(f"{number},{0.7 + number / 200},a,{'ab'[number % 4 == 0]}" for number in range(40))
    (tmp_path / "p.csv").write_text(f"id,sure,said,truth\n{rows}\n")
    cli("init", "loans", "--pool", "p.csv", "--model", "said", "--claim", "error <= 5% at 95%", "--budget", 10)
    cli("risk", "loans", "--oracle", "truth")
    asked = ("blind", "loans", "--confidence", "sure", "--features", "sure", "--oracle", "truth")
    asked = (*asked, "--budget", 20, "--json")
    first = cli(*asked)
    assert "added the question 'blind': it uses every label bought so far" in first.err
    found = told(first)
    assert found["answers"] == 20
    assert found["random"] >= 10, "the even draws of risk count"
    assert told(cli(*asked))["path"] == found["path"]


@pytest.mark.parametrize("shape", [(3, 5, 5), (5, 5, 4), (25,)])
def test_arrays_of_any_shape_are_hunted_in_and_shown(cli, desk, tmp_path, shape):
    saved = np.load(tmp_path / "pictures.npz")
    flat = saved["image"].reshape(120, 25)
    images = np.stack([flat] * (int(np.prod(shape)) // 25), axis=1).reshape(120, *shape)
    np.savez(tmp_path / "pictures.npz", image=images, truth=saved["truth"])
    found = told(cli("blind", "hunt", *desk, "--budget", 30, "--json"))
    assert found["errors"] > 0
    with Study.open(tmp_path / "hunt.ringtrue") as study:
        shown = study.kept["gallery"]["shown"][0]
    assert (shown["image"] is None) == (len(shape) == 1)
    assert (shown["values"] is None) == (len(shape) == 3)
    assert cli("report", "hunt").code == 0


def test_what_a_model_prints_does_not_spoil_the_json(cli, desk):
    said = cli("blind", "hunt", *desk[:2], "--model", "desk:noisy", *desk[4:], "--budget", 5, "--json")
    assert told(said)["answers"] == 5
    assert "looking at" in said.err


def test_images_in_files_and_a_person_who_labels_them(cli, desk, tmp_path, monkeypatch):
    from PIL import Image

    saved = np.load(tmp_path / "pictures.npz")
    (tmp_path / "img").mkdir()
    rows = ["id,file"]
    for number, image in enumerate(saved["image"][:40]):
        Image.fromarray(image).save(tmp_path / "img" / f"{number}.png")
        rows.append(f"p{number},img/{number}.png")
    (tmp_path / "photos.csv").write_text("\n".join(rows))
    typed = iter(["dark", "", "drak", "light", "?", "dark"])  # a label that nobody could give is not paid for
    monkeypatch.setattr("builtins.input", lambda: next(typed))
    said = cli(
        "blind", "photos", "--pool", "photos.csv", "--model", "desk:predict", "--input", "file", "--oracle", "ask",
        "--budget", 3, "--distance", "none", "--gallery", 0,
    )  # fmt: skip
    assert said.code == 0, said.err
    assert "label (1 dark, 2 light), or ? if you cannot tell" in said.err
    assert "'' is not a label" in said.err
    assert "'drak' is not a label" in said.err
    assert f"picture in photos-0-1-{os.getpid()}.png" in said.err
    assert not list(tmp_path.glob("*.png")), "a picture is removed once its item is answered"
    with Study.open(tmp_path / "photos.ringtrue") as study:
        assert [record.state for record in study.records] == ["answered", "answered", "abandoned", "answered"]


def test_texts_are_measured_by_a_perturbation_of_the_user(cli, desk, tmp_path):
    rows = [{"text": "x" * (5 + number % 30), "truth": "long" if number % 3 else "short"} for number in range(60)]
    (tmp_path / "texts.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    found = told(cli(
        "blind", "texts", "--pool", "texts.jsonl", "--model", "desk:wordy", "--perturb", "desk:shorter",
        "--oracle", "truth", "--budget", 8, "--class", "long", "--json",
    ))  # fmt: skip
    assert found["field"]["distance"]["method"] == "desk:shorter"
    assert found["field"]["distance"]["unchanged"] == 0
    assert all(0 < amount <= 1 for amount in found["field"]["points"]["distance"])
    assert told(cli("blind", "texts", "--oracle", "truth", "--budget", 9, "--json"))["answers"] == 9


def test_a_model_that_never_changes_its_answer_is_told(cli, desk):
    said = cli("blind", "hunt", *desk[:2], "--model", "desk:stubborn", *desk[4:], "--budget", 5)
    assert said.code == 0, said.err
    assert "the model never changed its answer, whatever was tried: no distance for any of 120 items" in said.out
    assert "every answer hunted in has the confidence 90%" in said.out
    assert cli("report", "hunt").code == 0
    assert cli("report", "--verify", "hunt.json").code == 0


def test_a_temperature_is_fitted_on_other_items(cli, desk, tmp_path):
    saved = np.load(tmp_path / "pictures.npz")
    np.savez(tmp_path / "other.npz", image=saved["image"][:50], truth=saved["truth"][:50])
    said = cli("blind", "hunt", *desk, "--budget", 5, "--above", "0.5", "--validation", "other.npz")
    assert said.code == 0, said.err
    assert ", from 50 items: expected calibration error" in said.err
    with Study.open(tmp_path / "hunt.ringtrue") as study:
        assert study.question("blind").temperature > 1
