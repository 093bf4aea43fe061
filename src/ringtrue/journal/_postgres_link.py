"""The connection to a PostgreSQL server: its address without a secret, its promises checked, found again when lost."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from ringtrue.core import InvalidInput, JournalUnusable

if TYPE_CHECKING:
    import psycopg

SCHEMES = ("postgresql://", "postgres://")

PATIENCE = 30.0
"""Seconds for which a server that went away is looked for: one that is started again is back in a few."""

_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
_FORM = "write it like postgresql://HOST/DATABASE"

_LIKE_ONE = re.compile(r"(?:^|[/\\])[A-Za-z][A-Za-z0-9+.-]+:/")
"""How addresses begin, also after a path was made of one, which leaves one slash. One letter alone names a drive."""

_HOST = re.compile(r"(?:\[[^\]]*\]|[^:]*)(?::\d*)?")
"""A server and its port; an address of IPv6 stands in brackets."""

_SHOWN = ("host", "hostaddr", "port", "dbname", "service")
"""Settings of an address that say where a journal is."""

_ENDED = ("08", "57P", "25P03")
"""How the codes begin after which a connection is over: it broke, the server or its operator ended it, or a transaction
stood still for too long."""

_REMEDIES = {
    "55P03": "another process works on the study for long: wait for it, or end it",
    "42501": "your role may not do that: the owner of the database grants it, see PostgresJournal.let_write",
    "25006": "this server only reads: name the one that writes",
    "53300": "the server has no connection left: end some, or have max_connections raised",
}
_REMEDIES_SAID = {
    r"role .* does not exist": "name one that the server knows, in PGUSER or before the host with an @",
    r"database .* does not exist": "check the name of the database, or have its owner make it: createdb NAME",
    r"too many clients|connection slots|too many connections": _REMEDIES["53300"],
    r"password authentication|no password": "give the password by PGPASSFILE, PGSERVICE or PGPASSWORD",
    r"pg_hba": "its pg_hba.conf does not let this role in from here: ask who looks after the server",
}
"""Remedies by the code of an error, and by what it says where it has none: so it is before there is a connection."""

_CHECKED = ("fsync", "full_page_writes")
KEPT = (
    "set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN "
    "'remote_apply' ELSE 'on' END, true)"
)
"""Makes the commit of the transaction under way durable; it is part of each, as a proxy may give each another session.
One who waits for standbys to show a commit as well goes on to."""


class Lost(Exception):
    """The connection broke: what was under way may be written or not."""


def is_address(text: str) -> bool:
    """Return whether a text names a journal in PostgreSQL."""
    return text.startswith(SCHEMES)


def resembles_address(text: str) -> bool:
    """Return whether a text reads like an address of any kind: it may then hold a password, and is not to be repeated.

    >>> resembles_address("POSTGRESQL://me@h/db"), resembles_address("ci/mysql:/h/db"), resembles_address("C:/loans")
    (True, True, False)
    """
    return _LIKE_ONE.search(text) is not None


def address_and_name(text: str) -> tuple[str, str]:
    """Return the address of a journal and the name of a study, which a text has in one; "" for one that is missing.

    >>> address_and_name("postgresql://ann@h/db#loans"), address_and_name("postgresql://h/db")
    (('postgresql://ann@h/db', 'loans'), ('postgresql://h/db', ''))
    """
    address, _, name = text.partition("#")
    ended = "@" in address or "/" in address.partition("://")[2]
    if "@" in name and ("/" in name or not ended):  # the # may stand in a password, before the host
        return text, ""
    return address, name


def check_address(address: str) -> str:
    """Return the place that an address names, to be shown and written: without the user, and without other settings.

    One that holds a password is refused, and not repeated: it would stand in the history of a shell.

    >>> check_address("postgresql://ann@db.example:5433/studies?sslmode=verify-full")
    'postgresql://db.example:5433/studies'
    """
    try:
        parts = urlsplit(address)
        user, _, host = parts.netloc.rpartition("@")
        strange = "@" in parts.path + parts.query + parts.fragment or not all(map(_HOST.fullmatch, host.split(",")))
        settings = [one for one in parts.query.split("&") if one]
    except ValueError:
        raise InvalidInput(f"the journal's address cannot be read: {_FORM}") from None
    if ":" in unquote(user) or strange or "password=" in unquote(address).lower():
        raise InvalidInput(
            "the journal's address holds a password, or a letter that must be escaped: leave the password out, and "
            "give it by PGPASSFILE, PGSERVICE or PGPASSWORD"
        )
    if not is_address(address) or not (parts.path.strip("/") or host or settings):
        raise InvalidInput(f"the journal's address is not one of PostgreSQL: {_FORM}")
    if parts.fragment:
        raise InvalidInput(f"the journal's address ends with the name of a study: leave out # and the name: {_FORM}")
    where = "&".join(one for one in settings if one.partition("=")[0] in _SHOWN)
    return f"postgresql://{host}{parts.path}{f'?{where}' if where else ''}"


class Link:
    """One connection, opened again after it was lost. It holds no state between two transactions.

    So it may go through a proxy that gives each transaction another session of the server.
    """

    def __init__(self, address: str) -> None:
        self.shown = check_address(address)
        self._address = address
        self._connection: psycopg.Connection[Any] | None = None
        try:
            import psycopg
        except ImportError:
            raise InvalidInput("a journal in PostgreSQL needs psycopg: pip install 'ringtrue[postgres]'") from None
        try:
            self._connection = self._connect()
        except psycopg.Error as error:
            raise self.told(error) from error

    def run(self, statement: str, values: Any = None) -> list[Any]:
        """Run a statement, and return its rows; raise Lost if the connection breaks, or is broken."""
        import psycopg

        if self._connection is None:
            raise Lost("it was closed")
        try:
            cursor = self._connection.execute(statement.encode(), values)
            return cursor.fetchall() if cursor.description is not None else []
        except psycopg.Error as error:
            if self._connection.closed or (error.sqlstate or "").startswith(_ENDED):
                self.close()
                raise Lost(_first_line(error)) from error
            raise

    def open_again(self) -> None:
        """Connect anew, and wait for a server that is being started again."""
        import psycopg

        self.close()
        end, pause = time.monotonic() + PATIENCE, _PAUSE
        while True:
            try:
                self._connection = self._connect()
                return
            except psycopg.Error as error:
                if time.monotonic() > end or not isinstance(error, psycopg.OperationalError):
                    raise self.told(error) from error
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def told(self, error: Exception) -> JournalUnusable:
        """Return an error of the server in one line, with a remedy."""
        said = (remedy for words, remedy in _REMEDIES_SAID.items() if re.search(words, str(error)))
        other = next(said, "check the address and the server; what was acknowledged is safe")
        remedy = _REMEDIES.get(getattr(error, "sqlstate", None) or "", other)
        return JournalUnusable(f"journal {self.shown!r}: {_first_line(error)}: {remedy}")

    def _connect(self) -> psycopg.Connection[Any]:
        import psycopg

        connection = psycopg.connect(
            self._address,
            autocommit=True,
            prepare_threshold=None,  # a prepared statement belongs to a session, which a proxy may change
            connect_timeout=10,
            keepalives=1,
            keepalives_idle=30,
            keepalives_interval=10,
            keepalives_count=3,
            application_name="ringtrue",
            client_encoding="utf8",
        )
        try:
            self._check_durable(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_durable(self, connection: psycopg.Connection[Any]) -> None:
        """Refuse a server that would lose what it acknowledged when the power fails."""
        names = ", ".join(f"current_setting('{name}')" for name in _CHECKED)
        *found, kept = connection.execute(f"SELECT {names}, {KEPT}".encode()).fetchall()[0]
        off = [name for name, value in zip(_CHECKED, found, strict=True) if value != "on"]
        off += [] if kept in ("on", "remote_apply") else ["synchronous_commit"]
        if off:
            raise JournalUnusable(
                f"journal {self.shown!r}: the server has {off[0]}=off and may lose what it acknowledged: turn it on, "
                "or name another server"
            )


def begin(lock: int) -> str:
    """Return what begins a transaction that is durable, and alone at one study: it has the lock of this number.

    A process that stands still while it has the lock loses it before others, who wait for thirty seconds, give up.
    """
    return (
        f"BEGIN ISOLATION LEVEL READ COMMITTED; SELECT {KEPT}; SET LOCAL lock_timeout = '30s'; "
        f"SET LOCAL idle_in_transaction_session_timeout = '20s'; SELECT pg_advisory_xact_lock({lock})"
    )


def _first_line(error: Exception) -> str:
    return " ".join(next(iter(str(error).splitlines()), type(error).__name__).split())[:200]
