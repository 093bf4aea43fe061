"""What a study's file would run or call needs its user's word: named on a command line here, or trusted once."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from ringtrue.cli import _user_file
from ringtrue.cli._calling import Calling
from ringtrue.cli._common import tell
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.study import Study

HOSTS = "RINGTRUE_TOKEN_HOSTS"

_DOES = {"command": "run the command", "module": "import", "address": "call"}


class Run(NamedTuple):
    """One thing that would be run or called, as it is remembered: what kind of thing, and its exact text."""

    kind: str
    text: str

    @property
    def key(self) -> str:
        return f"{self.kind} {self.text}"


def would_run(text: str | None, *, command: bool = False, columns: Collection[str] = ()) -> list[Run]:
    """Return what a text runs or calls: nothing if it names a column of the pool, or a person."""
    if text is None or (not command and (text in columns or ":" not in text)):
        return []
    return [Run("command" if command else "address" if "://" in text else "module", text)]


def note_named(study: Study, runs: Collection[Run]) -> None:
    """Remember what the user has just made a study with: who named it is not asked about it again."""
    _keep(study.identity, {run.key: "named" for run in runs})


def allow(study: Study, runs: Collection[Run], *, named: Collection[str], trust: bool, calling: Calling) -> None:
    """Refuse to go on if the study would run or call what this user has neither named nor trusted on this machine.

    Args:
        study: the study, opened to be read.
        runs: all that this command would run or call.
        named: the texts that the user gave on this very command line.
        trust: whether the user says that the rest is trusted, which is remembered.
        calling: how addresses would be called.
    """
    calling.check_used(runs)
    if not runs:
        return
    known = _user_file.remembered(study.identity)
    fresh = {run.key: "named" for run in runs if run.text in named and known.get(run.key) != "named"}
    strange = [run for run in dict.fromkeys(runs) if run.key not in known and run.key not in fresh]
    if strange and not trust:
        shown = " and ".join(f"{_DOES[run.kind]} {run.text!r}" for run in strange)
        raise InvalidInput(
            f"study {study.name!r} would {shown}, which its file names and you did not: say --trust once "
            "if you trust it"
        )
    _keep(study.identity, {**{run.key: "trusted" for run in strange}, **fresh})
    for run in runs:
        if run.kind == "address" and "named" not in (known.get(run.key), fresh.get(run.key)):
            check_host(run.text, calling)


def check_host(address: str, calling: Calling) -> None:
    """Refuse an address that the user did not type if it would get a secret that the user meant for other hosts."""
    from ringtrue.models import carried

    secrets = carried(calling.headers)
    if not secrets:
        return
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return  # refused with its own words when it is made a model
    listed = [*os.environ.get(HOSTS, "").split(","), *_user_file.token_hosts()]
    if not {host, f"{host}:{port}"} & {name.strip().lower() for name in listed}:
        them = "it" if len(secrets) == 1 else "them"
        raise InvalidInput(
            f"{' and '.join(secrets)} would be sent to the host {host!r}, which you did not name: set {HOSTS}={host} "
            f"if it may have {them}, else leave {them} out"
        )


def given_texts(given: Mapping[str, Any], *options: str) -> list[str]:
    """Return the texts that the user gave with these options."""
    return [given[option] for option in options if option in given]


def _keep(identity: str, entries: Mapping[str, str]) -> None:
    if not entries:
        return
    try:
        _user_file.remember(identity, entries)
    except (OSError, InvalidInput) as error:
        why = f"{error.strerror}: {str(_user_file.place())!r}" if isinstance(error, OSError) else str(error)
        tell(f"warning: what this study may run cannot be remembered ({why}): say --trust next time", err=True)
