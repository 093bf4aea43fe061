"""MASA in a study: each item once, alone or in batches, the same from any process, and the estimate from counts."""

from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest

from ringtrue.changed._baseline import Baseline
from ringtrue.changed._census import Census
from ringtrue.changed.masa import Masa, MasaPolicy, Partition, masa_bound, masa_shift
from ringtrue.core import Draw, InvalidInput, Record, View


class Pool:
    """A pool with old and new answers, and the view of a study on it."""

    def __init__(self, size=300, seed=0):
        rng = np.random.default_rng(seed)
        truth, sure = rng.integers(0, 3, size), rng.random(size)
        old = np.where(rng.random(size) < 0.6 + 0.4 * sure, truth, rng.integers(0, 3, size))
        self.new = np.where(rng.random(size) < 0.8, old, rng.integers(0, 4, size))
        self.census, self.kind = Census.take(Baseline.of(old=old.tolist(), truth=truth.tolist(), confidence=sure))
        self.size, self.records, self.asked = size, [], set()

    def view(self, seed=7):
        scores = {"kind": self.kind}
        return View(seed, len(self.records), self.size, frozenset(self.asked), self.records, None, scores)

    def ask(self, draws, state="answered"):
        for draw in draws:
            record = Record(
                len(self.records) + 1, "changed", "masa", "model", draw.row, str(draw.row), "", draw.probability,
                draw.floor, Decimal(1), None,
            )  # fmt: skip
            self.records.append(record)
            self.asked.add(draw.row)
            self.close(record, state)

    def close(self, record, state):
        record.state = state
        record.value = {"label": str(self.new[record.row])} if state == "answered" else None

    def counts(self):
        table = np.zeros((self.census.kinds, 4))
        for record in self.records:
            if record.state == "answered":
                table[self.kind[record.row], self.new[record.row]] += 1
        return table


def test_alone_it_asks_what_masa_asks_until_nothing_is_left():
    pool = Pool()
    policy = MasaPolicy(pool.census)
    partition = Partition.of_kinds(pool.census)
    masa = Masa(partition, replace=False)
    while draws := policy.propose(pool.view(), 1):
        (draw,) = draws
        assert draw.probability is None
        assert draw.row not in pool.asked
        part = int(partition.part[pool.kind[draw.row]])
        assert part == masa.next()
        masa.tell(part, int(pool.new[draw.row]))
        pool.ask(draws)
    assert len(pool.asked) == pool.size
    assert masa.next() is None


@pytest.mark.parametrize("batch", [1, 7, 64])
def test_in_batches_every_item_is_asked_once_and_any_process_asks_the_same(batch):
    pool = Pool(seed=1)
    policy = MasaPolicy(pool.census)
    while draws := policy.propose(pool.view(), batch):
        assert MasaPolicy(pool.census).propose(pool.view(), batch) == draws
        rows = [draw.row for draw in draws]
        assert len(set(rows)) == len(rows)
        assert pool.asked.isdisjoint(rows)
        assert len(rows) == min(batch, pool.size - len(pool.asked))
        pool.ask(draws)
    assert len(pool.records) == pool.size


def test_another_seed_asks_other_items():
    pool = Pool()
    policy, other = MasaPolicy(pool.census), MasaPolicy(pool.census)
    assert policy.propose(pool.view(seed=1), 20) != other.propose(pool.view(seed=2), 20)


def test_open_questions_count_as_asked_and_hold_up_what_comes_after():
    pool = Pool(seed=2)
    policy = MasaPolicy(pool.census)
    pool.ask(policy.propose(pool.view(), 40))
    pool.ask(policy.propose(pool.view(), 5), state="leased")
    before = policy.propose(pool.view(), 10)
    # Of the five the last is answered first: nothing is learnt until those before it are closed.
    pool.close(pool.records[-1], "answered")
    assert policy.propose(pool.view(), 10) == before
    for record in pool.records[-5:]:
        pool.close(record, "answered")
    assert policy.propose(pool.view(), 10) == MasaPolicy(pool.census).propose(pool.view(), 10)
    masa = Masa(Partition.of_kinds(pool.census), replace=False)
    for record in pool.records:
        masa.tell(int(masa.partition.part[pool.kind[record.row]]), int(pool.new[record.row]))
    parts = [int(masa.partition.part[pool.kind[draw.row]]) for draw in policy.propose(pool.view(), 10)]
    assert parts == masa.batch(10)


def test_when_all_that_is_left_is_out_nothing_more_is_asked():
    pool = Pool(size=30, seed=6)
    policy = MasaPolicy(pool.census)
    pool.ask(policy.propose(pool.view(), 25), state="leased")
    last = policy.propose(pool.view(), 30)
    assert pool.asked.isdisjoint(draw.row for draw in last)
    assert len(last) == 5
    pool.ask(last, state="leased")
    assert policy.propose(pool.view(), 30) == []


def test_items_given_up_are_not_asked_again_and_may_be_answered_after_all():
    pool = Pool(size=60, seed=3)
    policy = MasaPolicy(pool.census)
    pool.ask(policy.propose(pool.view(), 30))
    pool.ask(policy.propose(pool.view(), 10), state="abandoned")
    draws = policy.propose(pool.view(), 60)
    assert len(draws) == 20
    pool.close(pool.records[-1], "answered")
    assert policy.propose(pool.view(), 60) == MasaPolicy(pool.census).propose(pool.view(), 60)


def test_of_two_answers_the_first_counts_and_other_responders_do_not():
    pool = Pool(seed=4)
    policy = MasaPolicy(pool.census)
    pool.ask(policy.propose(pool.view(), 30))
    expected = MasaPolicy(pool.census).propose(pool.view(), 10)
    pool.ask([Draw(row=record.row) for record in pool.records[:10]])
    pool.ask([Draw(row=299)])
    pool.asked.discard(299)
    pool.records[-1].responder = "oracle"
    assert policy.propose(pool.view(), 10) == expected


def test_another_pool_is_refused_and_so_is_one_of_unknown_kinds():
    pool = Pool()
    for census, view in ((Pool(seed=9).census, pool.view()), (pool.census, pool.view()._replace(scores={}))):
        with pytest.raises(InvalidInput, match="make the question from this very pool"):
            MasaPolicy(census).propose(view, 1)


def test_the_estimate_from_counts_is_masas_and_exact_in_the_end():
    pool = Pool(seed=5)
    policy = MasaPolicy(pool.census)
    masa = Masa(Partition.of_kinds(pool.census), replace=False)
    bounds = [masa_bound(pool.census, pool.counts())]
    while draws := policy.propose(pool.view(), 50):
        pool.ask(draws)
        for draw in draws:
            masa.tell(int(masa.partition.part[pool.kind[draw.row]]), int(pool.new[draw.row]))
        old = pool.census.old_matrix(4)
        assert masa_shift(pool.census, pool.counts()) == pytest.approx(masa.shift(old), abs=1e-14)
        bounds.append(masa_bound(pool.census, pool.counts()))
        assert bounds[-1] == pytest.approx(masa.bound(), rel=1e-12)
    truth = np.zeros((3, 4))
    np.add.at(truth, (pool.census.truth[pool.kind], pool.new), 1 / pool.size)
    assert masa_shift(pool.census, pool.counts()) == pytest.approx(truth - old, abs=1e-12)
    assert bounds[0] == np.inf
    assert all(after < before for before, after in pairwise(bounds))
    assert bounds[-1] == 0
