"""Runs that are kept go on where they were stopped, and tables go into their pages and nowhere else."""

import pytest

import bench_blind
import bench_blind_rate
import bench_changed_methods
import bench_risk_methods
import bench_worst
from kept_lines import add, begun, forget, lines_of, write

RUNS = [{"method": "a", "seed": 0}, {"method": "b", "seed": 0}, {"method": "a", "seed": 1}]


@pytest.fixture
def file(tmp_path):
    """A file that a benchmark was writing when it was killed."""
    path = tmp_path / "folder" / "runs.jsonl"
    assert begun(path) == []
    for run in RUNS:
        add(path, run)
    with path.open("a") as stopped:
        stopped.write('{"method": "b", "se')
    return path


def test_what_was_cut_off_is_passed_over_and_removed_before_more_is_kept(file):
    assert lines_of(file) == RUNS
    assert begun(file) == RUNS
    add(file, {"method": "b", "seed": 1})
    assert lines_of(file) == [*RUNS, {"method": "b", "seed": 1}]


def test_what_is_forgotten_is_done_again(file):
    forget(file, lambda line: line["method"] == "a")
    assert lines_of(file) == [RUNS[1]]


def test_nothing_is_kept_without_a_file(tmp_path):
    add(None, RUNS[0])
    assert begun(None) == lines_of(None) == lines_of(tmp_path / "none.jsonl") == []


@pytest.mark.parametrize("of", [bench_blind, bench_blind_rate, bench_changed_methods, bench_risk_methods, bench_worst])
def test_every_page_has_a_place_for_its_tables_and_stays_as_it_is_around_it(tmp_path, of):
    page, kept = tmp_path / "page.md", of.PAGE.read_text(encoding="utf-8")
    page.write_text(kept, encoding="utf-8")
    for _ in range(2):
        write("a table\n", page, of.BEGIN, of.END)
        text = page.read_text(encoding="utf-8")
        assert text.split(of.BEGIN)[0] == kept.split(of.BEGIN)[0]
        assert text.split(of.BEGIN)[1] == f"\n\na table\n\n{of.END}" + kept.split(of.BEGIN)[1].split(of.END, 1)[1]
