"""The benchmark of `changed`'s methods: what is kept is not done again, and its table follows from the lines."""

import json

import numpy as np
import pytest

import bench_changed_methods
import changed_runs
from changed_runs import Run, measure
from changed_tables import EACH_ALONE, table
from changed_tasks import NEAR, missing, updated, use_of
from kept_lines import lines_of


def line(part, task, method, found, first=0):
    return {**Run(part, task, method, first, len(found))._asdict(), "seconds": 1.0, "found": found}


@pytest.mark.parametrize(
    ("task", "use"),
    [
        ("YELP 0>4", "tuning"),
        ("SHOP 0~4 5% near", "reserved"),
        ("PRIME gpt-4-0314>gpt-3.5-0613", "tuning"),
        ("PRIME gpt-3.5-0613>gpt-4-0314", "reserved"),
    ],
)
def test_every_task_has_one_use(task, use):
    assert use_of(task) == use


def test_what_is_kept_is_not_done_again(tmp_path, monkeypatch):
    done = []

    def one(task, method, seed):
        done.append(seed)
        return float("inf") if seed == 1 else seed / 3

    monkeypatch.setitem(changed_runs.MEASURES, "watch", one)
    path, runs = tmp_path / "kept.jsonl", [Run("watch", "SHOP 0>4", "nearest steady", 0, 3)]
    measure(runs, path)
    assert done == [0, 1, 2]
    with path.open("a") as file:
        file.write('{"part": "wat')  # stopped within a line
    lines = measure([*runs, Run("watch", "SHOP 0>4", "nearest steady", 10, 1)], path)
    assert done == [0, 1, 2, 10]
    assert lines_of(path) == lines
    assert lines[0]["found"] == [0.0, None, 0.6667]
    assert all(json.loads(text) for text in path.read_text().splitlines())


def test_calls_are_compared_by_seed_with_the_standard_error_of_the_means():
    base = line("calls", "SHOP 0>4", "masa-without-replacement", [100.0, 400.0])
    own = line("calls", "SHOP 0>4", "paired", [50.0, 100.0])
    assert "| **paired** |  | 0.38 ± 0.12 | 0.500 |" in table([base, own])


def test_a_task_that_one_method_lacks_is_left_out():
    lines = [line("watch", task, "nearest steady", [2.0, 4.0]) for task in ("SHOP 0>4", "SHOP 0>3")]
    lines += [line("watch", "SHOP 0>4", "fresh steady", [None, 5.0])]
    text = table(lines)
    assert "| steady model, twenty sentinels alone |  | 3 ± 1 (100%) | 0.500 |" in text
    assert "| steady model, a random item each time (**without confidences**) |  | 185 ± 180 (50%) | 0.500 |" in text


def test_what_looking_often_costs_is_told_by_seed():
    """Calls of 80 and 20 where a rule for one look takes 40 and 20: twice and once as many."""
    runs = {"paired": (80.0, 20.0), EACH_ALONE: (40.0, 20.0)}
    lines = [
        line("stops", "SHOP 0>4", method, [[calls, 1.0, 3 * calls, 1.0, 1.0] for calls in both])
        for method, both in runs.items()
    ]
    text = table(lines)
    assert "| two labels, at 2% |  | 100.0% ± 0.0 | 0.500 |" in text
    assert "| two labels, calls until it stops at 1% |  | 150 ± 90 | 0.500 |" in text
    assert "| two labels, times the calls of a rule for one look, at 2% |  | 1.50 ± 0.50 | 0.500 |" in text


def test_a_swap_is_found_soon_by_sentinels_and_other_items():
    delay = changed_runs.MEASURES["watch"]
    if missing("SHOP"):
        pytest.skip("the stored answers are not beside the checkout")
    assert delay("SHOP 0>4", "turns steady", 0) < 30


def test_false_alarms_find_nothing():
    text = table([line("watch", "YELP 0>4", "nearest noisy", [-3.0, 5.0])])
    assert "185 ± 180 (50%)" in text


def test_updates_change_as_many_answers_as_they_say_and_near_ones_first():
    size = 20_000
    old, other, rank = np.zeros(size, dtype=int), np.ones(size, dtype=int), np.arange(size) / size
    for kind, least, most in (("near", 0.5 * NEAR, 1.5 * NEAR), ("even", 0.45, 0.55)):
        new = updated(old, other, rank, 0.02, kind, np.random.default_rng(0))
        assert (new != old).sum() == 400
        assert least < rank[new != old].mean() < most


def test_nothing_is_measured_where_nothing_is_there(monkeypatch, capsys):
    monkeypatch.setattr(bench_changed_methods, "missing", lambda _: True)
    assert bench_changed_methods.main([]) == 0
    told = capsys.readouterr().out
    assert "left out, its stored answers are not beside the checkout" in told
    assert "nothing measured" in told
