"""The benchmark of the search for the worst deviation: its simulators, that it goes on, and its arithmetic."""

import json
import math

import numpy as np
import pytest

from bench_worst import PARTS, main
from kept_lines import forget, lines_of
from worst_families import FAMILIES, RESERVED, TUNING
from worst_problems import Gold, Problem, Scale, walked_scale
from worst_runs import Run, carried_out, measure, possible
from worst_simulators import RESERVED as RESERVED_SIMULATORS
from worst_simulators import TUNING as TUNING_SIMULATORS
from worst_simulators import simulated
from worst_tables import groups, report
from worst_verdicts import difference, geometric

BY_HAND = {
    # The radii's ratio is e, and each of the three terms below the line is 1.
    "borehole": ((1, math.e, 1, 1, 1, 0, 0.5, 1), 2 * math.pi / 3),
    # The base is at 6 V, and the gain 9.
    "circuit": ((1, 1, 1, 1, 0, 1), ((6 + 0.74) * 9 + 11.35 + 0.74 * 9) / 10),
    # Stretched out; the first angle is of no account.
    "arm": ((1.3, 0, 0, 0, 1, 1, 1, 1), 4.0),
    # A load of 1, half of what it buckles at.
    "column": ((10, 0.5, 0.25, 0.25, 1, 1, 1, 1, 4 * 7500**2 / math.pi**2), 10 - (0.5 + 2)),
    # The forces cancel, so that the gas is as stiff as the spring.
    "piston": ((1, 1, 20, 1, 0.38, 300, 300), 2 * math.pi * math.sqrt(1 / 2)),
    "wing": ((1, 1, 1, 0, 1, 1, 0.01, 0.5, 2, 7), 0.036 + 7),
    # Eight metres deep: 32 to the power of 0.6.
    "flood": ((32 * 300 * 30 * math.sqrt(0.001), 30, 50, 55, 8, 55.5, 5000, 300), 50 + 8 - 8 - 55.5),
    "ebola": ((0.2, 0.2, 0.1, 0.5, 0.1, 0.15, 0.25, 0.3), 1.1),
    # The first plant is used up, the third half.
    "dispatch": ((500, 50, 100, 200, 300, 400), [[100, 200, 150, 0, 0]]),
    # Two soils hold nothing back, and the third all: 75 mm reach a dam with room for 25.
    "catchment": ((100, 100, 100, 25.4, 0.5, 0.25, 0.5, 50, 20), [[100, 100, 0, 50, 30]]),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_simulator_is_its_formula(name):
    inputs, expected = BY_HAND[name]
    simulator = {**TUNING_SIMULATORS, **RESERVED_SIMULATORS}[name]
    assert len(inputs) == len(simulator.ranges)
    assert simulator.outputs(*np.array(inputs, dtype=float)[:, None]).ravel() == pytest.approx(np.ravel(expected))


def test_the_best_gearbox_weighs_what_the_literature_says():
    """At the published optimum, where the stresses of both shafts are at their limits."""
    best = np.array([3.5, 0.7, 17, 7.3, 7.8, 3.350215, 5.286683])[:, None]
    weight, *_, first, second = RESERVED_SIMULATORS["gearbox"].outputs(*best)[0]
    assert weight == pytest.approx(2996.348, abs=0.2)
    assert [first, second] == pytest.approx([1, 1], abs=1e-3)


def test_no_family_is_both_tuned_on_and_reserved():
    assert not TUNING.keys() & RESERVED.keys()
    assert not TUNING_SIMULATORS.keys() & RESERVED_SIMULATORS.keys()
    for name, part in PARTS.items():
        assert set(part.problems) <= (TUNING if name.startswith("tuning") else RESERVED).keys()


def test_a_model_and_its_training_belong_to_the_gold_standard():
    problem = simulated(0, "circuit", "network")
    points, outputs = problem.training
    assert problem.model(points) - problem.signed(points) == pytest.approx(outputs)


def test_the_worst_deviation_of_a_stair_is_found_in_its_corner():
    """Where steps have no slope to follow, and one corner alone is off."""

    def stair(points):
        corner = np.all(points == [1, 0, 1], axis=1)
        return (np.floor(4 * points[:, :1]) / 8) + np.where(corner, 3.0, 0.0)[:, None]

    found = walked_scale(Problem("stair", 3, ("a",), stair, "absolute", model=stair), points=2**10)
    assert (found.best, found.median) == (3.5, pytest.approx(0.1875, abs=0.07))


@pytest.mark.parametrize("method", ["ours", "ours-unseen", "alone-harmonic", "alone-exp3bo-ucb", "random"])
def test_every_kind_of_run_spends_its_budget(method):
    line = carried_out(Run("gearbox-network", 0, method, 20))
    assert line["error"] is None
    assert line["made"] == 20
    assert ("code" in line) == (method != "random")


def test_what_is_kept_is_not_done_again(tmp_path):
    path = tmp_path / "worst.jsonl"
    runs = possible(
        Run("prototype", seed, method, 5) for seed in range(2) for method in ("random", "sobol", "ours-unseen")
    )
    assert {run.method for run in runs} == {"random", "sobol"}  # there is no model to be out of sight
    measure(runs[:2], path, 1)
    first = path.read_text(encoding="utf-8")
    path.write_text(first + '{"problem": "prot', encoding="utf-8")  # stopped within a line
    lines = measure(runs, path, 1)
    assert path.read_text(encoding="utf-8").startswith(first)
    assert lines == lines_of(path) == measure(runs, path, 1)
    assert len(lines) == 2 + 4
    forget(path, lambda line: line.get("method") == "sobol")
    assert [line["method"] for line in lines_of(path) if "method" in line] == ["random"] * 2


def kept(problem, method, seed, ends, *, seconds=6.0):
    """A run whose largest deviation so far is a third, two thirds and the whole of the budget as given."""
    return {
        "problem": problem, "seed": seed, "method": method, "evaluations": 6, "error": None, "seconds": seconds,
        "made": 6, "leaders": [[1 + 2 * third, value] for third, value in enumerate(ends)],
    }  # fmt: skip


@pytest.fixture
def lines():
    """Ours reaches 0 on one simulator and .1 on another, in ten seeds; BoTorch .2 on both, in ten times the time."""
    found = []
    for problem, end in (("piston-network", 1.0), ("flood-trees", 0.9)):
        for seed in range(10):
            found.append({"problem": problem, "seed": seed, "scale": {"best": 1.0, "median": 0.0, "task": 0}})
            found.append(kept(problem, "ours", seed, (0.3, 0.6, end), seconds=0.6))
            found.append(kept(problem, "qlogei", seed, (0.2, 0.5, 0.8)))
    return found


def test_regret_is_that_of_the_largest_deviation_seen():
    """Noise made the second look larger than the third, which is truly the larger one."""
    noise = iter([0.0, 0.5, -0.1])
    problem = Problem("noisy", 1, ("a",), lambda points: points, "given", noise=1.0)
    gold = Gold(problem, 0)
    gold._noise = lambda count: np.full(count, next(noise))
    for point in (0.5, 0.4, 0.8):
        gold(np.array([point]))
    line = {**kept("noisy", "ours", 0, (0, 0, 0)), "made": gold.evaluations, "leaders": gold.leaders}
    (group,) = groups([{"problem": "noisy", "seed": 0, "scale": {"best": 1.0, "median": 0.0, "task": 0}}, line])
    assert group.runs["noisy"]["ours"][0] == pytest.approx([0.5, 0.6, 0.6])


def test_pairs_are_compared_over_families(lines):
    (group,) = groups(lines)
    found = difference(group.runs, "ours", "qlogei")
    assert found.mean == pytest.approx(-0.15)
    assert found.error == pytest.approx(np.std([-0.2, -0.1] * 10, ddof=1) / math.sqrt(20))
    assert (found.family, found.behind, found.fewest) == ("flood-trees", pytest.approx(-0.1), 10)
    assert geometric(family["ours"] for family in group.runs.values()) == pytest.approx(math.sqrt(0.001 * 0.1))


def test_the_report_says_what_holds(lines):
    text, good = report(lines)
    assert good
    assert "BROKEN" not in text
    assert "| **ours** | 20 | .700 ± .000 | .400 ± .000 | .050 ± .011 | .010 | 0.1 |  |  |" in text
    theirs = "| BoTorch, qLogEI | 20 | .800 ± .000 | .500 ± .000 | .200 ± .000 | .200 | 1 "
    assert f"{theirs}| −.150 ± .023 | flood-trees −.100 |" in text
    assert "at most 10% of BoTorch's CPU time: 10%: kept" in text


def test_what_is_behind_is_said_when_there_are_seeds_enough(lines):
    behind = [
        kept(line["problem"], "ours", line["seed"], (0.1, 0.2, 0.3)) if line.get("method") == "ours" else line
        for line in lines
    ]
    text, good = report(behind)
    assert not good
    assert "ours less qlogei, at most .030 on any family: .500 on piston-network: BROKEN" in text
    few = [line for line in behind if line["seed"] < 9]
    text, good = report(few)
    assert good
    assert "not judged by 9 seeds (BROKEN so far)" in text


def test_a_scale_that_is_too_low_and_mixed_code_are_said(lines):
    text, _ = report([*lines, {**lines[1], "code": "a"}, {**lines[1], "code": "b"}])
    assert "by 2 versions of its code" in text
    text, _ = report([*lines, kept("piston-network", "qlogei", 0, (0.1, 0.2, 1.5))])
    assert "qlogei on piston-network found more than the scale knows of: −.500" in text


def test_tables_are_printed_from_what_was_kept(tmp_path, capsys, lines):
    path = tmp_path / "worst.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert main(["--table", str(path)]) == 0
    assert "Simulators of one output" in capsys.readouterr().out


def test_the_gold_standard_keeps_what_it_said():
    gold = Gold(FAMILIES["prototype"](0), 0)
    gold(np.array([0.5, 0.5]))
    assert gold.evaluations == len(gold.leaders) == 1
    assert Scale(2.0, 1.0, 0).regret(np.array([2.0, 1.0])).tolist() == [0.0, 1.0]
