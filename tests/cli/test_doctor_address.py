"""`ringtrue doctor ADDRESS`: one request, without an item, without a secret that was not meant for the host."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import pytest

from ringtrue.cli import _doctor_address as doctor
from support import PATIENCE
from support.services import PROXIES, Server, service

EVIL = "\x1b[2J\u202e\n"
LISTED = {"object": "list", "data": [{"id": f"tiny{EVIL}", "object": "model"}]}
SERVED = {
    "/v2": {"name": "mlserver", "version": "1.7.1", "extensions": []},
    "/v2/models/m": {
        "name": "m",
        "versions": ["1", "2"],
        "platform": "",
        "inputs": [{"name": f"x{EVIL}", "datatype": "FP32", "shape": [-1, 4]}],
        "outputs": 7,
    },
    "/v1/models/m": {"model_version_status": [{"version": "3", "state": "AVAILABLE"}, "odd"]},
    "/v1/models": LISTED,
    "/kserve/v1/models/m": {"name": "m", "ready": True},
    "/version": "3.17.2",
}


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    for name in (*PROXIES, "RINGTRUE_MODEL_TOKEN", "RINGTRUE_TOKEN_HOSTS"):
        monkeypatch.delenv(name, raising=False)


@contextmanager
def served(reply):
    """A real server: `reply(path)` gives (status, bytes or pieces, headers). Yields its address and all requests."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append((self.command, self.path, self.headers.get("authorization")))
            status, content, headers = reply(self.path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            for piece in [content] if isinstance(content, bytes) else content:
                self.wfile.write(piece)

        def log_message(self, *_):
            pass

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", seen
        finally:
            server.shutdown()
            thread.join(PATIENCE)


def known(path):
    told = SERVED.get(path)
    if told is None:
        return 404, f"nothing here {EVIL}".encode(), {}
    return 200, (told if isinstance(told, str) else json.dumps(told)).encode(), {}


@pytest.mark.parametrize(
    ("path", "asked", "protocol", "fact", "model"),
    [
        ("/v2", "/v2", "KServe v2", "it runs mlserver 1.7.1", None),
        ("/v2/models/m/infer", "/v2/models/m", "KServe v2", "versions: 1, 2", "/v2/models/m/infer"),
        ("/v2/models/m", "/v2/models/m", "KServe v2", "versions: 1, 2", "/v2/models/m/infer"),
        ("/v1/models/m:predict", "/v1/models/m", "TensorFlow Serving", "version 3: AVAILABLE", "/v1/models/m:predict"),
        ("/kserve/v1/models/m", "/kserve/v1/models/m", "KServe v1", "ready: True", "/kserve/v1/models/m:predict"),
        ("/v1/chat/completions", "/v1/models", "OpenAI style", "models: tiny\\x1b[2J\\u202e\\n", None),
        ("/invocations", "/version", "MLflow", "version 3.17.2", "/invocations"),
        ("/ping", "/version", "MLflow", "version 3.17.2", "/invocations"),
    ],
)
def test_the_protocol_is_known_by_one_request(cli, path, asked, protocol, fact, model):
    with served(known) as (address, seen):
        said = cli("doctor", f"{address}{path}", "--json")
        assert seen == [("GET", asked, None)]
    assert said.code == 0
    made = json.loads(said.out)
    assert made["sentence"].endswith(f"can be reached: {protocol}")
    assert fact in made["facts"]
    assert made["wrong"] == []
    if model is not None:
        assert made["details"]["model"] == address + model
        assert f"--model {address}{model} " in made["asks"][0]["command"]


def test_everything_that_is_sent_back_is_spelt_out(cli):
    with served(known) as (address, _):
        for path in ("/v2/models/m/infer", "/v1/models", "/nothing"):
            said = cli("doctor", f"{address}{path}")
            assert said.code == 0
            assert all(line.isprintable() for line in said.out.split("\n"))
            assert "\\x1b[2J" in said.out


@pytest.mark.parametrize(
    ("status", "headers", "wrong"),
    [
        (401, {}, "it wants a token (no): set RINGTRUE_MODEL_TOKEN, and RINGTRUE_TOKEN_HOSTS=127.0.0.1 so that"),
        (302, {"Location": "http://elsewhere.example/"}, "it leads to another address, which is not followed"),
        (405, {}, "it takes no GET: what it is cannot be told without sending items"),
        (503, {}, "it answered with status 503 (no): check the path"),
        (200, {"Content-Encoding": "gzip"}, "its answer is packed, which was not asked for"),
    ],
)
def test_other_answers_are_told(cli, status, headers, wrong):
    with served(lambda _: (status, b"no", headers)) as (address, seen):
        made = json.loads(cli("doctor", f"{address}/predict", "--json").out)
        assert len(seen) == 1, "neither tried again nor followed"
    assert made["wrong"][0].startswith(wrong)


def test_the_token_goes_to_a_host_that_was_named_for_it_alone(cli, monkeypatch):
    monkeypatch.setenv("RINGTRUE_MODEL_TOKEN", "hello-secret-token")
    with served(lambda _: (200, b"hello-secret-token", {})) as (address, seen):
        without = cli("doctor", f"{address}/v2")
        monkeypatch.setenv("RINGTRUE_TOKEN_HOSTS", "127.0.0.1")
        with_it = cli("doctor", f"{address}/v2")
    assert [authorization for *_, authorization in seen] == [None, "Bearer hello-secret-token"]
    assert "asked without the token: RINGTRUE_TOKEN_HOSTS does not name this host" in without.out
    assert "sent with the token" in with_it.out
    assert "hello-secret-token" not in without.out + with_it.out


@pytest.mark.parametrize("body", [b"[" * 1_000_000, b"x" * 20_000_000, b"\xff\xfe", b"1" * 5000, b""])
def test_an_answer_that_cannot_be_read_says_nothing_and_does_no_harm(cli, body):
    with served(lambda _: (200, body, {})) as (address, _):
        said = cli("doctor", f"{address}/v2")
    assert (said.code, said.err) == (0, "")
    assert "a service of a kind that is not known" in said.out
    assert len(said.out) < 2000


def test_a_service_that_drips_or_never_answers_is_left(cli, monkeypatch):
    monkeypatch.setattr(doctor, "SECONDS", 0.2)
    gone = threading.Event()

    def drip(path):
        if path == "/silent":
            gone.wait()
        return 200, iter(lambda: b"." if not gone.wait(0.01) else b"", b""), {}

    with served(drip) as (address, _):
        dripped, silent = cli("doctor", f"{address}/drips"), cli("doctor", f"{address}/silent")
        gone.set()
    assert dripped.code in (0, 2), "that it ends is the point: a busy machine may not even see the first byte in time"
    assert silent.code == 2
    assert "cannot be reached (no answer within 0.2 s): check that it runs, and the address" in silent.err


def test_what_cannot_be_reached_gets_one_line(cli):
    with served(known) as (address, _):
        pass
    said = cli("doctor", f"{address}/v2")
    assert said.code == 2
    assert "cannot be reached (" in said.line


def test_a_secret_in_an_address_is_refused_and_not_repeated(cli):
    said = cli("doctor", "https://me:hunter2@models.example/v2")
    assert said.code == 2
    assert "hunter2" not in said.line


def test_a_study_that_names_an_address_calls_nothing(cli, tmp_path):
    (tmp_path / "pool.csv").write_text("id,x,truth\n" + "".join(f"{n},{n},cat\n" for n in range(30)))
    with service(lambda rows: (200, {"predictions": ["cat"] * len(rows)}, {})) as (address, seen):
        made = cli("init", "s", "--pool", "pool.csv", "--model", address, "--claim", "error <= 20%")
        assert made.code == 0, made.err
        assert seen
        seen.clear()
        said = cli("doctor", "s")
        assert seen == []
    assert said.code == 0
    assert "the model was not looked at, since it would have to be run" in said.out
