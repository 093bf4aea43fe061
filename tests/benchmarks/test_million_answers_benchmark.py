"""The benchmark of a million answers, with a hundred thousand: nothing grows faster than they do, in time or room."""

import pytest

import bench_million_answers as bench

FEW, SOME, MANY = 1_000, 25_000, 100_000
GROWTH = 8.0
"""Times as long for four times the answers, of what the answers cost: 4 where all is linear, 16 with a square."""
DISK = {"together": 300, "singly": 600}
"""Bytes of an answer on the disk, at most."""
MEMORY = 1_500
"""Bytes that a further answer takes in memory, at most: of a study that is open."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Give the folder with the two studies of each size."""
    found = {answers: tmp_path_factory.mktemp(f"answers-{answers}") for answers in (FEW, SOME, MANY)}
    for answers, folder in found.items():
        bench.make(answers, folder)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["together", "singly"])
def test_four_times_the_answers_take_little_more_than_four_times_as_long(folders, name):
    """In processor time, and without what a command takes that has next to nothing to do."""
    seconds = {
        answers: {step: cost.seconds for step, cost, *_ in bench.steps(name, folder)}
        for answers, folder in folders.items()
    }
    for step in ("report", "report --verify", "open without checkpoint"):
        few, some, many = (seconds[answers][step] for answers in (FEW, SOME, MANY))
        if some - few > 0.1:  # else it is nothing, and what is measured is noise
            assert many - few <= GROWTH * (some - few), step
        assert many < bench.REPORT


@pytest.mark.slow
@pytest.mark.parametrize("name", ["together", "singly"])
def test_an_answer_takes_so_many_bytes(folders, name):
    size = {answers: (folder / f"{name}.ringtrue").stat().st_size for answers, folder in folders.items()}
    assert size[MANY] / MANY <= DISK[name]
    for whole in (False, True):
        some, many = (bench.opened(name, folders[answers], whole=whole).memory for answers in (SOME, MANY))
        assert (many - some) / (MANY - SOME) <= MEMORY


@pytest.mark.slow
def test_a_database_needs_little_more_memory_than_a_file(folders, database):
    """Of a study with an event per answer, which is read a few events at a time."""
    folder = folders[MANY]
    file = bench.opened("singly", folder, whole=True).memory
    bench.moved("singly", database, folder)
    assert bench.opened("singly", folder, journal=database).memory <= file + 45e6
