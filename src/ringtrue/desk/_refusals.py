"""Which requests a desk does not let in, by their first line and their headers alone.

A desk on this machine can be reached by every page that its user's browser has open, and by names that strangers
point at this machine. So a request must name the desk as the desk calls itself, come from the desk's own pages, and be
of the one form that other pages cannot send unasked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from ringtrue.desk._links import PAGES, Place

METHODS = ("GET", "HEAD", "POST")

LARGEST = 64 * 1024
"""Bytes in a body at most: an answer is a label or some numbers."""

NOTHING_HERE = "There is nothing at this address."
WRONG_METHOD = "The desk does not answer this method here: it knows GET, HEAD and POST, each at its own address."
TOO_LONG = "This is too long: a request may hold 64 kB."
_FROM_ELSEWHERE = "The desk takes requests from its own pages only."


class Refusal(NamedTuple):
    """Why a request is not let in: the status, and a sentence for whoever sent it."""

    status: int
    sentence: str


def refusal_of(scope: Mapping[str, Any], place: Place) -> Refusal | None:
    """Return why a request is not let in, None if it is. Nothing of the request is repeated."""
    hosts = values(scope, b"host")
    origins = place.origins(hosts[0].lower()) if len(hosts) == 1 else set()
    if not origins:
        return Refusal(421, "The desk is not called by this name: open the link as it was printed.")
    if not is_plain(scope.get("raw_path") or scope["path"].encode()):
        return Refusal(404, NOTHING_HERE)
    if scope["method"] not in METHODS:
        return Refusal(405, WRONG_METHOD)
    if scope["method"] == "POST" and (wrong := _wrong_content(scope)):
        return wrong
    given = values(scope, b"origin")
    if given and (len(given) > 1 or given[0] not in origins):
        return Refusal(403, _FROM_ELSEWHERE)
    if scope["method"] == "POST" and not given and bearer(scope) is None:
        return Refusal(403, "A POST needs the header Origin, as browsers send it, or Authorization: Bearer.")
    return None if _may_fetch(scope) else Refusal(403, _FROM_ELSEWHERE)


def is_plain(path: bytes) -> bool:
    r"""Return whether a path is in the one form that no reader can take for another path.

    It is looked at as it is, decoded, and decoded twice, as some proxies do.

    >>> [is_plain(path) for path in (b"/items/a%20b/0", b"/x/../api", b"/x/%2e%2e/api", b"/x%2fy", b"/x%255cy", b"//x")]
    [True, False, False, False, False, False]
    """
    try:
        once = unquote_to_bytes(path)
        texts = [path.decode("ascii"), once.decode(), unquote_to_bytes(once).decode()]
    except UnicodeDecodeError:
        return False
    slashes = texts[0].count("/")
    return all(
        text.startswith("/")
        and text.count("/") == slashes  # else a part of the path holds one
        and not any(mark in text for mark in ("//", "\\"))
        and not any(part in (".", "..") for part in text.split("/"))
        and not any(letter < " " or letter == "\x7f" for letter in text)
        for text in texts
    )


def _wrong_content(scope: Mapping[str, Any]) -> Refusal | None:
    """Return why a body is not taken: it is not JSON, or too long."""
    kinds, lengths = values(scope, b"content-type"), values(scope, b"content-length")
    # A page of another origin must ask before it sends JSON, and the desk always says no.
    if len(kinds) != 1 or kinds[0].partition(";")[0].strip().lower() != "application/json":
        return Refusal(415, "A POST must be JSON: send it with Content-Type: application/json.")
    if any(not length.isdecimal() or len(length) > 9 or int(length) > LARGEST for length in lengths):
        return Refusal(413, TOO_LONG)
    return None


def _may_fetch(scope: Mapping[str, Any]) -> bool:
    """Return whether the browser says that the desk's own page made a request, or a person did.

    A link in a letter or a chat may open a page. The browser leaves out the cookie then, as it is for the desk's own
    site alone, and the page holds nothing.
    """
    sites, modes, kinds = (values(scope, b"sec-fetch-" + name) for name in (b"site", b"mode", b"dest"))
    if not sites or sites == ["same-origin"]:
        return True
    if scope["method"] == "POST" or modes != ["navigate"]:
        return False
    return sites == ["none"] or (len(sites) == 1 and kinds == ["document"] and scope["path"] in PAGES.values())


def values(scope: Mapping[str, Any], name: bytes) -> list[str]:
    """Return the values of all headers of a name."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def bearer(scope: Mapping[str, Any]) -> str | None:
    """Return the token in the headers, None without one, nothing if there are several.

    A header of another kind, such as a proxy's own, says nothing to the desk.
    """
    given = [value.partition(" ") for value in values(scope, b"authorization")]
    tokens = [token.strip() for scheme, _, token in given if scheme.lower() == "bearer"]
    return tokens[0] if len(tokens) == 1 else "" if tokens else None
