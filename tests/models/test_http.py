"""A model behind an address: a real server on this machine, its answers, its failures, and a token nobody sees."""

import gzip
import json
import random
import threading
import time

import numpy as np
import pytest

from ringtrue import Risk, Study
from ringtrue.core import Batch, InvalidInput, Model, ResponderStopped, Vectors
from ringtrue.models import HttpModel, _patience, as_model, is_address
from ringtrue.models import _post as post_module
from ringtrue.pools import TablePool
from support import PATIENCE
from support.services import PROXIES, raw_service, service, unhurried

SECRET = "s3cr3t-t0ken"


@pytest.fixture(autouse=True)
def plain_network(monkeypatch):
    """No proxy between this test and its server, no token, and no long pauses."""
    for name in (*PROXIES, post_module.TOKEN):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("MY_KEY", raising=False)
    return unhurried(monkeypatch)


pytestmark = pytest.mark.filterwarnings("ignore:url:ringtrue.core.RingtrueWarning")


def predicting(*predictions):
    return lambda rows: (200, {"predictions": list(predictions)}, {})


def batch(size=2, **columns):
    columns = columns or {"text": np.array([f"t{n}" for n in range(size)], dtype=object), "n": np.arange(size)}
    return Batch([f"i{place}" for place in range(len(next(iter(columns.values()))))], columns)


def refused(call, *words):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
    for word in words:
        assert word in str(caught.value), caught.value


def failing(call, *words):
    with pytest.raises(ResponderStopped) as caught:
        call()
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value), caught.value


def test_items_go_out_as_json_and_labels_come_back():
    with service(predicting("good", 1)) as (url, seen):
        model = HttpModel(url)
        assert isinstance(model, Model)
        items = batch(text=np.array(["fine", "ü"], dtype=object), x=np.array([0.5, np.nan]), n=np.array([1, 2]))
        answer = model.answer(items)
        assert (answer.labels, answer.probabilities) == (["good", 1], None)
        path, headers, sent = seen[0]
        assert path == "/v1/models/mood:predict"
        assert "authorization" not in {name.lower() for name in headers}
        assert sent == {"instances": [{"text": "fine", "x": 0.5, "n": 1}, {"text": "ü", "x": None, "n": 2}]}
        assert model.name == "url " + url.removeprefix("http://")
        del model


def test_only_the_features_are_sent():
    with service(predicting("a", "b")) as (url, seen):
        as_model(url, features=["n"]).answer(batch())
        assert seen[0][2] == {"instances": [{"n": 0}, {"n": 1}]}


def test_many_threads_may_ask_at_once():
    with service(lambda rows: (200, {"predictions": [row["text"] for row in rows]}, {})) as (url, seen):
        answers = at_once(HttpModel(url), range(1, 9))
        assert answers == {size: [f"t{n}" for n in range(size)] for size in range(1, 9)}
        assert len(seen) == 8


def at_once(model, sizes):
    """What the model answers to batches of these sizes, each asked by a thread of its own."""
    answers = {}

    def ask(size):
        answers[size] = model.answer(batch(size)).labels

    threads = [threading.Thread(target=ask, args=(size,)) for size in sizes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return answers


def test_probabilities_are_kept_where_all_items_have_the_same_classes():
    first = {"label": "a", "probabilities": {"a": 0.9, "b": 0.1}}
    second = {"label": "b", "probabilities": {"b": 0.7, "a": 0.3}}
    with service(predicting(first, second)) as (url, _):
        answer = HttpModel(url).answer(batch())
        assert list(answer.classes) == ["a", "b"]
        np.testing.assert_array_equal(answer.probabilities, [[0.9, 0.1], [0.3, 0.7]])
    with service(predicting(first, {"label": "b", "probabilities": {"c": 1.0}})) as (url, _):
        answer = HttpModel(url).answer(batch())
        assert (answer.labels, answer.probabilities) == (["a", "b"], None)


def test_an_empty_answer_has_a_name_or_is_refused():
    with service(predicting(None, {"label": ""})) as (url, _):
        assert HttpModel(url, empty="(empty)").answer(batch()).labels == ["(empty)", "(empty)"]
        refused(lambda: HttpModel(url).answer(batch()), "item 'i0' no label")


def test_lists_of_numbers_are_a_regressor_and_bare_numbers_are_labels():
    with service(predicting([1, 0.5], [2.0, -3])) as (url, _):
        answer = HttpModel(url).answer(batch())
        assert isinstance(answer, Vectors)
        np.testing.assert_array_equal(answer.array, [[1.0, 0.5], [2.0, -3.0]])
    with service(predicting([0.25], [4])) as (url, _):
        assert HttpModel(url).answer(batch()).values() == [[0.25], [4.0]]
    with service(predicting(0.25, 4)) as (url, _):
        assert HttpModel(url).answer(batch()).labels == [0.25, 4]


WRONG = {
    "too few": ((200, {"predictions": ["a"]}, {}), ["1 answer for 2 items"]),
    "too many": ((200, {"predictions": ["a", "b", "c"]}, {}), ["3 answers for 2 items"]),
    "no predictions": ((200, {"outputs": [1, 2]}, {}), ['no list "predictions"', "outputs"]),
    "a list": ((200, ["a", "b"], {}), ['no list "predictions"']),
    "several labels": ((200, {"predictions": [["a", "b"], ["c", "d"]]}, {}), ["item 'i0' several labels"]),
    "numbers here, a label there": ((200, {"predictions": [[0.1, 0.9], "b"]}, {}), ["item 'i0' several labels"]),
    "truth values": ((200, {"predictions": [[True], [False]]}, {}), ["several labels"]),
    "no numbers": ((200, {"predictions": [[], []]}, {}), ["several labels"]),
    "tables": ((200, {"predictions": [[[1.0]], [[2.0]]]}, {}), ["several labels"]),
    "more numbers here than there": ((200, {"predictions": [[1, 2], [3]]}, {}), ["each item as many numbers"]),
    "not a number": ((200, '{"predictions": [[1, 2], [NaN, 4]]}', {}), ["nan for item 'i1'", "finite"]),
    "null for a number": ((200, {"predictions": [[1, 2], [3, None]]}, {}), ["nan for item 'i1'", "finite"]),
    "beyond all numbers": ((200, '{"predictions": [[1e999], [1]]}', {}), ["inf for item 'i0'"]),
    "an object": ((200, {"predictions": [{"class": "a"}, "b"]}, {}), ["item 'i0'", "not a prediction", '"label"']),
    "probabilities above one": (
        (200, {"predictions": [{"label": "a", "probabilities": {"a": 7}}] * 2}, {}),
        ["7", "[0, 1]"],
    ),
    "no JSON": ((200, "<html>\nhello</html>", {}), ["sent no JSON (<html> hello</html>)"]),
    "bad request": ((400, {"error": "no column\ntext"}, {}), ["status 400", "no column", "check the address"]),
    "not found": ((404, "", {}), ["status 404", "check the address"]),
    "no right": ((403, "", {}), ["status 403", "RINGTRUE_MODEL_TOKEN"]),
    "another host": (
        (307, "", {"location": "http://elsewhere.example/p"}),
        ["status 307", "a redirect to elsewhere.example", "final address"],
    ),
    "another path": ((308, "", {"location": "/p"}), ["status 308", "a redirect to another path", "final address"]),
    "nowhere": ((302, "moved", {}), ["status 302", "a redirect to no address", "final address"]),
    "who knows where": ((302, "", {"location": "http://[x"}), ["status 302", "an address that cannot be read"]),
    "a password": ((302, "", {"location": "http://a:b@other.example/"}), ["a redirect to other.example"]),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_get_better_is_refused_after_one_request(case):
    reply, words = WRONG[case]
    with service(lambda rows: reply) as (url, seen):
        refused(lambda: HttpModel(url).answer(batch()), url.removeprefix("http://"), *words)
        assert len(seen) == 1


@pytest.mark.parametrize("status", [500, 408])
def test_what_may_pass_is_tried_for_minutes_with_pauses_that_grow_by_chance(status, plain_network):
    with service(lambda rows: (status, "busy", {})) as (url, seen):
        failing(
            lambda: HttpModel(url).answer(batch()), f"status {status} (busy)", "15 requests in 5 minutes", "run again"
        )
        assert len(seen) == 15
    assert plain_network.pauses == [0.5, 1, 2, 4, 8, 16, *[30] * 8], "half of what each may take"


def test_the_chance_touches_no_random_state(plain_network, monkeypatch):
    monkeypatch.setattr(_patience, "WAITING", _patience.Waiting(sleep=lambda _: None, clock=lambda: 0.0))
    before = random.getstate()
    pauses = [_patience.Patience().pause(None) for _ in range(200)]
    assert 0 <= min(pauses) < 0.2 < 0.8 < max(pauses) <= 1
    assert random.getstate() == before


def test_a_server_that_was_busy_for_a_moment_costs_nothing(plain_network):
    replies = iter([(429, "", {"retry-after": "0"}), (503, "", {}), (200, {"predictions": ["a", "b"]}, {})])
    with service(lambda rows: next(replies)) as (url, seen):
        with pytest.warns(UserWarning, match="trying again for 5 minutes"):
            said = HttpModel(url).answer(batch())
        assert said.labels == ["a", "b"]
        assert len(seen) == 3
    assert plain_network.pauses == [0.5, 1.0]


LATER = {
    "seconds": ({"retry-after": "120"}, 120),
    "a date by the server's clock": (
        {"date": "Mon, 16 Nov 2026 10:00:00 GMT", "retry-after": "Mon, 16 Nov 2026 10:01:30 GMT"}, 90
    ),
    "a date by ours": ({"date": "today", "retry-after": "Sun, 09 Sep 2001 01:47:00 GMT"}, 20),
    "a date that is over": ({"date": "today", "retry-after": "Sun, 09 Sep 2001 01:00:00 GMT"}, 0.5),
    "no time": ({"retry-after": "soon"}, 0.5),
    "less than nothing": ({"retry-after": "-5"}, 0.5),
}  # fmt: skip


@pytest.mark.parametrize("case", LATER)
def test_the_time_that_a_server_asks_for_is_waited(case, plain_network):
    headers, wait = LATER[case]
    replies = iter([(503, "", headers), (200, {"predictions": ["a", "b"]}, {})])
    with raw_replies(replies) as url:
        assert HttpModel(url).answer(batch()).labels == ["a", "b"]
    assert plain_network.pauses == [wait]


def raw_replies(replies):
    """A server that says these things and no header of its own: Python's would add the date."""

    def talk(send, _):
        status, body, headers = next(replies)
        content = json.dumps(body).encode()
        lines = [f"HTTP/1.1 {status} x", f"content-length: {len(content)}", "connection: close"]
        send("\r\n".join([*lines, *(f"{name}: {text}" for name, text in headers.items()), "", ""]).encode() + content)

    return raw_service(talk)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("3600", "60 minutes"),
        ("301", "5 minutes"),
        ("9" * 400, "more than 1,000 days"),
        ("Sun, 09 Sep 2001 03:46:40 GMT", "2 hours"),
        ("Fri, 31 Dec 9999 23:59:59 GMT", "more than 1,000 days"),
    ],
)
def test_a_wait_that_is_too_long_ends_with_its_length_after_one_request(asked, words, plain_network):
    replies = iter([(429, "", {"retry-after": asked})])  # a second request would find none
    with raw_replies(replies) as url:
        failing(lambda: HttpModel(url).answer(batch()), f"it asks to be left for {words}, run again then")
    assert not list(replies)
    assert plain_network.pauses == []


def test_a_study_asks_a_server_that_wants_an_hour_once(tmp_path):
    with service(lambda rows: (429, "", {"retry-after": "3600"})) as (url, seen):
        pool = TablePool({"x": np.arange(4), "truth": np.arange(4)})
        with pytest.raises(ResponderStopped, match="60 minutes"):
            Study.create(tmp_path / "s", pool=pool, model=url, question=Risk())
        assert len(seen) == 1


def drip(beginning, piece):
    """A server that begins so and then sends a piece now and then, for ever."""

    def talk(send, gone):
        send(beginning)
        while not gone.wait(0.02):
            send(piece)

    return raw_service(talk)


@pytest.mark.parametrize(
    ("beginning", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n", b" "),
        (b"HTTP/1.1 200 OK\r\nx: ", b"x"),
        (b"", b"H"),
    ],
    ids=["the body", "a header", "the first line"],
)
def test_a_server_that_drips_is_late_although_no_read_is(beginning, piece, monkeypatch):
    monkeypatch.setattr(_patience, "IN_ALL", -1.0)  # one try
    began = time.monotonic()
    with drip(beginning, piece) as url:
        failing(lambda: HttpModel(url, timeout=0.3).answer(batch()), "no answer within 0.3 s")
    assert time.monotonic() - began < PATIENCE


def bomb(size):
    """Packed zeros that unpack to so many bytes."""
    return gzip.compress(b'{"predictions": "' + b" " * size, 9)


def test_an_answer_that_unpacks_to_more_than_is_read_ends_early(monkeypatch):
    monkeypatch.setattr(post_module, "MOST", 2**20)
    content = bomb(50 * 2**20)
    assert len(content) < 60_000
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(content)
    with raw_service(lambda send, _: send(head + content)) as url:
        refused(lambda: HttpModel(url).answer(batch()), "more than", "MB, unpacked")
    endless = b"HTTP/1.1 200 OK\r\n\r\n"

    def talk(send, gone):
        send(endless)
        while not gone.is_set():
            send(b" " * 65_536)

    with raw_service(talk) as url:
        refused(lambda: HttpModel(url).answer(batch()), "more than", "MB, unpacked")


def test_packed_answers_are_read_and_others_are_refused():
    content = gzip.compress(json.dumps({"predictions": ["a", "b"]}).encode())
    head = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\ncontent-encoding: " % len(content)
    with raw_service(lambda send, _: send(head + b"gzip\r\n\r\n" + content)) as url:
        assert HttpModel(url).answer(batch()).labels == ["a", "b"]
    with raw_service(lambda send, _: send(head + b"br\r\n\r\n" + content)) as url:
        refused(lambda: HttpModel(url).answer(batch()), "packed as 'br'")
    with raw_service(lambda send, _: send(head + b"gzip\r\n\r\n" + b"x" * len(content))) as url:
        refused(lambda: HttpModel(url).answer(batch()), "cannot be unpacked")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"predictions": [' + "9" * 5_000 + ", 1]}", "digits"),
        ("[" * 100_000, "100 deep"),
        ('{"predictions": [[1' + "0" * 400 + "], [1]]}", "numbers"),
    ],
)
def test_json_that_no_prediction_has(body, words):
    with service(lambda rows: (200, body, {})) as (url, _):
        refused(lambda: HttpModel(url).answer(batch()), words)


def test_too_many_items_at_a_time():
    with service(lambda rows: (413, "too large", {})) as (url, seen):
        refused(lambda: HttpModel(url).answer(batch()), "status 413", "--batch", "--workers")
        assert len(seen) == 1


def test_headers_come_from_the_environment_and_are_never_shown(monkeypatch):
    monkeypatch.setenv("MY_KEY", f"{SECRET}\n")
    with service(lambda rows: (400, f"what is {SECRET}?", {})) as (url, seen):
        refused(lambda: HttpModel(url, headers={"X-Api-Key": "MY_KEY"}).answer(batch()), "what is …?")
        assert {name.lower(): value for name, value in seen[0][1].items()}["x-api-key"] == SECRET
    refused(lambda: HttpModel("http://host/", headers={"X-Api-Key": "MY_KEY"}), "'X-Api-Key'", "https://")
    refused(lambda: HttpModel("https://host/", headers={"Host": "MY_KEY"}), "'Host' cannot be set")
    refused(lambda: HttpModel("https://host/", headers={"a b": "MY_KEY"}), "cannot be set")
    monkeypatch.setenv("MY_KEY", f"{SECRET}\nX-Other: 1")
    refused(lambda: HttpModel("https://host/", headers={"X-Api-Key": "MY_KEY"}), "characters that no header can")
    refused(lambda: HttpModel("https://host/", headers={"X-Api-Key": SECRET}), "is not set")


def test_what_stays_on_this_machine_goes_through_no_proxy(monkeypatch):
    monkeypatch.setenv("RINGTRUE_MODEL_TOKEN", SECRET)
    with service(predicting("a", "b")) as (url, seen), service(predicting("c", "d")) as (proxy, told):
        for name in PROXIES:
            monkeypatch.setenv(name, proxy)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        for address in (url, url.replace("127.0.0.1", "localhost")):
            assert HttpModel(address).answer(batch()).labels == ["a", "b"]
        assert (len(seen), told) == (2, [])


@pytest.mark.parametrize("name", ["id", "customer"])
def test_a_pools_ids_are_not_sent_unless_they_are_named(name, tmp_path):
    pool = TablePool({name: np.array(["p", "q"]), "x": np.arange(2), "truth": np.arange(2)}, id=name)
    with service(lambda rows: (200, {"predictions": [row["x"] for row in rows]}, {})) as (url, seen):
        with Study.create(tmp_path / "s", pool=pool, model=url, question=Risk()) as study:
            study.run("truth")
        assert {column for _, _, sent in seen for row in sent["instances"] for column in row} == {"x", "truth"}
        model = HttpModel(url, features=["x", name])
        Study.create(tmp_path / "t", pool=pool, model=model, question=Risk()).close()
        assert set(seen[-1][2]["instances"][0]) == {"x", name}


def test_no_answer_in_time(monkeypatch):
    monkeypatch.setattr(_patience, "IN_ALL", -1.0)  # one try
    held = threading.Event()
    with service(lambda rows: (held.wait(PATIENCE), (200, {"predictions": ["a", "b"]}, {}))[1]) as (url, _):
        try:
            failing(lambda: HttpModel(url, timeout=0.2).answer(batch()), "no answer within 0.2 s")
        finally:
            held.set()


def test_nobody_listens():
    with service(predicting()) as (url, _):
        pass  # the server is gone, and its port with it
    failing(lambda: HttpModel(url).answer(batch()), url.removeprefix("http://"), "can be reached")


def test_the_token_is_sent_and_never_shown(monkeypatch, recwarn):
    monkeypatch.setenv("RINGTRUE_MODEL_TOKEN", f" {SECRET}\n")
    for status in (400, 401):
        with service(lambda rows, status=status: (status, f"your token {SECRET} is odd", {})) as (url, seen):
            refused(lambda url=url: HttpModel(url).answer(batch()), f"status {status}", "your token … is odd")
            assert {name.lower(): value for name, value in seen[0][1].items()}["authorization"] == f"Bearer {SECRET}"
    with service(lambda rows: (307, "", {"location": f"http://{SECRET}.example/"})) as (url, _):
        refused(lambda: HttpModel(url).answer(batch()), "redirect to ….example")
    monkeypatch.setenv("RINGTRUE_MODEL_TOKEN", f"{SECRET}\nX-Other: 1")
    refused(lambda: HttpModel("http://127.0.0.1:9/").answer(batch()), "RINGTRUE_MODEL_TOKEN holds characters")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://host/x", ["'ftp://host/x' is not an address", "https://host/path"]),
        ("http://", ["is not an address"]),
        ("http://host:port/x", ["cannot be read"]),
        (f"https://me:{SECRET}@host/x", ["a secret in what stands before its host", "RINGTRUE_MODEL_TOKEN"]),
        (f"https://host/x?api_key={SECRET}", ["'api_key'", "RINGTRUE_MODEL_TOKEN"]),
    ],
)
def test_bad_addresses(url, words):
    refused(lambda: HttpModel(url), *words)


def test_a_service_is_told_from_other_texts_and_asked_nothing_when_it_is_named():
    assert is_address("HTTPS://Host/x")
    assert not is_address("http")
    model = as_model("http://127.0.0.1:9/v1?version=2", empty="none")
    assert isinstance(model, HttpModel)
    assert (model.name, model.empty, model.classes) == ("url 127.0.0.1:9/v1?version=2", "none", None)
    refused(lambda: HttpModel("http://host/", features="text"), "features='text'", "give a list")
    refused(lambda: HttpModel("http://host/", timeout=0), "timeout=0")
    refused(lambda: HttpModel("http://host/").answer(batch(x=np.array([np.inf, 0.0]))), "infinite")
    refused(lambda: HttpModel("http://host/", features=["txt"]).answer(batch()), "did you mean 'text'")
