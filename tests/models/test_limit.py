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


class Counting:
    """A server's reply that counts the requests that are under way; those beyond `most` are refused."""

    def __init__(self, most=10**6, status=429, headers=None):
        self.most, self.refusal = most, (status, "busy", headers or {})
        self.under_way, self.highest, self.log = 0, 0, []
        self.lock = threading.Lock()
        self.crowd = threading.Barrier(2)

    def __call__(self, rows):
        with self.lock:
            self.under_way += 1
            self.highest = max(self.highest, self.under_way)
            refused = self.under_way > self.most
        # A request waits for another one as long as that may come: so as many are under way at once as are sent.
        try:
            self.crowd.wait(0.05)
        except threading.BrokenBarrierError:
            self.crowd.reset()
        with self.lock:
            self.under_way -= 1
            self.log.append(not refused)
        return self.refusal if refused else (200, {"predictions": ["a"] * len(rows)}, {})


def ask_many(url, number, threads):
    models = [HttpModel(url), HttpModel(url)]  # of one host, so that they share its limit
    with ThreadPoolExecutor(threads) as workers:
        answers = list(workers.map(lambda place: models[place % 2].answer(ITEM).labels, range(number)))
    assert answers == [["a"]] * number


def test_no_more_requests_than_the_limit_are_under_way_however_many_threads_ask():
    counting = Counting()
    with service(counting) as (url, _):
        ask_many(url, 60, 12)
    assert 1 < counting.highest <= AT_ONCE


def test_a_server_that_refuses_some_is_refused_less_and_less():
    """It takes one at a time: four are too many, then two, and every twenty answers one more is tried in vain."""
    counting = Counting(most=1)
    with service(counting) as (url, _):
        ask_many(url, 120, 8)
        limit = limit_of(url)
    refused = [not fine for fine in counting.log]
    assert sum(refused) > 0
    half = len(refused) // 2
    assert sum(refused[half:]) <= half / 5, "about one in twenty, and not three in four as without a limit"
    assert limit.at_once <= 2


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
