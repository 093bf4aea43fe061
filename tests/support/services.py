"""A model behind an address, for tests: a real server on this machine that answers as it is told."""

import json
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ringtrue.models import _patience
from support.patience import PATIENCE

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


class Server(ThreadingHTTPServer):
    """One that is silent about those who hang up before they are answered: it may outlive the test by a moment."""

    def handle_error(self, *_):
        pass


@contextmanager
def raw_service(talk):
    """A server that reads a request and then does `talk(send, gone)`: byte by byte, until `gone` is set at the end."""
    gone = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            self.close_connection = True
            with suppress(OSError):  # who asked may hang up
                talk(self.connection.sendall, gone)

        def log_message(self, *_):
            pass

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            gone.set()
            server.shutdown()
            thread.join(PATIENCE)


class Unhurried:
    """Clocks that only a sleep moves, and a chance that is always half: what would take minutes takes none."""

    def __init__(self):
        self.time, self.pauses = 0.0, []

    def sleep(self, seconds):
        self.pauses.append(seconds)
        self.time += seconds

    def waiting(self):
        return _patience.Waiting(
            sleep=self.sleep, clock=lambda: self.time, now=lambda: 1e9 + self.time, chance=lambda: 0.5
        )


def unhurried(monkeypatch):
    """Have every service waited for without waiting; returns what the pauses were."""
    made = Unhurried()
    monkeypatch.setattr(_patience, "WAITING", made.waiting())
    return made


@contextmanager
def service(reply):
    """A server whose `reply(rows)` gives (status, body or text, headers); yields its address and what it was sent."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
            seen.append((self.path, dict(self.headers), sent))
            status, body, headers = reply(sent["instances"])
            content = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1/models/mood:predict", seen
        finally:
            server.shutdown()
            thread.join(PATIENCE)


@contextmanager
def played(answer):
    """A server whose `answer(method, path, sent)` gives (status, headers, text); yields its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def respond(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            status, headers, text = answer(self.command, self.path, json.loads(body) if body else None)
            self.send_response_only(status)
            for name, value in {**headers, "content-length": str(len(text.encode()))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text.encode())

        def do_GET(self):
            self.respond()

        def do_POST(self):
            self.respond()

        def log_message(self, *_):
            pass

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join(PATIENCE)
