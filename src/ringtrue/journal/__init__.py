"""The journal, which keeps the events of a study: SQLite, one file per study, or PostgreSQL."""

from ringtrue.journal._connect import for_owner
from ringtrue.journal._postgres import PostgresJournal
from ringtrue.journal._postgres_link import address_and_name, check_address, is_address, resembles_address
from ringtrue.journal._salvage import Salvage, bring_to_file, copy_journal, salvage, write_anew
from ringtrue.journal._schema import Row
from ringtrue.journal._sqlite import SqliteJournal

__all__ = [
    "PostgresJournal",
    "Row",
    "Salvage",
    "SqliteJournal",
    "address_and_name",
    "bring_to_file",
    "check_address",
    "copy_journal",
    "for_owner",
    "is_address",
    "resembles_address",
    "salvage",
    "write_anew",
]
