"""The secrets that go along with a request: a token and headers, from the environment alone, by one rule."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from ringtrue.core import InvalidInput, without_secrets

TOKEN = "RINGTRUE_MODEL_TOKEN"  # noqa: S105 - the name of the variable, not what is in it

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_OURS = {"host", "connection", "content-length", "content-type", "content-encoding", "transfer-encoding"}
_OURS |= {"accept-encoding"}
"""What the request itself says of its form."""

_LONG = 8
"""Characters of a value that is taken for the secret when it comes back as an answer; a shorter one may be a label."""


def carried(headers: Mapping[str, str]) -> list[str]:
    """Return the secrets that would go along with a request, by name: the token if it is set, and these headers."""
    return [*([TOKEN] if _value(TOKEN) else []), *(f"header {name!r}" for name in headers)]


def credentials(url: str, headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that carry the secrets to an address; refuse to send one where others could read it.

    A header that is named takes the place of the token's.

    >>> credentials("http://127.0.0.1:8080/predict", {}) == credentials("https://models.example/predict", {})
    True

    Parameters
    ----------
    url
        The address; http:// is refused unless it is this machine's own.
    headers
        Headers by name, each with the environment variable that holds its value, after a scheme such as "Bearer" if
        the value has one.
    """
    token = _value(TOKEN)
    _check_printable(TOKEN, token)
    sent = {"Authorization": f"Bearer {token}"} if token else {}
    for name, (scheme, variable) in zip(headers, map(_parts, headers.values()), strict=True):
        if not _NAME.fullmatch(name) or name.lower() in _OURS:
            raise InvalidInput(f"header {name[:60]!r} cannot be set: name one such as X-Api-Key")
        value = _value(variable)
        if not value:  # the variable is not repeated: the user may have written the value in its place
            raise InvalidInput(f"header {name!r}: the environment variable named for it is not set: export it first")
        _check_printable(f"header {name!r}: its variable", value)
        sent = {other: said for other, said in sent.items() if other.lower() != name.lower()} | {name: scheme + value}
    parts = urlsplit(url)
    if sent and parts.scheme.lower() != "https" and not is_loopback(parts.hostname or ""):
        remedy = f"unset {TOKEN}" if token else "leave it out"
        raise InvalidInput(
            f"{' and '.join(carried(headers))} would be sent, and the address at {parts.hostname} begins with http://, "
            f"where others on the way could read it: give an https:// address, or {remedy}"
        )
    return sent


def masked(text: str, headers: Mapping[str, str]) -> str:
    """Return a text on one line, without a secret that was sent, should the service have repeated it."""
    for value in _values(headers):
        text = text.replace(value, "…")
    return without_secrets(" ".join(text.split()))


def is_repeated(answers: Iterable[object], headers: Mapping[str, str]) -> bool:
    """Return whether a service gave a secret that it was sent as an answer, which a study would keep."""
    values = [value for value in _values(headers) if len(value) >= _LONG]
    return bool(values) and any(value in answer for answer in answers if isinstance(answer, str) for value in values)


def _values(headers: Mapping[str, str]) -> list[str]:
    variables = [TOKEN, *(_parts(text)[1] for text in headers.values())]
    return [value for value in map(_value, variables) if value]


def _parts(text: str) -> tuple[str, str]:
    """Return the scheme of a header's value with the space after it, and the variable that holds the rest.

    >>> _parts("Bearer MY_KEY"), _parts("MY_KEY")
    (('Bearer ', 'MY_KEY'), ('', 'MY_KEY'))
    """
    scheme, space, variable = text.rpartition(" ")
    return scheme + space, variable


def _value(variable: str) -> str:
    """Return what an environment variable holds, nothing if it cannot be one."""
    return os.environ.get(variable, "").strip() if variable and "\0" not in variable else ""


def _check_printable(what: str, value: str) -> None:
    if not (value.isascii() and (not value or value.isprintable())):
        raise InvalidInput(f"{what} holds characters that no header can: set it to the value alone")


def is_loopback(host: str) -> bool:
    """Return whether what is sent to a host stays on this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
