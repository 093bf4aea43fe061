"""The journal, which keeps the events of a study: SQLite, one file per study."""

from ringtrue.journal._connect import for_owner
from ringtrue.journal._salvage import Salvage, copy_journal, salvage, write_anew
from ringtrue.journal._sqlite import SqliteJournal

__all__ = ["Salvage", "SqliteJournal", "copy_journal", "for_owner", "salvage", "write_anew"]
