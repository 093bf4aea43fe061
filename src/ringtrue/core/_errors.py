"""The errors a user can meet: one small tree, each message one line with its remedy."""

from __future__ import annotations

from collections.abc import Callable
from types import EllipsisType
from typing import Any, NamedTuple

from ringtrue.core._text import harmless


class Argument(NamedTuple):
    """An argument in the message of an error, with its value; `...` for one that is not given yet.

    It is kept apart from the words around it, so that the command line can call it by its option.

    >>> str(Argument("floor", 2)), str(Argument("critical", "cat")), str(Argument("truth"))
    ('floor=2', "critical='cat'", 'truth=…')
    """

    name: str
    value: Any | EllipsisType = ...

    def __str__(self) -> str:
        return f"{self.name}={'…' if self.value is ... else repr(self.value)}"


class RingtrueError(Exception):
    """Anything ringtrue refuses to do. The message names the argument, the value, the rule and the remedy.

    It is made of parts, texts and arguments, which are joined as they are.

    >>> print(InvalidInput(Argument("floor", 2), " must be at most 1: write it like 20%"))
    floor=2 must be at most 1: write it like 20%
    """

    def __str__(self) -> str:
        return self.in_words(str)

    def in_words(self, name: Callable[[Argument], str]) -> str:
        """Return the message, in which `name` says how an argument is called.

        Whatever it repeats of a stranger's words cannot steer the terminal it is printed on.
        """
        return harmless("".join(name(part) if isinstance(part, Argument) else str(part) for part in self.args))


class RingtrueWarning(UserWarning):
    """Something that is probably a mistake of the user; what was begun goes on."""


class InvalidInput(RingtrueError, ValueError):
    """An argument, a file or an answer breaks a rule. Mend the input and call again; nothing was recorded."""


def check_listed(name: str, value: object) -> None:
    """Refuse a text where several are wanted: its letters would be taken for them.

    >>> check_listed("features", "age")
    Traceback (most recent call last):
    ringtrue.core._errors.InvalidInput: features='age' is text: give a list, as in ['age']
    """
    if isinstance(value, str):
        raise InvalidInput(Argument(name, value), f" is text: give a list, as in [{value!r}]")


class PlanChanged(RingtrueError):
    """A study was opened with another pool, model or configuration than it was made with."""


class ResponderStopped(RingtrueError):
    """The oracle or the model failed the same way several times running. What was answered is kept."""


class JournalConflict(RingtrueError):
    """Another writer appended first. Read what it wrote and try again; the study does this by itself."""


class JournalUnusable(RingtrueError):
    """The file is not a study, is damaged, or was written by a newer ringtrue."""
