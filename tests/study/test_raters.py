"""Several people answer one study: each gets items of their own, and nothing is lost when one leaves or comes late."""

from contextlib import closing

import pandas as pd
import pytest

from ringtrue import Risk, Study
from ringtrue.core import InvalidInput
from ringtrue.journal import SqliteJournal
from ringtrue.study import Owner, Raters
from support import Clock


@pytest.fixture
def clock():
    return Clock()


def opened(folder, clock, *, size=50, budget=None, price=None, claim=None, lease=60.0):
    pool = pd.DataFrame({"id": [f"i{row}" for row in range(size)], "text": ["a"] * size, "said": ["yes"] * size})
    study = Study.create(
        folder / "s.ringtrue", question=Risk(claim), pool=pool, model="said", budget=budget, price=price,
        labels=["yes", "no"], clock=clock,
    )  # fmt: skip
    return study, Raters(study, lease=lease)


def numbers(held):
    return [int(one.query.id.rpartition(":")[2]) for one in held]


def kinds(folder):
    with closing(SqliteJournal(folder / "s.ringtrue")) as journal:
        return [event.kind for event in journal.read("s", 0)]


def test_each_rater_has_items_of_their_own_and_sees_them_again(tmp_path, clock):
    study, raters = opened(tmp_path, clock)
    with study:
        ann, bob = raters.ask("ann", 2), raters.ask("bob", 2)
        assert numbers(ann) == [0, 1]
        assert numbers(bob) == [2, 3]
        assert numbers(raters.ask("ann", 2)) == [0, 1]
        assert ann[0].until == clock.now + 60


def test_what_a_rater_looks_at_is_not_read_again(tmp_path, clock, monkeypatch):
    """A row of a large file takes milliseconds, and a page asks for what it shows after every answer."""
    study, raters = opened(tmp_path, clock, size=200)
    with study:
        held, taken = raters.ask("ann", 2), []
        take = type(study.things.pool).take
        monkeypatch.setattr(type(study.things.pool), "take", lambda pool, rows: taken.append(rows) or take(pool, rows))
        for _ in range(100):
            shown = raters.ask("ann", 2)
            assert [one.query for one in shown] == [one.query for one in held]
            raters.tell(shown[0].query.id, "yes", rater="ann")
            held = [*shown[1:], *raters.ask("ann", 2)[1:]]
        assert all(len(rows) > 2 for rows in taken), "rows are fetched ahead, many at a time"
        first = raters.shown(0)
        assert taken[-1] == [study.record(0).row], "what was long ago is not kept"
        assert first.id == "s:0"


def test_what_the_model_says_is_not_shown(tmp_path, clock):
    study, raters = opened(tmp_path, clock)
    with study:
        [held] = raters.ask("ann")
        assert dict(held.query.item.values) == {"id": held.query.item.id, "text": "a"}


def test_the_same_answer_again_changes_nothing_and_anothers_is_an_opinion(tmp_path, clock):
    study, raters = opened(tmp_path, clock)
    with study:
        [held] = raters.ask("ann")
        for _ in range(3):
            raters.tell(held.query.id, "no", rater="ann", seconds=2.5)
        assert kinds(tmp_path)[-2:] == ["answered", "seen"]
        with pytest.raises(InvalidInput, match="you answered this item before"):
            raters.tell(held.query.id, "yes", rater="ann")
        for _ in range(2):
            raters.tell(held.query.id, "yes", rater="bob")
        with pytest.raises(InvalidInput, match="you answered this item before"):
            raters.tell(held.query.id, None, rater="bob")
        assert study.record(0).value == "no"
        assert study.second.of(study.record(0)) == [("ann", "no"), ("bob", "yes")]
        assert kinds(tmp_path).count("opinion") == 1
        assert study.people.raters["ann"].seconds == [2.5]


def test_a_lease_that_ran_out_goes_to_another_and_the_late_answer_is_kept(tmp_path, clock):
    study, raters = opened(tmp_path, clock, budget=1)
    with study:
        [held] = raters.ask("ann")
        assert raters.ask("bob") == []
        assert raters.empty("bob").why == "1 item is with ann"
        assert raters.empty("bob").until == held.until
        clock.now += 61
        [again] = raters.ask("bob")
        assert again.query.id == held.query.id
        raters.tell(held.query.id, "no", rater="ann")
        assert study.record(0).value == "no"
        raters.tell(held.query.id, "yes", rater="bob")
        assert study.second.of(study.record(0)) == [("ann", "no"), ("bob", "yes")]
        assert study.status().answered == 1


def test_whoever_is_still_there_keeps_the_item(tmp_path, clock):
    study, raters = opened(tmp_path, clock, budget=1)
    with study:
        [held] = raters.ask("ann")
        clock.now += 50
        raters.renew([held.query.id], rater="ann")
        clock.now += 50
        assert raters.ask("bob") == []
        raters.renew([held.query.id], rater="bob")  # who does not hold it
        raters.release([held.query.id], rater="bob")
        assert raters.ask("bob") == []
        raters.release([held.query.id], rater="ann")
        assert numbers(raters.ask("bob")) == [0]


def test_later_is_offered_to_others_first_and_comes_back_at_the_end(tmp_path, clock):
    study, raters = opened(tmp_path, clock, size=3)
    with study:
        [held] = raters.ask("ann")
        raters.later(held.query.id, rater="ann")
        assert numbers(raters.ask("ann")) == [1]
        raters.tell("s:1", "yes", rater="ann")
        assert numbers(raters.ask("bob")) == [0]
        raters.later("s:0", rater="bob")
        assert study.people.put_off == {0: ("ann", "bob")}
        assert numbers(raters.ask("ann", 2)) == [2, 0]
        raters.tell("s:0", "yes", rater="ann")
        assert study.people.put_off == {}


def test_cannot_tell_is_an_answer_that_can_be_taken_back(tmp_path, clock):
    study, raters = opened(tmp_path, clock)
    with study:
        [held] = raters.ask("ann")
        raters.tell(held.query.id, None, rater="ann")
        assert study.record(0).state == "abandoned"
        query, answer = raters.last("ann")
        assert (query.id, answer) == (held.query.id, None)
        raters.amend(held.query.id, "no", rater="ann")
        assert raters.last("ann")[1] == "no"
        assert study.record(0).earlier == (None,)
        raters.tell(held.query.id, None, rater="ann")  # sent again, because it was not known that it came through
        assert study.record(0).value == "no"
        assert raters.last("bob") is None


def test_a_raters_opinion_is_corrected_by_that_rater(tmp_path, clock):
    study, raters = opened(tmp_path, clock)
    with study:
        [held] = raters.ask("ann")
        raters.tell(held.query.id, "no", rater="ann")
        raters.tell(held.query.id, "yes", rater="bob")
        raters.amend(held.query.id, "no", rater="bob")
        assert study.second.of(study.record(0)) == [("ann", "no"), ("bob", "no")]
        assert study.people.raters["bob"].corrected == 1
        with pytest.raises(InvalidInput, match="did not answer"):
            raters.amend(held.query.id, "yes", rater="eve")


def test_a_desk_at_rest_a_spent_budget_and_a_decided_claim_say_so(tmp_path, clock):
    study, raters = opened(tmp_path, clock, size=200, budget=40, claim="error <= 50% at 95%")
    with study:
        Owner(study).set_desk(paused=True)
        assert raters.ask("ann") == []
        assert raters.empty("ann").why == "The owner has paused the desk"
        Owner(study).set_desk(paused=False)
        while held := raters.ask("ann"):
            raters.tell(held[0].query.id, "yes", rater="ann")
        assert raters.empty("ann").why == "The study has what it needs"
        assert study.status().answered < 40
    (tmp_path / "b").mkdir()
    study, raters = opened(tmp_path / "b", clock, budget=1)
    with study:
        raters.tell(raters.ask("ann")[0].query.id, "yes", rater="ann")
        assert raters.ask("ann") == []
        assert raters.empty("ann").why == "The budget is spent: the owner can raise it"
        study.set_budget(2)
        assert numbers(raters.ask("ann")) == [1]


def test_all_of_it_is_read_again_from_the_journal(tmp_path, clock):
    study, raters = opened(tmp_path, clock)
    with study:
        Owner(study).set_desk(links=[["a1", "rater", "ann", 5.0], ["b2", "owner", None, 6.0]])
        for name in ("ann", "bob"):
            [held] = raters.ask(name)
            raters.tell(held.query.id, "no", rater=name, seconds=1.0)
        with Study.open(tmp_path / "s.ringtrue") as again:
            assert again.second == study.second
            assert again.people.links == study.people.links
            assert again.people.links["a1"].rater == "ann"
            for name, tally in study.people.raters.items():
                assert (list(tally.moments), tally.seconds) == ([{"ann": 0, "bob": 1}[name]], [1.0])
        Owner(study).set_desk(links=[["c3", "rater", "eve", 7.0]], unlink=True)
        assert list(study.people.links) == ["c3"]


def test_labels_keep_the_order_in_which_they_were_declared(tmp_path):
    pool = pd.DataFrame({"id": ["a"], "said": ["low"]})
    labels = ["low", "medium", "high", "low"]
    with Study.create(tmp_path / "s", question=Risk(), pool=pool, model="said", labels=labels) as study:
        assert study.plan["labels"] == ["low", "medium", "high"]
