"""Posting JSON to an address: with patience, without redirects, and without ever showing the token."""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ringtrue.core import Argument, InvalidInput, ResponderStopped, RingtrueWarning, count, read_json, secret_in
from ringtrue.models._credentials import TOKEN, credentials, is_loopback, is_repeated, masked
from ringtrue.models._fetch import MOST, Answer, TooLarge, Unreadable, fetch
from ringtrue.models._patience import IN_ALL, LONGEST, Patience, asked_for, length

if TYPE_CHECKING:
    import ssl

    import httpx

_PASSING = {408, 425, 429}
"""Errors of the client by their number, and yet not its fault: the same request may succeed in a while."""


def is_address(text: str) -> bool:
    """Return whether a text is the address of a web service.

    >>> is_address("https://models.example/predict"), is_address("desk:label")
    (True, False)
    """
    return text.lower().startswith(("http://", "https://"))


class Post:
    """A web service that takes JSON and answers with JSON. Nothing is sent before it is called.

    A failure that may pass (no connection, no answer in time, status 408, 425, 429, 5xx) is tried again for minutes, by
    the pauses of `Patience`; then, or if the service asks for more time than that, it is ResponderStopped. Any other is
    InvalidInput. `timeout` is in seconds for one try, to the last byte; `headers` name environment variables.
    """

    def __init__(self, url: str, *, timeout: float, headers: Mapping[str, str] | None = None) -> None:
        if not 0 < timeout < float("inf"):
            raise InvalidInput(Argument("timeout", timeout), " must be a positive number of seconds")
        self.url = url
        self.where = checked_address(url)
        self.timeout = timeout
        self.headers = dict(headers or {})
        credentials(url, self.headers)  # what cannot be sent is told before anything is made that would send it
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()

    def __call__(self, body: str) -> Any:
        """Return the JSON that comes back, after some waiting if the service needs time."""
        import httpx

        headers = {"Content-Type": "application/json", **credentials(self.url, self.headers)}
        patience = Patience()
        while True:
            asked = None
            try:
                client = self._opened()
                request = client.build_request("POST", self.url, content=body, headers=headers)
                answer = fetch(client, request, timeout=self.timeout)
            except (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL) as error:
                why = self.masked(str(error))
                raise InvalidInput(f"the model url {self.where} cannot be asked ({why}): check the address") from None
            except TooLarge:
                raise InvalidInput(
                    f"the model url {self.where} sent more than {MOST >> 20} MB, unpacked: send one prediction per item"
                ) from None
            except Unreadable as error:
                raise InvalidInput(f"the model url {self.where} sent what cannot be read ({error}): mend it") from None
            except (TimeoutError, httpx.TimeoutException):
                why = f"no answer within {self.timeout:g} s"
            except httpx.HTTPError as error:
                why = self.masked(str(error)) or type(error).__name__
            else:
                if answer.status not in _PASSING and answer.status < 500:
                    return self._read(answer)
                why, asked = f"status {answer.status}{self._said(answer)}", asked_for(answer.headers)
            self._wait(patience, why, asked)

    def _wait(self, patience: Patience, why: str, asked: float | None) -> None:
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
        if began == 1:  # the first pause is over in a moment
            warnings.warn(f"url {self.where}: {why}: trying again for {length(IN_ALL)}", RingtrueWarning, stacklevel=3)
        patience.sleep(wait)

    def _read(self, answer: Answer) -> Any:
        """Return the JSON of an answer; a status that does not mean success is an error with its remedy."""
        status, said = answer.status, self._said(answer)
        if 200 <= status < 300:
            try:
                return read_json(answer.content)
            except ValueError as error:
                why = said or f" ({error})"
                if "digits" in str(error) or "deep" in str(error):
                    why = f" that can be read ({error})"
                raise InvalidInput(
                    f"the model url {self.where} sent no JSON{why}: check that the address is a model's"
                ) from None
        remedy = "check the address and the columns"
        if 300 <= status < 400:
            said, remedy = f" (a redirect to {self._target(answer)})", "give the final address"
        elif status in {401, 403}:
            remedy = f"set {TOKEN} to a valid token"
        elif status == 413:
            remedy = (
                "send fewer items at a time, with a smaller --batch N in a new study, or each alone with --workers 2"
            )
        raise InvalidInput(f"the model url {self.where} answered with status {status}{said}: {remedy}")

    def _said(self, answer: Answer) -> str:
        """Return what the server wrote, in a few words."""
        words = self.masked(answer.content[:2000].decode("utf-8", "replace"))
        return f" ({words if len(words) <= 100 else words[:97] + '...'})" if words else ""

    def _target(self, answer: Answer) -> str:
        """Return where a redirect leads, as far as the server says it."""
        if "location" not in answer.headers:
            return "no address"
        try:
            host = urlsplit(answer.headers["location"]).netloc
        except ValueError:
            return "an address that cannot be read"
        return self.masked(host.rpartition("@")[2]) or "another path"

    def masked(self, text: str) -> str:
        """Return a text without the secrets that were sent, should the service have repeated one."""
        return masked(text, self.headers)

    def check_unrepeated(self, answers: Iterable[object]) -> None:
        """Refuse answers that hold a secret which was sent: what is answered is written down."""
        if is_repeated(answers, self.headers):
            raise InvalidInput(f"the model url {self.where} answered with a secret that it was sent: mend the service")

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
