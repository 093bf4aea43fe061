"""What all case studies write: tables whose numbers stand to the right, and results between the marks of a README."""

from pathlib import Path

import pytest

import pages
from pages import BEGIN, END, markdown, write

STUDIES = sorted(Path(pages.__file__).parent.glob("*/run.py"))


def test_results_are_written_between_the_marks_and_nowhere_else(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n\n{BEGIN}\n\nold\n\n{END}\n\nafter\n", encoding="utf-8")
    write("new\n", readme)
    assert readme.read_text(encoding="utf-8") == f"before\n\n{BEGIN}\n\nnew\n\n{END}\n\nafter\n"


@pytest.mark.parametrize("study", STUDIES, ids=lambda path: path.parent.name)
def test_the_readme_of_every_study_has_the_marks_once(study):
    text = study.with_name("README.md").read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
    assert text.index(BEGIN) < text.index(END)


def test_columns_of_numbers_stand_to_the_right():
    rows = [["x", "1.0%", "≤ 22", "−1", "at 3"], ["y", "", "> 1", "+2", "4"]]
    table = markdown(["name", "a", "b", "c", "place"], rows)
    assert table.splitlines()[1:] == [
        "|---|---:|---:|---:|---|", "| x | 1.0% | ≤ 22 | −1 | at 3 |", "| y |  | > 1 | +2 | 4 |",
    ]  # fmt: skip
