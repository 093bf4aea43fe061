"""Logs of evaluation tools: what they say of items, models and judges, whichever tool wrote them."""

from ringtrue.logs._detect import IMPORTERS, Importer, read_log
from ringtrue.logs._log import Log, LogItem, Voter
from ringtrue.logs._tables import (
    CLAIMED,
    OUTPUT,
    RIGHT,
    TARGET,
    TRUTH,
    WRONG,
    items_table,
    scores,
    stored,
    verdict,
    voted,
    votes_table,
)

__all__ = [
    "CLAIMED",
    "IMPORTERS",
    "OUTPUT",
    "RIGHT",
    "TARGET",
    "TRUTH",
    "WRONG",
    "Importer",
    "Log",
    "LogItem",
    "Voter",
    "items_table",
    "read_log",
    "scores",
    "stored",
    "verdict",
    "voted",
    "votes_table",
]
