"""A wire to a server's socket that can be cut: a statement comes through, and the server's reply to it is lost."""

import os
import shutil
import socket
import tempfile
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

_NAME = ".s.PGSQL.5432"
_READY = b"Z\x00\x00\x00\x05I"
"""The server's last words after a transaction is over."""


class Wire:
    """Stands between clients and a server, on a socket in a folder of its own."""

    def __init__(self, server, folder):
        self.folder, self._to = folder, os.fspath(server / _NAME)
        self._awaited = None
        self.cuts = 0
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(os.fspath(folder / _NAME))
        self._door.listen()
        self._ends = [self._door]
        threading.Thread(target=self._let_in, daemon=True).start()

    def cut(self, word=b"INSERT INTO", *, before=False):
        """Lose the end of the next transaction with this word, which the server has come to; `before`: the word itself.

        So the reply to a commit is lost, or a statement that never arrives.
        """
        self._awaited = word, before

    def close(self):
        """End all connections."""
        for end in self._ends:
            _end(end)

    def _let_in(self):
        with suppress(OSError):
            while True:
                client, _ = self._door.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._to)
                self._ends += [client, server]
                seen = threading.Event()
                for run in (self._to_server, self._to_client):
                    threading.Thread(target=run, args=(client, server, seen), daemon=True).start()

    def _to_server(self, client, server, seen):
        with suppress(OSError):
            while data := client.recv(65_536):
                if self._awaited is not None and self._awaited[0] in data:
                    if self._awaited[1]:
                        self._note_cut()
                        break
                    seen.set()
                server.sendall(data)
        _end(client)
        _end(server)

    def _to_client(self, client, server, seen):
        with suppress(OSError):
            while data := server.recv(65_536):
                if seen.is_set() and data.endswith(_READY):
                    self._note_cut()
                    break
                client.sendall(data)
        _end(client)
        _end(server)

    def _note_cut(self):
        self._awaited = None
        self.cuts += 1


def _end(end):
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def wire_to(server):
    """Give a wire to the server whose socket lies in this folder."""
    folder = Path(tempfile.mkdtemp(prefix="rt-wire-"))
    wire = Wire(server, folder)
    try:
        yield wire
    finally:
        wire.close()
        shutil.rmtree(folder)
