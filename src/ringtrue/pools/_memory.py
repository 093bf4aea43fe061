"""How much memory one thing that is read may take."""

from __future__ import annotations

import os

from ringtrue.core import InvalidInput

_UNKNOWN = 4 * 2**30
"""Bytes, where the machine does not say what it has."""


def allowed() -> int:
    """Bytes that one read may take: half of the machine's memory, since what is read is worked on afterwards."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return _UNKNOWN


def check_memory(what: str, needed: int, remedy: str) -> None:
    """Refuse what would need more memory than one read may take, before any of it is taken."""
    most = allowed()
    if needed > most:
        raise InvalidInput(
            f"{what} {gigabytes(needed)} of memory, and half of what this machine has is {gigabytes(most)}: {remedy}"
        )


def gigabytes(size: int) -> str:
    """Write a number of bytes for people.

    >>> gigabytes(12_345_678), gigabytes(3 * 10**9), gigabytes(10**16)
    ('12.3 MB', '3 GB', '10,000,000 GB')
    """
    return (
        f"{size / 1e6:,.3g} MB" if size < 1e9 else f"{size / 1e9:,.3g} GB" if size < 1e12 else f"{size / 1e9:,.0f} GB"
    )
