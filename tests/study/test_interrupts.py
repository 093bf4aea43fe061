"""Interrupts and bad replies at awkward moments: nothing torn, nothing lost, nothing asked wrongly afterwards."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from itertools import count

import numpy as np
import pytest

from ringtrue.core import Batch, Claim, InvalidInput, Reply, ResponderStopped, Verdict
from ringtrue.journal import SqliteJournal
from ringtrue.models import HttpModel
from ringtrue.risk import Risk
from ringtrue.study import Budget, Study
from ringtrue.study._loop import MOST_AHEAD
from support import PATIENCE, Clock, CountingOracle, make_pool, make_study
from support.services import PROXIES, service


def reopen(folder, **options):
    return Study.open(folder / "study.ringtrue", pool=folder / "pool.csv", model="predicted", **options)


def asked(study):
    return [(record.row, record.probability, record.value) for record in study.records]


@pytest.mark.parametrize(
    "claim", ["error <= 12.46% at 95%", "error <= 0.123456789% at 99.97%", "error <= 1e-05 at 95%"]
)
def test_a_claim_is_kept_to_the_last_digit(tmp_path, claim):
    wanted = Claim.parse(claim)
    assert Claim.parse(str(wanted)) == wanted
    with make_study(tmp_path, claim=claim) as study:
        assert study.question().claim == wanted
    with reopen(tmp_path) as study:
        assert study.question().claim == wanted


@pytest.mark.parametrize("moment", range(1, 12))
def test_an_interrupt_while_reading_tears_nothing(tmp_path, moment):
    """The stale study is interrupted within an event; it reads anew before it is used."""
    with make_study(tmp_path, budget=30, claim=None) as writer, reopen(tmp_path) as stale:
        writer.run("truth")
        ledger = stale._book.ledger
        calls, take = [], type(ledger)._close

        def interrupted(self, record):
            calls.append(1)
            if len(calls) == moment:
                raise KeyboardInterrupt
            take(self, record)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(ledger), "_close", interrupted)
            with pytest.raises(KeyboardInterrupt):
                stale.refresh()
        stale.set_budget(40)
        assert stale.records == writer.records
        stale.run("truth")
        with reopen(tmp_path) as again:
            assert again.records == stale.records
            assert again.status().answered == 40


def test_an_interrupt_while_waiting_for_the_lock_leaves_no_transaction(tmp_path):
    with make_study(tmp_path, claim=None, budget=5) as study:
        journal = study._book._journal

        class Interrupted:
            """A connection whose first COMMIT is interrupted before it happens."""

            def __init__(self, inner):
                self.inner, self.left = inner, 1

            def execute(self, statement, *parameters):
                result = self.inner.execute(statement, *parameters)
                if statement == "BEGIN IMMEDIATE" and self.left:
                    self.left -= 1
                    raise KeyboardInterrupt
                return result

            def __getattr__(self, name):
                return getattr(self.inner, name)

        journal._writer = Interrupted(journal._writer)
        with pytest.raises(KeyboardInterrupt):
            study.run("truth")
        study.run("truth")
        assert study.status().answered == 5
        other = sqlite3.connect(tmp_path / "study.ringtrue", timeout=0.1)
        other.execute("BEGIN IMMEDIATE").connection.rollback()
        other.close()


def test_an_interrupt_while_drawing_skips_no_row(tmp_path):
    (tmp_path / "cut").mkdir()
    (tmp_path / "whole").mkdir()
    with make_study(tmp_path / "whole", budget=20, claim=None) as study:
        study.run("truth")
        whole = asked(study)
    with make_study(tmp_path / "cut", budget=20, claim=None) as study:
        study.ask(1)
        drawer = study._asker._drawers[study.question().name]
        queue = drawer._ahead

        class Once:
            def __init__(self):
                self.left = 1

            def __len__(self):
                return len(queue)

            def popleft(self):
                item = queue.popleft()
                if self.left:
                    self.left -= 1
                    raise KeyboardInterrupt
                return item

            def clear(self):
                queue.clear()

            def extend(self, items):
                queue.extend(items)

        drawer._ahead = Once()
        with pytest.raises(KeyboardInterrupt):
            study.ask(1)
        study.tell("study:0", whole[0][2])
        study.run("truth")
        assert asked(study) == whole


def test_a_function_that_fails_on_one_item_of_a_batch_keeps_the_others(tmp_path):
    calls = []

    def flaky(row):
        calls.append(row["id"])
        if len(calls) % 9 == 0:
            raise TimeoutError("busy")
        return row["truth"]

    with make_study(tmp_path, batch=20, budget=40, claim=None) as study:
        study.run(flaky)
        assert study.status().answered == 40
        assert len(calls) == 40 + len(calls) // 9


def test_a_function_that_answers_nonsense_keeps_the_answers_before_it(tmp_path):
    calls = []
    with make_study(tmp_path, batch=10, budget=10, claim=None) as study:
        with pytest.raises(InvalidInput, match="cannot tell"):
            study.run(lambda row: calls.append(1) or ("" if len(calls) == 8 else row["truth"]))
        assert study.status().answered == 7


@pytest.mark.parametrize("cost", ["abc", float("nan"), float("inf"), -5])
def test_a_cost_that_is_no_amount_never_reaches_the_journal(tmp_path, cost):
    with make_study(tmp_path, budget=Budget(money=3), price=1, claim=None) as study:
        with pytest.raises(InvalidInput, match="cost of item"):
            study.run(lambda row: Reply(row["truth"], cost))
        assert study.status().answered == 0
    with reopen(tmp_path) as study:
        study.run("truth")
        assert study.status().answered == 3


def test_free_of_charge_does_not_mean_without_limit(tmp_path):
    with make_study(tmp_path, budget=Budget(money=3), price=0, claim=None) as study:
        study.run(lambda row: Reply(row["truth"], Decimal(1)))
        assert study.status().spent_money == 3


def test_what_an_oracle_charges_for_not_knowing_is_spent(tmp_path):
    with make_study(tmp_path, budget=Budget(money=3), price=1, claim=None) as study:
        study.run(lambda row: Reply(None, Decimal(1)))
        assert (study.status().abandoned, study.status().spent_money) == (3, 3)


def test_an_oracle_that_never_knows_is_stopped(tmp_path):
    with make_study(tmp_path, size=100, claim=None, budget=5) as study:
        with pytest.raises(ResponderStopped, match="could not tell 20 times"):
            study.run(lambda row: None)
        assert study.status().abandoned == 20


def test_a_reply_that_comes_after_another_answer_is_kept_beside_it(tmp_path):
    with make_study(tmp_path, budget=3, claim=None) as study, reopen(tmp_path) as other:

        def oracle(row):
            if not study.status().opinions and row["id"] == study.records[0].id:
                other.tell("study:0", "cat", rater="ana")
            return row["truth"]

        study.run(oracle)
        assert study.status().opinions == 1
        assert study.records[0].rater == "ana"


def test_a_study_opened_without_its_model_asks_nothing(tmp_path):
    make_study(tmp_path).close()
    with Study.open(tmp_path / "study.ringtrue", pool=tmp_path / "pool.csv") as study:
        for act in (study.ask, lambda: study.run("truth")):
            with pytest.raises(InvalidInput, match="needs a model"):
                act()
        assert len(study.records) == 0


def test_replies_that_are_in_are_kept_when_the_recording_is_interrupted(tmp_path):
    oracle, lock = CountingOracle(), threading.Lock()

    class Guarded:
        def answer(self, queries):
            with lock:
                return oracle.answer(queries)

    with make_study(tmp_path, batch=8, budget=24, claim=None) as study, ThreadPoolExecutor(4) as executor:
        append, left = SqliteJournal.append, [1]

        def interrupted(self, study_name, sequence, events):
            if left[0] and any(kind in ("answered", "turn") for kind, _ in events):
                left[0] -= 1
                raise KeyboardInterrupt
            return append(self, study_name, sequence, events)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SqliteJournal, "append", interrupted)
            with pytest.raises(KeyboardInterrupt):
                study.run(Guarded(), executor=executor)
        assert study.status().answered == len(oracle.order)
        study.run(Guarded(), executor=executor)
    assert max(oracle.items.values()) == 1


def test_an_interrupt_after_the_recording_makes_no_second_opinion(tmp_path):
    oracle, lock, begun = CountingOracle(), threading.Lock(), threading.Barrier(4)

    class Together:
        """Replies when all four calls have begun: one that has not is called off by the interrupt."""

        def answer(self, queries):
            begun.wait(PATIENCE)
            with lock:
                return oracle.answer(queries)

    def interrupt(study):
        raise KeyboardInterrupt

    with make_study(tmp_path, batch=4, budget=8, claim=None) as study, ThreadPoolExecutor(4) as executor:
        with pytest.raises(KeyboardInterrupt):
            study.run(Together(), executor=executor, progress=interrupt)
        assert study.status().answered == 4
        assert study.status().opinions == 0


@pytest.mark.parametrize("moment", range(1, 9))
def test_no_call_is_lost_when_the_handing_out_is_interrupted(tmp_path, moment):
    oracle, lock, calls = CountingOracle(), threading.Lock(), []

    class Guarded:
        def answer(self, queries):
            with lock:
                return oracle.answer(queries)

    class Interrupted(ThreadPoolExecutor):
        """Workers who have been given their task when the interrupt comes."""

        def submit(self, *task):
            future = super().submit(*task)
            calls.append(1)
            if len(calls) == moment:
                raise KeyboardInterrupt
            return future

    with make_study(tmp_path, batch=4, budget=24, claim=None) as study:
        with Interrupted(4) as executor, pytest.raises(KeyboardInterrupt):
            study.run(Guarded(), executor=executor)
        assert study.status().answered == len(oracle.order), "all that was bought is recorded"
        assert study.leases == ()
        study.run(Guarded())
    assert max(oracle.items.values()) == 1


@pytest.mark.parametrize("contended", [False, True], ids=["alone", "beside another process"])
@pytest.mark.parametrize("moment", range(1, 5))
def test_what_was_leased_is_given_back_although_the_interrupt_came_right_after_it_was_written(
    tmp_path, moment, contended
):
    with make_study(tmp_path, batch=2, budget=12, claim=None) as study:
        study._book.contended = contended
        way, calls = "append_alone" if contended else "append", []
        append = getattr(SqliteJournal, way)

        def interrupted(self, *given):
            written = append(self, *given)
            calls.append(1)
            if len(calls) == moment:
                raise KeyboardInterrupt
            return written

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SqliteJournal, way, interrupted)
            with pytest.raises(KeyboardInterrupt):
                study.run("truth")
    with reopen(tmp_path) as study:
        assert study.leases == ()
        study.run("truth")
        assert study.status().answered == 12
        assert study.status().opinions == 0, "an answer that is brought twice is one answer"


def test_a_lowered_budget_also_holds_for_queries_offered_again(tmp_path):
    clock = Clock()
    with make_study(tmp_path, budget=20, lease=10, clock=clock, claim=None) as study:
        study.ask(10)
        clock.now += 11
        study.set_budget(2)
        study.run("truth")
        assert study.status().answered == 2


def test_a_query_that_is_out_with_somebody_does_not_make_a_run_buy_everything(tmp_path):
    with make_study(tmp_path, size=1000, failing=5) as study:
        (query,) = study.ask(rater="ann")
        finding = study.run("truth")
        assert study.status().answered == MOST_AHEAD
        assert finding.verdict is Verdict.NOT_YET_KNOWN
        assert "held until an earlier query is answered" in str(study.status())
        study.tell(query, query.said)
        assert study.status().held == 0
        assert study.run("truth").verdict is Verdict.RINGS_TRUE


def test_another_process_raising_the_budget_is_noticed(tmp_path):
    with make_study(tmp_path, budget=1, claim=None) as study, reopen(tmp_path) as other:
        study.run("truth")
        other.set_budget(4)
        assert len(study.ask(5)) == 3


@pytest.mark.parametrize("answer", [["cat"], {"a": 1}, float("inf"), "\ud800"])
def test_answers_that_are_no_labels_are_refused(tmp_path, answer):
    with make_study(tmp_path, claim=None) as study:
        (query,) = study.ask()
        with pytest.raises(InvalidInput):
            study.tell(query, answer)
        with pytest.raises(InvalidInput, match="never asked"):
            study.tell("study:²", "cat")
        with pytest.raises(InvalidInput, match="never asked"):
            study.tell(5, "cat")
        assert study.tell(query, "cat") == "cat"


def test_accents_typed_in_two_ways_are_one_label(tmp_path):
    pool = make_pool(tmp_path / "pool.csv")
    pool.write_text(pool.read_text().replace("cat", "café"), encoding="utf-8")
    with Study.create(tmp_path / "s", pool=pool, model="predicted", question=Risk(), budget=1) as study:
        (query,) = study.ask()
        study.tell(query, str(query.said).replace("é", "e\u0301"))
        assert study.finding().failures == 0


def test_a_worker_that_pauses_does_not_hold_up_the_end_of_the_run(tmp_path, monkeypatch):
    """One item cannot be answered, which ends the run; two others wait for a service that is busy for minutes."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    numbers = count()

    def reply(rows):
        return (503, "busy", {"retry-after": "240"}) if next(numbers) < 2 else (400, "no such item", {})

    class Asked:
        def answer(self, queries):
            items = np.array([query.item.id for query in queries])
            return [Reply(label) for label in HttpModel(url).answer(Batch(items.tolist(), {"id": items})).labels]

    with (
        service(reply) as (url, seen),
        make_study(tmp_path, batch=3, budget=9, claim=None) as study,
        ThreadPoolExecutor(3) as executor,
    ):
        with pytest.raises(InvalidInput, match="status 400"):
            study.run(Asked(), executor=executor)
        assert len(seen) == 3
        assert (study.status().answered, study.status().leased) == (0, 0)
