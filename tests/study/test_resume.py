"""Resume continues the same plan; another pool, model or question stops with the difference."""

import json

import pytest

from ringtrue.core import InvalidInput, JournalUnusable, PlanChanged, RingtrueWarning
from ringtrue.journal import SqliteJournal
from ringtrue.risk import Risk
from ringtrue.study import Study
from support import make_pool, make_study


@pytest.fixture
def folder(tmp_path):
    make_study(tmp_path, claim="error <= 5% at 95%").close()
    return tmp_path


def reopen(folder, **options):
    options = {"pool": folder / "pool.csv", "model": "predicted", **options}
    return Study.open(folder / "study.ringtrue", **options)


def test_the_same_pool_and_model_open(folder):
    with reopen(folder) as study:
        assert str(study.question().claim) == "error <= 5% at 95%"
        assert study.plan["pool"]["size"] == 40


def test_a_changed_pool_is_refused_with_the_difference(folder):
    make_pool(folder / "pool.csv", 41)
    with pytest.raises(PlanChanged, match=r"pool is not the one.*size was 40, now 41.*original"):
        reopen(folder)


def test_a_single_changed_cell_is_noticed(folder):
    path = folder / "pool.csv"
    path.write_text(path.read_text().replace("cat", "dog", 1))
    with pytest.raises(PlanChanged, match="fingerprint"):
        reopen(folder)


def test_a_changed_model_is_refused(tmp_path):
    pool = make_pool(tmp_path / "pool.csv")

    def model(rows):
        return ["cat"] * len(rows)

    Study.create(tmp_path / "s", pool=pool, model=model, question=Risk()).close()
    answers = {"same": "cat", "other": "dog"}
    for name, label in answers.items():

        def model(rows, label=label):
            return [label] * len(rows)

        if name == "same":
            Study.open(tmp_path / "s", pool=pool, model=model).close()
        else:
            with pytest.raises(PlanChanged, match="model is not the one"):
                Study.open(tmp_path / "s", pool=pool, model=model)


def test_a_model_that_does_not_repeat_itself_is_known_by_name(tmp_path):
    pool, flips = make_pool(tmp_path / "pool.csv"), iter(["cat", "dog"] * 100)

    def moody(rows):
        label = next(flips)
        return [label] * len(rows)

    with pytest.warns(RingtrueWarning, match="asked twice about 8 items, the model contradicted itself on 8"):
        study = Study.create(tmp_path / "s", pool=pool, model=moody, question=Risk())
    with study:
        assert "nondeterministic" in study.plan["model"]["fingerprint"]
    Study.open(tmp_path / "s", pool=pool, model=moody).close()


def test_a_changed_question_is_refused(folder):
    with pytest.raises(PlanChanged, match=r"claim was 'error <= 5% at 95%', now 'error <= 6% at 95%'"):
        reopen(folder, questions=[Risk("error <= 6% at 95%")])


def test_a_study_opened_without_its_pool_can_be_read_but_not_asked(folder):
    with Study.open(folder / "study.ringtrue") as study:
        assert study.finding().answers == 0
        with pytest.raises(InvalidInput, match="needs a pool"):
            study.ask()


def test_a_question_nobody_knows_needs_its_object(tmp_path):
    from support import ScoredDraws

    make_study(tmp_path, question=ScoredDraws()).close()
    with pytest.raises(InvalidInput, match=r"questions=\[…\]"):
        reopen(tmp_path)


def test_a_journal_with_an_unknown_event_asks_for_an_upgrade(folder):
    journal = SqliteJournal(folder / "study.ringtrue")
    last = max(event.sequence for event in journal.read("study", 0))
    journal.append("study", last, [("teleported", {})])
    journal.close()
    with pytest.raises(JournalUnusable, match="upgrade"):
        reopen(folder)


def test_secrets_in_the_environment_never_reach_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("API_KEY", "canary-4711")
    with make_study(tmp_path) as study:
        study.run("truth")
    assert b"canary-4711" not in (tmp_path / "study.ringtrue").read_bytes()


def test_live_state_equals_the_state_read_back(tmp_path):
    with make_study(tmp_path, size=60, batch=3, budget=30, claim=None) as study:
        study.run("truth")
        with reopen(tmp_path) as again:
            assert again.records == study.records
            assert again.status() == study.status()
            assert json.dumps(again.finding().to_json()) == json.dumps(study.finding().to_json())


def test_a_pool_that_was_only_renamed_is_the_same_pool(folder):
    (folder / "pool.csv").rename(folder / "moved.csv")
    with reopen(folder, pool=folder / "moved.csv") as study:
        assert len(study.ask()) == 1


def test_a_folder_is_no_study():
    with pytest.raises(InvalidInput, match="is a folder"):
        Study.open(".")
