"""Checkpoints: a long study goes on from what its events added up to, and never trusts that blindly."""

import dataclasses
import json
import sqlite3
from contextlib import closing
from itertools import pairwise

import pandas as pd
import pytest

from ringtrue import Risk, Study
from ringtrue.cli._doctor_study import look_at_study
from ringtrue.cli._place import Place
from ringtrue.core import JournalUnusable
from ringtrue.journal import SqliteJournal, copy_journal
from ringtrue.journal._schema import seal
from ringtrue.report import _document, verify_report, write_report
from ringtrue.study import _book, _checkpoint
from ringtrue.study._checkpoint import ledger_of, state_of
from ringtrue.study._ledger import Ledger
from ringtrue.study._owner import Owner

SIZE = 60


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Let a study be long from its tenth query on."""
    monkeypatch.setattr(_book, "SMALLEST", 10)


def make(folder, *, batch=5, price="0.25"):
    said = ["yes"] * SIZE
    frame = pd.DataFrame({"id": [f"i{row}" for row in range(SIZE)], "said": said, "truth": ["no", *said[1:]]})
    frame.to_csv(folder / "pool.csv", index=False)
    how = {"price": price, "batch": batch, "budget": 40}
    return Study.create(folder / "s.ringtrue", question=Risk(), pool=folder / "pool.csv", model="said", **how)


def run(study):
    """Ask, answer, put off, give up and correct, so that every column and every field of the ledger has something."""
    study.run("truth")
    study.set_budget(60)
    first, second, third, fourth, _ = study.ask(5, rater="ann")
    study.tell(first, "yes", rater="ann", cost="0.5")
    study.abandon(second, rater="ann")
    study.abandon(third)
    study.tell(third, "no", rater="ann")
    study.release([one for one in study.leases if one.number == int(fourth.id.split(":")[1])])
    study.amend(first, "no", rater="ann")
    study.keep("beside", {"cells": [1.5, None]})


def database(folder):
    return closing(sqlite3.connect(folder / "s.ringtrue", isolation_level=None))


def differing(one, other):
    """Return the fields in which two ledgers differ."""
    read = {name: lambda ledger, name=name: getattr(ledger, name) for name in Ledger.__dataclass_fields__}
    read["records"] = lambda ledger: list(ledger.records)
    return [name for name, value in read.items() if name != "checks" and value(one) != value(other)]


def opened(folder, **how):
    return Study.open(folder / "s.ringtrue", **how)


def test_what_is_kept_is_the_whole_ledger(tmp_path):
    with make(tmp_path) as study:
        run(study)
        ledger = study._book.ledger
        untouched = Ledger()
        # Else a field that is forgotten would go unnoticed: this study uses all but those of other studies.
        unused = {"prepared", "scored", "second", "moved", "checks"}
        assert {one.name for one in dataclasses.fields(Ledger)} - set(differing(ledger, untouched)) <= unused
        again = ledger_of(state_of(ledger))
        assert differing(ledger, again) == []
        assert state_of(again) == state_of(ledger)


def test_a_long_study_is_opened_without_its_early_events_and_is_the_same(tmp_path, monkeypatch):
    with make(tmp_path) as study:
        run(study)
        found, status = study.finding(), study.status()
    read = []
    monkeypatch.setattr(
        Ledger, "take", lambda self, *event, take=Ledger.take: (read.append(event[0]), take(self, *event))
    )
    with opened(tmp_path) as again:
        assert read == []
        assert (str(again.finding()), again.status()) == (str(found), status)
        with opened(tmp_path, whole=True) as whole:
            assert read
            moments = ["people", "answered_at"]  # by the clock of the process that wrote, not of the journal
            assert differing(again._book.ledger, whole._book.ledger) in ([], moments)
            assert again.answered_at == pytest.approx(whole.answered_at, abs=60)


def test_a_study_goes_on_from_a_checkpoint_as_without(tmp_path):
    rows = []
    for name, long in (("checkpoint", 10), ("events", 10**9)):
        folder = tmp_path / name
        folder.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_book, "SMALLEST", long)
            make(folder).close()
            for budget in (15, 25, 40):
                with Study.open(folder / "s.ringtrue", pool=folder / "pool.csv", model="said") as study:
                    study.set_budget(budget)
                    study.run("truth")
            rows.append([(one.row, one.value) for one in study.records])
            with database(folder) as connection:
                kept = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'states'").fetchone()[0]
            assert kept == (name == "checkpoint")
    assert rows[0] == rows[1]


@pytest.mark.parametrize(
    "spoil",
    [
        "UPDATE states SET state = CAST(replace(state, '\"no\"', '\"ok\"') AS BLOB)",
        "UPDATE states SET seal = 'other'",
        "UPDATE states SET sequence = sequence - 1",
        "UPDATE states SET state = x''",
        "DELETE FROM states",
        "DROP TABLE states",
    ],
)
def test_what_was_changed_is_passed_over(tmp_path, spoil):
    with make(tmp_path) as study:
        run(study)
        found = str(study.finding())
    with database(tmp_path) as connection:
        connection.execute(spoil)
    with opened(tmp_path) as study:
        assert str(study.finding()) == found


def forge(folder, before, after):
    """Change a checkpoint, and write its seal anew."""
    with database(folder) as connection:
        sequence, state = connection.execute("SELECT sequence, state FROM states").fetchone()
        assert before in state
        state = state.replace(before, after)
        [link] = connection.execute("SELECT link FROM events WHERE sequence = ?", (sequence,)).fetchone()
        connection.execute("UPDATE states SET state = ?, seal = ?", (state, seal(link, state)))


def test_a_forged_answer_is_found_in_the_events(tmp_path):
    with make(tmp_path) as study:
        run(study)
        found = str(study.finding())
    forge(tmp_path, b'"values":["yes"', b'"values":["not"')
    with opened(tmp_path) as study:
        assert str(study.finding()) == found, "all of so few events are looked up"


def test_a_report_goes_through_all_events(tmp_path):
    with make(tmp_path) as study:
        run(study)
    forge(tmp_path, b'"spent_labels":', b'"spent_labels":1')
    with opened(tmp_path) as study, opened(tmp_path, whole=True) as whole:
        assert study.status().answered > 100, "what is no answer is not looked up"
        assert whole.status().answered == 42


def test_one_of_another_version_is_passed_over(tmp_path, monkeypatch):
    with make(tmp_path) as study:
        run(study)
        found = str(study.finding())
    monkeypatch.setattr(_checkpoint, "VERSION", 2)
    with opened(tmp_path) as study:
        assert str(study.finding()) == found


def test_an_event_that_was_changed_is_found_where_it_is_looked_up(tmp_path):
    with make(tmp_path) as study:
        run(study)
    with database(tmp_path) as connection:
        connection.execute("DROP TRIGGER events_are_never_changed")
        connection.execute("UPDATE events SET payload = replace(payload, 'yes', 'nay') WHERE sequence = 4")
    with pytest.raises(JournalUnusable, match="event 4 is not what was written"):
        opened(tmp_path)


def test_whoever_calls_the_chain_of_a_long_study_sound_has_gone_along_it(tmp_path, monkeypatch):
    monkeypatch.setattr(_book, "some_of", lambda sequence: [])  # as of a million, of which a few are looked up
    with make(tmp_path) as study:
        run(study)
    place = Place.of(str(tmp_path / "s.ringtrue"))
    assert [fact for fact in look_at_study(place).facts if "the chain of all is sound" in fact]
    with database(tmp_path) as connection:
        connection.execute("DROP TRIGGER events_are_never_changed")
        connection.execute("UPDATE events SET payload = replace(payload, 'yes', 'nay') WHERE sequence = 4")
    opened(tmp_path).close()
    for say in (lambda: look_at_study(place), lambda: copy_journal(place.file, tmp_path / "copy.ringtrue")):
        with pytest.raises(JournalUnusable, match="event 4"):
            say()


def test_one_who_only_reads_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(_book, "SMALLEST", 10**9)
    with make(tmp_path) as study:
        run(study)
    monkeypatch.setattr(_book, "SMALLEST", 10)
    before = (tmp_path / "s.ringtrue").read_bytes()
    with opened(tmp_path) as study:
        study.status()
    assert (tmp_path / "s.ringtrue").read_bytes() == before


def test_checkpoints_grow_with_the_study(tmp_path, monkeypatch):
    """So that what they cost in all is a multiple of the last."""
    kept = []
    monkeypatch.setattr(
        SqliteJournal, "keep_state", lambda self, study, sequence, state: kept.append((study, sequence, len(state)))
    )
    with make(tmp_path, batch=1) as study:
        study.run("truth")
    sizes = [sequence for _, sequence, _ in kept]
    assert 3 <= len(sizes) <= 6, sizes
    assert all(after > 1.4 * before for before, after in pairwise(sizes[:-1]))


def test_a_study_whose_raters_look_at_each_other_has_none(tmp_path):
    with make(tmp_path) as study:
        run(study)
        Owner(study).second(0.5)
        assert state_of(study._book.ledger) is None


@pytest.fixture
def large(monkeypatch):
    """Let a report name the study from the twentieth query on."""
    monkeypatch.setattr(_document, "LISTED", 20)


def test_the_twin_of_a_large_study_names_it_and_is_verified_with_it(tmp_path, large):
    with make(tmp_path) as study:
        run(study)
        page, twin = write_report(study, tmp_path / "s.html")
        history = study.history
    made = json.loads(twin.read_text())
    assert made["records"] == {"study": "s.ringtrue", "queries": 45, **history._asdict()}
    assert made["computed"]["failures"][0]["id"] in page.read_text()
    assert "names the study that holds all 45 queries" in page.read_text()
    found = verify_report(twin)
    assert found.agrees, found
    with Study.open(tmp_path / "s.ringtrue", pool=tmp_path / "pool.csv", model="said") as study:
        study.run("truth")  # the study has gone on since
    assert verify_report(twin).agrees
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "s.json").write_bytes(twin.read_bytes())
    with pytest.raises(Exception, match=r"cannot be read .* name it, as in ringtrue report STUDY --verify"):
        verify_report(elsewhere / "s.json")
    assert verify_report(elsewhere / "s.json", study=tmp_path / "s.ringtrue").agrees
    made["computed"]["spending"]["answered"] += 1
    twin.write_text(json.dumps(made))
    assert not verify_report(twin).agrees


def test_another_study_is_not_taken_for_it(tmp_path, large):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        with make(tmp_path / name) as study:
            run(study)
            write_report(study, tmp_path / name / "s.html")
    with pytest.raises(Exception, match="is another one, or was changed"):
        verify_report(tmp_path / "one" / "s.json", study=tmp_path / "other" / "s.ringtrue")


def test_a_checkpoint_that_cannot_be_kept_stops_nobody(tmp_path, monkeypatch):
    tried = []

    def full(self, *told):
        tried.append(told)
        raise JournalUnusable("the disk is full")

    monkeypatch.setattr(SqliteJournal, "keep_state", full)
    with make(tmp_path) as study:
        run(study)
        found = str(study.finding())
    assert tried
    with opened(tmp_path) as study:
        assert str(study.finding()) == found
