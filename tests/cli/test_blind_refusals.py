"""What `ringtrue blind` cannot use: one line each, before a label is bought and mostly before there is a study."""

import numpy as np
import pytest

from support.blind_desk import lay_desk


@pytest.fixture
def desk(cli, tmp_path):
    return lay_desk(tmp_path)


BASE = {"--pool": "pictures.npz", "--model": "desk:predict", "--input": "image", "--oracle": "truth", "--budget": 5}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"--pool": None}, ["not there yet", "--pool FILE"]),
        ({"--model": None}, ["not there yet", "--model M"]),
        ({"--budget": None}, ["not there yet", "--budget N"]),
        ({"--oracle": None}, ["--oracle is missing"]),
        ({"--oracle": "thruth"}, ["thruth"]),
        ({"--class": "cat"}, ["--class='cat'", "dark, light"]),
        ({"--above": "1.5"}, ["--above='1.5' must be at least 0 and below 100%"]),
        ({"--above": "high"}, ["is not a number"]),
        ({"--floor": "2"}, ["--floor='2'"]),
        ({"--above": "0.99999999"}, ["--above=", "none of 120 answers is above it"]),
        ({"--input": "picture"}, ["'picture' is not a column"]),
        ({"--input": "corner"}, ["holds no numbers"]),
        ({"--slice": "truth"}, ["--slice=truth is the truth", "leave it out"]),
        ({"--features": "corner"}, ["--features='corner' holds no numbers"]),
        ({"--oracle": "corner"}, ["'corner' is", "which is not a known label", "dark"]),
        ({"--budget": 500}, ["--budget=500: only ", "hunt at a lower confidence or in all classes"]),
        ({"--slice": "colour"}, ["--slice='colour' is not a column"]),
        ({"--model": "desk:bare"}, ["labels without probabilities"]),
        ({"--model": "desk:nobody"}, ["has no 'nobody'"]),
        ({"--search": "adversarial-distance", "--distance": "none"}, ["goes by distances"]),
        ({"--distance": "none", "--queries": 5}, ["leave one out"]),
        ({"--perturb": "desk:nobody"}, ["--perturb='desk:nobody'"]),
        ({"--claim": "deviation <= 2"}, ["--claim", "error <= 5% at 95%"]),
        ({"--validation": "pictures.npz"}, ["is the pool itself"]),
        ({"--confidence": "sure"}, ["--confidence='sure' is not a column"]),
    ],
)
def test_one_line_says_what_is_wrong_and_no_study_is_left(cli, desk, tmp_path, changed, words):
    given = {name: value for name, value in {**BASE, **changed}.items() if value is not None}
    said = cli("blind", "hunt", *(part for pair in given.items() for part in pair))
    assert said.code == 2
    last = said.err.splitlines()[-1]
    for word in words:
        assert word in last
    assert len([line for line in said.err.splitlines() if line.startswith("ringtrue")]) == 1
    assert not (tmp_path / "hunt.ringtrue").exists()


def test_a_larger_budget_than_the_items_hunted_in_is_refused_when_going_on(cli, desk):
    assert cli("blind", "hunt", *desk, "--budget", 5, "--distance", "none", "--gallery", 0).code == 0
    said = cli("blind", "hunt", "--oracle", "truth", "--budget", 500)
    assert said.code == 2
    assert "--budget=500: only " in said.err.splitlines()[-1]


def save(tmp_path, **changed):
    saved = dict(np.load(tmp_path / "pictures.npz"))
    np.savez(tmp_path / "pictures.npz", **{**saved, **changed})


def test_pixels_that_are_no_numbers_are_refused_with_the_item(cli, desk, tmp_path):
    images = np.load(tmp_path / "pictures.npz")["image"].astype(float)
    images[7, 2, 2] = np.nan
    save(tmp_path, image=images)
    line = cli("blind", "hunt", *desk, "--budget", 5).line
    assert "--input='image': item '7' has a number that is not finite" in line


def test_images_of_different_sizes_are_refused_with_the_item(cli, desk, tmp_path):
    from PIL import Image

    for number in range(3):
        Image.new("L", (5, 5 + (number == 2))).save(tmp_path / f"{number}.png")
    (tmp_path / "photos.csv").write_text("file,truth\n0.png,dark\n1.png,dark\n2.png,dark\n")
    said = cli(
        "blind", "hunt", "--pool", "photos.csv", *desk[2:4], "--input", "file", "--oracle", "truth", "--budget", 2
    )
    assert "item '2' has an image of shape (6, 5), item '0' of (5, 5): bring all images to one size" in said.line


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("lost", "'desk:lost' returned None for"),
        ("broken", "'desk:broken' failed on"),
        ("halved", "'desk:halved' returned {'text'"),
    ],
)
def test_a_perturbation_that_is_no_use_is_named(cli, desk, tmp_path, function, words):
    (tmp_path / "texts.jsonl").write_text('{"text": "a long text of some words", "truth": "long"}\n' * 9)
    said = cli(
        "blind", "hunt", "--pool", "texts.jsonl", "--model", "desk:wordy", "--perturb", f"desk:{function}",
        "--oracle", "truth", "--budget", 5,
    )  # fmt: skip
    assert said.code == 2
    assert words in said.err.splitlines()[-1]
    assert not (tmp_path / "hunt.ringtrue").exists()


@pytest.mark.parametrize(
    ("option", "value"), [("--seed", 4), ("--batch", 3), ("--price", 2), ("--validation", "p.csv"), ("--model", "x")]
)
def test_a_study_of_init_is_not_made_another_by_a_hunt(cli, tmp_path, option, value):
    rows = "\n".join(f"{number},{0.7 + number / 200},a,{'ab'[number % 4 == 0]}" for number in range(40))
    (tmp_path / "p.csv").write_text(f"id,sure,said,truth\n{rows}\n")
    cli("init", "s", "--pool", "p.csv", "--model", "said", "--claim", "error <= 20%", "--budget", 9)
    said = cli("blind", "s", "--confidence", "sure", "--features", "sure", "--oracle", "truth", option, value)
    assert said.code == 2
    assert f"{option}={value}: the study 's.ringtrue' was made" in said.line


def test_arrays_that_would_have_to_be_unpickled_are_refused(cli, desk, tmp_path):
    np.savez(tmp_path / "pictures.npz", image=np.array([{"a": 1}], dtype=object))
    assert (
        "pictures.npz: 'image' holds Python objects, which are not safe to read"
        in cli("blind", "hunt", *desk, "--budget", 5).line
    )


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--class", "light", "--class=light: the study 'hunt.ringtrue' was made with dark"),
        ("--above", "0.8", "--above=0.8: the study 'hunt.ringtrue' was made with 0.65"),
        ("--search", "random", "--search=random: the study 'hunt.ringtrue' was made with learning"),
        ("--model", "desk:bare", "--model=desk:bare: the study 'hunt.ringtrue' was made with desk:predict"),
        ("--price", "2", "--price=2: the study 'hunt.ringtrue' was made without it"),
    ],
)
def test_a_hunt_goes_on_as_it_was_made(cli, desk, option, value, words):
    cli("blind", "hunt", *desk, "--class", "dark", "--budget", 3, "--distance", "none", "--gallery", 0)
    said = cli("blind", "hunt", "--oracle", "truth", option, value)
    assert said.code == 2
    assert words in said.line


def test_a_study_of_another_verb_is_not_hunted_in(cli, desk, tmp_path):
    (tmp_path / "old.csv").write_text("id,answer,text\n1,a,x\n2,b,y\n")
    (tmp_path / "new.py").write_text("def ask(rows):\n    return ['a' for row in rows]\n")
    cli("changed", "moved", "--old", "old.csv", "--model", "new:ask", "--budget", 2)
    assert "see `ringtrue changed --help`" in cli("blind", "moved", "--oracle", "truth").line


def test_the_former_meaning_of_confidence_is_told_with_its_new_name(cli, tmp_path):
    (tmp_path / "p.csv").write_text("id,said,sure,truth\n" + "".join(f"{n},a,0.9,a\n" for n in range(9)))
    start = ("blind", "s", "--pool", "p.csv", "--model", "said", "--oracle", "truth", "--budget", "3")
    assert "--above 0.8" in cli(*start, "--confidence", "0.8").line
    assert "--confidence COLUMN" in cli(*start, "--score", "sure").line
