"""Secrets in addresses, by their shape: refused where they are given, hidden wherever an address is written."""

import json

import click
import pytest

from ringtrue.cli._main import ringtrue
from ringtrue.core import InvalidInput
from ringtrue.core._secrets import looks_secret, secret_in, without_secrets
from ringtrue.models import HttpModel
from ringtrue.pools import read_pool
from ringtrue.risk import Risk
from ringtrue.stats import generator
from ringtrue.study import Study
from support import make_pool
from support.services import PROXIES, service
from support.worst_desk import lay_desk

HEX = "9c1f40ab7d2e58630fb1"
ISSUED = {
    "OpenAI": "sk-proj-abcDEF1234567890abcd", "Stripe": "sk_live_51H8abcdefGHIJKL0123",
    "GitHub": "ghp_16C7e42F292c6912E77", "Slack": "xoxb-123456789-abcdefg", "AWS": "AKIAIOSFODNN7EXAMPLE",
    "JWT": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
    "Telegram": "bot123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11", "hexadecimal": HEX,
}  # fmt: skip
UUID = "3f2b8c1e-9d4a-4b6f-8a2e-1c5d7e9f0a3b"
ORDINARY = [
    "v1",
    "models",
    "my-model-2024-10:predict",
    "gpt-4o-mini-2024-07-18",
    "meta-llama-3-1-8b-instruct-v1-0",
    "my-project-123456",
    "us-central1",
    "Llama-3.2-11B-Vision-Instruct",
    "1234567890123456789:predict",
    "anthropic.claude-3-5-sonnet-20241022-v2:0",
    "20241116T225724Z",
    "resnet50imagenet1kclassifier",
    "all-MiniLM-L6-v2",
    "distilbert-base-uncased-finetuned-sst-2-english",
    "sk-learn-iris-v2",
    "sk-learn",
    "scikit-learn-1.5.2",
    "2024-02-15-preview",
    "Qwen2.5-Coder-32B-Instruct-GPTQ-Int4",
    "MyVeryLongCamelCaseModelName",
    "Mixtral-8x7B-v0.1",
    "customerChurnPredictionServiceV2",
    "fraud_detection_xgb_2024w45_prod",
    "XGBClassifierCreditDefault2023Q4",
    "wav2vec2-large-xlsr-53",
    "CLIP-ViT-H-14-laion2B-s32B-b79K",
    "internationalization-and-localization",
    UUID,
]
PLACES = {
    "the path": "https://models.example/{}/predict",
    "a part of the path": "https://models.example/v1;id={}:predict",
    "escaped": "https://models.example/%2D{}%2E",
    "a query of any name": "https://models.example/predict?code={}",
    "a query without a name": "https://models.example/predict?{}",
    "the second of a query": "https://models.example/predict?version=2&x={}",
    "before the host": "https://{}@models.example/predict",
    "a password": "https://me:{}@models.example/predict",
    "after the hash": "https://models.example/predict#{}",
}


@pytest.mark.parametrize("issuer", ISSUED)
@pytest.mark.parametrize("place", PLACES)
def test_it_is_refused_wherever_it_stands_and_never_repeated(place, issuer):
    address = PLACES[place].format(ISSUED[issuer])
    with pytest.raises(InvalidInput) as caught:
        HttpModel(address)
    assert ISSUED[issuer] not in str(caught.value)
    assert "RINGTRUE_MODEL_TOKEN" in str(caught.value)
    hidden = without_secrets(f"the model {address} said no")
    assert ISSUED[issuer] not in hidden
    assert "models.example" in hidden
    assert hidden.endswith(" said no")
    if "@" not in address:  # as models are named: without https://
        assert ISSUED[issuer] not in without_secrets(f"url {address.removeprefix('https://')}")


@pytest.mark.parametrize("name", ORDINARY)
def test_names_and_versions_and_the_uuids_of_deployments_are_none(name):
    address = f"https://models.example/{name}/predict"
    assert secret_in(address) is None
    assert without_secrets(address) == address


def test_a_uuid_or_a_name_that_says_so_is_one_in_a_query():
    assert secret_in(f"https://models.example/x?endpoint={UUID}") == "the value of 'endpoint'"
    for name in ("key", "api_key", "x-api-key", "apiKey", "token", "access_token", "sig", "secret", "password"):
        assert secret_in(f"https://models.example/x?{name}=abc") == f"the value of {name!r}"
    for fine in ("version=2", "keyspace=a", "monkey=1", "format=json", "key="):
        assert secret_in(f"https://models.example/x?{fine}") is None


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@pytest.mark.parametrize(
    ("letters", "length", "least"),
    [("0123456789abcdef", 32, 0.98), (LETTERS[:62], 24, 0.98), (LETTERS, 32, 0.95), (LETTERS, 43, 0.98)],
)
def test_most_random_keys_are_found(letters, length, least):
    picks = generator(0, "secrets", length).integers(len(letters), size=(1000, length))
    found = sum(looks_secret("".join(letters[place] for place in row)) for row in picks)
    assert found >= least * len(picks)


@pytest.mark.parametrize(
    "arguments",
    [
        ("changed", "mood", "--old", "pool.csv", "--answer", "predicted", "--budget", "3", "--model", "{}"),
        ("blind", "mood", "--pool", "pool.csv", "--budget", "3", "--oracle", "truth", "--model", "{}"),
        ("init", "mood", "--pool", "pool.csv", "--model", "{}"),
        ("worst", "mood", "--space", "space.toml", "--budget", "3", "--oracle", "desk:gold", "--model", "{}"),
        ("worst", "mood", "--space", "space.toml", "--budget", "3", "--model", "desk:model", "--oracle", "{}"),
        (
            "worst",
            "mood",
            "--space",
            "space.toml",
            "--budget",
            "3",
            "--model",
            "desk:model",
            "--oracle-command",
            "curl {}",
        ),
    ],
)
@pytest.mark.parametrize("address", ["https://127.0.0.1:9/{}/x", "ftp://me:{}@127.0.0.1/x"])
def test_every_verb_refuses_it_and_makes_no_study(cli, tmp_path, arguments, address):
    make_pool(tmp_path / "pool.csv")
    lay_desk(tmp_path)
    said = cli(*(word.format(address.format(HEX)) for word in arguments))
    assert said.code == 2
    assert HEX not in said.out + said.err
    assert not (tmp_path / "mood.ringtrue").exists()


def test_a_token_in_a_command_is_refused_too(cli, tmp_path):
    lay_desk(tmp_path)
    command = f"python gold.py --token={ISSUED['OpenAI']}"
    said = cli(
        "worst", "x", "--space", "space.toml", "--budget", "3", "--model", "desk:model", "--oracle-command", command
    )
    assert "environment" in said.line
    assert ISSUED["OpenAI"] not in said.line
    assert not (tmp_path / "x.ringtrue").exists()


def test_a_study_of_before_shows_none(cli, tmp_path, monkeypatch):
    """Earlier versions wrote such an address into the journal: nothing that is read from it shows the secret."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    pool = make_pool(tmp_path / "pool.csv")
    with service(lambda rows: (200, {"predictions": ["cat" for _ in rows]}, {})) as (url, _):
        secret = url.replace("/v1/", f"/{HEX}/")
        with monkeypatch.context() as before:
            before.setattr("ringtrue.models._post.secret_in", lambda address: None)
            notes = {"pool": "pool.csv", "id": None, "model": secret}
            question = Risk("error <= 20% at 95%")
            Study.create(tmp_path / "old", pool=pool, model=secret, question=question, notes=notes).close()
    assert HEX in (tmp_path / "old.ringtrue").read_bytes().decode(errors="replace")
    (tmp_path / "claims.toml").write_text('[[claim]]\nstudy = "old"\nsays = "error <= 20% at 95%"\n')
    for arguments in (
        ("status", "old"), ("status", "old", "--json"), ("check", "claims.toml"), ("report", "old"),
        ("risk", "old", "--oracle", "truth"), ("risk", "old", "--oracle", "truth", "--trust", "--json"),
    ):  # fmt: skip
        said = cli(*arguments)
        assert HEX not in said.out + said.err, arguments
    for file in ("old.html", "old.json"):
        assert HEX not in (tmp_path / file).read_text()
    assert cli("report", "--verify", "old.json").code == 0
    assert json.loads((tmp_path / "old.json").read_text())["study"]["model"]["name"].startswith("url 127.0.0.1")


def test_what_a_server_repeats_is_hidden(cli, tmp_path, monkeypatch):
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    make_pool(tmp_path / "pool.csv")
    with service(lambda rows: (400, f"see https://auth.example/{HEX}", {})) as (url, _):
        said = cli("changed", "mood", "--old", "pool.csv", "--answer", "predicted", "--budget", "3", "--model", url)
    assert said.code == 2
    assert "https://auth.example/…" in said.err
    assert HEX not in said.err


NEW = ("new", "--pool", "pool.csv", "--model", "predicted", "--oracle", "truth", "--budget", "1")
TYPED = {
    "init": NEW[:5], "plan": ("error <= 5% at 95%",), "risk": NEW, "blind": NEW, "judges": ("pool.csv",),
    "changed": ("new", "--old", "pool.csv", "--answer", "predicted", "--model", "truth", "--budget", "1"),
    "worst": ("new", "--space", "space.toml", "--budget", "1", "--oracle", "m:g", "--model", "m:f"),
    "vote": ("new", "--pool", "pool.csv", "--judges", "judges.toml"), "status": ("loans",), "report": ("loans",),
    "check": ("claims.toml",), "amend": ("loans", "0", "cat"), "release": ("loans",), "copy": ("loans", "there"),
    "recover": ("loans",), "move": ("loans", "there"), "doctor": ("pool.csv",), "desk": ("loans",),
}  # fmt: skip
"""What is typed for each verb, of which the test puts an address in the place of one text after another."""


@pytest.mark.parametrize("address", ["POSTGRESQL://ann:x@hunter2@h/db#loans", "mysql+x://ann:hun/ter2@h/db"])
@pytest.mark.parametrize("verb", TYPED)
def test_no_verb_repeats_the_password_of_an_address_that_it_takes_for_a_file(cli, loans, monkeypatch, verb, address):
    monkeypatch.setattr("ringtrue.desk.serve_desk", lambda *_, **__: None)
    params = ringtrue.get_command(click.Context(ringtrue), verb).params
    arguments = [one for one in params if isinstance(one, click.Argument)]
    for number, one in enumerate(params):
        if isinstance(one, click.Option) and (one.is_flag or not isinstance(one.type, type(click.STRING))):
            continue
        typed = [f"new{number}" if word == "new" else word for word in TYPED[verb]]
        if one in arguments:
            typed[arguments.index(one)] = address
        elif one.opts[0] in typed:
            typed[typed.index(one.opts[0]) + 1] = address
        else:
            typed += [one.opts[0], address]
        said = cli(verb, *typed)
        assert "hunter2" not in said.err, (typed, said.err)
        assert "ter2" not in said.err, (typed, said.err)


@pytest.mark.parametrize("address", ["POSTGRESQL://ann:hunter2@h/db#loans", "postgresql://ann:hunter2@h/db#loans"])
@pytest.mark.parametrize("call", [Study.open, lambda path: Study.create(path, question=Risk()), read_pool])
def test_neither_does_python_where_a_file_is_wanted(call, address):
    with pytest.raises(InvalidInput, match="not repeated") as caught:
        call(address)
    assert "hunter2" not in str(caught.value)
