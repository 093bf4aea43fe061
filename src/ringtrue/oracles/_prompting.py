"""How a person is asked at a terminal: item by item, until the answer is one, with the last answer to be corrected."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, TypeAlias

from ringtrue.core import InvalidInput, Json, Query, Reply
from ringtrue.oracles._local import OneByOne
from ringtrue.oracles._typed import UNDO, UNKNOWN, plainly, spelt

Amend: TypeAlias = Callable[[Query, Json], bool]


class _Back(Exception):
    """The person wants to see the last answer again."""


class Person(OneByOne):
    """Shows an item and asks a person until the answer is one, or a question mark: the person cannot tell.

    At the end of the input (Ctrl-D) the run stops as it does on an interrupt: everything typed before is kept.

    Parameters
    ----------
    read
        Is given the prompt and returns what was typed, as `input` does.
    write
        Shows a line.
    labels
        Texts that are answers, so that no command may have them.
    rater
        The name under which the answers are recorded.
    amend
        Corrects an answer of this person that is recorded, and returns whether it is recorded yet: those of a batch are
        recorded together. None where answers cannot be corrected.
    """

    def __init__(
        self,
        read: Callable[[str], str],
        write: Callable[[str], Any],
        *,
        labels: Sequence[str] | None = None,
        rater: str | None = None,
        amend: Amend | None = None,
    ) -> None:
        self._read, self._write, self._rater, self._amend = read, write, rater, amend
        self._unknown, self._undo = spelt(UNKNOWN, labels), spelt(UNDO, labels)
        self._last: tuple[Query, Json] | None = None
        self._late: dict[str, tuple[Query, Json]] = {}
        """Corrections of answers that are not recorded yet."""

    def reply(self, query: Query) -> Reply:
        """Return what the person types for an item; an answer before it may be corrected first."""
        self.hand_in()
        while True:
            try:
                value = self._asked(query)
            except _Back:
                self._correct()
            else:
                self._last = (query, value)
                return Reply(value, rater=self._rater)

    def close(self) -> None:
        """Hand in the corrections of what was recorded when the run was interrupted."""
        self.hand_in()

    def hand_in(self) -> None:
        """Correct what is recorded by now; what cannot be corrected is said, and stays as it was."""
        for name, (query, answer) in list(self._late.items()):
            try:
                if self._amend is None or not self._amend(query, answer):
                    continue
            except InvalidInput as error:
                self._write(str(error))
            del self._late[name]

    def _asked(self, query: Query, was: str | None = None) -> Json:
        """Return what the person types; in place of an earlier answer, Enter leaves that as it is."""
        self._write("")
        with ExitStack() as ending:  # what was shown in files is removed by an answer, Ctrl-C and Ctrl-D alike
            for line in self._shown(query, ending):
                self._write(line)
            if was is not None:
                self._write(f"  your answer: {was} (Enter keeps it)")
            undo = f"{self._undo} to undo, " if was is None and self._last is not None and self._amend else ""
            while True:
                try:
                    typed = self._read(self._prompt(f"{undo}or {self._unknown} if you cannot tell")).strip()
                except EOFError:
                    raise KeyboardInterrupt from None  # which the study knows: it records, releases and ends
                if typed == self._unknown:
                    return None
                if (undo and typed == self._undo) or (was is not None and not typed):
                    raise _Back
                if typed == self._undo and self._amend is not None:
                    self._write("there is no other answer to undo: only the last one of this run can be corrected")
                    continue
                answer, complaint = self._understood(typed, query)
                if not complaint:
                    return answer
                self._write(complaint)

    def _correct(self) -> None:
        """Ask about the last item again and hand in what is said of it now."""
        if self._last is None:
            return
        query, before = self._last
        try:
            now = self._asked(query, _told(before))
        except _Back:  # Enter: as it was
            return
        self._last = (query, now)
        self._late[query.id] = (query, now)
        self.hand_in()

    @abstractmethod
    def _prompt(self, commands: str) -> str:
        """Return what is asked, with the commands that there are."""

    @abstractmethod
    def _shown(self, query: Query, ending: ExitStack) -> Sequence[str]:
        """Return the lines that show an item."""

    @abstractmethod
    def _understood(self, typed: str, query: Query) -> tuple[Json, str]:
        """Return the answer that was typed, or what is wrong with it."""


def _told(answer: Json) -> str:
    """Return an answer in words.

    >>> _told("cat"), _told(None), _told([1.0, 2.5])
    ('cat', 'cannot tell', '[1.0, 2.5]')
    """
    return "cannot tell" if answer is None else plainly(answer)
