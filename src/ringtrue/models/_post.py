"""Talking JSON with an address: with patience, without redirects, and without ever showing the token."""

from __future__ import annotations

import threading
import warnings
import weakref
import zlib
from collections.abc import Mapping
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from ringtrue.core import Argument, InvalidInput, ResponderStopped, RingtrueWarning, count, read_json, secret_in
from ringtrue.models._credentials import TOKEN, credentials, is_loopback, masked
from ringtrue.models._limit import limit_of
from ringtrue.models._patience import IN_ALL, LONGEST, Patience, asked_for, check_running, length
from ringtrue.models._words import words_of

if TYPE_CHECKING:
    import ssl

    import httpx

MOST = 64 * 2**20
"""Bytes of an answer after unpacking: a million labels take a quarter of it."""

_WORDS = 16_384
"""Bytes that are read of an error's page: a few words of it are shown."""

_PIECE = 65_536

_PASSING = {408, 425, 429}
"""Errors of the client by their number, and yet not its fault: the same request may succeed in a while."""

_REMEDIES = {
    401: f"set {TOKEN} to a valid token",
    403: f"set {TOKEN} to a valid token",
    413: "send fewer items at a time, with a smaller --batch N in a new study, or each alone with --workers 2",
}


def is_address(text: str) -> bool:
    """Return whether a text is the address of a web service.

    >>> is_address("https://models.example/predict"), is_address("desk:label")
    (True, False)
    """
    return text.lower().startswith(("http://", "https://"))


class Refused(InvalidInput):
    """A service answered with a status that says no to this very request; `status` tells which."""

    status: int = 0


class Answer(NamedTuple):
    """What a service sent back; of an error's page, its beginning."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class _Request(NamedTuple):
    """What is sent, and where."""

    method: str
    url: str
    body: str | None = None
    headers: Mapping[str, str] = {}


class Post:
    """A web service that takes JSON and answers with JSON. Nothing is sent before it is called.

    A host gets few requests at once, by its `Limit`. A failure that may pass (no connection, no answer in time, status
    408, 425, 429, 5xx) is tried again for minutes, by the pauses of `Patience`; then, or if the service asks for more
    time than that, it is ResponderStopped. Any other is InvalidInput, of the kind Refused where the service said no.
    `timeout` is in seconds for one try, to the last byte; `headers` name environment variables. After so many `tries` a
    status 500 is a no, too: where each item is a request of its own, a service may fail on one and answer the others.
    """

    def __init__(
        self, url: str, *, timeout: float, headers: Mapping[str, str] | None = None, tries: int | None = None
    ) -> None:
        if not 0 < timeout < float("inf"):
            raise InvalidInput(Argument("timeout", timeout), " must be a positive number of seconds")
        self.url = url
        self.where = checked_address(url)
        self.timeout = timeout
        self.headers = dict(headers or {})
        self.tries = tries
        credentials(url, self.headers)  # what cannot be sent is told before anything is made that would send it
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()
        self._limit = limit_of(url)

    def __call__(self, body: str) -> tuple[Any, Mapping[str, str]]:
        """Return the JSON that comes back and its headers, after some waiting if the service needs time."""
        answer = self._answer(_Request("POST", self.url, body))
        return self._read(answer), answer.headers

    def about(self, url: str) -> str | None:
        """Return what another address of this service tells, with the same patience; None if it does not let us know.

        What is wrong with an address or a token is told when the model itself is asked.
        """
        answer = self._answer(_Request("GET", url))
        if 400 <= answer.status < 500:
            return None
        return self._checked(answer).content.decode("utf-8", "replace")

    def _answer(self, request: _Request) -> Answer:
        """Return the answer to a request that neither asks for patience nor failed in a way that may pass."""
        import httpx

        form = {"Content-Type": "application/json"} if request.body is not None else {}
        request = request._replace(headers={**form, **credentials(self.url, self.headers)})
        patience = Patience()
        while True:
            asked, few = None, False
            try:
                with self._limit.turn(check_running) as turn:
                    patience.begin()
                    answer = self._fetch(request)
            except (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL) as error:
                why = masked(str(error), self.headers)
                raise InvalidInput(f"the model url {self.where} cannot be asked ({why}): check the address") from None
            except (TimeoutError, httpx.TimeoutException):
                why = f"no answer within {self.timeout:g} s"
            except httpx.HTTPError as error:
                why = masked(str(error), self.headers) or type(error).__name__
            else:
                if answer.status < 300:
                    self._limit.succeeded()
                few = self.tries is not None and answer.status == 500
                hopeless = few and patience.tries + 1 == self.tries
                if hopeless or (answer.status not in _PASSING and answer.status < 500):
                    return answer
                why, asked = f"status {answer.status}{self._said(answer)}", asked_for(answer.headers)
                if answer.status == 429 or (answer.status == 503 and asked is not None):
                    self._limit.too_many(turn)
            self._wait(patience, why, asked, warn=not few)

    def _fetch(self, request: _Request) -> Answer:
        """Send a request and return the answer; raise a TimeoutError if all of it took longer than `timeout`.

        httpx limits the time of each read alone, so that a service which sends a byte now and then is never late. So it
        reads in a thread of its own, which is left behind when time is up and ends with its next byte.
        """
        found: list[Answer | BaseException] = []
        done, late = threading.Event(), threading.Event()

        def work() -> None:
            try:
                found.append(self._sent(request, late))
            except BaseException as error:
                found.append(error)
            finally:
                done.set()

        threading.Thread(target=work, name="ringtrue-fetch", daemon=True).start()
        try:
            in_time = done.wait(self.timeout)
        finally:
            late.set()
        if not in_time:
            raise TimeoutError
        if isinstance(found[0], BaseException):
            raise found[0]
        return found[0]

    def _sent(self, asked: _Request, late: threading.Event) -> Answer:
        """Send a request and read the answer, unless it is packed in a way that was not asked for, or too large."""
        client = self._opened()
        headers = {**asked.headers, "Accept-Encoding": "gzip"}  # one packing alone, which can be unpacked in pieces
        request = client.build_request(asked.method, asked.url, content=asked.body, headers=headers)
        unreadable = f"the model url {self.where} sent what cannot be read"
        with closing(client.send(request, stream=True)) as response:
            most = MOST if response.is_success else _WORDS
            packing = response.headers.get("content-encoding", "").strip().lower()
            if packing not in {"", "identity", "gzip", "x-gzip", "deflate"}:
                raise InvalidInput(f"{unreadable} (it is packed as {packing[:40]!r}, which was not asked for): mend it")
            unpack = zlib.decompressobj(47) if packing not in {"", "identity"} else None
            content = bytearray()
            for raw in response.iter_raw(_PIECE):
                if late.is_set():
                    raise TimeoutError
                try:
                    content += raw if unpack is None else unpack.decompress(raw, most + 1 - len(content))
                except zlib.error:
                    why = "it says that it is packed, and cannot be unpacked"
                    raise InvalidInput(f"{unreadable} ({why}): mend it") from None
                if len(content) > most and response.is_success:
                    size = f"more than {MOST >> 20} MB, unpacked"
                    raise InvalidInput(f"the model url {self.where} sent {size}: send one prediction per item")
                if len(content) > most:
                    break
            return Answer(response.status_code, response.headers, bytes(content[:most]))

    def _wait(self, patience: Patience, why: str, asked: float | None, *, warn: bool) -> None:
        """Wait before the next try; where that would take too long, say how long and stop."""
        began = patience.tries
        wait = patience.pause(asked)
        kept = "every answer so far is kept"
        if wait is None and asked is not None and asked > LONGEST:
            raise ResponderStopped(
                f"url {self.where}: {why}: it asks to be left for {length(asked)}, run again then; {kept}"
            )
        if wait is None:
            raise ResponderStopped(
                f"url {self.where}: {why}, after {count(patience.tries, 'request')} in {length(IN_ALL)}: check that it "
                f"runs and can be reached, and run again; {kept}"
            )
        if warn and began == 1:  # the first pause is over in a moment
            warnings.warn(f"url {self.where}: {why}: trying again for {length(IN_ALL)}", RingtrueWarning, stacklevel=3)
        patience.sleep(wait)

    def _read(self, answer: Answer) -> Any:
        """Return the JSON of an answer."""
        content = self._checked(answer).content
        try:
            return read_json(content)
        except ValueError as error:
            why = self._said(answer) or f" ({error})"
            if "digits" in str(error) or "deep" in str(error):
                why = f" that can be read ({error})"
            raise InvalidInput(
                f"the model url {self.where} sent no JSON{why}: check that the address is a model's"
            ) from None

    def _checked(self, answer: Answer) -> Answer:
        """Return an answer; a status that does not mean success is an error with its remedy."""
        status, said = answer.status, self._said(answer)
        if 200 <= status < 300:
            return answer
        remedy = _REMEDIES.get(status, "check the address and the columns")
        if 300 <= status < 400:
            said, remedy = f" (a redirect to {self._target(answer)})", "give the final address"
        refused = Refused(f"the model url {self.where} answered with status {status}{said}: {remedy}")
        refused.status = status
        raise refused

    def _said(self, answer: Answer) -> str:
        """Return what the server wrote, in a few words."""
        words = masked(words_of(answer.content)[:2000], self.headers)
        return f" ({words if len(words) <= 100 else words[:97] + '...'})" if words else ""

    def _target(self, answer: Answer) -> str:
        """Return where a redirect leads, as far as the server says it."""
        if "location" not in answer.headers:
            return "no address"
        try:
            host = urlsplit(answer.headers["location"]).netloc
        except ValueError:
            return "an address that cannot be read"
        return masked(host.rpartition("@")[2], self.headers) or "another path"

    def _opened(self) -> httpx.Client:
        """Return one client for all threads, so that connections are used again; closed when this is forgotten."""
        import httpx

        with self._lock:
            if self._client is None:
                host = urlsplit(self.url).hostname or ""
                # No proxy of the environment is asked about this very machine: it would be told the secrets.
                direct = {f"all://[{host}]" if ":" in host else f"all://{host}": None} if is_loopback(host) else {}
                self._client = httpx.Client(
                    timeout=self.timeout, follow_redirects=False, mounts=direct, verify=_certificates()
                )
                weakref.finalize(self, self._client.close)
            return self._client


@cache
def _certificates() -> ssl.SSLContext:
    """Return whom to trust, read once for all services: it takes longer than most calls."""
    import httpx

    return httpx.create_ssl_context()


def checked_address(url: str) -> str:
    """Return host, path and query of an address; one that holds a secret is refused without repeating it.

    >>> checked_address("https://models.example:8080/mood:predict?version=2")
    'models.example:8080/mood:predict?version=2'
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port  # a port that is not a number raises
    except ValueError:
        raise InvalidInput("the model's address cannot be read: write it like https://host/path") from None
    where = secret_in(url)
    if where is not None:
        raise InvalidInput(
            f"the model's address at {host} seems to hold a secret in {where}: leave it out and set {TOKEN}, or ask "
            "the service in a function of yours (module:function)"
        )
    if not is_address(url) or not host:
        raise InvalidInput(Argument("model", url), " is not an address: write it like https://host/path")
    return parts.netloc + parts.path + (f"?{parts.query}" if parts.query else "")
