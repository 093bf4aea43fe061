"""Logs made to do harm, read by the command itself within a fixed room of memory: one clear line each."""

import json
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest

from logs.test_hostile import HEADER, archive
from logs.test_importers import FIXTURES, zstandard
from ringtrue.cli._main import run
from ringtrue.core import RingtrueError
from ringtrue.logs import _zip as limits
from ringtrue.logs import read_log
from support import PATIENCE

pytestmark = pytest.mark.slow  # each bomb goes off in a process of its own

ROOM = 2**30
"""Bytes of address space that the command has: half of what any of the bombs holds."""

BOMB = 2**31
PIECE = 2**25

CHILD = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
from ringtrue.cli._main import run
sys.exit(run(sys.argv[2:]))
"""


def refused(path, room=ROOM):
    """Return the line with which the command refuses a log, in a process that has no more memory than this."""
    command = [sys.executable, "-c", CHILD, str(room), "judges", "--from", str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 2, ran
    (line,) = ran.stderr.splitlines()
    assert ran.stdout == ""
    return line.removeprefix("ringtrue: ")


def test_the_room_is_what_it_says():
    script = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({ROOM},) * 2); bytearray({BOMB})"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.stderr.splitlines()[-1] == "MemoryError"


def bomb(path, packed, method, *, size):
    """Write a log of Inspect AI whose only sample is packed by this method and claims this size unpacked."""
    name = "samples/1_epoch_1.json"
    archive(path, {"header.json": HEADER, name: packed}, method=zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    place = data.rindex(name.encode())  # in the directory: the method stands 36 bytes before, the size 22
    struct.pack_into("<H", data, place - 36, method)
    struct.pack_into("<L", data, place - 22, size)
    path.write_bytes(data)
    return path


def deflated():
    """Return two gigabytes of zeros deflated, made of one piece that was flushed and repeated."""
    pack = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    piece = pack.compress(bytes(PIECE)) + pack.flush(zlib.Z_FULL_FLUSH)
    return piece * (BOMB // PIECE) + pack.flush()


MEMBER = "log.eval: member 'samples/1_epoch_1.json' is"
TOO_LARGE = f"{MEMBER} larger than 128 MB when it is decompressed: do not trust this file"


@pytest.mark.parametrize("size", [BOMB, 5])
def test_two_gigabytes_in_a_zip_whatever_size_it_claims(tmp_path, size):
    packed = deflated()
    assert len(zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, 3 * PIECE)) == 3 * PIECE, "more than a piece"
    path = bomb(tmp_path / "log.eval", packed, zipfile.ZIP_DEFLATED, size=size)
    assert path.stat().st_size < 3 * 10**6
    assert refused(path) == TOO_LARGE


@zstandard
@pytest.mark.parametrize("size", [BOMB, 5])
def test_two_gigabytes_of_zstandard_whatever_size_they_claim(tmp_path, size):
    import zstandard as library

    frame = library.ZstdCompressor().compress(bytes(PIECE))
    path = bomb(tmp_path / "log.eval", frame * (BOMB // PIECE), limits._ZSTANDARD, size=size)
    assert path.stat().st_size < 10**6
    assert refused(path) == TOO_LARGE


@zstandard
def test_a_frame_that_needs_a_window_of_two_gigabytes(tmp_path):
    """The window is memory that the packer asks for, before a single byte is unpacked."""
    import zstandard as library

    wide = library.ZstdCompressionParameters(window_log=31, compression_level=1)
    packer = library.ZstdCompressor(compression_params=wide).compressobj()
    packed = packer.compress(bytes(2**16)) + packer.flush()
    said = refused(bomb(tmp_path / "log.eval", packed, limits._ZSTANDARD, size=2**16))
    assert said.startswith(f"{MEMBER} damaged (")
    assert "Frame requires too much memory for decoding" in said


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("name", ["log.json", "log.jsonl"])
def test_a_million_lists_within_each_other(tmp_path, name, opening):
    path = tmp_path / name
    path.write_text(opening * 1_000_000)
    assert "(lists and objects lie within each other more than 100 deep): give the log as its" in refused(path)


SAMPLE = {"doc_id": 0, "doc": {}, "target": "", "resps": [], "filtered_resps": [], "acc": 1}


@pytest.mark.parametrize(
    ("name", "beginning", "said"),
    [
        ("log.jsonl", "", "log.jsonl: line 1 is longer than 64 MB: cut it"),
        ("log.jsonl", f"{json.dumps(SAMPLE)}\n", "log.jsonl: line 2 is longer than 64 MB: cut it"),
        ("log.json", "{", "log.json is larger than 512 MB: write the log in parts, or as JSON Lines"),
    ],
)
def test_a_line_of_two_gigabytes(tmp_path, name, beginning, said):
    """The file is sparse: it takes no room on the disk."""
    path = tmp_path / name
    path.write_text(beginning)
    with open(path, "r+b") as file:
        file.truncate(BOMB)
    assert refused(path) == said


EVIL = "\x1b[2J\x1b]0;owned\x07\r\n\u202erings true\u2066\x00\x7f\x9b31m\ud83d".encode("utf-8", "ignore").decode()
"""Clears the screen, names the window, breaks the line, turns the writing round."""

TEXTS = sorted(path for path in FIXTURES.iterdir() if path.suffix in (".json", ".jsonl"))


def with_evil(value, under):
    """Return a JSON value in which all texts under these keys end with EVIL, as do the keys in those objects."""
    if isinstance(value, list):
        return [with_evil(one, under) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: _poisoned(one) if key in under else with_evil(one, under) for key, one in value.items()}


def _poisoned(value):
    if isinstance(value, str):
        return value + EVIL
    if isinstance(value, list):
        return [_poisoned(one) for one in value]
    if isinstance(value, dict):
        return {key + EVIL: _poisoned(one) for key, one in value.items()}
    return value


def keys_of(value):
    """Return the keys of all objects within a JSON value."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value)) if value else set()
    return set(value) | keys_of(list(value.values())) if isinstance(value, dict) else set()


def size_of(path):
    """Return how many items and voters a log has; nothing if it is not read."""
    try:
        log = read_log(path)
    except RingtrueError:
        return None
    return len(log.items), len(log.voters)


@pytest.mark.parametrize("fixture", TEXTS, ids=lambda path: path.name)
def test_nothing_in_a_log_steers_a_terminal_or_makes_two_lines_of_one(fixture, tmp_path, monkeypatch, capsys):
    """Whatever text of a log can hold something evil does, as long as the log has its items and voters."""
    monkeypatch.chdir(tmp_path)
    lines = fixture.suffix == ".jsonl"
    values = [json.loads(one) for one in (fixture.read_text().splitlines() if lines else [fixture.read_text()])]
    path = Path(f"a\x1b[2J{fixture.suffix}")

    def write(under):
        path.write_text("".join(f"{json.dumps(with_evil(value, under))}\n" for value in values))

    under = set()
    for key in sorted(keys_of(values)):
        write(under | {key})
        under |= {key} if size_of(path) == size_of(fixture) else set()
    write(under)
    log = read_log(path)
    assert "\\x1b[2J" in repr(log.items)
    voters = [voter.name for voter in log.voters]
    for command in (
        ["judges", "--from", path],
        ["judges", "--from", path, "--of", log.models[0], "--judges", ",".join(voters[:3])],
        ["risk", "s", "--from", path, "--of", log.models[0], "--claim", "error <= 5%"],
        ["risk", "t", "--from", path, "--of", log.models[0], "--oracle", voters[0], "--claim", "error <= 5%"],
        ["changed", "u", "--from", path, "--to", path],
    ):
        arguments = [str(one).replace("\0", "") for one in command]
        code = run(arguments)
        said = capsys.readouterr()
        assert "unexpected" not in said.err, arguments
        assert code in (0, 1, 2, 3)
        for line in (said.out + said.err).split("\n"):
            assert line.isprintable(), (arguments, line)
            assert not line.startswith("rings true")
