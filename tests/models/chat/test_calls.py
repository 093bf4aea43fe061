"""The file of calls: what was paid for is kept before it is counted, by the content of the request."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from ringtrue.core import InvalidInput
from ringtrue.models.chat import Calls, Judge, Rubric
from ringtrue.models.chat._calls import call_key
from ringtrue.models.chat._judge import Call
from ringtrue.models.chat._reading import Usage, Vote
from support import PATIENCE

JUDGE = Judge("small", "http://127.0.0.1:1/v1/chat/completions", "tiny")
CALL = Call(Vote("yes", chances={"yes": 0.75, "no": 0.25}), Usage(10, 4, 3), "tiny b1")
COST = Decimal("0.000123")


def bought(place, key="k", *, study="mine", query="s:1"):
    """Buy a call, or have it from the file."""
    return Calls(place, study).once(key, JUDGE, query, lambda: (CALL, COST))


def refuse():
    raise AssertionError("it was paid for before")


def test_a_call_is_there_again_with_all_its_digits(tmp_path):
    bought(tmp_path / "c.jsonl")
    assert Calls(tmp_path / "c.jsonl", "mine").once("k", JUDGE, "s:1", refuse) == (CALL, COST)


def test_what_another_query_or_another_study_paid_costs_nothing(tmp_path):
    bought(tmp_path / "c.jsonl")
    assert Calls(tmp_path / "c.jsonl", "mine").once("k", JUDGE, "s:2", refuse) == (CALL, 0)
    assert Calls(tmp_path / "c.jsonl", "theirs").once("k", JUDGE, "s:1", refuse) == (CALL, 0)


def test_two_threads_that_want_one_call_make_it_once(tmp_path):
    calls, made, begun = Calls(tmp_path / "c.jsonl", "mine"), [], threading.Event()

    def ask():
        made.append(threading.get_ident())
        begun.wait(PATIENCE)  # until the other thread has asked for the same
        return CALL, COST

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(calls.once, "k", JUDGE, "s:1", ask)
        second = threads.submit(calls.once, "k", JUDGE, "s:2", ask)
        begun.set()
        costs = sorted(one.result()[1] for one in (first, second))
    assert len(made) == 1
    assert costs == [0, COST]


def test_a_call_that_fails_is_not_kept(tmp_path):
    calls = Calls(tmp_path / "c.jsonl", "mine")

    def fail():
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        calls.once("k", JUDGE, "s:1", fail)
    assert calls.once("k", JUDGE, "s:1", lambda: (CALL, COST)) == (CALL, COST)


def test_a_line_that_a_crash_cut_off_is_passed_over_and_the_next_is_whole(tmp_path):
    place = tmp_path / "c.jsonl"
    bought(place)
    whole = place.read_bytes()
    for cut in (1, 20, len(whole) - 1):
        place.write_bytes(whole + whole[:cut])
        assert Calls(place, "mine").once("k", JUDGE, "s:1", refuse) == (CALL, COST)
        bought(place, "later")
        assert Calls(place, "mine").once("later", JUDGE, "s:1", refuse) == (CALL, COST)


def test_only_its_owner_may_read_the_file(tmp_path):
    bought(tmp_path / "c.jsonl")
    assert (tmp_path / "c.jsonl").stat().st_mode & 0o077 == 0


def test_a_file_of_something_else_is_refused(tmp_path):
    line = dict.fromkeys(("key", "study", "query", "judge", "usage", "version", "cost"), "x") | {
        "vote": {"colour": "red"}
    }
    (tmp_path / "c.jsonl").write_text(json.dumps(line))
    with pytest.raises(InvalidInput, match="is not a file of calls"):
        Calls(tmp_path / "c.jsonl", "mine")
    with pytest.raises(InvalidInput, match="cannot be read"):
        Calls(tmp_path, "mine")


def test_the_key_is_the_whole_request_and_the_number_of_the_repeat(monkeypatch):
    monkeypatch.setenv("MY_KEY", "abc")
    rubric = Rubric("Is it?", {"yes": "", "no": ""}, ["text"])
    bodies = [JUDGE.body(rubric.prompt({"text": text}, seed=0)) for text in ("one", "two")]
    warm = Judge("small", JUDGE.url, "tiny", temperature=1.0)
    elsewhere = Judge("small", "http://127.0.0.1:2/v1/chat/completions", "tiny")
    second = Judge("small", JUDGE.url, "tiny", repeat=1)
    keys = [
        call_key(JUDGE, bodies[0], 0),
        call_key(JUDGE, bodies[0], 1),
        call_key(JUDGE, bodies[1], 0),
        call_key(warm, warm.body(rubric.prompt({"text": "one"}, seed=0)), 0),
        call_key(elsewhere, bodies[0], 0),
        call_key(second, bodies[0], 0),
    ]
    assert len(set(keys)) == len(keys)
    renamed = Judge("other name", JUDGE.url, "tiny", key="MY_KEY", timeout=0.5)
    assert call_key(renamed, renamed.body(rubric.prompt({"text": "one"}, seed=0)), 0) == keys[0]
