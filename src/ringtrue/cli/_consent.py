"""What a study's file would run or call needs its user's word, and addresses are called as this user says.

The word is kept in a file of the user's own, outside any study: what was named on a command line here, or trusted once.
Headers come from this command line alone; a limit of time is remembered by the study.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import click

from ringtrue.cli._terminal import tell
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.models import HttpModel
    from ringtrue.study import Study

HOSTS = "RINGTRUE_TOKEN_HOSTS"

_TOKEN_HOSTS, _STUDIES = "token_hosts", "studies"
"""What the user's own file holds: which hosts may have the token, and what this user let studies run."""

_DOES = {"command": "run the command", "module": "import", "address": "call"}
_DOES |= {"file": "run the model file", "type": "load the type"}


class Run(NamedTuple):
    """One thing that would be run or called, as it is remembered: what kind of thing, and its exact text."""

    kind: str
    text: str

    @property
    def key(self) -> str:
        return f"{self.kind} {self.text}"


@dataclass(frozen=True, slots=True)
class Calling:
    """What the user says on this command line of how addresses are called, and where files are looked for.

    Not part of a study: a file that another user sends you must not say which of your variables goes where.
    """

    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers by name, each with the environment variable that holds its value."""
    timeout: float | None = None
    """Seconds that one request may take."""
    home: Path = field(default_factory=Path)
    """Where the study lies: the path of a model file starts there."""
    journal: str | None = None
    """The address of the journal that keeps the study, where it has no file."""

    def model(self, url: str, who: str = "model", **settings: Any) -> HttpModel:
        """Return the model behind an address, which says what it is sent before it is; `who` names it then."""
        from ringtrue.models import HttpModel

        def say(columns: Sequence[str]) -> None:
            tell(f"{who} {made.name} ({made.shape}) is sent: {', '.join(columns)}", err=True)

        if self.timeout is not None:
            settings["timeout"] = self.timeout
        made = HttpModel(url, headers=self.headers, before=say, **settings)
        return made

    def check_used(self, runs: Collection[Run], oracle: str | None = None) -> None:
        """Refuse options that nothing would use. A limit of time is also for the oracle, and for any program."""
        if self.headers and not any(run.kind == "address" for run in runs):
            raise InvalidInput("--header is for a model or an oracle behind an address (http…): leave it out")
        limited = ("address", "command")
        if self.timeout is not None and not any(run.kind in limited or run.text == oracle for run in runs):
            raise InvalidInput("--timeout is for a model behind an address (http…) or an oracle that runs: leave out")


journal_option = click.option(
    "--journal",
    metavar="ADDRESS",
    help="The database of PostgreSQL that keeps the study, as in postgresql://HOST/DATABASE; STUDY is its name there.",
)


def calling_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add `--journal`, `--header` and `--timeout`, and hand them to the verb as one argument `calling`."""

    @journal_option
    @click.option(
        "--header",
        multiple=True,
        metavar="NAME=VARIABLE",
        help="Send an address this header, with the value of an environment variable; repeatable.",
    )
    @click.option(
        "--timeout", type=float, metavar="SECONDS", help="The most that one answer may take (from an address: 60)."
    )
    @wraps(command)
    def called(*arguments: Any, journal: str | None, header: Sequence[str], timeout: float | None, **given: Any) -> int:
        return command(*arguments, calling=Calling(_headers(header), timeout, journal=journal), **given)

    return called


def _headers(texts: Sequence[str]) -> dict[str, str]:
    """Return headers by name, each with its variable; a value that was typed is not repeated."""
    found = {}
    for text in texts:
        name, equals, variable = (part.strip() for part in text.partition("="))
        if not equals or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
            raise InvalidInput(
                "--header must be NAME=VARIABLE, where an environment variable holds the value: write it like "
                "X-Api-Key=MY_KEY after export MY_KEY=…"
            )
        found[name] = variable
    return found


def would_run(text: str | None, *, command: bool = False, columns: Collection[str] = ()) -> list[Run]:
    """Return what a text runs or calls: nothing if it names a column of the pool, or a person."""
    if text is None or (not command and (text in columns or ":" not in text)):
        return []
    return [Run("command" if command else "address" if "://" in text else "module", text)]


def note_named(study: Study, runs: Collection[Run]) -> None:
    """Remember what the user has just made a study with: who named it is not asked about it again."""
    _keep(study.identity, {run.key: "named" for run in runs})


def allow(study: Study, runs: Collection[Run], given: Mapping[str, Any], calling: Calling) -> None:
    """Refuse to go on if the study would run or call what this user has neither named nor trusted on this machine.

    `runs` is all that this command would run or call; `given` on it are the texts that it names, and `trust`, by which
    the rest is trusted and remembered.
    """
    if not runs:
        return
    known = _read()[_STUDIES].get(study.identity, {})  # each with how: "named" or "trusted"
    texts = [[one] if isinstance(one, str) else one for one in given.values() if isinstance(one, str | list | tuple)]
    named = [text for several in texts for text in several]
    fresh = {run.key: "named" for run in runs if run.text in named and known.get(run.key) != "named"}
    strange = [run for run in dict.fromkeys(runs) if run.key not in known and run.key not in fresh]
    if strange and not given.get("trust"):
        shown = " and ".join(f"{_DOES[run.kind]} {run.text!r}" for run in strange)
        raise InvalidInput(
            f"study {study.name!r} would {shown}, which its file names and you did not: say --trust once "
            "if you trust it"
        )
    _keep(study.identity, {**{run.key: "trusted" for run in strange}, **fresh})
    for run in runs:
        if run.kind == "address" and "named" not in (known.get(run.key), fresh.get(run.key)):
            check_host(run.text, calling)


def trusted_types(study: Study) -> list[str]:
    """Return the types in a model file that this user has named or trusted for a study on this machine."""
    known = _read()[_STUDIES].get(study.identity, {})
    return [key.removeprefix("type ") for key in known if key.startswith("type ")]


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
    listed = [*os.environ.get(HOSTS, "").split(","), *_read()[_TOKEN_HOSTS]]
    if not {host, f"{host}:{port}"} & {name.strip().lower() for name in listed}:
        them = "it" if len(secrets) == 1 else "them"
        raise InvalidInput(
            f"{' and '.join(secrets)} would be sent to the host {host!r}, which you did not name: set {HOSTS}={host} "
            f"if it may have {them}, else leave {them} out"
        )


def user_file() -> Path:
    """Return where the file lies: in XDG_CONFIG_HOME, else in .config of the home folder."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(base) if os.path.isabs(base) else Path(os.path.expanduser("~")) / ".config"
    return folder / "ringtrue" / "config.json"


def _keep(identity: str, entries: Mapping[str, str]) -> None:
    """Add what a study may run to what it might before; the rest of the user's file stays as it is."""
    if not entries:
        return
    path = user_file()
    try:
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
    except (OSError, InvalidInput) as error:
        why = f"{error.strerror}: {str(path)!r}" if isinstance(error, OSError) else str(error)
        tell(f"warning: what this study may run cannot be remembered ({why}): say --trust next time", err=True)


def _read() -> dict[str, Any]:
    path = user_file()
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        content = {}
    except (OSError, ValueError, RecursionError) as error:
        why = " ".join(str(getattr(error, "strerror", None) or error).split())
        raise InvalidInput(f"your file {str(path)!r} cannot be read ({why}): mend it, or remove it") from None
    form = f"{{{_TOKEN_HOSTS!r}: […], {_STUDIES!r}: {{…}}}}"
    wrong = InvalidInput(f"your file {str(path)!r} is not of the form {form}: mend it, or remove it")
    if not isinstance(content, dict):
        raise wrong
    hosts, studies = content.setdefault(_TOKEN_HOSTS, []), content.setdefault(_STUDIES, {})
    if not isinstance(hosts, list) or not all(isinstance(host, str) for host in hosts):
        raise wrong
    if not isinstance(studies, dict) or not all(isinstance(entries, dict) for entries in studies.values()):
        raise wrong
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
