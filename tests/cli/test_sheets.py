"""Sheets for every verb that asks people: each person has other rows, and they come back in any order."""

import csv
import sys
from dataclasses import dataclass

import numpy as np
import openpyxl
import pytest

from ringtrue.study import Study
from support import make_pool
from support.blind_desk import lay_desk

SPACE = """
[parameters]
heat = { low = 250, high = 400, step = 5 }
"""
DESK = """
def model(rows):
    return [2 * row["heat"] for row in rows]
"""


@dataclass
class Case:
    """How a verb is called for a new study and for one that is there, and what is filled in."""

    lay: object
    new: tuple
    goes_on: tuple
    column: str
    answer: object
    nobody: str = "the labellers"


def lay_risk(folder):
    make_pool(folder / "pool.csv")


def lay_blind(folder):
    lay_desk(folder, 30)
    columns = dict(np.load(folder / "pictures.npz"))
    columns["said"] = np.where(columns["image"].reshape(30, -1).mean(axis=1) > 127, "light", "dark")
    columns["sure"] = np.linspace(0.7, 0.99, 30)
    np.savez(folder / "pictures.npz", **columns)


def lay_judges(folder):
    rng = np.random.default_rng(5)
    with open(folder / "votes.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "a", "b", "c", "text"])
        for number in range(60):
            truth = rng.random() < 0.5
            votes = ["yes" if truth ^ (rng.random() < 0.2) else "no" for _ in "abc"]
            rows.writerow([f"i{number}", *votes, f"{'good' if truth else 'bad'} {number}"])


def lay_worst(folder):
    (folder / "space.toml").write_text(SPACE)
    (folder / "desk.py").write_text(DESK)


POOL = ("--pool", "pictures.npz", "--model", "said", "--confidence", "sure", "--gallery", 0)
CASES = {
    "risk": Case(
        lay_risk,
        ("risk", "s", "--pool", "pool.csv", "--model", "predicted", "--claim", "error <= 20% at 95%", "--budget", 12),
        ("risk", "s"),
        "label",
        lambda row: row["truth"],
    ),
    "blind": Case(
        lay_blind,
        ("blind", "s", *POOL, "--budget", 12),
        ("blind", "s", "--gallery", 0),
        "label",
        lambda row: row["truth"],
    ),
    "judges": Case(
        lay_judges,
        ("judges", "votes.csv", "--study", "s", "--judges", "a,b,c", "--budget", 12),
        ("judges", "votes.csv", "--study", "s"),
        "label",
        lambda row: "yes" if row["text"].startswith("good") else "no",
    ),
    "worst": Case(
        lay_worst,
        ("worst", "s", "--space", "space.toml", "--model", "desk:model", "--budget", 12, "--batch", 4),
        ("worst", "s"),
        "value",
        lambda row: float(row["heat"]) ** 1.1,
        "the laboratory",
    ),
}
LABELLING = ("risk", "blind", "judges")
rows_option = {"risk": ("--rows", 4), "blind": ("--rows", 4), "judges": ("--rows", 4), "worst": ()}


@pytest.fixture
def case(request, cli, tmp_path):
    CASES[request.param].lay(tmp_path)
    return CASES[request.param], rows_option[request.param]


every_verb = pytest.mark.parametrize("case", CASES, indirect=True)
both_kinds = pytest.mark.parametrize("kind", ["csv", "xlsx"])


@pytest.fixture
def risk(cli, tmp_path):
    """Write ann.csv of a new study with four items, and call for going on with it."""
    lay_risk(tmp_path)
    said = cli(*CASES["risk"].new, "--labels", "cat,dog", "--sheet", "ann.csv", "--rater", "ann", "--rows", 4)
    assert said.code == 0, said.err
    return lambda *options: cli("risk", "s", *options)


def read(path):
    """The rows of a sheet."""
    if path.suffix == ".xlsx":
        header, *rows = openpyxl.load_workbook(path).active.iter_rows(values_only=True)
        return [dict(zip(header, row, strict=True)) for row in rows]
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def write(path, rows):
    """Save rows as a spreadsheet does."""
    if path.suffix == ".xlsx":
        book = openpyxl.Workbook()
        for row in [list(rows[0]), *(list(row.values()) for row in rows)]:
            book.active.append(row)
        book.save(path)
        return
    with open(path, "w", encoding="utf-8-sig", newline="") as file:
        out = csv.DictWriter(file, rows[0])
        out.writeheader()
        out.writerows(rows)


def fill(path, answer, column="label"):
    """Fill in all rows, the last first."""
    write(path, [{**row, column: answer(row)} for row in reversed(read(path))])


def records(folder):
    with Study.open(folder / "s.ringtrue") as study:
        return study.records


@every_verb
@both_kinds
def test_two_people_have_sheets_of_their_own_and_answer_in_any_order(cli, case, kind, tmp_path):
    case, rows = case
    ann, ben = tmp_path / f"ann.{kind}", tmp_path / f"ben.{kind}"
    said = cli(*case.new, *rows, "--sheet", ann.name, "--rater", "ann")
    assert said.code == 0, said.err
    assert "out with ann until " in said.out
    assert cli(*case.goes_on, *rows, "--sheet", ben.name, "--rater", "ben").code == 0
    first, second = ({row["query"] for row in read(path)} for path in (ann, ben))
    assert (len(first), len(second), first & second) == (4, 4, set())
    assert {row["rater"] for row in read(ben)} == {"ben"}
    hidden = {"predicted", "said", "sure", "a", "b", "c"}
    assert hidden.isdisjoint(read(ann)[0]), "what the model says would sway them"
    for path in (ben, ann):
        fill(path, case.answer, case.column)
        said = cli(*case.goes_on, "--answers", path.name)
        assert said.code in (0, 3), said.err
        assert said.out.startswith(f"recorded 4 answers from {path.name}\n")
    told = records(tmp_path)
    assert {record.state for record in told} == {"answered"}
    assert [record.rater for record in told] == ["ann"] * 4 + ["ben"] * 4
    assert "8 answers recorded; 4 of 12 labels left" in said.out.replace("evaluations", "labels")


@every_verb
def test_a_sheet_that_is_lost_is_written_again_and_what_was_read_twice_is_recorded_once(cli, case, tmp_path):
    case, rows = case
    assert cli(*case.new, *rows, "--sheet", "lost.csv").code == 0
    said = cli(*case.goes_on, "--sheet", "again.xlsx", "--again")
    assert f"out with {case.nobody} until " in said.out
    assert [row["query"] for row in read(tmp_path / "again.xlsx")] == [f"s:{n}" for n in range(4)]
    assert "rater" not in read(tmp_path / "lost.csv")[0]
    fill(tmp_path / "again.xlsx", case.answer, case.column)
    cli(*case.goes_on, "--answers", "again.xlsx")
    said = cli(*case.goes_on, "--answers", "again.xlsx")
    assert said.out.startswith("recorded 0 answers from again.xlsx, 4 recorded before stay as they are\n")
    assert {record.rater for record in records(tmp_path)} == {case.nobody}


@pytest.mark.parametrize("case", LABELLING, indirect=True)
def test_a_sheet_goes_on_by_itself_until_nothing_is_left(cli, case, tmp_path):
    case, _ = case
    assert cli(*case.new, "--rows", 7, "--sheet", "one.csv").code == 0
    assert "5 items to label" in cli(*case.goes_on, "--sheet", "two.csv").out
    said = cli(*case.goes_on, "--sheet", "three.csv")
    assert said.out.startswith("nothing is left to ask: ")
    assert not (tmp_path / "three.csv").exists()


def test_pictures_lie_beside_the_sheet(cli, tmp_path):
    lay_blind(tmp_path)
    assert cli(*CASES["blind"].new, "--rows", 3, "--sheet", "ann.csv").code == 0
    files = [tmp_path / row["image"] for row in read(tmp_path / "ann.csv")]
    assert all(file.parent.name == "ann-pictures" and file.read_bytes().startswith(b"\x89PNG") for file in files)
    assert len(set(files)) == 3


def test_people_see_what_the_model_says_only_if_that_is_asked_for(risk, tmp_path):
    assert risk("--sheet", "ben.csv", "--rater", "ben", "--show-model", "--rows", 2).code == 0
    (row, _) = read(tmp_path / "ben.csv")
    assert row["the model says"] == row["predicted"]
    assert not {"the model says", "predicted"} & set(read(tmp_path / "ann.csv")[0])


def test_a_row_may_be_blank_or_unknown_and_filled_in_later(risk, tmp_path):
    rows = read(tmp_path / "ann.csv")
    write(tmp_path / "ann.csv", [{**rows[0], "label": "?"}, {**rows[1], "label": "cat"}, *rows[2:]])
    assert risk("--answers", "ann.csv").out.startswith("recorded 2 answers from ann.csv\n")
    assert [record.state for record in records(tmp_path)] == ["abandoned", "answered", "leased", "leased"]
    write(tmp_path / "ann.csv", [{**row, "label": "cat"} for row in rows])
    said = risk("--answers", "ann.csv").out
    assert said.startswith("recorded 3 answers from ann.csv, 1 recorded before stay as they are\n")
    assert said.endswith("next: ringtrue risk s.ringtrue --sheet FILE for further answers\n")
    assert {record.state for record in records(tmp_path)} == {"answered"}


def test_what_is_otherwise_on_a_sheet_that_was_read_is_corrected_and_not_overwritten(cli, risk, tmp_path):
    fill(tmp_path / "ann.csv", lambda row: "cat")
    risk("--answers", "ann.csv")
    rows = read(tmp_path / "ann.csv")
    last = rows[0]["query"].rpartition(":")[2]
    write(tmp_path / "ann.csv", [{**rows[0], "label": "dog"}, *rows[1:]])
    correct = f"ringtrue amend s.ringtrue {last} ANSWER --rater ann"
    line = "recorded 0 answers from ann.csv, 4 recorded before stay as they are; 1 of them says otherwise now"
    assert risk("--answers", "ann.csv").out.startswith(f"{line}: correct an answer with `{correct}`\n")
    assert cli(*correct.replace("ANSWER", "dog").split()[1:]).code == 0
    assert "otherwise" not in risk("--answers", "ann.csv").out.splitlines()[0]


def test_a_late_answer_to_what_another_answered_meanwhile_is_kept_beside(cli, risk, tmp_path):
    fill(tmp_path / "ann.csv", lambda row: "?" if row["query"] == "s:0" else "cat")
    with Study.open(tmp_path / "s.ringtrue") as study:
        study.release(study.leases)
    assert risk("--sheet", "ben.csv", "--rater", "ben", "--rows", 2).code == 0
    fill(tmp_path / "ben.csv", lambda row: "dog")
    risk("--answers", "ben.csv")
    said = risk("--answers", "ann.csv").out.splitlines()[0]
    told = "1 recorded before stay as they are, 1 kept beside what others answered"
    assert said == f"recorded 2 answers from ann.csv, {told}", "that ann cannot tell s:0 says nothing against ben"
    told = records(tmp_path)
    assert [(record.value, record.rater) for record in told] == [("dog", "ben")] * 2 + [("cat", "ann")] * 2


REFUSED = {
    "wrong label": ({"label": "cow"}, (), "row 2: answer='cow' for item 'item-"),
    "changed input": ({"feature": "7.5"}, (), "row 2: feature is '7.5' where '"),
    "slipped id": ({"id": "item-99"}, (), "so that rows may have slipped: write it back, leave the row blank, or"),
    "another study": ({"query": "t:0"}, (), "row 2: query='t:0' was never asked in study 's': read a sheet of this"),
    "no query": ({"query": ""}, (), "row 2 has an answer but no query: keep one row per query, with its id"),
    "second row": ({"query": "s:1"}, (), "row 3 has the query 's:1' a second time: keep one row per query"),
    "another rater": ({}, ("--rater", "ben"), "row 2: --rater='ben' is not 'ann', whom it went out to: leave --rater"),
    "no name": ({"rater": "a/b"}, (), "row 2: rater='a/b' is not a name: write back whom the sheet went out to"),
}


@pytest.mark.parametrize("wrong", REFUSED)
@both_kinds
def test_what_is_wrong_on_a_sheet_is_refused_with_its_row_and_nothing_is_recorded(risk, tmp_path, wrong, kind):
    changed, options, words = REFUSED[wrong]
    first, *rest = [{**row, "label": row["truth"]} for row in read(tmp_path / "ann.csv")]
    write(tmp_path / f"in.{kind}", [{**first, **changed}, *rest])
    said = risk("--answers", f"in.{kind}", *options)
    assert said.code == 2
    assert words in said.line
    assert f"sheet 'in.{kind}', row" in said.line
    assert {record.state for record in records(tmp_path)} == {"leased"}


def test_a_sheet_without_its_rater_is_that_of_whoever_has_its_rows(risk, tmp_path):
    rows = [{name: cell for name, cell in row.items() if name != "rater"} for row in read(tmp_path / "ann.csv")]
    write(tmp_path / "in.csv", [{**row, "label": row["truth"]} for row in rows])
    assert "--rater='ben' is not 'ann'" in risk("--answers", "in.csv", "--rater", "ben").line
    assert risk("--answers", "in.csv").code in (0, 3)
    assert {record.rater for record in records(tmp_path)} == {"ann"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--sheet", "ann.csv"), "sheet 'ann.csv' exists, and may be filled in: name another file"),
        (("--sheet", "ann.ods"), "is neither CSV nor xlsx: end its name in .csv or .xlsx"),
        (("--sheet", "a.csv", "--answers", "b.csv"), "first read the filled sheet, then write the next one"),
        (("--again",), "--again writes a lost sheet once more: give --sheet FILE.csv too"),
        (("--rows", 3), "--rows=3 is for --sheet FILE.csv: leave it out"),
        (("--rows", 3, "--sheet", "a.csv", "--again"), "--rows=3 has no use with --again"),
        (("--answers", "gone.csv"), "sheet 'gone.csv' cannot be read (No such file or directory): check its name"),
        (("--answers", "pool.csv"), "sheet 'pool.csv' has no column 'query': columns: id, feature"),
        (("--answers", "torn.xlsx"), "sheet 'torn.xlsx' is not an xlsx file that can be read"),
        (("--sheet", "a.csv", "--rater", "a/b"), "--rater='a/b' is not a name: write one without slashes"),
        (("--oracle", "truth", "--rater", "ann"), "--rater='ann' names who answers by hand: give --oracle ask or a"),
        (("--sheet", "a.csv", "--map", "feature"), "--sheet does nothing with --map: leave it out"),
    ],
)
def test_options_and_files_that_cannot_be_are_refused_in_one_line(risk, tmp_path, options, words):
    (tmp_path / "torn.xlsx").write_bytes((tmp_path / "ann.csv").read_bytes())
    said = risk(*options)
    assert said.code == 2
    assert words in said.line
    assert len(records(tmp_path)) == 4, "nothing was taken along"


def test_no_sheet_of_a_study_that_is_not_there_can_be_read(cli):
    said = cli("risk", "none", "--answers", "ann.csv")
    assert said.code == 2
    assert "STUDY='none' is not there yet, so that no sheet of it can be out: check the name" in said.line


def test_without_openpyxl_a_workbook_is_refused_with_the_line_that_installs_it(risk, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    said = risk("--sheet", "ben.xlsx")
    assert said.code == 2
    assert "needs openpyxl: run pip install 'ringtrue[sheets]', or name a file that ends in .csv" in said.line


NASTY = ["=1+1", "@sum", "-2+3", "+1", "'quoted'", "two\nlines", "007", "1-2", "TRUE"]


@both_kinds
def test_no_cell_is_a_formula_and_all_come_back_as_they_were(cli, tmp_path, kind):
    with open(tmp_path / "pool.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "=text", "label", "query", "said"])
        out.writerows([f"i{n}", text, "x", n, "yes"] for n, text in enumerate(NASTY))
    said = cli("risk", "s", "--pool", "pool.csv", "--model", "said", "--labels", "yes,no,=no", "--sheet", f"a.{kind}")
    assert said.code == 0, said.err
    assert "fill in the column 'label (ringtrue)' (yes, no, =no; ? where you cannot tell)" in said.out
    path = tmp_path / f"a.{kind}"
    cells = [cell for row in read(path) for cell in (*row, *row.values()) if isinstance(cell, str)]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    if kind == "xlsx":
        page = openpyxl.load_workbook(path).active
        assert "f" not in {cell.data_type for row in page.iter_rows() for cell in row}
    fill(path, lambda row: "'=no", "label (ringtrue)")
    said = cli("risk", "s", "--answers", f"a.{kind}")
    assert said.code in (0, 3), said.err
    assert {record.value for record in records(tmp_path)} == {"=no"}


def test_a_sheet_never_exceeds_what_was_fixed(cli, tmp_path):
    lay_risk(tmp_path)
    made = cli(*CASES["risk"].new, "--fixed", 5, "--sheet", "one.csv")
    assert "wrote one.csv: 5 items to label" in made.out
    assert cli("risk", "s", "--sheet", "two.csv").out.startswith("nothing is left to ask")


def test_large_whole_numbers_that_differ_by_one_are_two(cli, tmp_path):
    (tmp_path / "pool.csv").write_text("id,said\n" + "".join(f"{9_000_000_000 + n},yes\n" for n in range(8)))
    new = ("risk", "s", "--pool", "pool.csv", "--model", "said", "--labels", "yes,no")
    assert cli(*new, "--sheet", "a.csv").code == 0
    rows = [{**row, "label": "yes"} for row in read(tmp_path / "a.csv")]
    rows[0]["id"], rows[1]["id"] = rows[1]["id"], rows[0]["id"]
    write(tmp_path / "a.csv", rows)
    assert "rows may have slipped" in cli("risk", "s", "--answers", "a.csv").line
