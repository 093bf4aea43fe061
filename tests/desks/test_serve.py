"""A real server on this machine: where it listens, what it makes of odd requests, and how it ends with streams open."""

import asyncio
import errno
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, StreamingResponse
from starlette.routing import Route

from ringtrue.core import InvalidInput, RingtrueWarning
from ringtrue.desk import _serve
from ringtrue.desk._guard import ERROR_HANDLERS, Guard, enter, required
from ringtrue.desk._links import Link, Links, new_token, token_hash
from ringtrue.desk._serve import Stopping, bind, default_port, serve
from support import PATIENCE

ANN = new_token()
LINKS = Links([Link(token_hash(ANN), "rater", "ann", float("inf"))])


async def come_in(request):
    return enter(request, (await request.json())["token"])


async def who(request):
    return JSONResponse({"name": required(request, "rater").name})


async def echo(request):
    return PlainTextResponse(await request.body())


def app_of(stopping):
    async def stream(request):
        async def beats():
            yield ": beat\n\n"
            while not await stopping.pause(0.01):
                yield ": beat\n\n"

        return StreamingResponse(beats(), media_type="text/event-stream")

    async def page(request):
        return PlainTextResponse("page")

    routes = [
        Route("/", page),
        Route("/who", who),
        Route("/events", stream),
        Route("/enter", come_in, methods=["POST"]),
        Route("/echo", echo, methods=["POST"]),
    ]
    return Starlette(routes=routes, exception_handlers=ERROR_HANDLERS)


@contextmanager
def served(**how):
    """A guarded app in a thread; yields its place."""
    stopping, listens = Stopping(), threading.Event()
    trouble = []
    with bind(**how) as bound:
        app = Guard(app_of(stopping), place=bound.place, links=LINKS, trouble=lambda *told: trouble.append(told))
        ready = lambda url: listens.set()  # noqa: E731
        thread = threading.Thread(target=serve, args=(app, bound), kwargs={"ready": ready, "stopping": stopping})
        thread.start()
        try:
            assert listens.wait(PATIENCE)
            yield bound.place
        finally:
            stopping.begin()
            thread.join(PATIENCE)
    assert not trouble


@pytest.fixture(scope="module")
def place():
    with served() as place:
        yield place


@pytest.fixture
def browser(place):
    with httpx.Client(base_url=place.url, trust_env=False, headers={"origin": place.url}, timeout=PATIENCE) as client:
        yield client


# Where it listens.


def test_a_free_port_is_found_and_told():
    told = []
    stopping = Stopping()
    stopping.begin()
    with bind() as bound:
        assert bound.place.url == f"http://127.0.0.1:{bound.place.port}"
        serve(app_of(stopping), bound, ready=told.append, stopping=stopping)
    assert told == [bound.place.url]
    assert bound.socket.fileno() == -1, "closed"


def test_no_answer_waits_for_its_packet_to_fill():
    """Asyncio sends at once only where the socket says by which protocol; else an answer waits 40 ms."""
    with bind() as bound, socket.create_connection(bound.socket.getsockname()):
        accepted, _ = bound.socket.accept()
        with accepted:
            assert accepted.proto == socket.IPPROTO_TCP


def refused(*words, **how):
    with pytest.raises(InvalidInput) as caught:
        bind(**how)
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value), caught.value


def test_a_taken_port_is_told_and_free_again_afterwards():
    with bind() as first:
        port = first.place.port
        refused(f"port={port} is taken", "0 takes any", port=port)
    with served(port=port) as place, httpx.Client(trust_env=False, timeout=PATIENCE) as client:
        assert client.get(place.url).text == "page"  # the server hangs up first: its end keeps the port for a minute
    with bind(port=port) as again:
        assert again.place.port == port


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "::ffff:0.0.0.0"])
def test_other_machines_reach_a_desk_only_if_they_may(host):
    if ":" in host and not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    refused(f"host='{host}'", "can be reached from other machines", "allow_remote=True", host=host)


def test_everywhere_is_not_an_address_for_a_link():
    refused("is not an address that a link can hold", "public_url", host="0.0.0.0", allow_remote=True)
    with (
        pytest.warns(RingtrueWarning, match="other machines can reach it, and nothing is encrypted") as warned,
        bind("0.0.0.0", allow_remote=True, public_url="https://desk.example") as bound,
    ):
        assert bound.place.url == "https://desk.example"
    assert len(warned) == 1


@pytest.mark.filterwarnings("ignore:the desk listens on:ringtrue.core.RingtrueWarning")
def test_an_address_of_another_machine_is_told():
    refused("host='192.0.2.7' cannot be listened on", host="192.0.2.7", allow_remote=True)


@pytest.mark.parametrize("host", ["", "a b", "127.0.0.1/", "http://127.0.0.1", "::1]x", "127.0.0.1\n", "%", "ü"])
def test_a_host_is_a_name_or_an_address(host):
    refused("is not an address of this machine: give one such as 127.0.0.1", host=host)


def test_an_unknown_host_is_told(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    refused("host='nowhere' is not an address of this machine", host="nowhere")


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_has_a_range(port):
    refused(f"port={port} must be between 0 and 65535", port=port)


def test_a_wrong_public_address_is_told_before_anything_listens():
    refused("public_url='desk'", public_url="desk")


def test_a_port_of_the_system_is_told():
    error = _serve._in_the_way(OSError(errno.EACCES, "no"), "127.0.0.1", 80)
    assert str(error) == "port=80 is kept for the system: give one from 1024 on"


def test_ipv6_is_served_by_its_own_name():
    try:
        bind("::1").close()
    except InvalidInput:
        pytest.skip("no IPv6 here")
    with served(host="[::1]") as place, httpx.Client(trust_env=False, timeout=PATIENCE) as client:
        assert place.url == f"http://[::1]:{place.port}"
        assert client.get(place.url).text == "page"
        assert client.get(place.url, headers={"host": f"127.0.0.1:{place.port}"}).status_code == 421


def test_a_study_always_has_the_same_port():
    ports = [default_port(f"study {number}") for number in range(2_000)]
    assert ports == [default_port(f"study {number}") for number in range(2_000)]
    assert min(ports) >= 20_000
    assert max(ports) < 30_000
    assert len(set(ports)) > 1_700, "spread"
    assert default_port("loans") == 24_501, "also in the next version: pages left open look there"


# What it makes of requests, byte by byte.


def exchange(place, sent):
    """Send bytes and return what comes back until the server hangs up."""
    parts = []
    with socket.create_connection(("127.0.0.1", place.port), timeout=PATIENCE) as line:
        line.sendall(sent)
        while part := line.recv(65_536):
            parts.append(part)
    return b"".join(parts)


def raw(place, first, *headers, body=b"", host=True):
    """Send a request as it is written here; return the statuses and the bytes of what comes back."""
    named = [f"Host: 127.0.0.1:{place.port}"] if host else []
    lines = [first, *named, *headers, "Connection: close", "", ""]
    answer = exchange(place, "\r\n".join(lines).encode("latin-1") + body)
    statuses = [int(line.split()[1]) for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
    return statuses, answer


RAW = {
    "usual": ("GET / HTTP/1.1", [], True, [200]),
    "forged name": ("GET / HTTP/1.1", ["Host: evil.example"], False, [421]),
    "forged name of a stream": ("GET /events HTTP/1.1", ["Host: evil.example"], False, [421]),
    "no name": ("GET / HTTP/1.1", [], False, [400]),
    "no name, as before names": ("GET / HTTP/1.0", [], False, [421]),
    "two names": ("GET / HTTP/1.1", ["Host: evil.example"], True, [400]),
    "a name with a space before the colon": ("GET / HTTP/1.1", ["Host : evil.example"], True, [400]),
    "a name on two lines": ("GET / HTTP/1.1", ["Host: evil.example", " x"], False, [421]),
    "a proxy's name for it": ("GET / HTTP/1.1", ["X-Forwarded-Host: evil.example"], True, [200]),
    "a whole address": ("GET http://evil.example/ HTTP/1.1", [], True, [404]),
    "its own whole address": ("GET http://127.0.0.1/who HTTP/1.1", [], True, [404]),
    "a star": ("OPTIONS * HTTP/1.1", [], True, [404]),
    "a tunnel": ("CONNECT evil.example:443 HTTP/1.1", [], True, [404]),
    "dots": ("GET /x/../who HTTP/1.1", [], True, [404]),
    "encoded dots": ("GET /x/%2e%2e/who HTTP/1.1", [], True, [404]),
    "backslashes": ("GET /x\\..\\who HTTP/1.1", [], True, [404]),
    "two slashes": ("GET //evil.example/ HTTP/1.1", [], True, [404]),
    "NUL": ("GET /\0 HTTP/1.1", [], True, [400]),
    "encoded NUL": ("GET /%00 HTTP/1.1", [], True, [404]),
    "letters of no alphabet": ("GET /\xff HTTP/1.1", [], True, [400]),
    "a space": ("GET /a b HTTP/1.1", [], True, [400]),
    "an encoded line break": ("GET /%0d%0aSet-Cookie:x HTTP/1.1", [], True, [404]),
    "a header with NUL": ("GET / HTTP/1.1", ["X: a\0b"], True, [400]),
    "a method": ("DELETE / HTTP/1.1", [], True, [405]),
    "a preflight": ("OPTIONS /enter HTTP/1.1", ["Access-Control-Request-Method: POST"], True, [405]),
    "WebSocket": ("GET / HTTP/1.1", ["Upgrade: websocket", "Sec-WebSocket-Version: 13"], True, [200]),
    "no HTTP": ("hello", [], True, [400]),
}


@pytest.mark.parametrize("case", RAW)
def test_odd_requests_over_the_wire(place, case):
    first, headers, host, expected = RAW[case]
    statuses, answer = raw(place, first, *headers, host=host)
    assert statuses == expected
    assert b"evil.example" not in answer
    assert b"\r\nserver:" not in answer.lower()
    assert b"set-cookie" not in answer.lower()
    assert expected == [400] or b"content-security-policy: default-src 'none';" in answer


def test_headers_without_end_are_not_read_to_their_end(place):
    with suppress(ConnectionError), socket.create_connection(("127.0.0.1", place.port), timeout=PATIENCE) as line:
        line.sendall(b"GET / HTTP/1.1\r\n")
        while True:  # until the server hangs up
            line.sendall(b"X: " + b"a" * 10_000 + b"\r\n")
    assert raw(place, "GET / HTTP/1.1")[0] == [200]


def json_headers(place, *more):
    return "Content-Type: application/json", f"Origin: {place.url}", *more


def chunked(*pieces):
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (*pieces, b""))


def test_a_body_in_chunks_is_counted_as_it_comes(place, browser):
    headers = json_headers(place, "Transfer-Encoding: chunked")
    statuses, answer = raw(place, "POST /echo HTTP/1.1", *headers, body=chunked(b'{"a": ', b"1}"))
    assert statuses == [200]
    assert answer.endswith(b'{"a": 1}')
    for pieces, status in ((64, 200), (65, 413), (2_000, 413)):
        content = (b"x" * 1024 for _ in range(pieces))
        answer = browser.post("/echo", content=content, headers={"content-type": "application/json"})
        assert answer.status_code == status


def test_a_body_that_says_it_is_long_is_refused_before_it_comes(place):
    statuses, _ = raw(place, "POST /echo HTTP/1.1", *json_headers(place, "Content-Length: 100000000"))
    assert statuses == [413]


def test_no_second_request_hides_in_a_body(place):
    hidden = f"GET /who HTTP/1.1\r\nHost: 127.0.0.1:{place.port}\r\nAuthorization: Bearer {ANN}\r\n\r\n".encode()
    headers = json_headers(place, "Content-Length: 4", "Transfer-Encoding: chunked")
    statuses, answer = raw(place, "POST /echo HTTP/1.1", *headers, body=chunked(b"") + hidden)
    assert len(statuses) == 1
    assert b"ann" not in answer
    headers = json_headers(place, "Content-Length: 4", "Content-Length: 400")
    assert raw(place, "POST /echo HTTP/1.1", *headers, body=b"{}  " + hidden)[0] == [400]


def test_a_link_is_exchanged_and_lets_a_browser_in(place, browser):
    assert browser.get("/who").status_code == 401
    answer = browser.post("/enter", json={"token": ANN})
    assert answer.json() == {"role": "rater"}
    assert browser.get("/who").json() == {"name": "ann"}
    assert ANN in str(browser.cookies)
    assert browser.head("/who").content == b""
    other = browser.get("/who", headers={"desk-rater": "bob"})
    assert (other.status_code, list(other.json())) == (403, ["error"])


def test_a_token_cannot_add_headers(place, browser):
    answer = browser.post("/enter", json={"token": "x\r\nSet-Cookie: rt-desk=1"})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


def wrong_tokens(url, host, count):
    """The statuses of requests that say they come from as many addresses."""
    found = []
    with httpx.Client(trust_env=False, timeout=PATIENCE) as client:
        for number in range(count):
            headers = {"host": host, "authorization": "Bearer wrong", "x-forwarded-for": f"192.0.2.{number}"}
            found.append(client.get(url, headers=headers).status_code)
    return found


def test_nobody_escapes_the_count_of_wrong_tokens_by_saying_he_is_another():
    with served() as place:
        assert wrong_tokens(place.url, place.url[7:], 7) == [401] * 5 + [429] * 2


def test_a_proxy_on_this_machine_says_who_is_wrong():
    with served(public_url="https://desk.example") as place:
        assert wrong_tokens(f"http://127.0.0.1:{place.port}", "desk.example", 7) == [401] * 7


def test_a_stream_comes_through_the_guard_as_it_is_written(browser):
    with browser.stream("GET", "/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        lines = answer.iter_lines()
        assert [next(lines) for _ in range(4)] == [": beat", "", ": beat", ""]


def test_nothing_is_logged(place, browser, capfd, caplog):
    browser.get("/nothing?token=secret", headers={"authorization": "Bearer wrong"})
    exchange(place, b"no HTTP\r\n\r\n")
    assert capfd.readouterr() == ("", "")
    assert not caplog.records


# How it ends.


def test_a_pause_ends_when_the_server_does():
    async def paused(stopping):
        short = await stopping.pause(0.001)
        asyncio.get_running_loop().call_later(0.01, stopping.begin)
        return short, await stopping.pause(PATIENCE), await stopping.pause(PATIENCE)

    assert asyncio.run(paused(Stopping())) == (False, True, True)


def test_what_was_asked_is_answered_before_the_end():
    stopping, listens, asked = Stopping(), threading.Event(), threading.Event()

    async def app(scope, receive, send):
        asked.set()
        while not stopping:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        await PlainTextResponse("saved")(scope, receive, send)

    with bind() as bound:
        ready = lambda url: listens.set()  # noqa: E731
        thread = threading.Thread(target=serve, args=(app, bound), kwargs={"ready": ready, "stopping": stopping})
        thread.start()
        assert listens.wait(PATIENCE)
        stopper = threading.Thread(target=lambda: asked.wait(PATIENCE) and stopping.begin())
        stopper.start()
        assert httpx.get(bound.place.url, trust_env=False, timeout=PATIENCE).text == "saved"
        thread.join(PATIENCE)
        stopper.join(PATIENCE)
    assert not thread.is_alive()


CHILD = """
import asyncio, json, signal, sys
from ringtrue.cli._terminal import check, listen
from ringtrue.desk._serve import Stopping, bind, serve

heed, again, ignored = json.loads(sys.argv[1])
# A shell's background job ignores Ctrl-C and hands that down.
signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.default_int_handler)
for kind in (signal.SIGTERM, signal.SIGHUP):  # whoever runs the tests may ignore them, as nohup does
    signal.signal(kind, signal.SIG_DFL)
listen()
stopping = Stopping()

async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
    while not (heed and stopping):
        await send({"type": "http.response.body", "body": b": beat\\n\\n", "more_body": True})
        await asyncio.sleep(0.02)
        if again and stopping:
            signal.raise_signal(signal.SIGINT)
    await send({"type": "http.response.body", "body": b"", "more_body": False})

before = signal.getsignal(signal.SIGINT)
with bind() as bound:
    serve(app, bound, ready=lambda url: print(url, flush=True), stopping=stopping)
check()
print("returned", signal.getsignal(signal.SIGINT) is before, flush=True)
"""


@contextmanager
def child(*, heed=True, again=False, ignored=False):
    """A server in a process of its own with three streams open; those that do not heed never end by themselves."""
    command = [sys.executable, "-X", "dev", "-c", CHILD, json.dumps([heed, again, ignored])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        lines = []
        try:
            port = int(process.stdout.readline().rsplit(":", 1)[1])
            lines = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(3)]
            for line in lines:
                line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                assert line.recv(100).startswith(b"HTTP/1.1 200")
            yield process
            said, complained = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
            for line in lines:
                line.close()
    assert (said, complained, process.returncode) == ("returned True\n", "", 0)


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_though_streams_are_open(kind):
    with child() as process:
        process.send_signal(kind)


def test_a_stream_that_does_not_end_is_cut_off():
    with child(heed=False) as process:
        process.send_signal(signal.SIGINT)


def test_a_second_ctrl_c_shows_no_traceback_either():
    with child(heed=False, again=True) as process:
        process.send_signal(signal.SIGINT)


def test_a_signal_that_was_told_to_be_ignored_stays_ignored():
    with child(ignored=True) as process:
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)


def test_requests_that_stand_still_do_not_hold_the_end():
    with served() as place:
        lines = [socket.create_connection(("127.0.0.1", place.port), timeout=PATIENCE) for _ in range(3)]
        headers = f"Host: 127.0.0.1:{place.port}\r\nContent-Type: application/json\r\nOrigin: {place.url}\r\n"
        lines[0].sendall(b"GET / HT")
        lines[1].sendall(f"POST /echo HTTP/1.1\r\n{headers}Content-Length: 10\r\n\r\n{{".encode())
    for line in lines:
        with line:
            line.recv(1000)  # the server has hung up: nothing here waits for ever
