"""The comparison of ways to choose labels: its pools, that it goes on, its arithmetic, and the page it writes."""

import json
import math

import numpy as np
import pytest

import risk_methods_runs
from bench_risk_methods import main
from kept_lines import lines_of
from risk_methods_runs import DRAWS, FIXED, LABELS, METHODS, WATCHED, Run, carried_out, measure
from risk_methods_tables import base_of, mean_of_tasks, of_means, ratio, report, until_decided
from risk_tasks import RESERVED, SIZE, TASKS, TUNING, Items

MADE_UP = "doubt guides, 1% fail"


def test_no_task_is_both_tuned_on_and_reserved():
    assert not TUNING.keys() & RESERVED.keys()
    assert TASKS.keys() == TUNING.keys() | RESERVED.keys()


def test_a_seed_means_one_pool():
    one, same, other = (TASKS[MADE_UP](seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.errors, same.errors)
    np.testing.assert_array_equal(one.doubt, same.doubt)
    assert not np.array_equal(one.doubt, other.doubt)
    assert (len(one.errors), one.errors.sum()) == (SIZE, SIZE // 100)
    guided, misled = (TASKS[name](3) for name in (MADE_UP, "doubt says nothing, 1% fail"))
    assert guided.doubt[guided.errors].mean() > 3 * guided.doubt.mean()
    assert misled.doubt[misled.errors].mean() < 2 * misled.doubt.mean()


@pytest.fixture(scope="module")
def items():
    rng = np.random.default_rng(0)
    doubt = rng.beta(0.3, 6, 900)
    return Items(rng.random(900) < doubt, doubt)


@pytest.mark.parametrize("method", METHODS)
def test_a_run_tells_bounds_and_when_it_decided(items, method):
    line = carried_out(Run("t", 3, method), items)
    assert json.loads(json.dumps(line)) == line
    assert len(line["upper"]) == len(line["width"]) == len(line["decided"]) == len(LABELS)
    assert 1 > line["upper"][0] > line["upper"][-1] > 0.5 * line["rate"]
    assert 1 > line["width"][0] > line["width"][-1] > 0
    assert line["limit"] == pytest.approx(2 * line["rate"], abs=1e-5)
    assert ("mean" in line) is (method in DRAWS)
    if method in WATCHED:
        at = line["decided_at"] or math.inf
        assert line["decided"] == [at <= labels for labels in LABELS]


def test_several_draws_of_a_pool_are_told_by_their_mean(items, monkeypatch):
    monkeypatch.setattr(risk_methods_runs, "DRAWS", {"even, fixed": 3})
    line = carried_out(Run("t", 3, "even, fixed"), items)
    monkeypatch.setattr(risk_methods_runs, "DRAWS", {})
    alone = [carried_out(Run("t", seed, "even, fixed"), items) for seed in (3, 1_003, 2_003)]
    assert line["upper"] == alone[0]["upper"]
    for value in ("upper", "width", "decided"):
        np.testing.assert_allclose(line["mean"][value], np.mean([one[value] for one in alone], axis=0), atol=1e-6)


def test_only_two_methods_with_several_draws_are_compared_by_means():
    """What may be watched has one draw of a pool, and is compared with that one draw where the number is fixed."""
    several = {"mean": {name: [0.4] * 3 for name in ("upper", "width", "decided")}}
    lines = [line("a", seed, method, 0.1) | several for seed in (0, 1) for method in ("even, fixed", "fixed-strata")]
    lines += [line("a", seed, "stratified, fixed", 0.2) for seed in (0, 1)]
    lines += [line("a", seed, "even, watched", 0.2) for seed in (0, 1)]
    found = {method: ratio(lines, "a", method, "upper", 400)[0] for method in FIXED}
    assert found == pytest.approx({"even, fixed": 0.5, "fixed-strata": 1.0, "stratified, fixed": 2.0})
    lines = [one | {"mean": {"upper": [0.2] * 3}} if one["method"] == "fixed-strata" else one for one in lines]
    assert ratio(lines, "a", "fixed-strata", "upper", 400)[0] == pytest.approx(0.5)


def test_who_looks_once_has_the_tighter_bound_from_the_same_draws(items):
    watched, fixed = (carried_out(Run("t", 4, method), items) for method in ("even, watched", "even, fixed"))
    assert all(one > other for one, other in zip(watched["upper"], fixed["upper"], strict=True))


def test_what_is_kept_is_not_done_again(tmp_path, monkeypatch, items):
    made = []
    monkeypatch.setitem(TASKS, "t", lambda seed: made.append(seed) or items)
    file = tmp_path / "runs.jsonl"
    runs = [Run("t", seed, "even, watched") for seed in (0, 1)]
    first = measure(runs, file)
    with file.open("a") as half:
        half.write('{"task": "t", "seed": 2, "meth')  # stopped within a line
    assert measure(runs, file) == first == lines_of(file)
    assert made == [0, 1]
    assert len(measure([*runs, Run("t", 2, "even, watched")], file)) == 3
    assert len(lines_of(file)) == 3


def test_a_run_that_is_out_of_time_and_a_task_without_data_are_said(monkeypatch, capsys):
    monkeypatch.setitem(TASKS, "gone", lambda seed: None)
    assert measure([Run("gone", seed, method) for seed in (0, 1) for method in METHODS], None) == []
    assert capsys.readouterr().out.count("gone: left out") == 1
    assert measure([Run(MADE_UP, 0, "even, watched")], None, until=-1.0) == []
    assert "stopped after the time of the short form" in capsys.readouterr().out


def line(task, seed, method, upper, at=None):
    return {
        "task": task, "seed": seed, "method": method, "rate": 0.01, "limit": 0.02, "upper": [upper] * 3,
        "width": [upper] * 3, "decided": [False, False, at is not None], "decided_at": at, "seconds": 0.001,
    }  # fmt: skip


def test_ratios_are_of_the_same_pools_and_of_even_draws_of_the_same_kind():
    assert {base_of(method) for method in WATCHED} == {"even, watched"}
    assert [base_of(method) for method in FIXED] == ["even, watched", "even, fixed", "even, fixed"]
    lines = [line("a", 0, "even, watched", 0.2), line("a", 0, "stratified", 0.1)]
    lines += [line("a", 1, "even, watched", 0.1), line("a", 1, "stratified", 0.14), line("a", 2, "stratified", 9.0)]
    found = ratio(lines, "a", "stratified", "upper", 400)
    assert found == of_means([0.1, 0.14], [0.2, 0.1])
    assert found == pytest.approx((0.8, 0.06 * np.sqrt(2) / np.sqrt(2) / 0.15))
    lines += [line("b", seed, method, 0.3) for seed in (0, 1) for method in ("even, watched", "stratified")]
    mean, error = mean_of_tasks(lines, ["a", "b", "c"], "stratified", "upper", 400)
    assert mean == pytest.approx(np.sqrt(0.8))
    assert error == pytest.approx(mean * (found[1] / 0.8) / 2)


def test_two_methods_that_are_alike_are_level():
    """And the ratios of their pools are not, on average."""
    one, other = np.random.default_rng(0).gamma(4, size=(2, 40_000))
    mean, error = of_means(one, other)
    assert abs(mean - 1) < 4 * error < 0.02
    assert (one / other).mean() > 1.2
    halves = [of_means(*part) for part in zip(one.reshape(400, 100), other.reshape(400, 100), strict=True)]
    assert np.std([found for found, _ in halves]) == pytest.approx(np.mean([error for _, error in halves]), rel=0.1)


def test_labels_until_decided_count_all_where_nothing_was():
    task = next(iter(RESERVED))
    lines = [line(task, 0, "even, watched", 0.1, 200), line(task, 1, "even, watched", 0.1)]
    lines += [line(task, 0, "stratified", 0.1, 100), line(task, 1, "stratified", 0.1, 350)]
    assert until_decided(lines, "stratified")[0] == pytest.approx(450 / 600)


def test_every_task_and_method_is_in_the_tables():
    lines = [line(task, seed, method, 0.1) for task in TASKS for seed in (0, 1) for method in METHODS]
    text = report(lines)
    assert all(f"| {task} | 2 | 1.00% |" in text for task in TASKS)
    assert all(f"| `{method}` |" in text for method in METHODS)


def test_the_command_keeps_and_shows(tmp_path, capsys):
    file = tmp_path / "kept.jsonl"
    options = ["--out", str(file), "--pools", "1", "--tasks", MADE_UP, "--methods", "even, watched", "even, fixed"]
    assert main(options) == 0
    assert len(lines_of(file)) == 2
    assert main(["--table", "--out", str(file)]) == 0
    assert MADE_UP in capsys.readouterr().out
