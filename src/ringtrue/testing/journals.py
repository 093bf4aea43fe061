"""The suite every journal back end must pass. Subclass it in your tests and say how to open one.

    class TestMyJournal(JournalConformance):
        def open(self, place):
            return MyJournal(place / "journal")

`place` is an empty folder of the test; opening it twice must give two connections to one journal.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from ringtrue.core import Journal, JournalConflict

_NOTE: tuple[str, dict[str, Any]] = ("note", {"text": "héllo", "number": 0.1, "list": [1, None, True, {"a": "b"}]})


class JournalConformance:
    """What the study relies on: order, atomicity, conflicts, isolation between studies, visibility to others."""

    def open(self, place: Path) -> Journal:
        """Return a new connection to the journal in this folder, made if it is not there."""
        raise NotImplementedError("say how your journal is opened")

    @pytest.fixture
    def journal(self, tmp_path: Path) -> Any:
        journal = self.open(tmp_path)
        yield journal
        journal.close()

    def test_new_study_is_empty(self, journal: Journal) -> None:
        assert list(journal.read("s", 0)) == []

    def test_events_come_back_as_they_were_in_order(self, journal: Journal) -> None:
        assert journal.append("s", 0, [_NOTE, ("other", {})]) == 2
        assert journal.append("s", 2, [_NOTE]) == 3
        events = list(journal.read("s", 0))
        assert [event.sequence for event in events] == [1, 2, 3]
        assert [event.kind for event in events] == ["note", "other", "note"]
        assert events[0].payload == _NOTE[1]
        assert events[0].time <= events[2].time

    def test_history_says_how_far_it_goes_and_its_hash_changes_with_every_event(self, journal: Journal) -> None:
        seen = set()
        for number in range(3):
            journal.append("s", number, [_NOTE])
            history = journal.history("s")
            assert (history.events, history.since) == (number + 1, 1)
            seen.add(history.link)
        assert len(seen) == 3

    def test_read_gives_only_what_comes_after(self, journal: Journal) -> None:
        journal.append("s", 0, [_NOTE] * 5)
        assert [event.sequence for event in journal.read("s", 3)] == [4, 5]
        assert list(journal.read("s", 5)) == []

    @pytest.mark.parametrize("expected", [0, 1, 3, 99])
    def test_a_wrong_expectation_writes_nothing(self, journal: Journal, expected: int) -> None:
        journal.append("s", 0, [_NOTE] * 2)
        with pytest.raises(JournalConflict):
            journal.append("s", expected, [("late", {})])
        assert [event.kind for event in journal.read("s", 0)] == ["note", "note"]

    def test_all_events_of_an_append_or_none(self, journal: Journal) -> None:
        with pytest.raises((TypeError, ValueError)):
            journal.append("s", 0, [_NOTE, ("bad", {"value": object()})])
        with pytest.raises((TypeError, ValueError)):
            journal.append("s", 0, [_NOTE, ("bad", {"value": float("nan")})])
        assert list(journal.read("s", 0)) == []
        assert journal.append("s", 0, [_NOTE]) == 1

    def test_it_names_the_studies_that_it_holds(self, journal: Journal) -> None:
        assert journal.studies() == []
        for name in ("b", "a"):
            journal.append(name, 0, [("created", {})])
        assert sorted(journal.studies()) == ["a", "b"]

    def test_studies_do_not_see_each_other(self, journal: Journal) -> None:
        journal.append("a", 0, [("one", {})])
        journal.append("b", 0, [("two", {})])
        assert [event.kind for event in journal.read("a", 0)] == ["one"]
        assert [event.kind for event in journal.read("b", 0)] == ["two"]

    def test_another_connection_sees_what_was_acknowledged(self, journal: Journal, tmp_path: Path) -> None:
        other = self.open(tmp_path)
        try:
            journal.append("s", 0, [_NOTE])
            assert [event.kind for event in other.read("s", 0)] == ["note"]
            with pytest.raises(JournalConflict):
                other.append("s", 0, [_NOTE])
            assert other.append("s", 1, [_NOTE]) == 2
            assert len(list(journal.read("s", 0))) == 2
        finally:
            other.close()

    def test_closing_and_opening_loses_nothing(self, tmp_path: Path) -> None:
        first = self.open(tmp_path)
        first.append("s", 0, [_NOTE] * 3)
        first.close()
        second = self.open(tmp_path)
        assert len(list(second.read("s", 0))) == 3
        second.close()

    def test_racing_writers_all_succeed_without_gaps(self, tmp_path: Path) -> None:
        """Let four connections append 25 times each, reading on whenever another came first."""
        self.open(tmp_path).close()

        def work(name: str) -> None:
            journal = self.open(tmp_path)
            last = written = 0
            while written < 25:
                try:
                    last = journal.append("s", last, [("by", {"who": name, "turn": written})])
                    written += 1
                except JournalConflict:
                    last = max((event.sequence for event in journal.read("s", last)), default=last)
            journal.close()

        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=120)
        journal = self.open(tmp_path)
        events = list(journal.read("s", 0))
        journal.close()
        assert [event.sequence for event in events] == list(range(1, 101))
        for name in "abcd":
            assert [event.payload["turn"] for event in events if event.payload["who"] == name] == list(range(25))
