"""Headers whose values stay in the environment: a study and a command line name the variable, never the value."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from ringtrue.core import InvalidInput

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_OURS = {"host", "connection", "content-length", "content-type", "content-encoding", "transfer-encoding"}
_OURS |= {"accept-encoding"}
"""What the request itself says of its form."""


def header_values(url: str, headers: Mapping[str, str]) -> dict[str, str]:
    """Return each header with the value of the environment variable that is named for it.

    The values are secrets: they go over https alone, or to this very machine.
    """
    if headers and not _is_safe(url):
        raise InvalidInput(
            f"header {next(iter(headers))!r} would be sent unencrypted: use an https:// address, or this machine's"
        )
    values = {}
    for name, variable in headers.items():
        if not _NAME.fullmatch(name) or name.lower() in _OURS:
            raise InvalidInput(f"header {name[:60]!r} cannot be set: name one such as X-Api-Key")
        value = os.environ.get(variable, "").strip() if variable and "\0" not in variable else ""
        if not value:  # the variable is not repeated: somebody may have written the value in its place
            raise InvalidInput(f"header {name!r}: the environment variable named for it is not set: export it first")
        if not (value.isascii() and value.isprintable()):
            raise InvalidInput(
                f"header {name!r}: its variable holds characters that no header can: set it to the value"
            )
        values[name] = value
    return values


def _is_safe(url: str) -> bool:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme.lower() == "https" or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
