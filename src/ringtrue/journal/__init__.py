"""Where the events of a study are kept: SQLite, one file a study."""

from ringtrue.journal._sqlite import SqliteJournal

__all__ = ["SqliteJournal"]
