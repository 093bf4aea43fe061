"""A study file that was damaged, cut, mixed up or left half behind never gives another finding without a word."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from ringtrue.core import JournalUnusable, RingtrueError
from ringtrue.journal import SqliteJournal
from ringtrue.pools import TablePool
from ringtrue.risk import Risk
from ringtrue.study import Study, recover

ANSWERS = 120
COPIES = 1_000


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study with answers that cost money, on several pages of its file."""
    rng = np.random.default_rng(5)
    truth = rng.choice(["cat", "dog"], 500)
    said = np.where(rng.random(500) < 0.1, "cow", truth)
    pool = TablePool({"said": said, "truth": truth, "note": [f"item {row} " + "x" * 40 for row in range(500)]})
    path = tmp_path_factory.mktemp("damage") / "paid.ringtrue"
    question = Risk("error <= 1% at 95%")
    with Study.create(path, pool=pool, model="said", question=question, budget=ANSWERS, price="0.25") as made:
        made.run("truth", until="error <= 10.5% at 99.9%")
    return path


def told(path):
    """What a study says: every record and the finding."""
    with Study.open(path) as opened:
        return [(one.row, one.value, one.said, str(one.cost)) for one in opened.records], str(opened.finding())


def flip_a_byte(path, rng):
    data = bytearray(path.read_bytes())
    data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
    path.write_bytes(data)


def overwrite_bytes(path, rng):
    data, length = bytearray(path.read_bytes()), int(rng.integers(2, 200))
    first = int(rng.integers(len(data) - length))
    data[first : first + length] = rng.bytes(length)
    path.write_bytes(data)


def page_size(path):
    return int.from_bytes(path.read_bytes()[16:18], "big")


def swap_two_pages(path, rng):
    data, size = path.read_bytes(), page_size(path)
    pages = [data[place : place + size] for place in range(0, len(data), size)]
    one, other = rng.choice(len(pages), 2, replace=False)
    pages[one], pages[other] = pages[other], pages[one]
    path.write_bytes(b"".join(pages))


def clear_a_page(path, rng):
    data, size = bytearray(path.read_bytes()), page_size(path)
    place = size * int(rng.integers(len(data) // size))
    data[place : place + size] = bytes(size)
    path.write_bytes(data)


def cut_the_end(path, rng):
    data, size = path.read_bytes(), page_size(path)
    end = size * int(rng.integers(1, len(data) // size)) if rng.random() < 0.5 else int(rng.integers(1, len(data)))
    path.write_bytes(data[:end])


def unguarded(path):
    """A connection for whoever wants to rewrite history and has looked at the triggers."""
    connection = sqlite3.connect(path)
    for trigger in ("changed", "removed", "replaced"):
        connection.execute(f"DROP TRIGGER events_are_never_{trigger}")
    return connection


def rows_of(path):
    """The events as they stand in the file, sound or not."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT * FROM events ORDER BY sequence").fetchall()


def swap_two_events(path, rng):
    connection = unguarded(path)
    (last,) = connection.execute("SELECT max(sequence) FROM events").fetchone()
    one, other = map(int, rng.choice(np.arange(1, last + 1), 2, replace=False))
    for here, there in ((one, -1), (other, one), (-1, other)):
        connection.execute("UPDATE events SET sequence = ? WHERE sequence = ?", (there, here))
    connection.commit()
    connection.close()


def remove_an_event(path, rng):
    connection = unguarded(path)
    (last,) = connection.execute("SELECT max(sequence) FROM events").fetchone()
    gone = int(rng.integers(1, last + 1))
    connection.execute("DELETE FROM events WHERE sequence = ?", (gone,))
    connection.execute("UPDATE events SET sequence = sequence - 1 WHERE sequence > ?", (gone,))
    connection.commit()
    connection.close()


def remove_the_last(path, rng):
    connection = unguarded(path)
    (last,) = connection.execute("SELECT max(sequence) FROM events").fetchone()
    connection.execute("DELETE FROM events WHERE sequence > ?", (last - int(rng.integers(1, 30)),))
    connection.commit()
    connection.close()


def change_an_answer(path, rng):
    connection = unguarded(path)
    rows = connection.execute("SELECT sequence, payload FROM events WHERE payload LIKE '%\"cow\"%'").fetchall()
    sequence, payload = rows[rng.integers(len(rows))]
    connection.execute(
        "UPDATE events SET payload = ? WHERE sequence = ?", (payload.replace('"cow"', '"cat"'), sequence)
    )
    connection.commit()
    connection.close()


def insert_an_event(path, rng):
    connection = unguarded(path)
    (last,) = connection.execute("SELECT max(sequence) FROM events").fetchone()
    connection.execute(
        "INSERT INTO events SELECT study, ?, kind, payload, time, link FROM events WHERE sequence = ?",
        (last + 1, int(rng.integers(3, last + 1))),
    )
    connection.commit()
    connection.close()


DAMAGES = [
    flip_a_byte, flip_a_byte, flip_a_byte, overwrite_bytes, overwrite_bytes, swap_two_pages, clear_a_page, cut_the_end,
    swap_two_events, remove_an_event, remove_the_last, change_an_answer, insert_an_event,
]  # fmt: skip


def events_of(path):
    """All that a study is made of."""
    journal = SqliteJournal(path)
    try:
        return [(name, *journal.read(name, 0)) for name in journal.studies()]
    finally:
        journal.close()


def events_or_complaint(path):
    try:
        return events_of(path), ""
    except RingtrueError as error:
        return None, str(error)


def test_no_damaged_copy_gives_another_finding(study, tmp_path):
    """A thousand copies: each is refused in one line, or not an event of it has changed."""
    rng, sound = np.random.default_rng(11), events_of(study)
    refused = 0
    for number in range(COPIES):
        damage = DAMAGES[number % len(DAMAGES)]
        path = tmp_path / "copy.ringtrue"
        shutil.copyfile(study, path)
        damage(path, rng)
        found, complaint = events_or_complaint(path)
        assert (found == sound) or complaint, f"{damage.__name__}, copy {number}"
        assert "\n" not in complaint, damage.__name__
        refused += bool(complaint)
        for beside in tmp_path.iterdir():
            beside.unlink()
    assert refused > COPIES / 2


@pytest.mark.parametrize(
    "damage", [swap_two_events, remove_an_event, remove_the_last, change_an_answer, insert_an_event]
)
def test_the_place_of_the_damage_is_named(study, tmp_path, damage):
    path = tmp_path / "copy.ringtrue"
    shutil.copyfile(study, path)
    damage(path, np.random.default_rng(1))
    before, after = map(rows_of, (study, path))
    first = next(
        (place for place, pair in enumerate(zip(before, after, strict=False), start=1) if pair[0] != pair[1]),
        min(len(before), len(after)) + 1,
    )
    with pytest.raises(JournalUnusable, match=f"event {first} .*ringtrue recover"):
        Study.open(path)


@pytest.mark.parametrize("damage", DAMAGES[3:])
def test_what_is_sound_before_the_damage_is_saved(study, tmp_path, damage):
    """The new study begins as the old one did, opens, and what is lost is counted."""
    path, new = tmp_path / "copy.ringtrue", tmp_path / "new.ringtrue"
    (whole, _), saves = told(study), 0
    for seed in range(8):
        shutil.copyfile(study, path)
        damage(path, np.random.default_rng(seed))
        try:
            saved = recover(path, new)
        except JournalUnusable:  # the plan itself is damaged, or everything
            continue
        saves += 1
        records, _ = told(new)
        for kept, before in zip(records, whole, strict=False):
            assert kept == before or (kept[0], kept[1]) == (before[0], None), "it was asked and not yet answered"
        answered = sum(1 for one in records if one[1] is not None)
        assert saved.answers == answered
        assert saved.money == answered * 25 / 100
        if damage in (remove_the_last, change_an_answer, swap_two_events):
            first, last = saved.lost_events
            assert first == saved.events + 1 <= last
            assert f"events {first} to {last} are lost" in str(saved) or f"event {first} is lost" in str(saved)
        if damage is change_an_answer:
            assert saved.answers + saved.lost_answers == ANSWERS
            assert saved.lost_money == saved.lost_answers * 25 / 100
        new.unlink()
    assert saves >= 2


def test_a_sound_study_is_recovered_whole(study, tmp_path):
    saved = recover(study, tmp_path / "new.ringtrue")
    assert told(tmp_path / "new.ringtrue") == told(study)
    assert saved.lost_events is None
    assert "nothing is lost" in str(saved)
    links = [[row[5] for row in rows_of(path)] for path in (study, saved.place)]
    assert links[0] == links[1]


def test_a_damaged_study_is_not_written_to(study, tmp_path):
    path = tmp_path / "copy.ringtrue"
    shutil.copyfile(study, path)
    change_an_answer(path, np.random.default_rng(0))
    before = path.read_bytes()
    recover(path, tmp_path / "new.ringtrue")
    with pytest.raises(JournalUnusable):
        Study.open(path)
    assert path.read_bytes() == before
    assert sorted(found.name for found in Path(tmp_path).iterdir()) == ["copy.ringtrue", "new.ringtrue"]


def test_every_answer_is_in_the_file_itself(study, tmp_path):
    """Nothing beside the file is needed, not even while it is open."""
    shutil.copyfile(study, tmp_path / "one.ringtrue")
    journal = SqliteJournal(tmp_path / "one.ringtrue")
    (name,) = journal.studies()
    last = max(event.sequence for event in journal.read(name, 0))
    for more in range(20):
        journal.append(name, last + more, [("kept", {"name": "note", "value": more})])
        alone = tmp_path / f"alone-{more}"
        alone.mkdir()
        shutil.copyfile(journal.path, alone / "one.ringtrue")
        copied = SqliteJournal(alone / "one.ringtrue")
        assert max(event.sequence for event in copied.read(name, 0)) == last + more + 1
        copied.close()
    journal.close()
