"""A search is told by the evaluations that took the lead, and is made once."""

import numpy as np
import pytest

from kept_searches import Kept, Searched, largest


def made(values, task=0):
    return Searched.of(np.arange(2.0 * len(values)).reshape(-1, 2), values, np.full(len(values), task))


def test_the_best_so_far_and_the_worst_are_those_of_all_evaluations():
    values = np.random.default_rng(0).random(50).round(1)  # with ties, of which the first counts
    found = Searched.of(np.arange(100.0).reshape(50, 2), values, np.arange(50) % 3)
    assert found.best.tolist() == np.maximum.accumulate(values).tolist()
    place = int(np.argmax(values))
    assert found.worst.place == (2.0 * place, 2.0 * place + 1)
    assert (found.worst.number, found.worst.deviation, found.worst.task) == (place + 1, values.max(), place % 3)
    assert largest([made([0.1, 0.3]), made([0.4, 0.2], 5), made([0.2])]).worst.task == 5


def test_a_search_that_is_kept_is_not_made_again(tmp_path):
    file, asked = tmp_path / "searches.jsonl", []

    def search():
        asked.append(1)
        return made([0.25, 0.125, 1 / 3], task=4)

    Kept(file).get("search", 3, 0, search)
    again = Kept(file).get("search", 3, 0, search)
    assert len(asked) == 1
    assert again.tasks.tolist() == [4, 4, 4]
    assert again.best == pytest.approx([0.25, 0.25, 1 / 3], rel=1e-7)
    assert again.worst.place == (4.0, 5.0)
    for name, evaluations, seed in (("other", 3, 0), ("search", 4, 0), ("search", 3, 1)):
        Kept(file).get(name, evaluations, seed, search)
    assert len(asked) == 4


def test_a_line_that_a_kill_cut_short_is_passed_over(tmp_path):
    file = tmp_path / "searches.jsonl"
    Kept(file).get("search", 2, 0, lambda: made([1.0, 2.0]))
    file.write_text(file.read_text() + '{"name": "search", "eval')
    again = Kept(file)
    assert again.get("search", 2, 0, lambda: made([9.0, 9.0])).worst.deviation == 2.0
    again.get("search", 2, 1, lambda: made([3.0, 4.0]))
    last = Kept(file)  # what came after the half line stands in a line of its own
    assert last.get("search", 2, 1, lambda: made([9.0, 9.0])).worst.deviation == 4.0


def test_without_a_file_nothing_is_kept(tmp_path):
    Kept(None).get("search", 2, 0, lambda: made([1.0, 2.0]))
    assert not list(tmp_path.iterdir())


def test_a_search_of_something_else_is_made_again(tmp_path):
    file = tmp_path / "kept.jsonl"
    Kept(file, "one").get("search", 2, 0, lambda: made([1.0, 2.0]))
    assert Kept(file, "other").get("search", 2, 0, lambda: made([3.0, 4.0])).worst.deviation == 4.0
    assert Kept(file, "one").get("search", 2, 0, lambda: made([9.0, 9.0])).worst.deviation == 2.0
