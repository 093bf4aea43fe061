"""A study moves from a file into PostgreSQL and back: the same events, the same hash, sealed where it was."""

import pytest

from ringtrue.core import InvalidInput
from ringtrue.journal import SqliteJournal
from ringtrue.study import Home, Study, move
from support import make_study


@pytest.fixture
def study(tmp_path):
    with make_study(tmp_path, claim=None, budget=20) as study:
        study.run("truth")
        study.set_budget(30)
    return tmp_path / "study.ringtrue"


def asked(study):
    return [(record.id, record.value) for record in study.records]


def test_there_and_back_all_is_the_same_and_goes_on(study, database, tmp_path):
    with Study.open(study) as before:
        was, identity, history = asked(before), before.identity, before.history
    moved = move(Home(study), Home(study, database))
    assert (moved.study, moved.events, moved.link) == ("study", history.events, history.link)
    given = {"pool": tmp_path / "pool.csv", "model": "predicted"}
    with Study.open("study", journal=database, **given) as there:
        assert (asked(there), there.identity, there.history) == (was, identity, history)
        there.run("truth")
        assert there.status().answered == 30
        now = asked(there)
    back = tmp_path / "back.ringtrue"
    assert move(Home(study, database), Home(back)).place == str(back)
    with Study.open(back, **given) as again:
        assert (asked(again), again.identity) == (now, identity)
        again.set_budget(31)
        again.run("truth")
        assert again.status().answered == 31
    with Study.open(study) as sealed:
        assert sealed.moved.endswith("#study")
        assert asked(sealed) == was
    with pytest.raises(InvalidInput, match=r"was moved to .*: go on there"):
        move(Home(study), Home(study, database))


def test_a_move_tells_how_far_it_is(study, database, tmp_path, monkeypatch):
    monkeypatch.setattr("ringtrue.study._moving._TOLD", 1)
    told = []
    events = move(Home(study), Home(study, database), advance=lambda *given: told.append(given)).events
    doing = ["reading the study", "writing the copy", "reading the copy"]
    assert list(dict.fromkeys(one[0] for one in told)) == doing
    assert [one for one in told if one[1] == events] == [(one, events, events, "event") for one in doing]
    told.clear()
    move(Home(study, database), Home(tmp_path / "back.ringtrue"), advance=lambda *given: told.append(given))
    assert list(dict.fromkeys(one[0] for one in told)) == doing


def test_a_sealed_study_is_read_and_not_continued(study, database, tmp_path):
    opened = Study.open(study, pool=tmp_path / "pool.csv", model="predicted")
    move(Home(study), Home(study, database))
    with opened:  # it was open when it was moved
        for write in (lambda: opened.ask(), lambda: opened.set_budget(40), lambda: opened.run("truth")):
            with pytest.raises(InvalidInput, match=r"study 'study' was moved to postgresql://.*#study: go on there"):
                write()
        assert opened.status().answered == 20
        assert opened.finding().answers == 20
    assert b"owner@" not in study.read_bytes(), "no user of the database is written down"


def test_an_interrupted_move_goes_on(study, database, monkeypatch):
    """The copy was made, and the source was not sealed; then it even went on."""
    append = SqliteJournal._add
    monkeypatch.setattr(SqliteJournal, "_add", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        move(Home(study), Home(study, database))
    monkeypatch.setattr(SqliteJournal, "_add", append)
    with Study.open(study) as again:
        assert again.moved is None
        again.set_budget(50)
    moved = move(Home(study), Home(study, database))
    with Study.open("study", journal=database) as there:
        assert there.status().budget_labels == 50
        assert there.history.events == moved.events


def test_another_study_of_that_name_is_left_alone(study, database, tmp_path):
    (tmp_path / "other").mkdir()
    make_study(tmp_path / "other", journal=database).close()
    with pytest.raises(InvalidInput, match=r"is at .* already: choose another place"):
        move(Home(study), Home(study, database))
    with Study.open(study) as left:
        assert left.moved is None
    with pytest.raises(InvalidInput, match="already, with other events"):
        move(Home(study, database), Home(study))


def test_a_run_at_work_is_not_moved_away_from(study, database, tmp_path):
    with Study.open(study, pool=tmp_path / "pool.csv", model="predicted") as opened:

        def answer(queries):
            with pytest.raises(InvalidInput, match="is at work on study 'study': end it"):
                move(Home(study), Home(study, database))
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            opened.run(type("Oracle", (), {"answer": staticmethod(answer)})())
    assert move(Home(study), Home(study, database)).events > 0


def test_a_version_that_does_not_know_the_seal_says_so(study, database, monkeypatch):
    from ringtrue.core import JournalUnusable
    from ringtrue.study import _ledger

    move(Home(study), Home(study, database))
    monkeypatch.delitem(_ledger._STEPS, "moved")
    with pytest.raises(JournalUnusable, match="unknown kind 'moved': upgrade ringtrue"):
        Study.open(study)
