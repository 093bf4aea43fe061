"""`--header` and `--timeout` on every verb that can call an address: sent, obeyed, and never kept or shown."""

import io
import sys
import threading

import pytest

from ringtrue.models import _patience
from support import PATIENCE, make_pool
from support.services import PROXIES, service, unhurried
from support.worst_desk import lay_desk

pytestmark = pytest.mark.usefixtures("undrawn")

SECRET = "s3cr3t-t0ken"
HEADER = ("--header", "X-Api-Key=MY_KEY")
BLIND = ("blind", "loans", "--confidence", "score", "--above", "0", "--oracle", "truth")
WORST = ("worst", "alloy", "--space", "space.toml", "--budget", "3")
CALLS = {
    "changed": ("changed", "mood", "--old", "pool.csv", "--answer", "predicted", "--budget", "4", "--model", "URL"),
    "blind": (*BLIND, "--pool", "pool.csv", "--budget", "2", "--model", "URL"),
    "risk": ("risk", "loans", "--oracle", "truth"),
    "check": ("check", "claims.toml"),
    "worst, the model": (*WORST, "--oracle", "desk:gold", "--model", "URL"),
    "worst, the gold": (*WORST, "--model", "desk:model", "--oracle", "URL"),
}
"""What calls an address; of a study that `blind` made of it before, where there is none to name."""
MADE = ("risk", "check")


@pytest.fixture
def lay(cli, tmp_path, monkeypatch):
    """The files that the verbs need; a study is made of the address where one goes on with it."""
    for name in (*PROXIES, "RINGTRUE_MODEL_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MY_KEY", SECRET)
    monkeypatch.setenv("RINGTRUE_TOKEN_HOSTS", "127.0.0.1")
    unhurried(monkeypatch)
    head, *rows = make_pool(tmp_path / "pool.csv").read_text().splitlines()
    (tmp_path / "pool.csv").write_text("\n".join([f"{head},score", *(f"{row},0.9" for row in rows)]) + "\n")
    lay_desk(tmp_path)

    def laid(case, url):
        if case in MADE:
            assert cli(*(word.replace("URL", url) for word in CALLS["blind"])).code == 0
            claim = f'[[claim]]\nstudy = "loans"\nsays = "error <= 50% at 95%"\nmodel = "{url}"\n'
            (tmp_path / "claims.toml").write_text(claim)
        return tuple(word.replace("URL", url) for word in CALLS[case])

    return laid


def answering(case):
    answer = 0.5 if case.startswith("worst") else "cat"
    return lambda rows: (200, {"predictions": [answer for _ in rows]}, {})


@pytest.mark.parametrize("case", CALLS)
def test_a_header_goes_with_every_request_and_is_written_nowhere(case, cli, lay, tmp_path):
    with service(answering(case)) as (url, seen):
        call = lay(case, url)
        seen.clear()
        said = cli(*call, *HEADER, "--timeout", PATIENCE)
        assert said.code in (0, 1, 3), said.err
        assert seen
        assert {headers.get("X-Api-Key") for _, headers, _ in seen} == {SECRET}
        if call[0] in ("changed", "blind", "worst", "risk"):
            assert cli("report", call[1]).code == 0
    assert SECRET not in said.out + said.err
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert SECRET.encode() not in file.read_bytes(), file
            assert b"MY_KEY" not in file.read_bytes(), "a study does not choose which variable goes where"


@pytest.mark.parametrize("case", CALLS)
def test_a_timeout_holds_for_one_request(case, cli, lay, monkeypatch):
    monkeypatch.setattr(_patience, "IN_ALL", -1.0)  # one try
    held, slow = threading.Event(), threading.Event()

    def reply(rows):
        if slow.is_set():
            held.wait(PATIENCE)
        return answering(case)(rows)

    with service(reply) as (url, _):
        call = lay(case, url)
        slow.set()
        try:
            said = cli(*call, "--timeout", "0.2")
        finally:
            held.set()
    assert said.code == 2
    assert "no answer within 0.2 s" in said.err


@pytest.mark.parametrize("case", CALLS)
def test_a_service_that_repeats_a_secret_does_not_bring_it_into_a_file_or_onto_the_screen(case, cli, lay, tmp_path):
    """In an error, in the place of the predictions, and as the very answer that a study would keep."""
    said, now = [], [answering(case)]
    with service(lambda rows: now[0](rows)) as (url, _):
        call = lay(case, url)
        before = {study: study.read_bytes() for study in tmp_path.glob("*.ringtrue")}
        for reply in (
            (400, f"what is {SECRET}?", {}),
            (200, {f"key {SECRET}": 1}, {}),
            (200, SECRET, {}),
            (200, {"predictions": [SECRET]}, {}),
            (200, {"predictions": [f"key {SECRET}"] * 100}, {}),
        ):
            now[0] = lambda rows, reply=reply: (
                (200, {"predictions": reply[1]["predictions"][:1] * len(rows)}, {})
                if "predictions" in reply[1]
                else reply
            )
            said.append(cli(*call, *HEADER))
            for study in tmp_path.glob("*.ringtrue"):
                assert SECRET.encode() not in study.read_bytes()
                study.unlink()
            for study, content in before.items():
                study.write_bytes(content)
    assert [one.code for one in said] == [2] * 5
    assert not any(SECRET in one.out + one.err for one in said)


PLAIN = {
    "changed": ("changed", "mood", "--old", "pool.csv", "--answer", "predicted", "--budget", "4", "--model", "truth"),
    "blind": (*BLIND, "--pool", "pool.csv", "--budget", "2", "--model", "predicted"),
    "risk": ("risk", "plain", "--oracle", "truth"),
    "check": ("check", "plain.toml"),
    "worst": (*WORST, "--oracle", "desk:gold", "--model", "desk:model"),
}


@pytest.mark.parametrize("verb", PLAIN)
@pytest.mark.parametrize("option", [HEADER, ("--timeout", "5")], ids=["--header", "--timeout"])
def test_where_no_address_is_called_they_are_refused(verb, option, cli, lay, tmp_path):
    lay("changed", "")
    assert cli("init", "plain", "--pool", "pool.csv", "--model", "predicted").code == 0
    (tmp_path / "plain.toml").write_text('[[claim]]\nstudy = "plain"\nsays = "error <= 50% at 95%"\n')
    said = cli(*PLAIN[verb], *option)
    if (verb, option[0]) == ("worst", "--timeout"):  # which is for any gold standard there
        assert said.code == 0, said.err
        return
    assert said.code == 2
    assert f"{option[0]} is for a model " in said.line
    assert [file.name for file in tmp_path.glob("*.ringtrue")] == ["plain.ringtrue"]


def test_a_person_takes_their_time_beside_a_model_that_has_a_timeout(cli, lay, monkeypatch):
    with service(answering("worst")) as (url, _):
        lay("worst, the model", url)
        monkeypatch.setattr(sys, "stdin", io.StringIO("0.5\n1\n2\n"))
        assert cli(*WORST, "--oracle", "ask", "--model", url, "--timeout", PATIENCE).code == 0


def test_a_header_takes_the_place_of_the_tokens(cli, lay, monkeypatch):
    monkeypatch.setenv("RINGTRUE_MODEL_TOKEN", "another")
    with service(answering("changed")) as (url, seen):
        assert cli(*lay("changed", url), "--header", "authorization=MY_KEY").code in (0, 1, 3)
        assert {
            tuple(text for name, text in headers.items() if name.lower() == "authorization") for _, headers, _ in seen
        } == {(SECRET,)}
