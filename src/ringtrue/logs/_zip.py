"""The members of a zip, read one by one into memory and never onto the disk; also those that zstandard compressed."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from functools import cached_property

from ringtrue.core import InvalidInput

MEMBER = 128 * 2**20
"""Bytes of a member when it is decompressed: one item of a log."""

TOTAL = 4 * 2**30
"""Bytes of all members that are read, so that many small ones are no bomb either."""

MEMBERS = 200_000

_ZSTANDARD = 93
_BLOCK = 2**22
_LOCAL = struct.Struct("<26xHH")
"""Where the lengths of name and extra field stand in a local header of 30 bytes."""


class Archive:
    """A zip whose members are read by their exact names; it keeps account of how much was decompressed."""

    def __init__(self, path: str) -> None:
        self._path, self._name, self._read = path, os.path.basename(path), 0

    @cached_property
    def members(self) -> dict[str, zipfile.ZipInfo]:
        """The members by name. A name that leads elsewhere, or comes twice, is refused."""
        try:
            with zipfile.ZipFile(self._path) as file:
                listed = file.infolist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error) as error:
            raise InvalidInput(f"{self._name} is a zip that cannot be read ({error}): copy it again") from None
        if len(listed) > MEMBERS:
            raise InvalidInput(
                f"{self._name} has {len(listed):,} members, and {MEMBERS:,} are read at most: split the log"
            )
        found: dict[str, zipfile.ZipInfo] = {}
        for one in listed:
            raw = one.orig_filename
            if (
                raw.startswith(("/", "\\"))
                or ".." in raw.replace("\\", "/").split("/")
                or ":" in raw[:2]
                or "\0" in raw
            ):
                raise InvalidInput(f"{self._name} has a member that leads elsewhere, {raw!r}: do not trust this file")
            if one.filename in found:
                raise InvalidInput(f"{self._name} has the member {raw!r} twice: do not trust this file")
            found[one.filename] = one
        return found

    def read(self, member: str) -> bytes:
        """Return the bytes of a member."""
        one = self.members[member]
        where = f"{self._name}: member {member!r}"
        if one.flag_bits & 1:
            raise InvalidInput(f"{where} is encrypted: write the log without a password")
        if one.file_size > MEMBER:
            raise _too_large(where)
        try:
            with open(self._path, "rb") as file:
                file.seek(one.header_offset)
                name, extra = _LOCAL.unpack(file.read(_LOCAL.size))
                file.seek(name + extra, os.SEEK_CUR)
                packed = file.read(min(one.compress_size, 2 * MEMBER))
            data = self._unpacked(packed, one.compress_type, where)
        except (OSError, zlib.error, struct.error) as error:
            raise _damaged(where, error) from None
        if zlib.crc32(data) != one.CRC:
            raise _damaged(where, "its checksum is another")
        self._read += len(data)
        if self._read > TOTAL:
            raise InvalidInput(f"{self._name} holds more than {TOTAL >> 30} GB when it is decompressed: split the log")
        return data

    def _unpacked(self, packed: bytes, method: int, where: str) -> bytes:
        """Decompress what was stored, deflated, or compressed with zstandard; no further than a member may be large."""
        if method == zipfile.ZIP_STORED:
            data = packed
        elif method == zipfile.ZIP_DEFLATED:
            data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, MEMBER + 1)
        elif method == _ZSTANDARD:
            data = self._zstandard(packed, where)
        else:
            raise _damaged(where, f"the method of compression {method} is unknown")
        if len(data) > MEMBER:
            raise _too_large(where)
        return data

    def _zstandard(self, packed: bytes, where: str) -> bytes:
        """Decompress one or more frames, of which a large member has several."""
        try:
            import zstandard
        except ImportError:
            raise InvalidInput(
                f"{self._name} is compressed with zstandard, which is not installed: pip install 'ringtrue[logs]', "
                "or write the log as JSON"
            ) from None
        parts: list[bytes] = []
        try:
            with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream:
                while sum(map(len, parts)) <= MEMBER and (block := stream.read(_BLOCK)):
                    parts.append(block)
        except zstandard.ZstdError as error:
            raise _damaged(where, error) from None
        return b"".join(parts)


def _damaged(where: str, why: object) -> InvalidInput:
    return InvalidInput(f"{where} is damaged ({why}): copy the log again")


def _too_large(where: str) -> InvalidInput:
    return InvalidInput(f"{where} is larger than {MEMBER >> 20} MB when it is decompressed: do not trust this file")
