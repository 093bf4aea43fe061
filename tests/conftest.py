"""Settings for all tests."""

import atexit
import gc
import os
import shutil
import signal
import tempfile

import pytest
from hypothesis import settings

from support import connections
from support.undrawn import without_drawings, without_layout

gc.disable()  # until all tests are collected: nothing of what that makes is garbage, and looking for it takes seconds


def folder_in_memory():
    """Return a folder in memory with room for all tests, if this machine has one.

    A study waits for the disk at each answer, which only matters where the power may fail, and no test can cut it.
    """
    folder = "/dev/shm"
    if not os.access(folder, os.W_OK | os.X_OK) or os.statvfs(folder).f_flag & os.ST_NOEXEC:
        return None
    return folder if shutil.disk_usage(folder).free > 4 * 2**30 else None


if "TMPDIR" not in os.environ and (memory := folder_in_memory()):
    os.environ["TMPDIR"] = tempfile.tempdir = memory

# A shell's background job ignores Ctrl-C, and so would every process that a test starts and ends by it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# What tests let studies run is remembered in a folder of theirs, not in the home of whoever runs them.
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="ringtrue-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_CONFIG_HOME"], ignore_errors=True)

# The same examples every time, and no clock, so that a red run is the change's own fault.
# HYPOTHESIS_PROFILE=default looks further.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


connections.watch()


@pytest.fixture(autouse=True)
def no_database_left_open():
    """Fail a test that leaves a study or a journal open; it is set up first and so looks last."""
    with connections.none_left_open():
        yield


@pytest.fixture(scope="session")
def llama(tmp_path_factory):
    """The address of a real chat service, llama.cpp's own server with a model of random weights."""
    for package in ("xllamacpp", "gguf"):
        pytest.importorskip(package, reason=f"{package} is not installed: no chat service of llama.cpp here")
    from support.llama import serving

    with serving(tmp_path_factory.mktemp("llama")) as address:
        yield address


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server of the tests' own."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: no journal in PostgreSQL here")
    from support.postgres import programs, serving

    if programs() is None:
        pytest.skip("PostgreSQL is not installed: neither initdb on the PATH nor under /usr/lib/postgresql")
    with serving() as server:
        yield server


@pytest.fixture
def database(postgres):
    """The address of a database that holds nothing yet; made empty again, which is quicker than a new one."""
    yield postgres.address("test")
    postgres.run("DROP SCHEMA IF EXISTS ringtrue CASCADE", "ALTER DATABASE test RESET ALL", database="test")


@pytest.fixture
def undrawn():
    """Leave the drawings out of the pages of this test, which reads their words."""
    with without_drawings():
        yield


@pytest.fixture
def unlaid():
    """Draw without a layout in this test, which reads the words of drawings and not where they stand."""
    with without_layout():
        yield


_BESIDE = tuple(os.path.join(os.path.dirname(__file__), name) for name in ("papers", "casestudies", "benchmarks"))
"""What no verb uses: published numbers, the papers' experiments and the comparisons with other methods."""


def pytest_ignore_collect(collection_path, config):
    """Import nothing of what no verb uses where slow tests are left out anyway."""
    return True if config.option.markexpr.startswith("not slow") and str(collection_path).startswith(_BESIDE) else None


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items):
    """Leave what no verb uses to the slow tests, which CI runs after the others."""
    for item in items:
        if str(item.path).startswith(_BESIDE):
            item.add_marker("slow")


def pytest_collection_finish():
    """Leave the thousands of collected tests out of every later search for garbage, and search seldom.

    A search through them takes half a second; and Python begins one whenever 700 more things were made than freed.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
