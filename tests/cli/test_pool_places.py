"""A folder, a workbook and a pattern are pools in every verb: made, gone on with, moved, reported and checked."""

import openpyxl
import pytest
from PIL import Image

ROWS = [
    {
        "id": f"i{n:03}",
        "said": "cat" if n % 20 else "dog",
        "truth": "cat" if n % 30 else "dog",
        "now": "cat" if n % 40 else "dog",
        "other": "dog" if n % 7 else "cat",
    }
    for n in range(200)
]
MODEL = """
import numpy as np

def sure(images):
    red = (images[:, 0, 0, 0] > 100).astype(float)
    return np.where(red, "red", "blue"), np.stack([0.1 + 0.8 * red, 0.9 - 0.8 * red], axis=1), ["red", "blue"]

def colour(rows):
    return ["red" if row["image"][0][0][0] > 100 else "blue" for row in rows]
"""


def lines(rows):
    return "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]) + "\n"


@pytest.fixture
def workbook(tmp_path):
    book = openpyxl.Workbook()
    page = book.create_sheet("May")
    for row in [list(ROWS[0]), *(list(row.values()) for row in ROWS)]:
        page.append(row)
    book.save(tmp_path / "pool.xlsx")
    return "pool.xlsx#May"


@pytest.fixture
def pattern(tmp_path):
    (tmp_path / "parts").mkdir()
    for part in range(4):
        (tmp_path / "parts" / f"{part}.csv").write_text(lines(ROWS[50 * part : 50 * part + 50]))
    return "parts/*.csv"


@pytest.fixture
def folder(tmp_path):
    for number in range(60):
        colour = ["red", "blue"][number % 2]
        (tmp_path / "photos" / colour).mkdir(parents=True, exist_ok=True)
        shown = colour if number % 10 else "blue"
        picture = Image.new("RGB", (4, 4), shown)
        picture.save(tmp_path / "photos" / colour / f"{number}.png")
    (tmp_path / "desk.py").write_text(MODEL)
    return "photos#truth"


@pytest.mark.parametrize("place", ["workbook", "pattern"])
def test_tables(cli, tmp_path, request, place):
    pool = request.getfixturevalue(place)
    claim = "error <= 10% at 95%"
    assert "all 200 items" in cli("plan", claim, "--pool", pool).out
    assert cli("init", "s", "--pool", pool, "--model", "said", "--claim", claim).code == 0
    assert cli("risk", "s", "--oracle", "truth", "--budget", "20").code == 3
    said = cli("risk", "s", "--oracle", "truth", "--budget", "200")
    assert said.code == 0
    assert cli("report", "s").err == ""
    assert cli("risk", "t", "--pool", pool, "--model", "said", "--oracle", "truth", "--claim", claim).code == 0
    assert cli("changed", "c", "--old", pool, "--answer", "said", "--model", "now", "--budget", "30").code in (1, 3)
    assert cli("changed", "c").code in (1, 3)
    assert cli("judges", pool, "--judges", "said,truth,now").code != 2
    panel = ["--judges", "said,now,other", "--study", "j", "--oracle", "truth", "--budget", "5"]
    assert cli("judges", pool, *panel).code in (0, 3)
    (tmp_path / "claims.toml").write_text(f'[[claim]]\nstudy = "s.ringtrue"\nsays = "{claim}"\n')
    assert cli("check", "claims.toml").code == 0


def test_a_file_that_appears_is_named_by_the_verbs(cli, tmp_path, pattern):
    cli("init", "s", "--pool", pattern, "--model", "said", "--claim", "error <= 10% at 95%")
    (tmp_path / "parts" / "9.csv").write_text(lines([{**ROWS[0], "id": "new"}]))
    said = cli("risk", "s", "--oracle", "truth", "--budget", "20")
    assert said.code == 2
    assert "size was 200, now 201" in said.line
    assert "new: '9.csv'" in said.line


def test_a_pattern_and_a_folder_that_are_gone(cli, tmp_path, pattern, folder):
    cli("init", "s", "--pool", pattern, "--model", "said", "--claim", "error <= 10% at 95%")
    (tmp_path / "parts").rename(tmp_path / "moved")
    said = cli("risk", "s", "--oracle", "truth", "--budget", "5")
    assert said.code == 2
    assert "is no longer at" in said.line
    assert cli("risk", "s", "--oracle", "truth", "--budget", "5", "--pool", "moved/*.csv").code == 3


def test_a_folder(cli, tmp_path, folder):
    claim = "error <= 30% at 95%"
    assert "all 60 items" in cli("plan", claim, "--pool", folder).out
    made = cli("risk", "s", "--pool", folder, "--model", "desk:colour", "--oracle", "truth", "--claim", claim)
    assert made.code == 0, made.err
    assert cli("report", "s").err == ""
    (tmp_path / "photos").rename(tmp_path / "pictures")
    assert cli("risk", "s", "--oracle", "truth", "--pool", "pictures#truth").code == 0
    (tmp_path / "answers.csv").write_text(
        "id,answer\n" + "".join(f"{['red', 'blue'][n % 2]}/{n}.png,{['red', 'blue'][n % 2]}\n" for n in range(60))
    )
    options = [
        "--old",
        "answers.csv",
        "--pool",
        "pictures#truth",
        "--model",
        "desk:colour",
        "--claim",
        "change <= 20% at 95%",
    ]
    said = cli("changed", "c", *options)
    assert said.code in (0, 1, 3), said.err
    assert "true labels in 'truth'; no confidences; the model is shown image\n" in said.err
    assert cli("changed", "c").code == said.code


def test_a_hunt_in_a_folder(cli, folder):
    options = ["--pool", folder, "--input", "image", "--model", "desk:sure", "--oracle", "truth", "--budget", "5"]
    said = cli("blind", "b", *options)
    assert said.code in (0, 1, 3), said.err
    assert cli("blind", "b", "--budget", "6").code == said.code


def test_a_rater_is_not_shown_the_subfolder(cli, tmp_path, folder):
    options = ["--pool", folder, "--model", "desk:colour", "--sheet", "ann.csv", "--rater", "ann", "--rows", "5"]
    assert cli("risk", "s", *options, "--claim", "error <= 30% at 95%").code == 0
    sheet = (tmp_path / "ann.csv").read_text(encoding="utf-8-sig")
    assert "s:0" in sheet
    assert "red" not in sheet
    assert "truth" not in sheet
