"""What is written is its owner's alone, unless every other file in the folder is open to others, too."""

import os
import sqlite3
from decimal import Decimal

import numpy as np
import pytest

from ringtrue.cli._consent import Calling
from ringtrue.cli._door import oracle_of
from ringtrue.cli._lab_sheet import write_sheet
from ringtrue.cli._sheet_forms import Numbers
from ringtrue.core import Item, Query
from ringtrue.journal import SqliteJournal, copy_journal, for_owner
from ringtrue.report import write_report
from ringtrue.study import recover
from support import make_study

pytestmark = pytest.mark.usefixtures("unlaid")


@pytest.fixture(autouse=True)
def umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path):
    return oct(os.stat(path).st_mode & 0o777)


@pytest.mark.parametrize(
    ("umask", "others", "expected"),
    [
        (0o022, [], "0o600"),
        (0o022, [0o644], "0o644"),
        (0o022, [0o755, 0o644], "0o644"),
        (0o022, [0o644, 0o600], "0o600"),
        (0o022, [0o644, 0o640], "0o640"),
        (0o022, [0o664, 0o660], "0o640"),
        (0o002, [0o664, 0o660], "0o660"),
        (0o077, [0o666], "0o600"),
    ],
)
def test_a_new_file_is_as_open_as_every_other_file_in_its_folder(tmp_path, umask, others, expected):
    os.umask(umask)
    for number, rights in enumerate(others):
        (tmp_path / f"other{number}").touch()
        (tmp_path / f"other{number}").chmod(rights)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with open(tmp_path / "new", "x", opener=for_owner):
        pass
    assert mode(tmp_path / "new") == expected
    SqliteJournal(tmp_path / "s.ringtrue", create=True).close()
    assert mode(tmp_path / "s.ringtrue") == expected


def test_studies_copies_and_what_is_recovered(tmp_path):
    with make_study(tmp_path) as study:  # beside a pool that all may read
        assert mode(tmp_path / "study.ringtrue") == "0o644"
        os.chmod(tmp_path / "study.ringtrue", 0o600)
        study.run("truth")
        (tmp_path / "kept").mkdir()
        copy_journal(tmp_path / "study.ringtrue", tmp_path / "kept" / "a.ringtrue")
    recover(tmp_path / "study.ringtrue", tmp_path / "kept" / "b.ringtrue")
    assert {path.name: mode(path) for path in (tmp_path / "kept").iterdir()} == {
        "a.ringtrue": "0o600",
        "b.ringtrue": "0o600",
    }


def test_what_sqlite_puts_beside_a_study_is_no_more_open(tmp_path):
    SqliteJournal(tmp_path / "s.ringtrue", create=True).close()
    connection = sqlite3.connect(tmp_path / "s.ringtrue", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("CREATE TABLE t (x)")
    assert {mode(path) for path in tmp_path.iterdir()} == {"0o600"}
    connection.close()


def test_reports_sheets_and_pictures(tmp_path):
    with make_study(tmp_path) as study:
        study.run("truth")
        out = tmp_path / "out"
        files = write_report(study, out / "report.html")
        assert [mode(path) for path in files] == ["0o600", "0o600"]
        files[0].chmod(0o644)
        write_report(study, files[0])
        assert [mode(path) for path in files] == ["0o644", "0o600"], "who may read a report stays so"
    item = Item("i", {"x": 1.0})
    write_sheet(out / "sheet.csv", [Query("s:0", "worst", "oracle", item, Decimal(1), None)], Numbers(["y"]))
    assert mode(out / "sheet.csv") == "0o600"


def test_the_picture_that_a_person_looks_at_is_theirs_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = []

    def typed():
        (picture,) = tmp_path.glob("*.png")
        seen.append(mode(picture))
        return "yes"

    monkeypatch.setattr("builtins.input", typed)
    item = Item("i", {"image": np.arange(256.0).reshape(16, 16) / 256})
    person = oracle_of({"oracle": "ask"}, Calling())
    assert person.answer([Query("s:0", "blind", "oracle", item, Decimal(1), None)])[0].value == "yes"
    assert seen == ["0o600"]
    assert not list(tmp_path.iterdir()), "it goes with the answer"
