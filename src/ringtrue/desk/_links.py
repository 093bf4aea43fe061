"""Links to a desk: its address, and after it a token that says who comes. Only the tokens' hashes are ever kept."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from ringtrue.core import Argument, InvalidInput

Role = Literal["rater", "owner"]

_COOKIES: dict[Role, str] = {"rater": "rt-desk", "owner": "rt-owner"}
PAGES: dict[Role, str] = {"rater": "/", "owner": "/live"}
"""The page that each role's link opens."""

_USUAL_PORTS = {"http": 80, "https": 443}
"""Browsers leave these out of an address, and out of the headers Host and Origin."""

_HOST = re.compile(r"[a-z0-9.:_-]+")


def new_token() -> str:
    """Return a new token: 32 random bytes as 43 characters that need no escaping in an address."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """Return the SHA-256 of a token. It needs no salt: a token is random, and too long to be guessed.

    >>> token_hash("not a token")[:16]
    '7038d017c27b8ab3'
    """
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


class Identity(NamedTuple):
    """Who sent a request: the owner, or a rater by name."""

    role: Role
    name: str | None


class Link(NamedTuple):
    """What is kept of a link: the hash of its token, whose it is, and the moment, in seconds since 1970, it ends."""

    hash: str
    role: Role
    name: str | None
    until: float


class Links:
    """Tell by a token who comes. If `links` is a function, it is called each time, so that new links work at once."""

    def __init__(
        self, links: Sequence[Link] | Callable[[], Sequence[Link]], *, clock: Callable[[], float] = time.time
    ) -> None:
        self._links: Callable[[], Sequence[Link]] = links if callable(links) else lambda: links
        self._clock = clock

    def known(self, token: str) -> Identity | None:
        """Return whose token this is, None if it is nobody's or its link has ended.

        Every hash is compared, each in a time that does not depend on where it differs: the time tells nothing.
        """
        given, now = token_hash(token).encode(), self._clock()
        found: Identity | None = None
        for link in self._links():
            if hmac.compare_digest(given, link.hash.encode()) and now < link.until:
                found = Identity(link.role, link.name)
        return found


class Attempts:
    """Count wrong tokens by the address they come from: after a few in a minute, that address has to wait.

    Tokens are too long to be guessed anyway; this keeps a mistaken program from trying for ever. What is tried while an
    address waits does not make it wait longer. Any number of threads may use it.

    Parameters
    ----------
    most, seconds
        So many wrong tokens in so many seconds are allowed.
    peers
        How many addresses are remembered; those that were wrong longest ago are forgotten first.
    clock
        Tells the time, in seconds.
    """

    def __init__(
        self, *, most: int = 5, seconds: float = 60.0, peers: int = 1000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._seconds, self._peers, self._clock = most, seconds, peers, clock
        self._wrong: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def wait(self, peer: str) -> float:
        """Return the seconds that an address has to wait, 0 if it may try."""
        with self._lock:
            moments = self._wrong.get(peer, deque())
            return max(0.0, moments[0] + self._seconds - self._clock()) if len(moments) == self._most else 0.0

    def wrong(self, peer: str) -> None:
        """Note a wrong token of an address."""
        with self._lock:
            moments = self._wrong.pop(peer, deque(maxlen=self._most))
            moments.append(self._clock())
            self._wrong[peer] = moments  # now the last: the first is the one that was wrong longest ago
            if len(self._wrong) > self._peers:
                del self._wrong[next(iter(self._wrong))]

    def __len__(self) -> int:
        return len(self._wrong)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a desk is, as browsers write it; `public` is the origin of the proxy in front of it, if there is one.

    >>> place = Place.of("127.0.0.1", 23456)
    >>> place.link("owner", "TOKEN"), place.cookie("owner")
    ('http://127.0.0.1:23456/live#t=TOKEN', 'rt-owner-23456')
    >>> Place.of("127.0.0.1", 23456, "https://Desk.example:443/").url
    'https://desk.example'
    """

    local: str
    port: int
    public: str | None = None

    @classmethod
    def of(cls, host: str, port: int, public_url: str | None = None) -> Place:
        """Return the place of a desk that listens on a host and port."""
        public = None if public_url is None else _public_origin(public_url)
        return cls(_origin("http", host.lower(), port), port, public)

    @property
    def url(self) -> str:
        """Return the address that people are told."""
        return self.public or self.local

    @property
    def secure(self) -> bool:
        """Return whether browsers reach the desk by TLS."""
        return self.url.startswith("https://")

    def origins(self, authority: str) -> set[str]:
        """Return the origins from which a request for this Host may come; none if the desk is not called so.

        A proxy may pass its own name on as Host, or the desk's local one: then pages are of the proxy's origin.
        """
        own = {origin for origin in (self.local, self.public) if origin and origin.partition("://")[2] == authority}
        return own | {self.public} if own and self.public else own

    def cookie(self, role: Role) -> str:
        """Return the name of a role's cookie. Ports do not part cookies, so the name does."""
        return f"{_COOKIES[role]}-{self.port}"

    def link(self, role: Role, token: str) -> str:
        """Return a link. No request carries what stands after the #, so no log or proxy sees the token."""
        return f"{self.url}{PAGES[role]}#t={token}"


def _origin(scheme: str, host: str, port: int | None) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}" + ("" if port in (None, _USUAL_PORTS[scheme]) else f":{port}")


def _public_origin(url: str) -> str:
    """Return the origin of a public address, as a browser writes it."""
    problem = InvalidInput(
        Argument("public_url", url), " must be a scheme and a host without a path: give one like https://desk.example"
    )
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").encode("idna").decode().lower(), parts.port
    except ValueError:
        raise problem from None
    beyond = parts.path not in ("", "/") or parts.query or parts.fragment or "@" in parts.netloc
    if parts.scheme not in _USUAL_PORTS or not _HOST.fullmatch(host) or beyond or any(mark in url for mark in "?#\\"):
        raise problem
    return _origin(parts.scheme, host, port)
