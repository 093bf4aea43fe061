"""How many requests a host gets at once: counted at a real server, which refuses more than it likes."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ringtrue.core import Batch, ResponderStopped
from ringtrue.models import HttpModel, _limit, pauses_until
from ringtrue.models import _post as post_module
from ringtrue.models._limit import AT_ONCE, MORE_AFTER, Limit, limit_of
from support import PATIENCE
from support.services import PROXIES, service, unhurried

pytestmark = pytest.mark.filterwarnings("ignore:url:ringtrue.core.RingtrueWarning")
ITEM = Batch(["i0"], {"x": np.array([1])})


@pytest.fixture(autouse=True)
def plain_network(monkeypatch):
    for name in (*PROXIES, post_module.TOKEN):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_limit, "_LIMITS", {})  # a port may have belonged to another server before
    return unhurried(monkeypatch)


def halved(limit, times=1):
    for _ in range(times):
        with limit.turn() as sent:
            limit.too_many(sent)


def test_it_is_halved_to_one_and_grows_by_one_in_twenty_successes():
    limit, seen = Limit(4), []
    for _ in range(3):
        halved(limit)
        seen.append(limit.at_once)
    assert seen == [2, 1, 1]
    for _ in range(5 * MORE_AFTER):
        limit.succeeded()
        seen.append(limit.at_once)
    assert seen[3:] == [1] * 19 + [2] * 20 + [3] * 20 + [4] * 41, "and never more than at first"


def test_a_refusal_begins_the_count_of_successes_anew():
    limit = Limit(4)
    halved(limit)
    for _ in range(MORE_AFTER - 1):
        limit.succeeded()
    halved(limit)
    for _ in range(MORE_AFTER - 1):
        limit.succeeded()
    assert limit.at_once == 1


def test_requests_that_were_sent_together_halve_it_once():
    limit = Limit(8)
    with limit.turn() as one, limit.turn() as two, limit.turn() as three:
        for sent in (one, two, three):
            limit.too_many(sent)
    assert limit.at_once == 4


def test_one_limit_per_host():
    assert limit_of("https://a.example/x") is limit_of("https://A.example/y?z=1")
    assert limit_of("https://a.example/x") is not limit_of("https://a.example:8443/x")
    assert limit_of("https://a.example/x") is not limit_of("http://a.example/x")


class Crowd:
    """Threads that ask one server at once, which refuses those beyond `most`.

    It answers only when every thread is either under way here or waits for its turn: so as many are under way at a time
    as are sent, however fast or slow the machine is.
    """

    def __init__(self, threads, most):
        self.threads, self.most, self.asking = threads, most, 0
        self.inside, self.released, self.highest, self.log = set(), set(), 0, []
        self.changed = threading.Condition()
        self.limit, self.all_there = None, threading.Barrier(threads)

    def __call__(self, rows):
        ticket = object()
        with self.changed:
            self.inside.add(ticket)
            refused = len(self.inside) > self.most
            while ticket not in self.released:
                if len(self.inside) + len(self.limit._free._waiters) >= self.asking:
                    self.highest = max(self.highest, len(self.inside))
                    self.released |= self.inside
                    self.inside = set()
                    self.changed.notify_all()
                else:
                    self.changed.wait(0.002)
            self.log.append(refused)
        return (429, "busy", {}) if refused else (200, {"predictions": ["a"] * len(rows)}, {})

    def ask(self, number):
        """Have the threads ask so often in all."""
        with service(self) as (url, _), ThreadPoolExecutor(self.threads) as workers:
            models = [HttpModel(url), HttpModel(url)]  # of one host, so that they share its limit
            self.limit = limit_of(url)

            def one(place):
                with self.changed:
                    self.asking += 1
                if place < self.threads:
                    self.all_there.wait(PATIENCE)
                try:
                    return models[place % 2].answer(ITEM).labels
                finally:
                    with self.changed:
                        self.asking -= 1

            assert list(workers.map(one, range(number), timeout=PATIENCE)) == [["a"]] * number


def test_no_more_requests_than_the_limit_are_under_way_however_many_threads_ask():
    crowd = Crowd(threads=12, most=100)
    crowd.ask(120)
    assert crowd.highest == AT_ONCE
    assert crowd.log == [False] * 120


def test_a_server_that_takes_one_at_a_time_refuses_few():
    crowd = Crowd(threads=8, most=1)
    crowd.ask(120)
    assert len(crowd.log) - sum(crowd.log) == 120
    # Three of the first four, one of the next two; then one for each twenty answers, when one more is tried.
    assert 4 <= sum(crowd.log) <= 4 + 120 // MORE_AFTER
    assert sum(crowd.log[:8]) > sum(crowd.log[-8:])


@pytest.mark.parametrize(
    ("status", "headers", "at_once"),
    [(429, {}, 2), (503, {"retry-after": "1"}, 2), (503, {}, 4), (500, {"retry-after": "1"}, 4)],
)
def test_what_halves_it(status, headers, at_once):
    replies = iter([(status, "", headers), (200, {"predictions": ["a"]}, {})])
    with service(lambda rows: next(replies)) as (url, _):
        HttpModel(url).answer(ITEM)
        assert limit_of(url).at_once == at_once


def test_who_waits_for_a_turn_goes_when_one_is_free_and_stops_when_the_run_ends():
    limit, over, done = Limit(1), threading.Event(), []
    begun = threading.Semaphore(0)

    def check():
        begun.release()
        if over.is_set():
            raise ResponderStopped("over")

    def work():
        try:
            with pauses_until(over), limit.turn(check):
                done.append("asked")
        except ResponderStopped:
            done.append("stopped")

    with limit.turn():
        thread = threading.Thread(target=work)
        thread.start()
        assert begun.acquire(timeout=PATIENCE)
        over.set()
    thread.join(PATIENCE)
    assert done == ["stopped"]
    with limit.turn():
        assert limit.at_once == 1, "and the turn of the one that stopped is free"
