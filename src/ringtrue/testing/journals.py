"""The suite every journal back end must pass. Subclass it in your tests and say how to open one.

    class TestMyJournal(JournalConformance):
        def open(self, place):
            return MyJournal(place / "journal")

`place` is an empty folder of the test; opening it twice must give two connections to one journal. A journal behind a
network also says by `open_cut` how an acknowledgement is lost. What a journal does not offer is not tested.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from ringtrue.core import Event, Journal, JournalConflict, LockingJournal, StateJournal

_NOTE: tuple[str, dict[str, Any]] = ("note", {"text": "héllo", "number": 0.1, "list": [1, None, True, {"a": "b"}]})


class JournalConformance:
    """What the study relies on: order, atomicity, conflicts, isolation between studies, visibility to others."""

    def open(self, place: Path) -> Journal:
        """Return a new connection to the journal in this folder, made if it is not there."""
        raise NotImplementedError("say how your journal is opened")

    def open_cut(self, place: Path) -> tuple[Journal, Callable[[], None]] | None:  # noqa: ARG002 - most have no wire
        """Return a connection, and what makes it break between its next commit and the acknowledgement of that.

        None where nothing stands between a writer and what is written.
        """
        return None

    def _open_locking(self, place: Path) -> Any:
        journal = self.open(place)
        if not isinstance(journal, LockingJournal):
            journal.close()
            pytest.skip("this journal cannot keep others from writing")
        return journal

    def _together(self, place: Path, number: int, work: Callable[[Journal, int], None]) -> None:
        """Let so many threads, each with a connection of its own, begin a piece of work at the same moment."""
        self.open(place).close()
        ready = threading.Barrier(number)

        def begin(turn: int) -> None:
            journal = self.open(place)
            try:
                ready.wait()
                work(journal, turn)
            finally:
                journal.close()

        threads = [threading.Thread(target=begin, args=(turn,)) for turn in range(number)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=600)

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
        assert journal.append("s", 3, []) == 3
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

    def test_history_says_how_far_it_went_at_an_earlier_event(self, journal: Journal) -> None:
        told = []
        for number in range(3):
            journal.append("s", number, [_NOTE])
            told.append(journal.history("s"))
        assert [journal.history("s", number) for number in (1, 2, 3)] == told
        assert journal.history("s", 99) == told[-1]

    def test_what_is_kept_of_the_fold_belongs_to_its_event(self, journal: Journal, tmp_path: Path) -> None:
        if not isinstance(journal, StateJournal):
            pytest.skip("this journal keeps nothing beside its events")
        assert journal.kept_state("s") is None
        journal.append("s", 0, [_NOTE, ("other", {}), _NOTE])
        for sequence, state in ((2, b"two"), (3, b"\x00three")):
            journal.keep_state("s", sequence, state)
            assert journal.kept_state("s") == state
        assert journal.kept_state("t") is None
        other = self.open(tmp_path)
        assert isinstance(other, StateJournal)
        assert other.kept_state("s") == b"\x00three"
        assert list(other.events_at("s", [1, 3])) == [list(journal.read("s", 0))[place] for place in (0, 2)]
        other.close()

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

    def test_what_is_acknowledged_to_twenty_at_once_is_what_is_there(self, tmp_path: Path) -> None:
        """Let twenty connections make one study, and then all write after the same event, three times."""
        acknowledged: list[tuple[int, int]] = []

        def work(journal: Journal, turn: int) -> None:
            for expected in range(4):
                try:
                    journal.append("s", expected, [("by", {"who": turn})])
                    acknowledged.append((expected + 1, turn))
                except JournalConflict:
                    pass

        self._together(tmp_path, 20, work)
        journal = self.open(tmp_path)
        events = [(event.sequence, event.payload["who"]) for event in journal.read("s", 0)]
        assert journal.studies() == ["s"]
        journal.close()
        assert sorted(acknowledged) == events
        assert [sequence for sequence, _ in events] == list(range(1, len(events) + 1))
        assert events

    def test_clocks_that_differ_neither_hide_an_event_nor_change_the_order(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Let two writers, whose clocks are hours apart, take turns: each finds what the other wrote meanwhile."""
        writers, seen, now = [self.open(tmp_path), self.open(tmp_path)], [0, 0], time.time()
        try:
            for turn, skew in enumerate((0, 7_200, -7_200, 3_600, -86_400, 0)):
                monkeypatch.setattr(time, "time", lambda skew=skew: now + skew)
                journal, last = writers[turn % 2], seen[turn % 2]
                assert [event.payload["turn"] for event in journal.read("s", last)] == list(range(last, turn))
                seen[turn % 2] = journal.append("s", turn, [("by", {"turn": turn})])
            for journal in writers:
                assert [event.payload["turn"] for event in journal.read("s", 0)] == list(range(6))
        finally:
            for journal in writers:
                journal.close()

    def test_a_lost_acknowledgement_is_looked_for_and_nothing_is_written_twice(self, tmp_path: Path) -> None:
        opened = self.open_cut(tmp_path)
        if opened is None:
            pytest.skip("nothing stands between a writer and this journal")
        journal, lose = opened
        try:
            lose()
            assert journal.append("s", 0, [_NOTE, ("once", {})]) == 2
            if isinstance(journal, LockingJournal):
                lose()
                assert journal.append_alone("s", 2, lambda _: [("alone", {})]) == 3
                assert journal.append("s", 3, [_NOTE]) == 4
            kinds = [event.kind for event in journal.read("s", 0)]
            assert kinds == ["note", "once", "alone", "note"][: len(kinds)]
        finally:
            journal.close()

    def test_alone_one_builds_on_the_last_event_and_others_wait(self, tmp_path: Path) -> None:
        """Let another writer come while one is building: that one finds itself too late."""
        journal, other = self._open_locking(tmp_path), self.open(tmp_path)
        journal.append("s", 0, [_NOTE])
        late: list[str] = []

        def write() -> None:
            try:
                other.append("s", 1, [("late", {})])
                late.append("written")
            except JournalConflict:
                late.append("conflict")

        writer = threading.Thread(target=write)

        def build(events: Iterable[Event]) -> list[tuple[str, dict[str, Any]]]:
            writer.start()
            writer.join(timeout=0.5)
            return [("after", {"seen": [event.sequence for event in events]})]

        try:
            assert journal.append_alone("s", 0, build) == 2
            writer.join(timeout=600)
            assert late == ["conflict"]
            assert [event.payload for event in other.read("s", 1)] == [{"seen": [1]}]
        finally:
            journal.close()
            other.close()

    def test_alone_nothing_is_written_if_nothing_is_built_or_the_building_fails(self, tmp_path: Path) -> None:
        journal, other = self._open_locking(tmp_path), self.open(tmp_path)
        journal.append("s", 0, [_NOTE])

        def fails(_: Iterable[Event]) -> list[tuple[str, dict[str, Any]]]:
            raise ZeroDivisionError

        try:
            assert journal.append_alone("s", 0, lambda _: []) == 1
            with pytest.raises(ZeroDivisionError):
                journal.append_alone("s", 1, fails)
            with pytest.raises((TypeError, ValueError)):
                journal.append_alone("s", 1, lambda _: [_NOTE, ("bad", {"value": object()})])
            assert other.append("s", 1, [_NOTE]) == 2, "no lock is left behind"
            assert len(list(journal.read("s", 0))) == 2
        finally:
            journal.close()
            other.close()

    def test_alone_many_writers_all_succeed_at_once(self, tmp_path: Path) -> None:
        self._open_locking(tmp_path).close()

        def work(journal: Any, turn: int) -> None:
            for _ in range(10):
                journal.append_alone("s", 0, lambda events: [("by", {"who": turn, "seen": len(list(events))})])

        self._together(tmp_path, 4, work)
        journal = self.open(tmp_path)
        assert [event.payload["seen"] for event in journal.read("s", 0)] == list(range(40))
        journal.close()

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
