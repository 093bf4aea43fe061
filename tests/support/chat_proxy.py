"""A proxy in front of a real chat service that counts requests and fails some of them as it is told."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import httpx

from support.patience import PATIENCE
from support.services import Server


class Account:
    """What passed through: the bodies in their order, and how many the service answered with success."""

    def __init__(self):
        self.bodies, self.headers, self.answered = [], [], 0
        self._lock = threading.Lock()

    def note(self, body, headers):
        """Count a request; returns its number, from 1."""
        with self._lock:
            self.bodies.append(body)
            self.headers.append(headers)
            return len(self.bodies)

    def succeed(self):
        with self._lock:
            self.answered += 1


@contextmanager
def proxy(address, meddle=lambda number, body: None):
    """Pass requests on to `address`; `meddle(number, body)` may return (status, headers, content) to say instead.

    It may also return a function of the service's own answer, as JSON, which changes it. Yields the address of chats
    and the account.
    """
    account = Account()
    client = httpx.Client(timeout=PATIENCE, trust_env=False)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            sent = self.rfile.read(int(self.headers["content-length"]))
            body = json.loads(sent)
            said = meddle(account.note(body, dict(self.headers)), body)
            if isinstance(said, tuple):
                return self._send(*said)
            real = client.post(address + self.path, content=sent, headers={"Content-Type": "application/json"})
            content = real.content if said is None else json.dumps(said(real.json())).encode()
            if real.is_success:
                account.succeed()
            return self._send(real.status_code, {}, content)

        def _send(self, status, headers, content):
            self.send_response_only(status)  # without a date of its own: a test may send one
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    with client, Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1/chat/completions", account
        finally:
            server.shutdown()
            thread.join(PATIENCE)
