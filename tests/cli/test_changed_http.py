"""`ringtrue changed` with a model behind an address: a real server, its failures, and a token nobody sees."""

import pytest

from ringtrue.cli._changed_model import known_answers
from ringtrue.cli._changed_model import sent as columns_sent
from ringtrue.models import _post as post_module
from support import numbers_of
from support.services import PROXIES, service, unhurried

SECRET = "s3cr3t-t0ken"


@pytest.fixture(autouse=True)
def plain_network(monkeypatch):
    for name in (*PROXIES, post_module.TOKEN):
        monkeypatch.delenv(name, raising=False)
    return unhurried(monkeypatch)


@pytest.fixture
def old(tmp_path):
    lines = [f"i{n},text {n},{n % 3},{n % 3}" for n in range(60)]
    (tmp_path / "old.csv").write_text("\n".join(["id,text,truth,answer", *lines]) + "\n")


def right(rows):
    return 200, {"predictions": [int(row["text"][5:]) % 3 for row in rows]}, {}


def start(url, *options):
    return ("changed", "s", "--old", "old.csv", "--model", url, "--noise", "0", "--claim", "change <= 20%", *options)


def test_a_service_is_asked_in_batches_and_shown_the_inputs(cli, old, monkeypatch, tmp_path):
    monkeypatch.setenv("RINGTRUE_MODEL_TOKEN", SECRET)
    with service(right) as (url, seen):
        said = cli(*start(url, "--json"))
        assert said.code == 0, said.err
        assert len(seen[0][2]["instances"]) == 20
        assert sum(len(sent["instances"]) for _, _, sent in seen) == numbers_of(said.out)["answers"]
        assert set(seen[0][2]["instances"][0]) == {"text"}
        assert seen[0][1]["Authorization"] == f"Bearer {SECRET}"
        before = len(seen)
        assert cli("changed", "s").code == 0
        assert len(seen) == before, "what is known is not asked again"
    assert SECRET.encode() not in (tmp_path / "s.ringtrue").read_bytes()


def test_a_failure_that_passes_is_tried_again(cli, old):
    replies = iter([(500, "oops", {}), (200, {"predictions": [0] * 20}, {}), *[(500, "oops", {})] * 9])
    with service(lambda rows: next(replies)) as (url, seen):
        said = cli(*start(url, "--budget", 20))
        assert said.code == 1, said.err
        assert len(seen) == 2


def test_a_failure_that_stays_stops_the_study_and_keeps_what_was_answered(cli, old):
    working = True
    with service(lambda rows: right(rows) if working else (503, "down", {})) as (url, _):
        assert cli(*start(url, "--claim", "change <= 2%", "--budget", 20)).code == 3
        working = False
        said = cli("changed", "s", "--budget", 40)
        assert said.code == 2
        told, warned, line = said.err.splitlines()
        assert told == f"model url {url.removeprefix('http://')} (v1) is sent: text"
        assert "status 503 (down): trying again for 5 minutes" in warned
        assert "status 503 (down), after 15 requests in 5 minutes" in line
        assert "every answer so far is kept" in line
        working = True
        assert numbers_of(cli("changed", "s", "--json").out)["answers"] == 40


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ((404, "", {}), "status 404"),
        ((401, "", {}), "RINGTRUE_MODEL_TOKEN"),
        ((200, {"outputs": []}, {}), "predictions"),
        ((302, "", {"location": "https://elsewhere.example/"}), "redirect to elsewhere.example"),
        ((302, "", {}), "status 302 (a redirect to no address): give the final address"),
    ],
)
def test_a_failure_that_cannot_pass_stops_at_once(cli, old, reply, words):
    with service(lambda rows: reply) as (url, seen):
        said = cli(*start(url))
        assert said.code == 2
        assert words in said.err.splitlines()[-1]
        assert len(seen) == 1


def test_the_id_is_sent_only_if_it_is_named_and_a_study_made_when_it_was_sent_goes_on_so(cli, old):
    with service(right) as (url, seen):
        assert cli(*start(url, "--features", "id,text")).code == 0
        assert set(seen[0][2]["instances"][0]) == {"id", "text"}
        seen.clear()
        assert cli("changed", "t", *start(url, "--claim", "change <= 2%", "--budget", 20)[2:]).code == 3
        assert cli("changed", "t", "--budget", 40).code == 3
        assert {column for _, _, sent in seen for row in sent["instances"] for column in row} == {"text"}
    known = known_answers({"old": "old.csv"})
    before = {"features": None, "slices": [], "model": "https://host/"}
    assert columns_sent(before, known) == ["id", "text"]
    assert columns_sent({**before, "sent": ["text"]}, known) == ["text"]


def test_headers_are_given_anew_each_time_and_never_kept(cli, old, monkeypatch, tmp_path):
    monkeypatch.setenv("MY_KEY", SECRET)
    with service(right) as (url, seen):
        said = cli(
            *start(url, "--claim", "change <= 2%", "--budget", 20, "--header", "X-Api-Key=MY_KEY", "--timeout", 30)
        )
        assert said.code == 3, said.err
        assert {headers["X-Api-Key"] for _, headers, _ in seen} == {SECRET}
        kept = (tmp_path / "s.ringtrue").read_bytes()
        assert SECRET.encode() not in kept
        assert b"MY_KEY" not in kept, "a stranger's study does not choose which variable goes where"
        seen.clear()
        assert cli("changed", "s", "--budget", 40).code == 3
        assert not any("X-Api-Key" in headers for _, headers, _ in seen)
    for options, words in (
        (("--header", f"X-Api-Key: {SECRET}"), "NAME=VARIABLE"),
        (("--header", f"X-Api-Key={SECRET}"), "NAME=VARIABLE"),
        (("--header", "X-Api-Key=NOT_THERE"), "is not set"),
        (("--timeout", "0"), "positive"),
        (("--timeout", "inf"), "positive"),
    ):
        said = cli("changed", "u", *start("http://127.0.0.1:9/", *options)[2:])
        assert said.code == 2
        assert words in said.line
        assert SECRET not in said.line
    said = cli("changed", "u", *start("answer", "--header", "X-Api-Key=MY_KEY")[2:])
    assert "--header is for a model or an oracle behind an address" in said.line


def test_nobody_listens(cli, old):
    with service(right) as (url, _):
        pass
    said = cli(*start(url))
    assert said.code == 2
    assert "can be reached" in said.err.splitlines()[-1]


def test_a_column_of_that_very_name_comes_first(cli, tmp_path):
    lines = [f"i{n},{n % 3},{n % 3}" for n in range(60)]
    (tmp_path / "old.csv").write_text("\n".join(["id,answer,http://127.0.0.1:9/", *lines]) + "\n")
    said = cli(*start("http://127.0.0.1:9/"))
    assert said.code == 0, said.err
