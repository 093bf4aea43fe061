"""The journal in PostgreSQL behind PgBouncer, which gives each transaction another session of the server."""

import os
import shutil
import subprocess
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from ringtrue import Risk, Study
from ringtrue.core import JournalUnusable
from ringtrue.journal import PostgresJournal
from ringtrue.testing import JournalConformance
from support.makers import make_pool
from support.patience import PATIENCE
from support.postgres import NOBODY

PORT = 6432
SETTINGS = """
[databases]
test = host={server} port=5432 dbname=test user=owner
[pgbouncer]
listen_addr =
listen_port = {port}
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 200
logfile = {folder}/log
"""


@pytest.fixture(scope="module")
def proxy(postgres):
    """Give the folder of the socket of a proxy with three sessions for all."""
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("PgBouncer is not installed: Debian's package is pgbouncer")
    with tempfile.TemporaryDirectory(prefix="rt-pool-") as name:
        folder = Path(name)
        settings = folder / "settings"
        settings.write_text(SETTINGS.format(server=postgres.folder, folder=folder, port=PORT))
        command = [program, str(settings)]
        if os.getuid() == 0:
            for path in (folder, settings):
                os.chown(path, NOBODY, NOBODY)
            command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *command]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            until = time.monotonic() + PATIENCE
            while not (folder / f".s.PGSQL.{PORT}").exists() and time.monotonic() < until:
                assert process.poll() is None, (folder / "log").read_text()
                time.sleep(0.02)
            yield folder
        finally:
            process.terminate()
            process.wait(PATIENCE)


@pytest.fixture
def address(proxy, database):
    """The address of the empty database, through the proxy."""
    assert database
    return f"postgresql://owner@/test?host={proxy}&port={PORT}"


class TestBehindAPoolingProxy(JournalConformance):
    @pytest.fixture(autouse=True)
    def _address(self, address):
        self.address = address

    def open(self, place):
        assert place
        return PostgresJournal(self.address, create=True)


def test_a_study_is_made_run_and_opened_again(address, tmp_path):
    pool = make_pool(tmp_path / "pool.csv", 60, 3)
    how = {"question": Risk("error <= 20% at 95%"), "pool": pool, "model": "predicted", "journal": address}
    with Study.create("loans", **how) as study:
        found = study.run("truth")
    with Study.open("loans", journal=address) as again:
        assert str(again.finding()) == str(found)


def test_the_proxy_really_gives_other_sessions(address):
    """Else the tests above would say nothing: two transactions of one connection, with others between them."""
    with closing(PostgresJournal(address, create=True)) as journal:
        others = [PostgresJournal(address) for _ in range(4)]
        seen = set()
        for one in [journal, *others] * 5:
            seen.add(one._link.run("SELECT pg_backend_pid()")[0][0])
            with suppress(JournalUnusable):
                one.append("s", one.history("s").events, [("note", {})])
        for one in others:
            one.close()
    assert len(seen) <= 3, "five connections, three sessions at most"
