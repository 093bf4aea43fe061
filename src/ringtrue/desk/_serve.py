"""Serving an app on this machine: the socket, the signals that end it, and an end that waits for no stream."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import ipaddress
import re
import signal
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from types import FrameType
from typing import Any, Self

import uvicorn
from starlette.types import ASGIApp

from ringtrue.core import Argument, InvalidInput, RingtrueWarning
from ringtrue.desk._links import Place

_PORTS = range(20_000, 30_000)
"""Below those that systems give to outgoing connections, so that a desk finds its own free again."""

_PATIENCE = 3
"""Seconds that requests under way have at the end; then they are cut off."""

_TICK = 0.1
"""Seconds between two looks whether the server ends."""

_HOST = re.compile(r"[A-Za-z0-9._:-]+")


def default_port(identity: str) -> int:
    """Return the port of a study's desk, always the same for a study, so that pages left open find it again.

    >>> default_port("loans") == default_port("loans"), default_port("loans") in range(20_000, 30_000)
    (True, True)
    """
    return _PORTS[int.from_bytes(hashlib.sha256(identity.encode()).digest()[:8]) % len(_PORTS)]


class Stopping:
    """Tell those who write streams that the server is about to end: it waits for streams, which have no end.

    It is a plain flag: a signal may come while another sets it, and a lock would then wait for itself.
    """

    def __init__(self) -> None:
        self._now = False

    def __bool__(self) -> bool:
        return self._now

    def begin(self) -> None:
        """Let the server end. Any thread may call it."""
        self._now = True

    async def pause(self, seconds: float) -> bool:
        """Wait for some seconds, or until the server is about to end; return whether it is."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not self and (left := end - loop.time()) > 0:
            await asyncio.sleep(min(_TICK, left))
        return self._now


@dataclass(frozen=True, slots=True)
class Bound:
    """A socket that listens, and how browsers call the place."""

    socket: socket.socket
    place: Place

    def close(self) -> None:
        """Stop listening; twice is fine."""
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def bind(host: str = "127.0.0.1", port: int = 0, *, allow_remote: bool = False, public_url: str | None = None) -> Bound:
    """Listen on a host and port, 0 for any port that is free. Whatever is in the way is told in one line.

    Only this machine can reach a loopback address; any other needs `allow_remote`. `public_url` is the address of the
    proxy in front.
    """
    host = host.removeprefix("[").removesuffix("]")
    if not 0 <= port <= 65_535:
        raise InvalidInput(Argument("port", port), " must be between 0 and 65535: 0 takes any that is free")
    family, address = _resolve(host, port)
    ip = ipaddress.ip_address(address[0].partition("%")[0])
    ip = getattr(ip, "ipv4_mapped", None) or ip
    if not ip.is_loopback:
        _check_remote(host, ip.is_unspecified, allow_remote, public_url)
    Place.of(host, port, public_url)  # a wrong address is told before anything listens
    # By the name of its protocol asyncio knows that small packets must not wait: an answer would take 40 ms longer.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # The connections of a desk that ended keep its port for a minute. Listening keeps others away from it.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
        return Bound(listener, Place.of(host, listener.getsockname()[1], public_url))
    except OSError as error:
        listener.close()
        raise _in_the_way(error, host, port) from None


def _resolve(host: str, port: int) -> tuple[socket.AddressFamily, Any]:
    try:
        if not _HOST.fullmatch(host):
            raise ValueError
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, ValueError):
        raise InvalidInput(
            Argument("host", host), " is not an address of this machine: give one such as 127.0.0.1"
        ) from None
    return found[0][0], found[0][4]


def _check_remote(host: str, everywhere: bool, allow_remote: bool, public_url: str | None) -> None:
    if not allow_remote:
        raise InvalidInput(
            Argument("host", host),
            " can be reached from other machines: give ",
            Argument("allow_remote", True),
            " if it may, else 127.0.0.1",
        )
    if everywhere and public_url is None:
        raise InvalidInput(
            Argument("host", host),
            " is not an address that a link can hold: give the one by which others reach this machine, or ",
            Argument("public_url"),
        )
    line = f"the desk listens on {host}: other machines can reach it, and nothing is encrypted before a proxy does it"
    warnings.warn(RingtrueWarning(line), stacklevel=3)


def _in_the_way(error: OSError, host: str, port: int) -> InvalidInput:
    if error.errno == errno.EADDRINUSE:
        return InvalidInput(
            Argument("port", port),
            " is taken: end the desk that uses it, or give another port; 0 takes any that is free",
        )
    if error.errno == errno.EACCES:
        return InvalidInput(Argument("port", port), " is kept for the system: give one from 1024 on")
    return InvalidInput(Argument("host", host), f" cannot be listened on ({error.strerror}): give 127.0.0.1")


class _Server(uvicorn.Server):
    """A server that tells when it listens, ends when it is told to, and leaves signals to `serve`."""

    def __init__(self, config: uvicorn.Config, listening: Callable[[], None], stopping: Stopping) -> None:
        super().__init__(config)
        self._listening, self._stopping = listening, stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._listening()

    async def on_tick(self, counter: int) -> bool:
        return await super().on_tick(counter) or bool(self._stopping)

    def capture_signals(self) -> Any:
        return nullcontext()


def _no_word(_: str) -> None:
    pass


def serve(
    app: ASGIApp, bound: Bound, *, ready: Callable[[str], None] = _no_word, stopping: Stopping | None = None
) -> None:
    """Serve an app until a signal comes, or `stopping` begins; then return, within five seconds.

    `ready` is told the address once requests are answered. A stream should end when `stopping` is true: one that does
    not is cut off. A second Ctrl-C cuts all off at once. The socket is closed in the end.
    """
    stopping = Stopping() if stopping is None else stopping
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",  # the one whose readings of odd requests are tested
        ws="none",
        lifespan="off",
        workers=1,
        log_config=None,
        log_level="critical",  # the guard tells of errors; what is cut off in the end is none
        access_log=False,
        server_header=False,
        # Behind a proxy on this machine all requests would seem to come from one address, and share their attempts.
        proxy_headers=bound.place.public is not None,
        forwarded_allow_ips=["127.0.0.1", "::1"],
        timeout_graceful_shutdown=_PATIENCE,
    )
    server = _Server(config, lambda: ready(bound.place.url), stopping)
    with bound, _signals(server, stopping):
        server.run(sockets=[bound.socket])


@contextmanager
def _signals(server: uvicorn.Server, stopping: Stopping) -> Iterator[None]:
    """Let signals end a server; one that was told to be ignored stays ignored. Only the main thread hears any."""

    def hear(number: int, _: FrameType | None) -> None:
        if stopping and number == signal.SIGINT:
            server.force_exit = True
        stopping.begin()

    kinds = [getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
    here = threading.current_thread() is threading.main_thread()
    heard = [kind for kind in kinds if here and kind is not None and signal.getsignal(kind) != signal.SIG_IGN]
    before = {kind: signal.signal(kind, hear) for kind in heard}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
