"""Tokens, whose they are and until when; the count of wrong ones; and the addresses that links begin with."""

import hashlib
import re
import threading

import pytest

from ringtrue.core import InvalidInput
from ringtrue.desk import _links
from ringtrue.desk._links import Attempts, Identity, Link, Links, Place, new_token, token_hash
from support import PATIENCE, Clock


def test_a_token_is_long_new_and_fits_an_address():
    tokens = {new_token() for _ in range(200)}
    assert len(tokens) == 200
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", token) for token in tokens)


def test_only_the_hash_says_whose_a_token_is():
    ann, owner = new_token(), new_token()
    kept = [Link(token_hash(ann), "rater", "ann", 2_000.0), Link(token_hash(owner), "owner", None, 2_000.0)]
    assert ann not in repr(kept)
    assert kept[0].hash == hashlib.sha256(ann.encode()).hexdigest()
    links = Links(kept, clock=Clock())
    assert links.known(ann) == Identity("rater", "ann")
    assert links.known(owner) == Identity("owner", None)
    for wrong in ("", ann[:-1], ann + "a", ann.swapcase(), kept[0].hash, "é", "\ud800", "x" * 70_000):
        assert links.known(wrong) is None


def test_a_link_ends_at_its_moment_and_a_new_one_works_at_once():
    clock, token, kept = Clock(1_000.0), new_token(), []
    links = Links(lambda: kept, clock=clock)
    assert links.known(token) is None
    kept.append(Link(token_hash(token), "rater", "ann", 1_060.0))
    assert links.known(token) == Identity("rater", "ann")
    clock.now = 1_059.9
    assert links.known(token) is not None
    clock.now = 1_060.0
    assert links.known(token) is None


def test_every_hash_is_compared_whichever_is_right(monkeypatch):
    tokens = [new_token() for _ in range(5)]
    compared = []
    compare = _links.hmac.compare_digest
    monkeypatch.setattr(_links.hmac, "compare_digest", lambda a, b: compared.append(b) or compare(a, b))
    links = Links([Link(token_hash(token), "rater", token, 2_000.0) for token in tokens], clock=Clock())
    for token in (*tokens, new_token()):
        compared.clear()
        links.known(token)
        assert compared == [token_hash(one).encode() for one in tokens]


def test_five_wrong_tokens_a_minute_are_allowed_to_each_address():
    clock = Clock(0.0)
    attempts = Attempts(clock=clock)
    for second in range(5):
        assert attempts.wait("a") == 0
        clock.now = float(second)
        attempts.wrong("a")
    assert attempts.wait("a") == 56
    assert attempts.wait("b") == 0, "nobody waits for somebody else's mistakes"
    clock.now = 59.9
    assert 0 < attempts.wait("a") < 0.2
    clock.now = 60.0
    assert attempts.wait("a") == 0, "the first one is a minute ago"
    attempts.wrong("a")
    assert attempts.wait("a") == 1, "until the second one is"


def test_wrong_tokens_that_are_far_apart_are_never_too_many():
    clock = Clock(0.0)
    attempts = Attempts(clock=clock)
    for _ in range(50):
        clock.now += 12.1
        assert attempts.wait("a") == 0
        attempts.wrong("a")


def test_the_memory_of_wrong_tokens_has_a_bound_and_forgets_the_oldest():
    clock = Clock(0.0)
    attempts = Attempts(peers=10, clock=clock)
    for _ in range(5):
        attempts.wrong("first")
    for other in range(9):
        attempts.wrong(f"peer {other}")
    assert (len(attempts), attempts.wait("first")) == (10, 60)
    for other in range(10_000):
        attempts.wrong(f"other {other}")
    assert (len(attempts), attempts.wait("first")) == (10, 0)


def test_many_threads_may_be_wrong_at_once():
    attempts = Attempts(most=800, peers=3, clock=Clock())
    threads = [threading.Thread(target=lambda: [attempts.wrong("a") for _ in range(100)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert attempts.wait("a") == 60, "all 800 were counted"


@pytest.mark.parametrize(
    ("given", "url", "authorities"),
    [
        (("127.0.0.1", 23456), "http://127.0.0.1:23456", {"127.0.0.1:23456"}),
        (("::1", 23456), "http://[::1]:23456", {"[::1]:23456"}),
        (("LocalHost", 80), "http://localhost", {"localhost"}),
        (("127.0.0.1", 443), "http://127.0.0.1:443", {"127.0.0.1:443"}),
        (("127.0.0.1", 2, "https://desk.example"), "https://desk.example", {"127.0.0.1:2", "desk.example"}),
        (("127.0.0.1", 2, "https://Desk.example:8443/"), "https://desk.example:8443", {"desk.example:8443"}),
        (("127.0.0.1", 2, "http://desk.example:80"), "http://desk.example", {"desk.example"}),
        (("127.0.0.1", 2, "https://bücher.example"), "https://xn--bcher-kva.example", {"xn--bcher-kva.example"}),
        (("127.0.0.1", 2, "https://[2001:db8::1]:8443"), "https://[2001:db8::1]:8443", {"[2001:db8::1]:8443"}),
    ],
)
def test_a_place_is_written_as_browsers_write_it(given, url, authorities):
    place = Place.of(*given)
    assert place.url == url
    assert place.secure == url.startswith("https")
    assert all(url in place.origins(authority) for authority in authorities)
    for other in ("", "127.0.0.1", "127.0.0.1:1", "evil.example", "desk.example.evil.example", "desk.example:1"):
        assert other in authorities or not place.origins(other)


def test_a_page_of_the_local_address_is_not_one_of_the_public_address():
    place = Place.of("127.0.0.1", 2, "https://desk.example")
    assert place.origins("desk.example") == {"https://desk.example"}
    assert place.origins("127.0.0.1:2") == {"http://127.0.0.1:2", "https://desk.example"}, "a proxy may hide its name"


def test_links_and_cookies_are_told_apart_by_role_and_port():
    place = Place.of("127.0.0.1", 23456)
    assert place.link("rater", "T") == "http://127.0.0.1:23456/#t=T"
    assert place.link("owner", "T") == "http://127.0.0.1:23456/live#t=T"
    assert (place.cookie("rater"), place.cookie("owner")) == ("rt-desk-23456", "rt-owner-23456")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "desk.example",
        "//desk.example",
        "ftp://desk.example",
        "javascript:alert(1)",
        "https://",
        "https://desk.example/path",
        "https://desk.example?",
        "https://desk.example#",
        "https://me:pw@desk.example",
        "https://desk.example:99999",
        "https://desk.example:x",
        "https://desk example",
        "https://desk.example\\x",
        "https://[::1",
        "https://" + "a" * 70,
        "https://desk;example",
    ],
)
def test_a_public_address_is_a_scheme_and_a_host(url):
    with pytest.raises(InvalidInput, match=r"public_url=.* give one like https://desk\.example") as caught:
        Place.of("127.0.0.1", 2, url)
    assert "\n" not in str(caught.value)
