"""One request and its answer, within a limit of time and of size: however slowly the server answers, it ends."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

MOST = 64 * 2**20
"""Bytes of an answer after unpacking: a million labels take a quarter of it."""

_WORDS = 16_384
"""Bytes that are read of an error's page: a few words of it are shown."""

_PIECE = 65_536


class TooLarge(ValueError):
    """An answer has more bytes than are read."""


class Unreadable(ValueError):
    """An answer is packed in a way that was not asked for, or is damaged."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service sent back; of an error's page, its beginning."""

    status: int
    headers: Mapping[str, str]
    content: bytes


def fetch(client: httpx.Client, request: httpx.Request, *, timeout: float) -> Answer:
    """Send a request and return the answer; raise a TimeoutError if all of it took more than `timeout` seconds.

    httpx limits the time of each read alone, so that a service which sends a byte now and then is never late. So it
    reads in a thread of its own, which is left behind when time is up and ends with its next byte.
    """
    found: list[Answer | BaseException] = []
    done, late = threading.Event(), threading.Event()

    def work() -> None:
        try:
            found.append(_read(client, request, late))
        except BaseException as error:
            found.append(error)
        finally:
            done.set()

    threading.Thread(target=work, name="ringtrue-fetch", daemon=True).start()
    try:
        in_time = done.wait(timeout)
    finally:
        late.set()
    if not in_time:
        raise TimeoutError
    result = found[0]
    if isinstance(result, BaseException):
        raise result
    return result


def _read(client: httpx.Client, request: httpx.Request, late: threading.Event) -> Answer:
    request.headers["Accept-Encoding"] = "gzip"  # one packing alone, which can be unpacked a little at a time
    with closing(client.send(request, stream=True)) as response:
        most = MOST if response.is_success else _WORDS
        packing = response.headers.get("content-encoding", "").strip().lower()
        if packing not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            raise Unreadable(f"it is packed as {packing[:40]!r}, which was not asked for")
        unpack = zlib.decompressobj(47) if packing not in {"", "identity"} else None
        content = bytearray()
        for raw in response.iter_raw(_PIECE):
            if late.is_set():
                raise TimeoutError
            try:
                content += raw if unpack is None else unpack.decompress(raw, most + 1 - len(content))
            except zlib.error:
                raise Unreadable("it says that it is packed, and cannot be unpacked") from None
            if len(content) > most:
                if response.is_success:
                    raise TooLarge
                break
        return Answer(response.status_code, response.headers, bytes(content[:most]))
