"""Writing a report: both files whole, and never over anything that is not a report."""

import json

import pytest

from ringtrue.core import InvalidInput
from ringtrue.report import verify_report, write_report
from ringtrue.risk import Risk
from ringtrue.study import Study
from support import make_pool, make_study

pytestmark = pytest.mark.usefixtures("unlaid")


def test_both_files_are_written_and_nothing_else(tmp_path):
    out = tmp_path / "new" / "folder"
    with make_study(tmp_path) as study:
        page, twin = write_report(study, out / "loans.v2.html")
    assert (page, twin) == (out / "loans.v2.html", out / "loans.v2.json")
    assert sorted(path.name for path in out.iterdir()) == ["loans.v2.html", "loans.v2.json"]
    assert page.read_text(encoding="utf-8").endswith("</html>")
    assert verify_report(twin).agrees


def test_an_earlier_report_is_replaced(tmp_path):
    with make_study(tmp_path) as study:
        write_report(study, tmp_path / "r.html")
        study.tell_all((query, query.item.values["truth"]) for query in study.ask(3))
        _, twin = write_report(study, tmp_path / "r.html")
    assert len(json.loads(twin.read_text())["records"]) == 3


@pytest.mark.parametrize("name", ["study.ringtrue", "report.json", "report", "report.txt", ".html"])
def test_a_page_ends_in_html(tmp_path, name):
    with make_study(tmp_path) as study, pytest.raises(InvalidInput, match=r"let it end in \.html"):
        write_report(study, tmp_path / name)
    with Study.open(tmp_path / "study") as study:
        assert study.status().answered == 0, "the study is still there"


@pytest.mark.parametrize("name", ["notes.html", "notes.json"])
@pytest.mark.parametrize("content", ['{"mine": 1}', "<!doctype html><p>mine", "\x00\x01"])
def test_files_of_others_are_left_alone(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    with make_study(tmp_path) as study, pytest.raises(InvalidInput, match="not a report: choose another name"):
        write_report(study, tmp_path / "notes.html")
    assert (tmp_path / name).read_text() == content
    assert len(list(tmp_path.glob("notes*"))) == 1


def test_a_study_that_is_named_like_a_page_is_left_alone(tmp_path):
    pool = make_pool(tmp_path / "pool.csv")
    with (
        Study.create(tmp_path / "odd.html", pool=pool, model="predicted", question=Risk()) as study,
        pytest.raises(InvalidInput, match="not a report"),
    ):
        write_report(study, tmp_path / "odd.html")


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "taken.html").mkdir()
    with make_study(tmp_path) as study:
        for name in ("file/r.html", "taken.html", f"{'n' * 300}.html"):
            with pytest.raises(InvalidInput, match="cannot be written"):
                write_report(study, tmp_path / name)
    assert not [path for path in tmp_path.rglob(".*") if path.is_file()], "nothing half-written lies about"


def test_an_error_on_the_way_leaves_the_earlier_report_whole(tmp_path, monkeypatch):
    with make_study(tmp_path) as study:
        page, twin = write_report(study, tmp_path / "r.html")
        before = page.read_bytes(), twin.read_bytes()
        monkeypatch.setattr("ringtrue.report._write.render", lambda made: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            write_report(study, tmp_path / "r.html")
    assert (page.read_bytes(), twin.read_bytes()) == before
