"""Stands between browsers and a desk, and keeps every byte that goes either way."""

import socket
import threading
from contextlib import contextmanager, suppress

from support import PATIENCE


class Relay:
    """Passes bytes on from a port of its own to the desk's."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._answered, self._threads, self._lines = [], [], []

    def to(self, port):
        """Begin to pass on."""
        self._begin(self._accept, port)

    def _begin(self, act, *given):
        self._threads.append(threading.Thread(target=act, args=given))
        self._threads[-1].start()

    def _accept(self, port):
        with suppress(OSError):  # until the listener is closed
            while True:
                browser, _ = self._listener.accept()
                self._lines.append(browser)
                desk = socket.create_connection(("127.0.0.1", port))
                self._lines.append(desk)
                self._answered.append(bytearray())
                self._begin(self._pump, browser, desk, bytearray())
                self._begin(self._pump, desk, browser, self._answered[-1])

    @staticmethod
    def _pump(source, target, kept):
        with suppress(OSError):
            while part := source.recv(65_536):
                kept += part
                target.sendall(part)
            target.shutdown(socket.SHUT_WR)

    def taken(self):
        """Return what came from the desk since this was called last, for each connection."""
        found = [bytes(one) for one in self._answered]
        for one in self._answered:
            one.clear()
        return found

    def close(self):
        """End all connections."""
        for line in (self._listener, *self._lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()
        for thread in self._threads:
            thread.join(PATIENCE)


@contextmanager
def relayed():
    """A relay that is closed in the end."""
    relay = Relay()
    try:
        yield relay
    finally:
        relay.close()
