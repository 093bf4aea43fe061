"""Many writers on one study: once they have met, each keeps the others away, and no policy runs in vain."""

import threading

import pytest

from ringtrue.core import JournalConflict
from ringtrue.study import Study, _book
from support import PATIENCE, make_study

WRITERS, TURNS = 8, 6


@pytest.fixture(params=["a file", "a database"])
def opened(request, tmp_path):
    """What opens a study once more, in a file or in a database."""
    journal = None if request.param == "a file" else request.getfixturevalue("database")
    make_study(tmp_path, size=200, claim=None, journal=journal).close()
    studies = []

    def once_more():
        given = {"pool": tmp_path / "pool.csv", "model": "predicted", "journal": journal}
        studies.append(Study.open(tmp_path / "study.ringtrue", **given))
        return studies[-1]

    yield once_more
    for study in studies:
        study.close()


def counted(study):
    """Count how often the policy of a study is asked, and how often that was in vain."""
    calls, asker = [], study._asker

    def ask(*given, **options):
        calls.append(given)
        return asker(*given, **options)

    study._asker = ask
    return calls


def meet(study, other):
    """Let a study find that another has written since it looked."""
    study.refresh()
    other.keep("turn", 0)
    study._book.commit(lambda: ([("kept", {"name": "turn", "value": 1})], None))


def test_no_policy_runs_in_vain_once_the_writers_have_met(opened):
    first, *others = studies = [opened() for _ in range(WRITERS)]
    for one, other in [*((other, first) for other in others), (first, others[0])]:
        meet(one, other)
    assert all(study._book.contended for study in studies)
    calls, failures, ready = [counted(study) for study in studies], [], threading.Barrier(WRITERS)

    def work(study, name):
        try:
            ready.wait()
            for _ in range(TURNS):
                for query in study.ask(rater=name):
                    study.tell(query, "cat", rater=name)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(study, f"rater {n}")) for n, study in enumerate(studies)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=PATIENCE)
    assert not failures
    assert [len(one) for one in calls] == [TURNS] * WRITERS
    first.refresh()
    assert first.status().answered == WRITERS * TURNS == len({record.row for record in first.records})


def test_one_who_has_met_nobody_waits_for_one_who_is_alone(opened):
    """A writer that takes no lock is the one that comes too late."""
    alone, other = opened(), opened()
    meet(alone, other)
    other.refresh()
    other._book.contended = False
    writer = threading.Thread(target=other.keep, args=("turn", 2))
    built = []

    def build():
        built.append(1)
        writer.start()
        writer.join(timeout=0.3)
        return [("kept", {"name": "turn", "value": 3})], None

    alone._book.commit(build)
    writer.join(timeout=PATIENCE)
    assert built == [1]
    assert other._book.contended
    assert other.kept == {"turn": 2}


def test_others_do_not_wait_for_a_build_that_takes_long(opened, monkeypatch):
    monkeypatch.setattr(_book, "_SHORT", -1.0)
    alone, other = opened(), opened()
    meet(alone, other)
    built = []

    def build():
        built.append(1)
        if len(built) == 1:
            other.keep("turn", 5)
        return [("kept", {"name": "turn", "value": 6})], None

    alone._book.commit(build)
    assert len(built) == 2


def test_where_the_lock_was_lost_it_goes_on_without(opened, monkeypatch):
    alone, other = opened(), opened()
    meet(alone, other)

    def lost(study, after, build):
        raise JournalConflict("the connection broke")

    monkeypatch.setattr(alone._book._journal, "append_alone", lost)
    alone.keep("turn", 7)
    other.refresh()
    assert other.kept == {"turn": 7}


def test_a_build_may_look_at_its_study(opened):
    """A policy of the user's own may refresh the study that it is asked by: it does not wait for itself."""
    alone, other = opened(), opened()
    meet(alone, other)
    other.keep("turn", 8)

    def build():
        alone.refresh()
        return [("kept", {"name": "seen", "value": alone.kept["turn"]})], None

    alone._book.commit(build)
    assert alone.kept["seen"] == 8
