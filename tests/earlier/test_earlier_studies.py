"""Studies of every question in every earlier format: they open, say what they said, and ask on as they would have."""

import html
import json
import math
import sqlite3
from pathlib import Path

import pytest

from earlier.cases import CASES
from earlier.files import FORMATS, build, stored
from ringtrue.report import document, render, verify, verify_report
from ringtrue.report._compare import compare
from ringtrue.worst import Worst

pytestmark = pytest.mark.usefixtures("unlaid")

STUDIES = [(form, name) for form in FORMATS for name in CASES]
REPORTS = sorted((Path(__file__).parent / "reports").glob("*.json"))

NEARBY = 1e-3
"""How far the points of a search may lie from those stored: on two other kinds of processors it was up to 1e-5."""


@pytest.fixture(params=STUDIES, ids=lambda param: "-".join(param))
def study_file(request, tmp_path):
    """A stored study: its case, what was found, its events, and where to build it."""
    form, name = request.param
    return CASES[name](), *stored(form, name), tmp_path / "study.ringtrue"


def differences(case, stands, again):
    """Where two findings differ by more than another processor's rounding."""
    fitted = Worst.fitted if case.in_space else ()
    return [one for one in compare("finding", stands, json.loads(json.dumps(again)), fitted) if one]


def test_what_was_done_is_read_reported_and_verified(study_file):
    """For reading, all that is needed is in the file: neither the pool nor the model is there."""
    case, head, events, path = study_file
    with case.read(build(path, events)) as study:
        made = {one.name: json.loads(json.dumps(document(study, question=one.name))) for one in case.questions}
    assert not differences(
        case, head["found"]["done"], {name: one["computed"]["finding"] for name, one in made.items()}
    )
    for one in made.values():
        assert verify(one).agrees, verify(one)


def test_what_was_half_done_is_gone_on_with_as_the_earlier_version_did(study_file):
    """One answer is out, one was given up. What is asked next depends on all that was recorded of those before."""
    case, head, events, path = study_file
    with case.open(build(path, events[: head["half"]])) as study:
        assert not differences(case, head["found"]["half"], case.findings(study))
    case.go_on(path)
    with case.open(path) as study:
        fresh = study.records[-len(head["asked"]) :]
        assert fresh[-1].number == fresh[0].number + len(head["asked"]) - 1 == study.records[-1].number
    for record, (row, point, *chances) in zip(fresh, head["asked"], strict=True):
        assert record.row == row
        assert record.point is None if point is None else record.point == pytest.approx(point, abs=NEARBY)
        for now, then in zip((record.probability, record.floor), chances, strict=True):
            assert now is None if then is None else math.isclose(now, then, rel_tol=1e-9)


@pytest.mark.parametrize("name", ["risk-doubt", "changed", "worst", "blind", "judges"])
def test_a_page_is_made_of_them(name, tmp_path):
    case, (_, events) = CASES[name](), stored("chained", name)
    with case.open(build(tmp_path / "study.ringtrue", events)) as study:
        assert str(study.finding()) in html.unescape(render(json.loads(json.dumps(document(study)))))


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_a_report_of_the_earlier_format_is_verified(path, tmp_path):
    result = verify_report(path)
    assert result.agrees, result
    made = json.loads(path.read_text())
    made["records"][0]["value"] = "neither"
    (tmp_path / "forged.json").write_text(json.dumps(made))
    assert not verify_report(tmp_path / "forged.json").agrees


@pytest.mark.parametrize("name", ["risk-doubt", "changed", "judges"])
def test_what_was_written_stays_and_what_comes_is_written_anew(name, tmp_path):
    """The chain goes on over both; each event that asks says by its kind in which format it is."""
    case, (head, events), path = CASES[name](), stored("chained", name), tmp_path / "study.ringtrue"
    build(path, before := events[: head["half"]])
    case.go_on(path)
    base = sqlite3.connect(path)
    rows = base.execute("SELECT sequence, kind, payload, time, link FROM events ORDER BY sequence").fetchall()
    base.close()
    then = [[sequence, kind, json.loads(text), *rest] for sequence, kind, text, *rest in rows[: len(before)]]
    assert then == before
    kinds = [kind for _, turn, text, *_ in rows[len(before) :] for kind in _kinds(turn, json.loads(text))]
    assert kinds.count("asked2") > 3
    assert "asked" not in kinds


def _kinds(kind, payload):
    return [part for part, _ in payload["parts"]] if kind == "turn" else [kind]
