"""Posting JSON to an address: with patience, without redirects, and without ever showing the token."""

from __future__ import annotations

import threading
import time
import weakref
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ringtrue.core import InvalidInput, secret_in, without_secrets
from ringtrue.models._token import TOKEN, bearer, token_of_user

if TYPE_CHECKING:
    import httpx

PAUSES = (0.5, 1.0, 2.0, 4.0)
"""Seconds waited, one after another, for a server that asks for time; then the study is told."""

LONGEST = 60.0
"""A server that asks for more seconds than this is not waited for: people would think that nothing happens."""

_LATER = {429, 503}
_PASSING = {408, 425, 429}
"""Errors of the client by their number, and yet not its fault: the same request may succeed in a while."""


def is_address(text: str) -> bool:
    """Whether a text is the address of a web service.

    >>> is_address("https://models.example/predict"), is_address("desk:label")
    (True, False)
    """
    return text.lower().startswith(("http://", "https://"))


class Post:
    """A web service that takes JSON and answers with JSON. Nothing is sent before it is called.

    A failure that may pass (no connection, no answer in time, status 408, 425, 429, 5xx) is a ConnectionError, which
    a study tries again; any other is InvalidInput.
    """

    def __init__(self, url: str, *, timeout: float) -> None:
        if not timeout > 0:
            raise InvalidInput(f"timeout={timeout!r} must be a positive number of seconds")
        self.url = url
        self.where = checked_address(url)
        bearer(url)  # what cannot be sent is told before anything is made that would send it
        self.timeout = timeout
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()

    def __call__(self, body: str) -> Any:
        """The JSON that comes back, after some waiting if the server asks for time."""
        import httpx

        headers = {"Content-Type": "application/json", **bearer(self.url)}
        pauses = iter(PAUSES)
        while True:
            try:
                response = self._opened().post(self.url, content=body, headers=headers)
            except (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL) as error:
                why = _hidden(str(error))
                raise InvalidInput(f"the model url {self.where} cannot be asked ({why}): check the address") from None
            except httpx.HTTPError as error:
                late = isinstance(error, httpx.TimeoutException)
                why = f"no answer within {self.timeout:g} s" if late else _hidden(str(error)) or type(error).__name__
                raise ConnectionError(f"url {self.where}: {why}: check that it runs and can be reached") from None
            wait = _wait(response, next(pauses, None))
            if wait is None:
                return self._read(response)
            time.sleep(wait)

    def _read(self, response: httpx.Response) -> Any:
        """The JSON of a response; a status that is no success is an error with its remedy."""
        status, said = response.status_code, _said(response)
        if status in _PASSING or status >= 500:
            raise ConnectionError(f"url {self.where}: status {status}{said}: it may pass, try again later")
        if response.is_success:
            try:
                return response.json()
            except ValueError:
                raise InvalidInput(
                    f"the model url {self.where} sent no JSON{said}: check that the address is a model's"
                ) from None
        remedy = "check the address and the columns"
        if response.is_redirect:
            said, remedy = f" (a redirect to {_target(response)})", "give the final address"
        elif status in {401, 403}:
            remedy = f"set {TOKEN} to a valid token"
        raise InvalidInput(f"the model url {self.where} answered with status {status}{said}: {remedy}")

    def _opened(self) -> httpx.Client:
        """One client for all threads, so that connections are used again; closed when this is forgotten."""
        import httpx

        with self._lock:
            if self._client is None:
                self._client = httpx.Client(timeout=self.timeout, follow_redirects=False)
                weakref.finalize(self, self._client.close)
            return self._client


def checked_address(url: str) -> str:
    """Host, path and query of an address; one that holds a secret is refused without repeating it.

    >>> checked_address("https://models.example:8080/mood:predict?version=2")
    'models.example:8080/mood:predict?version=2'
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port  # a port that is no number raises
    except ValueError:
        raise InvalidInput("the model's address cannot be read: write it like https://host/path") from None
    where = secret_in(url)
    if where is not None:
        raise InvalidInput(
            f"the model's address at {host} seems to hold a secret in {where}: leave it out and set {TOKEN}, or ask "
            "the service in a function of yours (module:function)"
        )
    if not is_address(url) or not host:
        raise InvalidInput(f"model={url!r} is no address: write it like https://host/path")
    return parts.netloc + parts.path + (f"?{parts.query}" if parts.query else "")


def _wait(response: httpx.Response, pause: float | None) -> float | None:
    """How long to wait before asking once more; None if there is no use in it, or no pause is left."""
    if pause is None or response.status_code not in _LATER:
        return None
    asked = response.headers.get("retry-after", "")
    if not (asked.isascii() and asked.isdigit()):  # absent, or a date, which would need clocks that agree
        return pause
    return float(asked) if float(asked) <= LONGEST else None


def _target(response: httpx.Response) -> str:
    """Where a redirect leads, as far as the server says it."""
    if "location" not in response.headers:
        return "no address"
    try:
        host = urlsplit(response.headers["location"]).netloc
    except ValueError:
        return "an address that cannot be read"
    return _hidden(host.rpartition("@")[2]) or "another path"


def _said(response: httpx.Response) -> str:
    """What the server wrote, in a few words."""
    words = _hidden(response.text[:2000])
    return f" ({words if len(words) <= 100 else words[:97] + '...'})" if words else ""


def _hidden(text: str) -> str:
    """A text on one line, without the token or a secret in an address, should somebody have repeated it."""
    token = token_of_user()
    return without_secrets(" ".join((text.replace(token, "…") if token else text).split()))
