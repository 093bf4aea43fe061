"""Judges and models behind a real chat service, llama.cpp's own server, and behind a proxy that fails as it is told."""

import json
from decimal import Decimal

import numpy as np
import pytest

from ringtrue.core import Batch, InvalidInput, Item, Query, ResponderStopped
from ringtrue.models.chat import NO_ANSWER, Calls, ChatModel, Judge, Price, Rubric, Tariff, VotingPanel
from support.chat_proxy import proxy
from support.services import unhurried

RUBRIC = Rubric("Is it about animals?", {"yes": "It names one.", "no": "It names none."}, ["text"])
TEXTS = ["a dog", "a stone", "two cats", "the sea", "a horse", "the sky"]
BATCH = Batch([str(n) for n in range(6)], {"text": np.array(TEXTS, dtype=object)})
PRICES = {"random": Price(input=Decimal("0.15"), cached_input=Decimal("0.075"), output=Decimal("0.6"))}


def judge_at(url, **settings):
    return Judge("small", url, "random", **settings)


def panel_at(url, place, **settings):
    judges = [judge_at(url, **settings)]
    return VotingPanel(RUBRIC, judges, seed=0, tariff=Tariff(judges, PRICES), calls=Calls(place, "mine"))


def queries(texts=TEXTS):
    items = [Item(str(n), {"text": text}) for n, text in enumerate(texts)]
    return [Query(f"s:{n}", "votes", "oracle", item, Decimal(0), None) for n, item in enumerate(items)]


def test_a_model_chooses_one_of_the_choices_with_probabilities_that_add_up(llama):
    model = ChatModel(RUBRIC, judge_at(f"{llama}/v1/chat/completions"))
    answers = model.answer(BATCH)
    assert set(answers.labels) <= {"yes", "no", "cannot tell"}
    assert answers.classes == ["yes", "no", "cannot tell", NO_ANSWER]
    assert np.allclose(answers.probabilities.sum(axis=1), 1)
    assert model.answer(BATCH).labels == answers.labels  # a seed, and no temperature
    assert model.name.startswith(f"chat random at {llama.removeprefix('http://')}/v1/chat/completions (")
    assert model.versions["service"].endswith("random.gguf b0-unknown")
    other = Rubric("Is it about stones?", RUBRIC.choices, ["text"])
    assert ChatModel(other, model.judge).name != model.name


def test_votes_are_settled_by_the_tokens_that_the_service_counted(llama, tmp_path):
    with proxy(llama) as (url, account):
        replies = panel_at(url, tmp_path / "c.jsonl").answer(queries())
    lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    assert len(lines) == len(account.bodies) == 6
    for reply, line in zip(replies, lines, strict=True):
        usage, price = line["usage"], PRICES["random"]
        fresh = usage["prompt"] - usage["cached"]
        tokens = fresh * price.input + usage["cached"] * price.cached_input + usage["completion"] * price.output
        assert reply.cost == tokens / 10**6 == Decimal(line["cost"])
        assert reply.value["votes"]["small"] in ("yes", "no", "cannot tell")
    assert any(line["usage"]["cached"] for line in lines)  # the prompts begin alike, and the server says so
    assert {line["version"] for line in lines} != {""}


def test_the_most_that_was_reserved_is_never_exceeded(llama, tmp_path):
    panel = panel_at(f"{llama}/v1/chat/completions", tmp_path / "c.jsonl")
    tariff = Tariff(panel.judges, PRICES)
    texts = ["", "ü" * 400, "漢字" * 200, "a b " * 300, '"\\\n' * 200]
    for reply, query in zip(panel.answer(queries(texts)), queries(texts), strict=True):
        assert reply.cost <= tariff.most_of(RUBRIC.prompt(query.item.values, seed=0))


def test_nothing_that_was_paid_is_asked_again(llama, tmp_path):
    with proxy(llama) as (url, account):
        first = panel_at(url, tmp_path / "c.jsonl").answer(queries())
        again = panel_at(url, tmp_path / "c.jsonl").answer(queries())
        assert len(account.bodies) == 6
    assert again == first  # with what it cost: the study that comes back after a crash has paid it


def test_an_answer_that_is_cut_off_is_no_vote(llama, tmp_path):
    [reply] = panel_at(f"{llama}/v1/chat/completions", tmp_path / "c.jsonl", max_tokens=3).answer(queries()[:1])
    assert reply.value is None
    assert reply.cost > 0
    model = ChatModel(RUBRIC, judge_at(f"{llama}/v1/chat/completions", max_tokens=3))
    assert set(model.answer(BATCH).labels) == {NO_ANSWER}


def test_a_service_that_is_busy_is_asked_again_and_the_vote_is_paid_once(llama, tmp_path, monkeypatch):
    waited = unhurried(monkeypatch)
    date = {"Retry-After": "Fri, 01 Jan 2027 00:00:30 GMT", "Date": "Fri, 01 Jan 2027 00:00:00 GMT"}
    busy = {1: (429, {"Retry-After": "7"}, b"{}"), 2: (429, date, b"{}")}
    with proxy(llama, lambda number, _: busy.get(number)) as (url, account):
        panel = panel_at(url, tmp_path / "c.jsonl")
        with pytest.warns(match="trying again"):
            [reply] = panel.answer(queries()[:1])
        assert reply.value is not None
        assert (len(account.bodies), account.answered) == (3, 1)
    assert waited.pauses[:2] == [7, 30]


def test_an_item_on_which_a_service_fails_by_itself_is_no_vote_and_the_others_are(llama, tmp_path, monkeypatch):
    unhurried(monkeypatch)

    def meddle(_, body):
        return (500, {}, b'{"error": {"message": "peg"}}') if "stone" in body["messages"][1]["content"] else None

    with proxy(llama, meddle) as (url, account):
        replies = panel_at(url, tmp_path / "c.jsonl").answer(queries()[:3])
        assert len(account.bodies) == 2 + 3  # three tries, then it is left
    assert [reply.value is None for reply in replies] == [False, True, False]
    assert "status 500" in (tmp_path / "c.jsonl").read_text()


@pytest.mark.parametrize("status", [400, 413, 422])
def test_an_item_that_a_service_does_not_take_is_no_vote(llama, tmp_path, status):
    with proxy(llama, lambda *_: (status, {}, b'{"error": "context length"}')) as (url, account):
        [reply] = panel_at(url, tmp_path / "c.jsonl").answer(queries()[:1])
        assert reply.value is None
        assert len(account.bodies) == 1


@pytest.mark.parametrize(("status", "words"), [(401, "RINGTRUE_MODEL_TOKEN"), (404, "status 404"), (302, "redirect")])
def test_what_holds_for_all_items_stops_at_once_and_is_no_vote(llama, tmp_path, status, words):
    with proxy(llama, lambda *_: (status, {"Location": "http://127.0.0.1:1/"}, b"{}")) as (url, account):
        with pytest.raises(InvalidInput, match=words):
            panel_at(url, tmp_path / "c.jsonl").answer(queries())
        assert len(account.bodies) == 1
    assert not (tmp_path / "c.jsonl").exists()


def test_a_service_that_stays_away_stops_the_run_and_is_no_vote(llama, tmp_path, monkeypatch):
    unhurried(monkeypatch)
    with proxy(llama, lambda *_: (503, {}, b"")) as (url, _):
        panel = panel_at(url, tmp_path / "c.jsonl")
        with pytest.warns(match="trying again"), pytest.raises(ResponderStopped, match="status 503"):
            panel.answer(queries()[:1])
    assert not (tmp_path / "c.jsonl").exists()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda said: {**said, "choices": []}, "without a message"),
        (lambda said: _with(said, message={"content": None, "refusal": "no"}), "refused"),
        (lambda said: _with(said, message={"content": "yes"}), "not JSON"),
        (lambda said: _with(said, finish_reason="length"), "cut off"),
    ],
)
def test_what_is_not_of_the_agreed_form_is_no_vote_and_is_paid(llama, tmp_path, change, why):
    with proxy(llama, lambda *_: change) as (url, _):
        [reply] = panel_at(url, tmp_path / "c.jsonl").answer(queries()[:1])
    assert reply.value is None
    assert reply.cost > 0
    assert why in json.loads((tmp_path / "c.jsonl").read_text())["vote"]["why"]


def _with(said, **changes):
    return {**said, "choices": [{**said["choices"][0], **changes}]}


def test_the_key_is_sent_as_a_bearer_and_stands_nowhere_else(llama, tmp_path, monkeypatch):
    monkeypatch.setenv("CHAT_KEY", "sk-very-secret-key-1234")
    with proxy(llama, lambda *_: (400, {}, b"no sk-very-secret-key-1234 here")) as (url, account):
        panel_at(url, tmp_path / "c.jsonl", key="CHAT_KEY").answer(queries()[:1])
        assert account.headers[0]["Authorization"] == "Bearer sk-very-secret-key-1234"
        assert "secret" not in json.dumps(account.bodies)
    assert "very-secret" not in (tmp_path / "c.jsonl").read_text()


def test_settings_that_a_service_needs_or_does_not_take(llama, tmp_path):
    sent = {"send": {"max_completion_tokens": 40}, "leave_out": ["max_tokens", "seed"], "logprobs": False}
    with proxy(llama) as (url, account):
        [reply] = panel_at(url, tmp_path / "c.jsonl", **sent).answer(queries()[:1])
    body = account.bodies[0]
    assert body["max_completion_tokens"] == 40
    assert not {"max_tokens", "seed", "logprobs", "top_logprobs"} & set(body)
    assert "chances" not in reply.value
