"""Nothing lost, nothing bought twice, never over budget: random histories of several workers, crashes included."""

import itertools
import shutil
import tempfile
from decimal import Decimal
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from ringtrue.risk import Risk
from ringtrue.study import Budget, Study
from support import Clock, make_pool

WORKERS = 3
PRICE = Decimal("0.30")


class Workers(RuleBasedStateMachine):
    """Several openings of one study, an account of what the outside world was asked and told, and a clock."""

    taken = Bundle("taken")
    journal = None
    """The address of a journal; by default each study is a file of its own."""
    names = itertools.repeat("s")

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock, self.name = Clock(), next(self.names)
        self.acknowledged = {}

    @initialize(labels=st.integers(0, 8), money=st.integers(0, 8), seed=st.integers(0, 3))
    def start(self, labels, money, seed):
        self.budget = Budget(labels=labels, money=money * PRICE)
        pool = make_pool(self.folder / "pool.csv", 12, 3)
        Study.create(
            self.folder / self.name, pool=pool, model="predicted", question=Risk("error <= 5% at 95%"), seed=seed,
            budget=self.budget, price=PRICE, lease=10, clock=self.clock, journal=self.journal,
        ).close()  # fmt: skip
        self.workers = [self.opened() for _ in range(WORKERS)]

    def opened(self):
        given = {"pool": self.folder / "pool.csv", "model": "predicted", "journal": self.journal}
        return Study.open(self.folder / self.name, clock=self.clock, **given)

    @rule(target=taken, who=st.integers(0, WORKERS - 1), n=st.integers(1, 4))
    def ask(self, who, n):
        return multiple(*self.workers[who].ask(n, rater=f"worker {who}"))

    @rule(
        query=taken, who=st.integers(0, WORKERS - 1), label=st.sampled_from(["cat", "dog"]), rater=st.sampled_from("ab")
    )
    def tell(self, query, who, label, rater):
        """Also double, late, and by a worker that never took it; the first answer counts for ever."""
        counts = self.workers[who].tell(query, label, rater=rater)
        if self.record(query).state == "answered":
            assert counts == self.acknowledged.setdefault(query.id, counts)
        else:
            assert self.record(query).state == "abandoned", "a told answer was neither recorded nor kept as an opinion"
            assert self.workers[0].status().opinions > 0

    @rule(query=consumes(taken), who=st.integers(0, WORKERS - 1))
    def abandon(self, query, who):
        self.workers[who].abandon(query)

    @rule(seconds=st.sampled_from([1, 11]))
    def wait(self, seconds):
        self.clock.now += seconds

    @rule(who=st.integers(0, WORKERS - 1))
    def crash_and_reopen(self, who):
        """The process dies: whatever it knew beyond the journal is gone."""
        self.workers[who].close()
        self.workers[who] = self.opened()

    def record(self, query):
        self.workers[0].refresh()
        return self.workers[0].records[int(query.id.rpartition(":")[2])]

    @invariant()
    def books_balance(self):
        if not hasattr(self, "workers"):
            return
        views = []
        for worker in self.workers:
            worker.refresh()
            views.append((worker.status(), [vars_of(record) for record in worker.records]))
        assert all(view == views[0] for view in views), "workers disagree about the same journal"
        status, records = views[0]
        assert status.answered + status.leased + status.waiting <= self.budget.labels
        assert status.spent_money + status.reserved_money <= self.budget.money
        assert status.spent_money == PRICE * status.answered
        assert status.reserved_money == PRICE * (status.leased + status.waiting)
        assert len({record["row"] for record in records}) == len(records), "an item was asked about twice"
        answered = {
            f"{self.name}:{record['number']}": record["value"] for record in records if record["state"] == "answered"
        }
        assert answered == self.acknowledged, "an acknowledged answer was lost, changed or invented"

    def teardown(self):
        for worker in getattr(self, "workers", []):
            worker.close()
        shutil.rmtree(self.folder)


def vars_of(record):
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


class WorkersBesideAServer(Workers):
    """The same in a database, where each history has a study of its own."""

    names = (f"s{number}" for number in itertools.count())


def run_histories(machine, number):
    quick = settings(
        max_examples=number, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
    )
    machine.TestCase.settings = quick
    machine.TestCase("runTest").runTest()


@pytest.mark.slow
def test_histories():
    run_histories(Workers, 36)


@pytest.mark.slow
def test_histories_in_a_database(database, monkeypatch):
    monkeypatch.setattr(WorkersBesideAServer, "journal", database)
    run_histories(WorkersBesideAServer, 15)
