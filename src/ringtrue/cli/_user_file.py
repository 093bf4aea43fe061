"""The user's own file, outside any study: which hosts may have the token, and what this user let studies run."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ringtrue.core import InvalidInput

_HOSTS, _STUDIES = "token_hosts", "studies"


def place() -> Path:
    """Return where the file lies: in XDG_CONFIG_HOME, else in .config of the home folder."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(base) if os.path.isabs(base) else Path(os.path.expanduser("~")) / ".config"
    return folder / "ringtrue" / "config.json"


def token_hosts() -> list[str]:
    """Return the hosts that the file says may have the token."""
    return list(_read()[_HOSTS])


def remembered(identity: str) -> Mapping[str, str]:
    """Return what this user let a study run or call, each with how: "named" or "trusted"."""
    return dict(_read()[_STUDIES].get(identity, {}))


def remember(identity: str, entries: Mapping[str, str]) -> None:
    """Add what a study may run to what it might before; the rest of the file stays as it is.

    Raises OSError if the file cannot be written.
    """
    path = place()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _alone(path.parent):
        content = _read()
        content[_STUDIES].setdefault(identity, {}).update(entries)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".config-")  # which its owner alone can read
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(content, file, indent=2)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft)
            raise


def _read() -> dict[str, Any]:
    path = place()
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        content = {}
    except (OSError, ValueError, RecursionError) as error:
        why = " ".join(str(getattr(error, "strerror", None) or error).split())
        raise InvalidInput(f"your file {str(path)!r} cannot be read ({why}): mend it, or remove it") from None
    form = f"your file {str(path)!r} is not of the form {{{_HOSTS!r}: […], {_STUDIES!r}: {{…}}}}: mend it, or remove it"
    if not isinstance(content, dict):
        raise InvalidInput(form)
    hosts, studies = content.setdefault(_HOSTS, []), content.setdefault(_STUDIES, {})
    if not isinstance(hosts, list) or not all(isinstance(host, str) for host in hosts):
        raise InvalidInput(form)
    if not isinstance(studies, dict) or not all(isinstance(entries, dict) for entries in studies.values()):
        raise InvalidInput(form)
    return content


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes of this user from writing meanwhile, where the system can: one would lose what it wrote."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems lock no folder
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
