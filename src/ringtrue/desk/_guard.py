"""The guard around a desk: every request passes it before any route, and every response gets its headers."""

from __future__ import annotations

import http
import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ringtrue.core import RingtrueWarning
from ringtrue.desk._links import Attempts, Identity, Links, Place, Role
from ringtrue.desk._refusals import LARGEST, METHODS, NOTHING_HERE, TOO_LONG, WRONG_METHOD, bearer, refusal_of, values

STAYS = 12 * 3600
"""Seconds that a browser keeps a cookie: a working day. After it the link is opened again."""

_POLICY = b"content-security-policy"

_HEADERS = {
    _POLICY: (
        b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
    b"permissions-policy": b"camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}

_FAILED = "The desk could not do this: its owner sees why in the terminal."
_SENTENCES = {404: NOTHING_HERE, 405: WRONG_METHOD}
"""Said where an error comes without words of its own."""


def _warn(what: str, error: Exception) -> None:
    warnings.warn(RingtrueWarning(f"the desk failed at {what}: {type(error).__name__}: {error}"), stacklevel=2)


class Guard:
    """Wrap a desk's app: refuse what is not meant for it, find out who asks, and answer errors in one sentence.

    Parameters
    ----------
    app
        Answers the requests that are let in. It finds out who asks with `required`.
    place
        Where the desk is.
    links
        Tells whose a token is.
    attempts
        Counts wrong tokens.
    trouble
        Told what was asked, like "GET /api/live", and the error when the app fails. Whoever asked is not told it.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        place: Place,
        links: Links,
        attempts: Attempts | None = None,
        trouble: Callable[[str, Exception], None] = _warn,
    ) -> None:
        self._app, self._trouble = app, trouble
        self.place, self.links, self.attempts = place, links, Attempts() if attempts is None else attempts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:  # the desk does not speak WebSocket
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = False

        async def guarded(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                message = {**message, "headers": _with_ours(message.get("headers", ()))}
            await send(message)

        refusal = refusal_of(scope, self.place)
        if refusal is not None:
            allowed = {"Allow": ", ".join(METHODS)} if refusal.status == 405 else None
            await refused(*refusal, headers=allowed)(scope, receive, guarded)
            return
        try:
            scope.setdefault("state", {}).update(guard=self, identities=self._identities(scope))
            body = await _body(receive)
            if body is not None:
                await self._app(scope, _replay(body, receive), guarded)
        except Exception as error:
            if not isinstance(error, HTTPException):
                self._trouble(f"{scope['method']} {scope['path']}", error)
            if not began:
                await _told(error)(scope, receive, guarded)

    def _identities(self, scope: Scope) -> dict[Role, Identity | None]:
        """Return who asks, by role. Whoever sends a token in a header is known by that alone."""
        found: dict[Role, Identity | None] = {"rater": None, "owner": None}
        token = bearer(scope)
        if token is not None:
            identity = self.admit(token, _peer(scope))
            return {**found, identity.role: identity}
        for role in found:
            # A wrong cookie is no attempt: a page left open goes on asking with one, and would lock its user out.
            known = self.links.known(_cookie(scope, self.place.cookie(role)))
            found[role] = known if known is not None and known.role == role else None
        return found

    def admit(self, token: str, peer: str) -> Identity:
        """Return whose token this is; raise 401 if it is nobody's, 429 if its sender was wrong too often."""
        seconds = self.attempts.wait(peer)
        if seconds > 0:
            sentence = "Too many wrong tokens came from this address: wait a minute, then try again."
            raise HTTPException(429, sentence, {"Retry-After": str(math.ceil(seconds))})
        identity = self.links.known(token)
        if identity is None:
            self.attempts.wrong(peer)
            raise _unknown("This link is not valid, or not any more: ask the owner for a new one.")
        return identity


def required(request: Request, role: Role) -> Identity:
    """Return who asks, in a role; raise 401 if the desk knows nobody, 403 if it knows somebody else.

    A page says in the header Desk-Rater for whom it was made: another link may have been opened in the browser since.
    """
    identity = entered(request, role)
    if identity is None:
        if any(request.state.identities.values()):
            raise HTTPException(403, f"This is for the {role} of the desk: open the {role}'s link.")
        raise _unknown("The desk does not know you, or not any more: open your link again.")
    if any(unquote(page) != identity.name for page in request.headers.getlist("desk-rater")):
        raise HTTPException(403, "Another person's link was opened in this browser: open your own again.")
    return identity


def entered(request: Request, role: Role) -> Identity | None:
    """Return who asks, in a role, None if the desk knows nobody in it: for pages, which then ask for a link."""
    found: Identity | None = request.state.identities[role]
    return found


def enter(request: Request, token: object) -> JSONResponse:
    """Exchange a link's token for the cookie of its role; raise 400 if it is not text, else as `Guard.admit`."""
    if not isinstance(token, str):
        raise HTTPException(400, 'The token must be text: send {"token": "…"}.')
    guard: Guard = request.state.guard
    identity = guard.admit(token, _peer(request.scope))
    response = JSONResponse({"role": identity.role})
    response.set_cookie(
        guard.place.cookie(identity.role),
        token,
        max_age=STAYS,
        secure=guard.place.secure,
        httponly=True,
        samesite="strict",
    )
    return response


def refused(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return the answer to a request that is refused: one sentence."""
    return JSONResponse({"error": sentence}, status, headers)


def _unknown(sentence: str) -> HTTPException:
    return HTTPException(401, sentence, {"WWW-Authenticate": "Bearer"})


def _told(error: Exception) -> JSONResponse:
    """Return what is told of an error: of one that was not foreseen, nothing but that."""
    if not isinstance(error, HTTPException):
        return refused(500, _FAILED)
    status = error.status_code
    usual = http.HTTPStatus(status).phrase
    sentence = _SENTENCES.get(status, f"{usual}.") if error.detail in ("", usual) else error.detail
    return refused(status, sentence, error.headers)


async def _handle(_: Request, error: Exception) -> JSONResponse:
    return _told(error)


ERROR_HANDLERS: Mapping[Any, Any] = {HTTPException: _handle, Exception: _handle}
"""What an app inside a guard answers to errors."""


def _peer(scope: Scope) -> str:
    """Return the address that a request comes from."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def _cookie(scope: Scope, name: str) -> str:
    """Return a cookie's value, nothing without one.

    Nothing as well if there are several: servers on other ports of this machine can add one, and it may come first.
    """
    pairs = [pair.strip().partition("=") for line in values(scope, b"cookie") for pair in line.split(";")]
    found = {value for key, _, value in pairs if key == name}
    return found.pop() if len(found) == 1 else ""


async def _body(receive: Receive) -> bytes | None:
    """Read a body, which is short; None if its sender left before its end."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > LARGEST:
            raise HTTPException(413, TOO_LONG)
        more = message.get("more_body", False)
    return body


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives a body that was read already, and after it what really comes."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return left.pop() if left else await receive()

    return replayed


def _with_ours(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return an app's headers with the guard's in place of those of the same names.

    A content policy of a route stays beside the guard's: browsers keep to both, so that it can only forbid more.
    """
    kept = [(key, value) for key, value in headers if key.lower() == _POLICY or key.lower() not in _HEADERS]
    return [*kept, *_HEADERS.items()]
