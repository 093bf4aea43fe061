"""A study in a journal of another kind than a file of its own: one argument, and nothing else changes."""

import pytest

from ringtrue.core import InvalidInput
from ringtrue.journal import SqliteJournal
from ringtrue.risk import Risk
from ringtrue.study import Study
from support import make_pool


def shared(folder):
    """A journal that holds several studies."""
    path = folder / "all.ringtrue"
    return SqliteJournal(path, create=not path.exists())


def test_two_studies_in_one_journal_are_made_run_and_opened_again(tmp_path):
    pool = make_pool(tmp_path / "pool.csv")
    for name, seed in (("first", 1), ("second", 2)):
        given = {"pool": pool, "model": "predicted", "question": Risk(), "budget": 10, "seed": seed}
        with Study.create(name, journal=shared(tmp_path), **given) as study:
            study.run("truth")
            ids = [record.id for record in study.records]
        with Study.create(tmp_path / name, **given) as alone:
            alone.run("truth")
            assert [record.id for record in alone.records] == ids
        with Study.open(name, journal=shared(tmp_path), pool=pool, model="predicted") as again:
            assert (again.name, [record.id for record in again.records]) == (name, ids)


def test_a_name_that_is_there_is_refused_and_one_that_is_not_is_not_found(tmp_path):
    pool = make_pool(tmp_path / "pool.csv")
    journal = shared(tmp_path)
    Study.create("one", journal=journal, pool=pool, model="predicted", question=Risk())
    with pytest.raises(InvalidInput, match="exists"):
        Study.create("one", journal=journal, pool=pool, model="predicted", question=Risk())
    with pytest.raises(InvalidInput, match="no study 'other' is in this journal"):
        Study.open("other", journal=journal)
    journal.close()
