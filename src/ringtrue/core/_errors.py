"""The errors a user can meet: one small tree, each message one line with its remedy."""

from __future__ import annotations

from ringtrue.core._text import harmless


class RingtrueError(Exception):
    """Anything ringtrue refuses to do. The message names the argument, the value, the rule and the remedy."""

    def __str__(self) -> str:
        """Return the message; whatever it repeats of a stranger's words cannot steer the terminal it is printed on."""
        return harmless(super().__str__())


class RingtrueWarning(UserWarning):
    """Something that is probably a mistake of the user; what was begun goes on."""


class InvalidInput(RingtrueError, ValueError):
    """An argument, a file or an answer breaks a rule. Mend the input and call again; nothing was recorded."""


class PlanChanged(RingtrueError):
    """A study was opened with another pool, model or configuration than it was made with."""


class ResponderStopped(RingtrueError):
    """The oracle or the model failed the same way several times running. What was answered is kept."""


class JournalConflict(RingtrueError):
    """Another writer appended first. Read what it wrote and try again; the study does this by itself."""


class JournalUnusable(RingtrueError):
    """The file is not a study, is damaged, or was written by a newer ringtrue."""
