"""A log may come from a stranger: it is read within limits, never unpacked, and refused in one line."""

import json
import os
import struct
import sys
import zipfile
import zlib

import pytest

from logs.test_importers import FIXTURES, raised, zstandard
from ringtrue.logs import _bounded as bounded
from ringtrue.logs import _zip as limits
from ringtrue.logs import read_log

HEADER = json.dumps({"version": 2, "status": "success", "eval": {"task": "t"}})


def archive(path, members, *, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return path


@pytest.mark.parametrize("name", ["log.json", "log.jsonl"])
@pytest.mark.parametrize("text", ["[" * 1_000_000, '{"a":' * 1_000_000, "[" * 200 + "]" * 200])
def test_a_million_lists_within_each_other(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    assert "lists and objects lie within each other more than 100 deep" in raised(path)


def test_deep_json_within_a_zip(tmp_path):
    path = archive(tmp_path / "log.eval", {"header.json": HEADER, "samples/1_epoch_1.json": "[" * 1_000_000})
    assert "member 'samples/1_epoch_1.json' is not JSON that can be read (lists and objects lie" in raised(path)


def test_a_zip_bomb(tmp_path):
    bomb = b"0" * (limits.MEMBER + 1)
    path = archive(tmp_path / "log.eval", {"header.json": HEADER, "samples/1_epoch_1.json": bomb})
    assert path.stat().st_size < 10**6
    where = "log.eval: member 'samples/1_epoch_1.json'"
    assert raised(path) == f"{where} is larger than 128 MB when it is decompressed: do not trust this file"


def test_a_zip_bomb_that_lies_about_its_size(tmp_path, monkeypatch):
    """The size in the directory is a stranger's word: what counts is what comes out."""
    monkeypatch.setattr(limits, "MEMBER", 10_000)
    path = archive(tmp_path / "log.eval", {"header.json": HEADER, "samples/1_epoch_1.json": b"0" * 50_000})
    data = path.read_bytes()
    path.write_bytes(data.replace(struct.pack("<L", 50_000), struct.pack("<L", 5)))
    assert "is larger than 0 MB when it is decompressed" in raised(path)


def test_many_small_members_are_no_way_around(tmp_path, monkeypatch):
    sample = json.dumps({"id": 1, "input": "x" * 1000})
    path = archive(tmp_path / "log.eval", {"header.json": HEADER, **{f"samples/{n}.json": sample for n in range(9)}})
    read_log(path)
    monkeypatch.setattr(limits, "TOTAL", 5000)
    assert "holds more than 0 GB when it is decompressed" in raised(path)
    monkeypatch.setattr(limits, "MEMBERS", 5)
    assert "has 10 members, and 5 are read at most" in raised(path)


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "samples/../../x.json", "..\\x.json", "C:\\x.json", "\\\\host\\x.json"]
)
def test_a_member_that_leads_elsewhere(tmp_path, name):
    path = archive(tmp_path / "log.eval", {"header.json": HEADER, name: "{}"})
    line = raised(path)
    assert "has a member that leads elsewhere" in line
    assert "do not trust this file" in line
    assert os.listdir(tmp_path) == ["log.eval"]


def test_a_member_that_is_there_twice(tmp_path):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.json", HEADER)
        with pytest.warns(UserWarning, match="Duplicate"):
            file.writestr("header.json", HEADER)
    assert raised(path) == "log.eval has the member 'header.json' twice: do not trust this file"


def test_a_damaged_zip(tmp_path):
    path = archive(tmp_path / "log.eval", {"header.json": HEADER}, method=zipfile.ZIP_STORED)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"success", b"nothing"))
    assert raised(path) == "log.eval: member 'header.json' is damaged (its checksum is another): copy the log again"
    path.write_bytes(data[:40])
    assert "is a zip that cannot be read" in raised(path)
    archive(path, {"header.json": HEADER}, method=zipfile.ZIP_LZMA)
    assert "the method of compression 14 is unknown" in raised(path)


def test_another_zip_is_not_a_log(tmp_path):
    assert "is not a log of a tool that is known" in raised(archive(tmp_path / "a.zip", {"a.txt": "hello"}))


@zstandard
def test_every_cut_of_a_real_log_is_refused_in_one_line(tmp_path):
    whole = (FIXTURES / "inspect_ai.eval").read_bytes()
    path = tmp_path / "log.eval"
    for size in range(1, len(whole), 501):
        path.write_bytes(whole[:size])
        assert "\n" not in raised(path)


@zstandard
def test_a_member_of_several_frames_is_read_to_its_end(tmp_path):
    import zstandard as library

    pack = library.ZstdCompressor().compress
    sample = json.dumps({"id": "a", "input": "x" * 5000, "scores": {"s": {"value": "C"}}}).encode()
    framed = pack(sample[:100]) + pack(sample[100:])
    path = archive(tmp_path / "log.eval", {"header.json": HEADER, "samples/1.json": framed}, method=zipfile.ZIP_STORED)
    data = path.read_bytes()
    stored, size = struct.pack("<L", zlib.crc32(framed)), struct.pack("<LL", len(framed), len(framed))
    data = data.replace(stored + size, struct.pack("<LLL", zlib.crc32(sample), len(framed), len(sample)))
    name = data.rindex(b"samples/1.json")  # in the directory, where the method stands 36 bytes before
    data = data[: name - 36] + struct.pack("<H", 93) + data[name - 34 :]
    path.write_bytes(data)
    assert len(read_log(path).items[0].inputs["input"]) == 5000


def test_without_zstandard_the_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    assert raised(FIXTURES / "inspect_ai.eval") == (
        "inspect_ai.eval is compressed with zstandard, which is not installed: pip install 'ringtrue[logs]', or write "
        "the log as JSON"
    )


def test_a_huge_line_and_a_huge_file(tmp_path, monkeypatch):
    monkeypatch.setattr(bounded, "LONGEST", 1000)
    monkeypatch.setattr(bounded, "LARGEST", 1000)
    lines, whole = tmp_path / "log.jsonl", tmp_path / "log.json"
    lines.write_text('{"doc_id": 1}\n' + json.dumps({"a": "x" * 2000}))
    assert "is not a log of a tool" in raised(lines)
    lines.write_text(json.dumps({"a": "x" * 2000}))
    assert raised(lines) == "log.jsonl: line 1 is longer than 0 MB: cut it"
    whole.write_text(json.dumps({"a": "x" * 2000}))
    assert raised(whole) == "log.json is larger than 0 MB: write the log in parts, or as JSON Lines"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is empty: give the log of a run"),
        (b"\xff\xfe{}", "is not UTF-8 text"),
        (b'{"a": }', "is not JSON that can be read (Expecting value at line 1, column 7)"),
        (b'{"a": "\\ud800"}', "has half a character"),
        (b"1" * 5000, "a whole number has more digits than Python reads"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path, data, why):
    path = tmp_path / "log.json"
    path.write_bytes(data)
    assert why in raised(path)


def test_what_is_not_a_file_is_refused(tmp_path):
    assert "is a directory" in raised(tmp_path)
    assert "no such file" in raised(tmp_path / "none.json")
    os.mkfifo(tmp_path / "pipe.json")
    assert "is not a regular file" in raised(tmp_path / "pipe.json")
