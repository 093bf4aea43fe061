"""What a parameter may be called."""

from __future__ import annotations

from ringtrue.core import InvalidInput

TASK = "task"
"""The name under which an item says which output it asks about."""


def checked_name(name: object) -> str:
    """The name of a parameter, or an error."""
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput(f"parameter {name!r} must have a name, a text that is not blank")
    if name == TASK:
        raise InvalidInput(f"parameter {name!r} has the name of what is asked about: call it something else")
    return name
