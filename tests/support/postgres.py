"""A PostgreSQL server of the tests' own: in a temporary folder, reached by a socket there, ended with the tests."""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from glob import glob
from pathlib import Path

from support.patience import PATIENCE

NOBODY = 65_534
"""The server refuses to be run by root; where the tests are, it is run by this user."""


def programs():
    """Return the folder of the server's programs, or None where there is none."""
    found = shutil.which("initdb")
    folders = [os.path.dirname(os.path.realpath(found))] if found else []
    folders += sorted(glob("/usr/lib/postgresql/*/bin"), reverse=True)
    return next((folder for folder in folders if Path(folder, "pg_ctl").exists()), None)


class Server:
    """A server, which can be stopped and started again."""

    def __init__(self, folder):
        self.folder = folder
        self.data, self.log = folder / "data", folder / "log"

    def call(self, program, *arguments):
        """Run one of the server's programs as a user who may."""
        command = [str(Path(programs(), program)), *map(str, arguments)]
        if os.getuid() == 0:
            command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *command]
        return subprocess.run(
            command, check=True, cwd=self.folder, timeout=PATIENCE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )

    def start(self, **settings):
        """Start it, with these settings beside its usual ones."""
        usual = {"listen_addresses": "''", "unix_socket_directories": f"'{self.folder}'", "max_connections": 60}
        options = " ".join(f"-c {name}={value}" for name, value in {**usual, **settings}.items())
        self.call("pg_ctl", "-D", self.data, "-l", self.log, "-o", options, "-t", PATIENCE, "-w", "start")

    def restart(self, mode="immediate"):
        """Stop it as a crash would, and start it again with the settings that it had."""
        self.call("pg_ctl", "-D", self.data, "-l", self.log, "-t", PATIENCE, "-w", "-m", mode, "restart")

    def stop(self):
        """Stop it."""
        self.call("pg_ctl", "-D", self.data, "-t", PATIENCE, "-w", "-m", "immediate", "stop")

    def address(self, database="postgres", user="owner", host=None):
        """Return the address of one of its databases; `host` is the folder of another socket that leads to it."""
        return f"postgresql://{user}@/{database}?host={host or self.folder}"

    def run(self, *statements, database="postgres", user="owner"):
        """Run statements, and return the rows of the last."""
        import psycopg

        with psycopg.connect(self.address(database, user), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []


@contextmanager
def serving():
    """Give a server that runs."""
    # Of its own under /tmp: the name of a socket has 107 letters at most, and folders of pytest are for their owner.
    with tempfile.TemporaryDirectory(prefix="rt-pg-") as name:
        folder = Path(name)
        if os.getuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        server = Server(folder)
        server.call("initdb", "-D", server.data, "-A", "trust", "-U", "owner", "--locale=C", "-E", "UTF8", "--no-sync")
        server.start()
        try:
            server.run("CREATE DATABASE test")
            yield server
        finally:
            server.stop()
