"""Second opinions: failures and a known share of the rest are looked at again, and raters who differ have a third."""

from contextlib import closing
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from ringtrue import Risk, Study
from ringtrue.core import InvalidInput, JournalUnusable
from ringtrue.journal import SqliteJournal
from ringtrue.report import verify_report, write_report
from ringtrue.study import Owner, Raters, agreement_of, second_of
from ringtrue.study._ledger import _STEPS


def opened(folder, *, size=300, price=None, budget=None, claim="error <= 20% at 95%", seed=0):
    pool = pd.DataFrame({"id": [f"i{row}" for row in range(size)], "said": ["yes"] * size})
    study = Study.create(
        folder / "s.ringtrue", question=Risk(claim), pool=pool, model="said", budget=budget, price=price,
        labels=["yes", "no"], seed=seed,
    )  # fmt: skip
    return study, Raters(study)


def label(raters, rater, answer, times=1):
    """Let a rater answer what is offered; `answer` is a label or a function of the query's number."""
    told = []
    for _ in range(times):
        held = raters.ask(rater)
        if not held:
            break
        number = int(held[0].query.id.rpartition(":")[2])
        raters.tell(held[0].query.id, answer(number) if callable(answer) else answer, rater=rater)
        told.append(number)
    return told


def test_failures_and_a_share_of_the_rest_are_due(tmp_path):
    study, raters = opened(tmp_path, claim=None)
    with study:
        Owner(study).second(0.1)
        label(raters, "ann", lambda number: "no" if number % 10 == 0 else "yes", 300)
        failures = set(range(0, 300, 10))
        drawn = {number for number in range(300) if study.second.is_drawn(number)}
        assert set(study.second.due) == failures | drawn
        assert 15 < len(drawn) < 50  # 30 expected, with a standard deviation of 5
        assert label(raters, "ann", "yes") == []  # nothing of one's own
        assert set(label(raters, "bob", "yes", 300)) == failures | drawn


def test_the_coin_depends_on_the_seed_and_the_number_alone(tmp_path):
    study, raters = opened(tmp_path, claim=None)
    with study:
        label(raters, "ann", "yes", 100)
        Owner(study).second(0.2)
        late = set(study.second.due)
    (tmp_path / "b").mkdir()
    study, raters = opened(tmp_path / "b", claim=None)
    with study:
        Owner(study).second(0.2)
        label(raters, "ann", "yes", 100)
        assert set(study.second.due) == late
        with pytest.raises(InvalidInput, match=r"was set to 0\.2 before"):
            Owner(study).second(0.3)
        Owner(study).second(0.2)


def test_raters_who_differ_have_a_third_and_then_the_owner_decides(tmp_path):
    study, raters = opened(tmp_path, size=2, claim=None)
    with study:
        Owner(study).second(1.0)
        label(raters, "ann", "no", 2)
        assert label(raters, "bob", "yes", 2) == [0, 1]
        assert set(study.second.conflicts) == {0, 1}
        assert label(raters, "eve", lambda number: "yes" if number == 0 else None, 2) == [0, 1]
        assert study.second.outcome(study.record(0)).value == "yes"
        assert set(study.second.conflicts) == {1}
        assert not study.second.due
        with pytest.raises(InvalidInput, match="say why"):
            Owner(study).settle("s:1", "no", reason=" ")
        with pytest.raises(InvalidInput, match="nothing to decide"):
            Owner(study).settle("s:0", "no", reason="mine")
        with pytest.raises(InvalidInput, match="not a known label"):
            Owner(study).settle("s:1", "perhaps", reason="mine")
        Owner(study).settle("s:1", "no", reason="the contract says so")
        assert study.second.outcome(study.record(1)).value == "no"
        assert not study.second.conflicts
        assert study.record(0).value == "no"  # what the first rater said stays the answer of the question


def test_an_item_that_the_first_rater_cannot_tell_is_looked_at_and_stays_given_up(tmp_path):
    study, raters = opened(tmp_path, size=1, claim=None)
    with study:
        Owner(study).second(0.1)
        label(raters, "ann", None)
        assert label(raters, "bob", "yes") == [0]
        assert study.record(0).state == "abandoned"
        assert label(raters, "eve", "yes") == [0]
        assert study.second.outcome(study.record(0)).value == "yes"


def test_a_failure_that_was_corrected_is_looked_at_all_the_same(tmp_path):
    study, raters = opened(tmp_path, claim=None)
    with study:
        Owner(study).second(1e-9)
        label(raters, "ann", "no")
        raters.amend("s:0", "yes", rater="ann")
        assert set(study.second.due) == {0}


def test_opinions_cost_what_answers_cost_and_never_exceed_the_money(tmp_path):
    study, raters = opened(tmp_path, price="1.00", budget=None, claim=None)
    with study:
        from ringtrue.study import Budget

        study.set_budget(Budget(money=Decimal(5)))
        Owner(study).second(1.0)
        label(raters, "ann", "no", 3)
        [first], [second] = raters.ask("bob"), raters.ask("eve")
        status = study.status()
        assert (status.spent_money, status.reserved_money) == (3, 2)
        assert raters.ask("dan") == []
        raters.tell(first.query.id, "no", rater="bob")
        raters.later(second.query.id, rater="eve")
        assert study.status().reserved_money == 0
        label(raters, "dan", "no", 9)
        assert study.status().spent_money == 5
        assert study.status().answered == 3


def test_a_report_tells_what_raters_agree_on_and_verifies(tmp_path):
    study, raters = opened(tmp_path, size=100)
    with study:
        Owner(study).second(0.5)
        rng = np.random.default_rng(1)
        label(raters, "ann", lambda _: "no" if rng.random() < 0.1 else "yes", 60)
        label(raters, "bob", "yes", 60)
        found = study.agreement()
        assert found.conflicts > 0
        assert found.failures is not None
        page, twin = write_report(study, tmp_path / "r.html")
        assert verify_report(twin).agrees
        assert "Second opinions" in page.read_text()
        again = second_of(study.second.to_json(), study.records)
        assert again == study.second
        how = {"labels": ["yes", "no"], "size": 100}
        assert (
            agreement_of(again, study.records, question=study.question(), claim=study.question().claim, **how) == found
        )


def test_agreed_labels_bound_the_rate_that_first_labels_overstate(tmp_path):
    """Of 200 items none fails; a rater who slips once in twenty makes some up, and another does not confirm them."""
    study, raters = opened(tmp_path, size=2000, claim=None, budget=200)
    with study:
        Owner(study).second(0.5)
        rng = np.random.default_rng(2)
        for _ in range(200):
            label(raters, "ann", "no" if rng.random() < 0.05 else "yes")
        label(raters, "bob", "yes", 200)
        label(raters, "eve", "yes", 200)
        found = study.agreement()
        assert study.finding().failures > 3
        assert found.failures.low == 0
        assert found.failures.estimate == 0
        assert found.failures.high < 0.06
        assert found.differs["ann"].estimate > found.differs["bob"].estimate == 0


def test_an_earlier_version_refuses_the_study_in_one_line(tmp_path, monkeypatch):
    study, _ = opened(tmp_path)
    with study:
        Owner(study).second(0.1)
    for kind in ("second", "lent", "returned", "settled", "seen", "desk"):
        assert kind in _STEPS
    monkeypatch.delitem(_STEPS, "second")
    with pytest.raises(JournalUnusable, match="unknown kind 'second': upgrade ringtrue"):
        Study.open(tmp_path / "s.ringtrue")
    with closing(SqliteJournal(tmp_path / "s.ringtrue")) as journal:
        assert [event.kind for event in journal.read("s", 0)][-1] == "second"
