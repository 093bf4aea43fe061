"""The token of the user: read from the environment, sent as a bearer token, never where others could read it."""

from __future__ import annotations

import os
from ipaddress import ip_address
from urllib.parse import urlsplit

from ringtrue.core import InvalidInput

TOKEN = "RINGTRUE_MODEL_TOKEN"  # noqa: S105 - the name of the variable, not what is in it


def token_of_user() -> str:
    """Return the token, nothing if none is set."""
    return os.environ.get(TOKEN, "").strip()


def bearer(url: str) -> dict[str, str]:
    """Return the header that carries the token to an address; refuse to send it where anybody on the way could read it.

    >>> bearer("http://127.0.0.1:8080/predict") == bearer("https://models.example/predict")
    True
    """
    token, parts = token_of_user(), urlsplit(url)
    if not token:
        return {}
    if not (token.isascii() and token.isprintable()):
        raise InvalidInput(f"{TOKEN} holds characters that no header can: set it to the token alone")
    if parts.scheme.lower() != "https" and not _is_loopback(parts.hostname or ""):
        raise InvalidInput(
            f"{TOKEN} is set and the address at {parts.hostname} begins with http://, where anybody on the way could "
            f"read it: give an https:// address, or unset {TOKEN}"
        )
    return {"Authorization": f"Bearer {token}"}


def _is_loopback(host: str) -> bool:
    """Whether what is sent to a host stays on this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
