"""The suite for journals finds journals that go by a clock."""

import pytest

from ringtrue.core import JournalConflict
from ringtrue.journal import SqliteJournal
from ringtrue.testing import JournalConformance


class InOrderOfTime(SqliteJournal):
    """Gives events in the order of their times."""

    def read(self, study, after):
        yield from sorted(super().read(study, after), key=lambda event: event.time)


class OnByTime(SqliteJournal):
    """Passes over events that are older than the last one it has given or written."""

    newest = 0.0

    def read(self, study, after):
        found = [event for event in super().read(study, after) if event.time >= self.newest]
        self.newest = max([self.newest, *(event.time for event in found)])
        yield from found


class NeverBack(SqliteJournal):
    """Writes nothing that would be older than what is there."""

    def append(self, study, expected_sequence, events):
        import time

        if any(event.time > time.time() for event in super().read(study, 0)):
            raise JournalConflict("the clock went back")
        return super().append(study, expected_sequence, events)


def check(kind, place, monkeypatch):
    class Suite(JournalConformance):
        def open(self, folder):
            return kind(folder / "s.ringtrue", create=True)

    Suite().test_clocks_that_differ_neither_hide_an_event_nor_change_the_order(place, monkeypatch)


def test_one_that_goes_by_sequence_passes(tmp_path, monkeypatch):
    check(SqliteJournal, tmp_path, monkeypatch)


@pytest.mark.parametrize("kind", [InOrderOfTime, OnByTime, NeverBack])
def test_one_that_goes_by_a_clock_fails(kind, tmp_path, monkeypatch):
    with pytest.raises((AssertionError, JournalConflict)):
        check(kind, tmp_path, monkeypatch)
