"""`ringtrue worst --scale`: outputs of unlike units compare, and a study goes on with the scales it was made with."""

import pytest

from support import numbers_of

SPACE = """
tasks = ["strength", "corrosion"]
[parameters]
x = { low = 0.0, high = 1.0 }
"""
DESK = """
def model(rows):
    return [[700.0, 0.02] for row in rows]

def gold(values):
    return [700.0 + 40 * (1 - values["x"]), 0.02 + 0.03 * values["x"]]
"""
SCALES = ("--scale", "strength=50", "--scale", "corrosion=0,01")


@pytest.fixture
def desk(cli, tmp_path):
    (tmp_path / "space.toml").write_text(SPACE)
    (tmp_path / "desk.py").write_text(DESK)
    return "--space", "space.toml", "--model", "desk:model", "--oracle", "desk:gold", "--budget", 12


def test_the_worst_is_told_in_scales_and_in_its_own_unit(cli, desk, tmp_path, undrawn):
    assert cli("worst", "plain", *desk).out.startswith("largest deviation of strength 40 at x=0 ")
    said = cli("worst", *desk, *SCALES)
    assert said.out.startswith("largest deviation of corrosion 3 (0.03 in its own unit) at x=1 (12 evaluations)")
    assert cli("report", "worst").code == 0
    page = (tmp_path / "worst.html").read_text()
    assert "In its own unit it is 0.03, of which 0.01 counts as 1." in page
    assert "in its own unit" in page.partition("By task")[2]
    assert cli("report", "--verify", "worst.json").code == 0


def test_limits_are_scales_with_a_claim(cli, desk):
    said = cli("worst", *desk, "--scale", "strength=50", "--scale", "corrosion=0.02", "--claim", "deviation <= 1")
    assert said.code == 1
    assert said.out.startswith("deviation <= 1.0 at 95% rings false: largest deviation of corrosion")


def test_the_space_file_may_have_them(cli, desk, tmp_path):
    (tmp_path / "space.toml").write_text(SPACE + "[scales]\nstrength = 50\ncorrosion = 0.01\n")
    found = numbers_of(cli("worst", *desk, "--json").out)
    assert found["scales"] == {"strength": 50.0, "corrosion": 0.01}
    assert cli("worst", *desk[:2]).code == 0, "the same file is the same search"


def test_a_study_goes_on_with_its_scales(cli, desk):
    assert cli("worst", *desk, *SCALES).code == 0
    assert cli("worst", *SCALES).code == 0
    said = cli("worst", "--scale", "strength=20", "--scale", "corrosion=0.01")
    assert said.code == 2
    assert "--scale=strength=20,corrosion=0.01: the study 'worst.ringtrue' was made with strength=50" in said.err
    larger = cli("worst", "--budget", 14)
    assert larger.out.startswith("largest deviation of corrosion 3 (0.03 in its own unit)")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (("--scale", "strength"), "--scale='strength' is not a number by name: write it like --scale strength=50"),
        (("--scale", "strength=much"), "--scale='strength=much' is not a number by name"),
        (("--scale", "strength=1.234,5"), "--scale='strength=1.234,5' is not a number by name"),
        (("--scale", "strength=1", "--scale", "strength=2"), "--scale='strength=2' gives 'strength' a second number"),
        (("--scale", "strength=1"), "has none for 'corrosion': give one for every output"),
        (("--scale", "heat=1"), "names 'heat', which is not an output"),
    ],
)
def test_scales_that_make_no_sense(cli, desk, typed, words):
    said = cli("worst", *desk, *typed)
    assert said.code == 2
    assert words in said.err
    assert said.err.count("\n") == 1
