"""Files that are made to harm or were damaged: refused in one line, before memory is needed."""

import io
import json
import struct
import zipfile
import zlib

import numpy as np
import pytest

from ringtrue.core import InvalidInput, read_json
from ringtrue.pools import ImagePool, TablePool, _memory, read_pool


def refused(call, *words):
    with pytest.raises(InvalidInput) as caught:
        call()
    line = str(caught.value)
    assert "\n" not in line
    assert len(line) < 400, "a line that can be read"
    for word in words:
        assert word in line, line


def header(shape, dtype="<f8"):
    """The beginning of an .npy file that claims this shape."""
    text = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape}, }}"
    text = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def npz(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name.replace("_npy", ".npy"), content)
    return path


def saved(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_an_npz_is_read_as_ever(tmp_path):
    np.savez_compressed(
        tmp_path / "a.npz", x=np.arange(4.0), name=np.array(["a", "b", "c", "d"]), image=np.ones((4, 2, 2))
    )
    pool = read_pool(tmp_path / "a.npz")
    assert (pool.size, pool.columns) == (4, ("x", "name", "image"))
    assert pool.take([3]).columns["name"].tolist() == ["d"]


WRONG = {
    "a header of 10^15 items": (
        {"x_npy": header("(1000000000000000,)") + b"1" * 64},
        ["shape (1000000000000000,)", "64"],
    ),
    "a product beyond 64 bits": ({"x_npy": header("(4294967296, 4294967296, 4)")}, ["damaged"]),
    "a negative side": ({"x_npy": header("(-1,)")}, ["damaged"]),
    "fewer bytes than it says": ({"x_npy": saved(np.arange(9.0))[:-8]}, ["shape (9,)", "72 bytes", "holds 64"]),
    "no array": ({"readme.txt": b"hello"}, ["'readme.txt' is not an array", "numpy.savez"]),
    "no array by its bytes": ({"x_npy": b"hello"}, ["'x.npy' is not an array"]),
    "nothing in it": ({"x_npy": b""}, ["'x.npy' is not an array"]),
    "a header that is code": ({"x_npy": header("__import__('os')")}, ["cannot be read as arrays"]),
    "a single value": ({"x_npy": saved(np.float64(3))}, ["single value"]),
    "objects": ({"x_npy": header("(1,)", "|O")}, ["Python objects", "not safe"]),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_npz_that_cannot_be_right(tmp_path, case):
    members, words = WRONG[case]
    path = npz(tmp_path / "a.npz", **members)
    refused(lambda: read_pool(path), "a.npz", *words)


def test_an_npz_that_is_one_array_or_damaged(tmp_path):
    path = tmp_path / "a.npz"
    path.write_bytes(saved(np.arange(4)))
    refused(lambda: read_pool(path), "a.npz", "a single array", "numpy.savez")
    whole = npz(path, x_npy=saved(np.arange(200.0))).read_bytes()
    lines = []
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        try:
            read_pool(path)
        except InvalidInput as error:
            lines.append(str(error))
    assert len(lines) > 20
    assert not any("\n" in line for line in lines)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("x.npy", saved(np.arange(3)))
        with pytest.warns(UserWarning, match="Duplicate"):
            file.writestr("x.npy", saved(np.arange(3)))
    refused(lambda: read_pool(path), "two arrays are named 'x'")


def test_arrays_that_memory_cannot_hold_are_not_loaded(tmp_path, monkeypatch):
    path = npz(tmp_path / "a.npz", x_npy=saved(np.zeros(100_000)))
    assert path.stat().st_size < 2_000, "a bomb: 400 times as large as its file"
    monkeypatch.setattr(_memory, "allowed", lambda: 500_000)
    refused(lambda: read_pool(path), "a.npz", "1 array", "0.8 MB of memory", "a part of the items")


MACHINE = {"proc/meminfo": "MemTotal:       9000 kB\nMemFree:         200 kB\nMemAvailable:    8000 kB\n"}
OUTSIDE = "4:cpu,memory:/docker/0123\n1:name=systemd:/docker/0123\n0::/\n"
LEFT = {
    "no group at all": ({}, 8_192_000),
    "groups without a limit": (
        {"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.current": "5\n"},
        8_192_000,
    ),
    "version 2": (
        {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "6000\n", "sys/fs/cgroup/memory.current": "4000\n"},
        2_000,
    ),
    "version 2, of which copies of files give way": (
        {
            "proc/self/cgroup": "0::/\n",
            "sys/fs/cgroup/memory.max": "6000\n",
            "sys/fs/cgroup/memory.current": "5900\n",
            "sys/fs/cgroup/memory.stat": "anon 400\ninactive_file 5000\nactive_file 500\n",
        },
        5_100,
    ),
    "version 2, the limit is that of the group around": (
        {
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/b/memory.max": "max\n",
            "sys/fs/cgroup/a/memory.max": "3000\n",
            "sys/fs/cgroup/a/memory.current": "1000\n",
        },
        2_000,
    ),
    "version 2, more is taken than the limit is now": (
        {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "6000\n", "sys/fs/cgroup/memory.current": "7000\n"},
        0,
    ),
    "version 2, more than the machine has left": (
        {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "9000000\n", "sys/fs/cgroup/memory.current": "1\n"},
        8_192_000,
    ),
    "version 1": (
        {
            "proc/self/cgroup": "4:cpu,memory:/jobs\n0::/\n",
            "sys/fs/cgroup/memory/jobs/memory.limit_in_bytes": "7000\n",
            "sys/fs/cgroup/memory/jobs/memory.usage_in_bytes": "3000\n",
            "sys/fs/cgroup/memory/jobs/memory.stat": "inactive_file 1\ntotal_inactive_file 2000\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        },
        6_000,
    ),
    "version 1, in a container that is told its path outside": (
        {
            "proc/self/cgroup": OUTSIDE,
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "7000\n",
            "sys/fs/cgroup/memory/memory.usage_in_bytes": "1000\n",
        },
        6_000,
    ),
    "what cannot be read": (
        {"proc/self/cgroup": "nonsense\n0\n::\n0::/\n", "sys/fs/cgroup/memory.max": "-3"},
        8_192_000,
    ),
}
"""Files of a system, and the bytes that are left."""


@pytest.mark.parametrize("case", LEFT)
def test_the_limit_of_a_container_counts_where_it_is_less_than_the_machine_has(tmp_path, case):
    files, left = LEFT[case]
    for name, text in {**MACHINE, **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert _memory.allowed(tmp_path) == left // 2


def test_a_system_that_tells_nothing_has_some_memory_all_the_same(tmp_path):
    assert _memory.allowed(tmp_path) >= 2**26
    assert _memory.allowed() > 0


def png(width, height):
    """A picture that says it has this size, in a hundred bytes."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")


def pictures(folder, *names):
    return ImagePool(TablePool({"file": np.array(names, dtype=object)}), "file", folder)


@pytest.mark.parametrize("side", [10_000, 60_000, 2_000_000_000])
def test_a_picture_that_would_fill_the_memory(tmp_path, side, recwarn):
    (tmp_path / "a.png").write_bytes(png(side, side))
    refused(lambda: pictures(tmp_path, "a.png").take([0]), "item '0'", "a.png")
    assert not recwarn.list


@pytest.mark.parametrize(
    "content", [b"", b"\x89PNG\r\n\x1a\n", png(0, 0), b"GIF89a" + b"\xff" * 40, b"II*\0" + b"\xff" * 40]
)
def test_a_picture_that_is_damaged(tmp_path, content):
    (tmp_path / "a.png").write_bytes(content)
    refused(lambda: pictures(tmp_path, "a.png").take([0]), "item '0'", "a.png", "check the file")


def test_a_name_that_no_file_can_have(tmp_path):
    refused(lambda: pictures(tmp_path, "a\0.png").take([0]), "item '0'", "a\\x00.png")
    refused(lambda: pictures(tmp_path, "a\0.png").fingerprint, "item '0'", "a\\x00.png")


def test_many_pictures_at_once_are_held_against_the_memory(tmp_path, monkeypatch):
    from PIL import Image

    Image.new("L", (100, 100)).save(tmp_path / "a.png")
    monkeypatch.setattr(_memory, "allowed", lambda: 100_000)
    assert pictures(tmp_path, *["a.png"] * 5).take(range(5)).columns["file"].shape == (5, 100, 100)
    refused(lambda: pictures(tmp_path, *["a.png"] * 6).take(range(6)), "6 images", "0.12 MB", "fewer at a time")


DEEP = "[" * 101 + "]" * 101
LONG = "9" * 5_000


@pytest.mark.parametrize(("value", "words"), [(DEEP, "100 deep"), ("[" * 100_000, "100 deep"), (LONG, "digits")])
def test_json_that_no_table_has(tmp_path, value, words):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"x": 1}}\n{{"x": {value}}}\n')
    refused(lambda: read_pool(path), "a.jsonl: line 2", words)


def test_json_within_the_limits_is_read():
    assert read_json("[" * 100 + "]" * 100)
    assert read_json(json.dumps({"a": [[1]] * 1_000})) == {"a": [[1]] * 1_000}
    assert read_json("9" * 4_000) == int("9" * 4_000)
    for text in ("", "{", b"\xff", "nonsense"):
        with pytest.raises(ValueError, match=r"column|UTF-8"):
            read_json(text)
