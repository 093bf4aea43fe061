"""Stands between a model and a server: passes requests on, keeps them, and lets some fail as it is told."""

import http.client
import json
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from support.patience import PATIENCE
from support.services import Server

_HOP = {"connection", "transfer-encoding", "content-length", "date", "server", "host", "accept-encoding"}


class Proxy:
    """What went through, and what is to fail: `faults` gives for a request's number (from 0) what is done instead."""

    def __init__(self, target, faults):
        self.target, self.faults = urlsplit(target), faults
        self.exchanges, self.numbers, self.written = [], 0, 0
        self.lock, self.gone = threading.Lock(), threading.Event()

    def fault(self):
        with self.lock:
            number = self.numbers
            self.numbers += 1
        return self.faults(number)

    def passed_on(self, method, path, headers, body):
        """Ask the server itself; returns status, headers and body."""
        line = http.client.HTTPConnection(self.target.hostname, self.target.port, timeout=PATIENCE)
        try:
            line.request(
                method, path, body or None, {name: headers[name] for name in headers if name.lower() not in _HOP}
            )
            answer = line.getresponse()
            content = answer.read()
        finally:
            line.close()
        told = {name.lower(): value for name, value in answer.getheaders() if name.lower() not in _HOP}
        sent = json.loads(body) if body else None
        self.exchanges.append({"method": method, "path": path, "sent": sent, "status": answer.status, "headers": told,
                               "body": content.decode()})  # fmt: skip
        return answer.status, told, content


@contextmanager
def proxy(target, faults=lambda number: None):
    """A proxy before an address, until the end; yields its address and itself."""
    made = Proxy(target, faults)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            fault = made.fault()
            with suppress(OSError):  # who asked may hang up
                if fault is None:
                    self.reply(*made.passed_on(self.command, self.path, self.headers, body))
                else:
                    fault(self, lambda: made.passed_on(self.command, self.path, self.headers, body))

        def do_GET(self):
            self.answer()

        def do_POST(self):
            self.answer()

        def reply(self, status, headers, content):
            self.begin(status, {**headers, "content-length": str(len(content))})
            self.send(content)

        def begin(self, status, headers):
            self.send_response_only(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def send(self, content):
            self.connection.sendall(content)
            with made.lock:
                made.written += len(content)

        def log_message(self, *_):
            pass

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        server.RequestHandlerClass.gone = made.gone
        try:
            yield f"http://127.0.0.1:{server.server_port}", made
        finally:
            made.gone.set()
            server.shutdown()
            thread.join(PATIENCE)


def refusal(status, headers=None, words="busy"):
    """Answer with a status in place of the server."""
    return lambda handler, _: handler.reply(status, headers or {}, words.encode())


def half(handler, ask):
    """Send the first half of what the server answers, and hang up."""
    status, headers, content = ask()
    handler.begin(status, {**headers, "content-length": str(len(content))})
    handler.close_connection = True
    handler.send(content[: len(content) // 2])


def slow(handler, ask):
    """Send what the server answers byte by byte, a byte now and then, until the test ends."""
    status, headers, content = ask()
    handler.begin(status, {**headers, "content-length": str(len(content))})
    handler.close_connection = True
    for place in range(len(content)):
        if handler.gone.wait(0.05):
            return
        handler.send(content[place : place + 1])


def silent(handler, _):
    """Say nothing until the test ends."""
    handler.close_connection = True
    handler.gone.wait(PATIENCE)


def endless(size):
    """Announce and send a body of so many bytes, as long as it is read."""

    def fault(handler, _):
        handler.begin(200, {"content-length": str(size)})
        handler.close_connection = True
        for _ in range(size // 65_536):
            handler.send(b" " * 65_536)

    return fault
