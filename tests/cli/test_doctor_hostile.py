"""`ringtrue doctor` on files made to do harm, in a fixed room of memory: one clear line each."""

import os
import struct
import subprocess
import sys
import zipfile
import zlib

import pytest

from support import PATIENCE

pytestmark = pytest.mark.slow  # each bomb goes off in a process of its own

ROOM = 3 * 2**30
"""Bytes of address space, of which numpy and DuckDB take a part for themselves."""

BOMB = 4 * 2**30
PIECE = 2**26

CHILD = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
from ringtrue.cli._main import run
sys.exit(run(["doctor", sys.argv[2]]))
"""


def refused(path):
    """Return the line with which the command refuses a file."""
    quiet = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # each thread reserves memory of its own
    ran = subprocess.run(
        [sys.executable, "-c", CHILD, str(ROOM), str(path)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, **quiet},
    )
    assert ran.returncode == 2, ran
    (line,) = ran.stderr.splitlines()
    assert ran.stdout == ""
    assert line.isprintable()
    return line.removeprefix("ringtrue: ")


def sparse(path, beginning=""):
    """A file of four gigabytes that takes no room on the disk."""
    path.write_text(beginning)
    with open(path, "r+b") as file:
        file.truncate(BOMB)
    return path


@pytest.mark.parametrize(
    ("name", "beginning", "why"),
    [
        ("pool.csv", "", "line 1 is longer than 64 MB: break it, or save the file as Parquet"),
        ("pool.csv", "id,x\n1,2\n", "line 3 is longer than 64 MB"),
        ("pool.tsv", "id\tx\r\n1\t", "line 2 is longer than 64 MB"),
        ("pool.jsonl", '{"id": 1}\n', "line 2 is longer than 64 MB"),
        ("log.json", "{", "is larger than 512 MB: write the log in parts"),
        ("claims.toml", "a = 1\n", "is larger than 4 MB: claims and spaces are written by hand"),
        ("notes.txt", "hello", "is nothing that is known here"),
        ("s.ringtrue", "hello", "s.ringtrue"),
        ("pool.npz", "", "cannot be read as arrays"),
        ("pool.parquet", "PAR1", "pool.parquet"),
    ],
)
def test_four_gigabytes(tmp_path, name, beginning, why):
    assert why in refused(sparse(tmp_path / name, beginning))


@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.toml"])
def test_a_million_lists_within_each_other(tmp_path, name):
    path = tmp_path / name
    path.write_text(("a = " if name.endswith("toml") else "") + "[" * 1_000_000)
    assert "within each other" in refused(path)


def deflated(size):
    """Return so many zeros, deflated."""
    pack = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    piece = pack.compress(bytes(PIECE)) + pack.flush(zlib.Z_FULL_FLUSH)
    return piece * (size // PIECE) + pack.flush()


def bomb(path, member, size):
    """A zip whose only member unpacks to so many bytes, and says that it is small."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(member, deflated(size))
    data = bytearray(path.read_bytes())
    for place, method, length in ((data.index(member.encode()), 22, 8), (data.rindex(member.encode()), 36, 22)):
        struct.pack_into("<H", data, place - method, zipfile.ZIP_DEFLATED)
        struct.pack_into("<L", data, place - length, 1000)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("name", "member"), [("x.npz", "a.npy"), ("x.xlsx", "[Content_Types].xml"), ("x.eval", "header.json")]
)
def test_a_zip_bomb(tmp_path, name, member):
    path = bomb(tmp_path / name, member, 4 * 2**30)
    assert path.stat().st_size < 10**7
    assert name in refused(path)


def test_what_is_not_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    assert "is not a regular file: copy it into a file" in refused(tmp_path / "pipe.csv")
    assert "/dev/zero: is not a regular file" in refused("/dev/zero")
