"""Corrections: an undo is an event, and a verdict counts that the first and the corrected answers both give."""

import json
from contextlib import closing

import pandas as pd
import pytest

from ringtrue import Risk, Study
from ringtrue.core import InvalidInput, JournalUnusable, Verdict
from ringtrue.journal import SqliteJournal
from ringtrue.report import verify_report, write_report
from ringtrue.study import CorrectedFinding
from ringtrue.study._ledger import _STEPS

CLAIM = "error <= 20% at 95%"


def make(path, *, size=400, budget=None, price=None):
    pool = {"id": [f"i{row}" for row in range(size)], "said": ["yes"] * size}
    frame = pd.DataFrame(pool)
    return Study.create(path / "s.ringtrue", question=Risk(CLAIM), pool=frame, model="said", budget=budget, price=price)


def answered(study, labels, rater="ann"):
    queries = []
    for label in labels:
        [query] = study.ask(rater=rater)
        study.tell(query, label, rater=rater)
        queries.append(query)
    return queries


def test_a_correction_counts_from_now_on_and_what_it_was_is_kept(tmp_path):
    with make(tmp_path) as study:
        queries = answered(study, ["yes", "no", "yes"])
        assert study.finding().failures == 1
        study.amend(queries[1], "yes", rater="ann", reason="slipped")
        assert study.finding().failures == 0
        assert study.records[1].earlier == ("no",)
        assert study.status().answered == 3
    with closing(SqliteJournal(tmp_path / "s.ringtrue")) as journal:
        events = list(journal.read("s", 0))
    assert events[-1].kind == "corrected"
    assert {"was": "no", "value": "yes", "rater": "ann", "reason": "slipped"}.items() <= events[-1].payload.items()


def test_the_same_answer_again_writes_nothing(tmp_path):
    with make(tmp_path) as study:
        [query] = answered(study, ["no"])
        before = study.history.events
        study.amend(query, "no", rater="ann")
        assert study.history.events == before


def test_an_open_query_and_another_raters_answer_are_refused(tmp_path):
    with make(tmp_path) as study:
        [query] = study.ask(rater="ann")
        with pytest.raises(InvalidInput, match="has no answer yet"):
            study.amend(query, "no", rater="ann")
        study.tell(query, "yes", rater="ann")
        with pytest.raises(InvalidInput, match=r"'bob' did not answer .*'ann' did"):
            study.amend(query, "no", rater="bob")
        with pytest.raises(InvalidInput, match="not a label"):
            study.amend(query, ["no"], rater="ann")
        assert study.records[0].value == "yes"


def test_a_verdict_that_rests_on_corrections_is_not_yet_known(tmp_path):
    with make(tmp_path) as study:
        queries = answered(study, ["no", "no", "no", *["yes"] * 21])
        assert study.verdict() is Verdict.NOT_YET_KNOWN
        for query in queries[:3]:
            study.amend(query, "yes", rater="ann")
        finding = study.finding()
        assert isinstance(finding, CorrectedFinding)
        assert finding.now.verdict is Verdict.RINGS_TRUE
        assert finding.first.verdict is Verdict.NOT_YET_KNOWN
        assert finding.verdict is study.verdict() is Verdict.NOT_YET_KNOWN
        assert str(finding).startswith(
            "error <= 20% at 95% is not yet known: not yet known by the first answers, rings true with 3 answers "
            "corrected"
        )
        told = finding.to_json()
        assert (told["verdict"], told["corrected"]["answers"]) == ("not yet known", 3)
        assert "rings true:" not in told["headline"]


def test_more_answers_bring_both_to_the_same_verdict(tmp_path):
    with make(tmp_path) as study:
        queries = answered(study, ["no", *["yes"] * 5])
        study.amend(queries[0], "yes", rater="ann")
        answered(study, ["yes"] * 60)
        finding = study.finding()
        assert finding.verdict is Verdict.RINGS_TRUE
        assert "1 answer corrected, and the first answers give the same verdict" in str(finding)


def test_cannot_tell_and_back(tmp_path):
    with make(tmp_path, budget=3) as study:
        queries = answered(study, ["yes", "no", None])
        assert (study.status().answered, study.status().abandoned) == (2, 1)
        study.amend(queries[1], None, rater="ann")
        assert (study.status().answered, study.status().abandoned, study.finding().unanswerable) == (1, 2, 2)
        study.amend(queries[2], "yes", rater="ann")
        assert (study.status().answered, study.finding().unanswerable) == (2, 1)
        assert study.records[2].earlier == (None,)


def test_an_answer_that_comes_back_must_fit_into_the_budget(tmp_path):
    with make(tmp_path, budget=1, price="2") as study:
        [query] = answered(study, [None])
        [other] = study.ask(rater="ann")
        study.tell(other, "yes", rater="ann")
        with pytest.raises(InvalidInput, match="the budget has no room"):
            study.amend(query, "yes", rater="ann")
        study.set_budget(2)
        study.amend(query, "yes", rater="ann")
        assert (study.status().answered, study.status().spent_money) == (2, 4)


def test_a_study_opened_again_says_the_same(tmp_path):
    with make(tmp_path) as study:
        queries = answered(study, ["no", "yes", "no", *["yes"] * 30])
        study.amend(queries[0], "yes", rater="ann")
        study.amend(queries[0], None, rater="ann")
        said = str(study.finding())
    with Study.open(tmp_path / "s.ringtrue") as again:
        assert str(again.finding()) == said
        assert again.records[0].earlier == ("no", "yes")


def test_a_report_of_corrections_agrees_with_its_records(tmp_path):
    with make(tmp_path) as study:
        queries = answered(study, ["no", "no", "no", *["yes"] * 21])
        for query in queries[:3]:
            study.amend(query, "yes", rater="ann")
        page, twin = write_report(study, tmp_path / "report.html")
    assert verify_report(twin).agrees
    made = json.loads(twin.read_text())
    assert made["format"] == 4
    assert "not yet known by the first answers" in page.read_text()
    made["records"][0]["earlier"] = ["yes"]
    twin.write_text(json.dumps(made))
    assert not verify_report(twin).agrees


def test_a_version_that_knows_no_corrections_refuses_in_one_line(tmp_path, monkeypatch):
    with make(tmp_path) as study:
        [query] = answered(study, ["no"])
        study.amend(query, "yes", rater="ann")
    monkeypatch.delitem(_STEPS, "corrected")
    with pytest.raises(
        JournalUnusable, match=r"^the journal has an event of the unknown kind 'corrected': upgrade ringtrue$"
    ):
        Study.open(tmp_path / "s.ringtrue")
