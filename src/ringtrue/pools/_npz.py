"""Reading arrays that numpy saved: one array per column, one row per item."""

from __future__ import annotations

import lzma
import math
import os
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

from numpy.lib import format as npy

from ringtrue.core import InvalidInput, count, shortened
from ringtrue.pools._memory import check_memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WRITE = "write it with numpy.savez and plain arrays"
_BROKEN = (ValueError, OSError, zipfile.BadZipFile, EOFError, RuntimeError, OverflowError, zlib.error, lzma.LZMAError)
"""The errors of reading a file that is damaged, encrypted, or packed in a way that Python does not know."""


def read_npz(path: str) -> dict[str, NDArray[Any]]:
    """Read the arrays of an .npz file by name; refuse objects, which only unpickling could read.

    Every header is read first: what does not fit its bytes, or this machine's memory, is refused before it is loaded.
    """
    name = os.path.basename(path)
    try:
        with zipfile.ZipFile(path) as saved:
            members = saved.infolist()
            needed = sum(_checked(name, saved, member) for member in members)
            check_memory(f"{name}: its {count(len(members), 'array')} would take", needed, "give a part of the items")
            columns: dict[str, NDArray[Any]] = {}
            for member in members:
                column = member.filename.removesuffix(".npy")
                if column in columns:
                    raise InvalidInput(f"{name}: two arrays are named {column!r}: {_WRITE}")
                with saved.open(member) as file:
                    columns[column] = npy.read_array(file)  # which unpickles nothing
    except InvalidInput:
        raise
    except _BROKEN as error:
        why = " ".join(str(error).split()) or type(error).__name__
        with open(path, "rb") as file:
            if file.read(len(npy.MAGIC_PREFIX)) == npy.MAGIC_PREFIX:
                why = "it is a single array, an .npy file"
        raise InvalidInput(f"{name}: cannot be read as arrays ({why}): {_WRITE}") from None
    return columns


def _checked(name: str, saved: zipfile.ZipFile, member: zipfile.ZipInfo) -> int:
    """Count the bytes that an array will take, by its header; refuse one that cannot be right."""
    column = member.filename.removesuffix(".npy")
    with saved.open(member) as file:
        if column == member.filename or file.read(len(npy.MAGIC_PREFIX)) != npy.MAGIC_PREFIX:
            raise InvalidInput(f"{name}: {member.filename!r} is not an array: {_WRITE}")
    with saved.open(member) as file:
        read = npy.read_array_header_1_0 if npy.read_magic(file) == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(file)
        begins = file.tell()
    if dtype.hasobject:
        raise InvalidInput(f"{name}: {column!r} holds Python objects, which are not safe to read: {_WRITE}")
    if not shape:
        raise InvalidInput(f"{name}: {column!r} is a single value: give an array with an entry for each item")
    needed = math.prod(shape) * dtype.itemsize
    if any(side < 0 for side in shape) or begins + needed != member.file_size:
        raise InvalidInput(
            f"{name}: {column!r} says that it has the shape {shortened(str(shape))}, which needs {needed:,} bytes, and "
            f"holds {max(0, member.file_size - begins):,}: it is damaged, write it again"
        )
    return needed
