"""The databases that a test opens, watched: Python warns of one that is left open only from 3.13 on."""

import sqlite3
import sys
import traceback
from contextlib import contextmanager
from itertools import islice

_opened = []
"""Whether each connection is closed, and who opened it; not the connection, which may be garbage by then."""

_HERE = ("/src/ringtrue/", "/tests/")


class Watched(sqlite3.Connection):
    """A connection that is noted when it is opened and when it is closed."""

    def __init__(self, *given, **options):
        # Not `extract_stack`, which looks every file of the stack up on the disk.
        stack = traceback.walk_stack(sys._getframe(1))
        callers = [f"{frame.f_code.co_filename}:{line}" for frame, line in islice(stack, 40)]
        self._noted = {"closed": False, "by": [one for one in callers[::-1] if any(part in one for part in _HERE)]}
        super().__init__(*given, **options)  # one that fails is not open
        _opened.append(self._noted)

    def close(self):
        """Close it; twice is fine."""
        super().close()
        self._noted["closed"] = True


def watch():
    """Let every connection of this process be watched from here on."""
    connect = sqlite3.connect
    sqlite3.connect = lambda *given, **options: connect(*given, **{"factory": Watched, **options})


@contextmanager
def none_left_open():
    """Fail if a connection was opened in the block and is not closed at its end."""
    before = len(_opened)
    yield
    made = _opened[before:]
    del _opened[before:]
    left = [one["by"] for one in made if not one["closed"]]
    lines = "\n".join("  " + " > ".join(by[-6:]) for by in left)
    assert not left, f"{len(left)} of {len(made)} databases were left open: close the study or the journal\n{lines}"
