"""The case study of alloys runs small on made-up phases as on real ones, and keeps what it worked out."""

import importlib.util

import numpy as np
import pytest

from alloy import forest
from alloy.emulator import make_problem
from alloy.figures import draw
from alloy.gold import Gold, cache_folder
from alloy.network import Network, load, train
from alloy.proxy import Proxy
from alloy.run import main, results
from alloy.runs import run_all
from alloy.sample import PHASES, training_sample
from alloy.sample import draw as draw_sample
from alloy.searches import alone, oracle
from alloy.space import SPACE, composition
from alloy.tables import paper_table
from ringtrue.core import InvalidInput

MIDDLE = {each.name: (each.low + each.high) / 2 for each in SPACE.parameters}
MADE_UP = [f"P{number:02d}" for number in range(18)]


def made_up(percents):
    """Eighteen phases, each in fewer compositions than the one before; no answer where there is much chromium."""
    unit = SPACE.encode(np.array([percents]))[0]
    if unit[0] > 0.97:
        return None
    levels = [float(unit[number % 7] * unit[(number + 3) % 7] - 0.04 * number) for number in range(18)]
    return {phase: level for phase, level in zip(MADE_UP, levels, strict=True) if level > 0}


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    """A proxy with random weights."""
    gold = Gold(tmp_path_factory.mktemp("alloy") / "equilibria.jsonl", made_up)
    rng = np.random.default_rng(0)
    weights = (rng.normal(size=(4, 7)), rng.normal(size=(PHASES, 4)) / 10)
    return Proxy(gold, training_sample(gold, 40), Network("relu", weights, (np.zeros(4), np.zeros(PHASES))))


def test_an_equilibrium_is_worked_out_once_and_read_again(tmp_path):
    asked = []

    def solver(percents):
        asked.append(percents)
        return None if len(asked) == 2 else {"FCC_A1": 0.75, "MG2SI": 0.25}

    kept = tmp_path / "folder" / "equilibria.jsonl"
    first = Gold(kept, solver)
    assert [first((1, 2)), first((3, 4)), first((1, 2))] == [{"FCC_A1": 0.75, "MG2SI": 0.25}, None, first((1, 2))]
    assert asked == [(1.0, 2.0), (3.0, 4.0)]
    with kept.open("a") as file:
        file.write('{"percents": [5.0, 6.0], "pha')  # as a kill leaves it
    again = Gold(kept, solver)
    assert (again((1, 2)), again((3, 4))) == ({"FCC_A1": 0.75, "MG2SI": 0.25}, None)
    assert len(asked) == 2
    again((5, 6))
    again((7, 8))
    assert Gold(kept, solver)((7, 8)) == {"FCC_A1": 0.75, "MG2SI": 0.25}
    assert len(asked) == 4


def test_without_pycalphad_only_what_is_kept_can_be_told(tmp_path, monkeypatch):
    monkeypatch.setattr("alloy.gold.find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match=r"pip install 'ringtrue\[alloy\]'"):
        Gold(tmp_path / "equilibria.jsonl")((1.0,) * 7)


def test_the_cache_is_where_the_environment_says(monkeypatch):
    monkeypatch.setenv("ALLOY_CACHE", "/elsewhere")
    assert str(cache_folder()) == "/elsewhere"
    monkeypatch.delenv("ALLOY_CACHE")
    assert cache_folder().name == ".cache"
    assert (cache_folder().parent / ".gitignore").read_text() == ".cache/\n"


def test_the_sixteen_most_frequent_phases_are_scaled_by_the_sample(proxy):
    sample = proxy.sample
    assert len(sample.phases) == len(set(sample.phases)) == PHASES
    assert list(sample.shares) == sorted(sample.shares, reverse=True)
    often = [sum(phase in (proxy.gold(row) or {}) for row in SPACE.decode(sample.points)) for phase in MADE_UP]
    assert sorted(often, reverse=True)[:PHASES] == [round(share * 40) for share in sample.shares]
    assert sample.scaled.min() == 0
    assert sample.scaled.max(axis=0) == pytest.approx(np.ones(PHASES))


def test_a_larger_sample_begins_with_the_smaller_and_passes_over_what_has_no_answer(proxy):
    small, large = (draw_sample(proxy.gold, "training", size) for size in (5, 60))
    assert [list(point) for point, _ in small] == [list(point) for point, _ in large[:5]]
    assert all(point[0] <= 0.97 for point, _ in large)
    assert not np.array_equal(draw_sample(proxy.gold, "emulator", 1)[0][0], small[0][0])


def test_the_gold_standard_answers_for_one_phase_or_for_all(proxy):
    amounts = proxy.found(MIDDLE)
    fractions = made_up(composition(MIDDLE))
    assert amounts == pytest.approx(proxy.sample.amounts_in(fractions))
    assert proxy.found({**MIDDLE, "task": proxy.phases[3]}) == amounts[3]
    assert proxy.found({**MIDDLE, "Cr": 1.0}) is None
    unit = SPACE.encode(np.array([composition(MIDDLE)]))
    assert proxy.predicted(MIDDLE) == pytest.approx(proxy.network.predict(unit)[0])


def test_a_network_is_what_its_file_says_and_computes_as_torch_does(tmp_path):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    points = rng.random((40, 3))
    outputs = np.stack([points.sum(axis=1), points[:, 0] * points[:, 1]], axis=1)
    settings = {"activation": "tanh", "batch": 8, "epochs": 20, "seed": 3}
    network = train(points, outputs, (6, 5), **settings)
    network.save(tmp_path / "network.npz")
    again = load(tmp_path / "network.npz")
    assert np.array_equal(again.predict(points), network.predict(points))
    assert np.array_equal(train(points, outputs, (6, 5), **settings).predict(points), network.predict(points))
    values = torch.from_numpy(points)
    for weight, bias in zip(network.weights[:-1], network.biases[:-1], strict=True):
        values = torch.tanh(torch.nn.functional.linear(values, torch.from_numpy(weight), torch.from_numpy(bias)))
    last = torch.nn.functional.linear(values, *map(torch.from_numpy, (network.weights[-1], network.biases[-1])))
    assert network.predict(points) == pytest.approx(last.numpy())
    before = train(points, outputs, (6, 5), **{**settings, "epochs": 0}).predict(points)
    assert np.mean((network.predict(points) - outputs) ** 2) < 0.7 * np.mean((before - outputs) ** 2)


def test_the_oracle_asks_about_its_phase_alone(proxy):
    searched = oracle(proxy, 6, 0, proxy.phases[5])
    assert set(searched.tasks) == {5}
    values = dict(zip(SPACE.names, searched.worst.place, strict=True))
    assert searched.worst.deviation == pytest.approx(abs(proxy.predicted(values)[5] - proxy.found(values)[5]))


def test_an_evaluation_alone_is_measured_as_the_phase_that_was_asked(proxy):
    searched = alone(proxy, 36, 1, rule="round-robin", acquisition="upper-bound")
    assert np.bincount(searched.tasks, minlength=PHASES).min() >= 2
    assert {leader.task for leader in searched.leaders} > {0}  # not of the first phase alone
    for leader in searched.leaders:
        values = dict(zip(SPACE.names, leader.place, strict=True))
        gold = proxy.found(values)
        expected = 0 if gold is None else abs(proxy.predicted(values)[leader.task] - gold[leader.task])
        assert leader.deviation == pytest.approx(expected)


def test_the_whole_study_runs_small_and_says_what_it_found(proxy, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(forest, "is_installed", lambda: False)
    found = run_all(proxy, 2, 6)
    assert "smac: skipped" in capsys.readouterr().err
    text = results(proxy, found, 2, 6)
    for heading in ("Beside the paper", "The largest error over all phases", "The largest deviation of any phase"):
        assert f"### {heading}" in text
    assert "nan" not in text
    assert "(6 evaluations)" in text
    first = paper_table(found).splitlines()[2]
    assert first.startswith("| largest RMSE on the training sample | 0.27 at Cr 0.85, Cu 2.06, ")
    assert f" | {found.trained.worst.deviation:.2f} at Cr " in first
    deviations = proxy.on_training()
    assert found.trained.worst.deviation == pytest.approx(np.sqrt(np.mean(deviations**2, axis=1)).max())
    assert found.trained_any.worst.deviation == pytest.approx(np.abs(deviations).max())
    draw(found, tmp_path)
    for name in ("composition", "rmse", "composition_phase", "phases", "chosen"):
        assert f"({name}.svg)" in text
        assert (tmp_path / f"{name}.svg").stat().st_size < 100_000


def test_what_is_not_installed_is_named_with_the_remedy(monkeypatch, capsys):
    monkeypatch.setattr("alloy.run.find_spec", lambda name: None)
    assert main([]) == 0
    assert "the case study needs pycalphad: pip install 'ringtrue[alloy]'" in capsys.readouterr().err


def test_the_emulator_needs_neither_pycalphad_nor_torch_once_it_is_there(tmp_path):
    rng = np.random.default_rng(2)
    nets = [
        Network("tanh", (rng.normal(size=(4, 7)), rng.normal(size=(16, 4))), (np.zeros(4), np.zeros(16)))
        for _ in range(2)
    ]
    nets[0].save(tmp_path / "network.npz")
    nets[1].save(tmp_path / "emulator.npz")
    (tmp_path / "phases.txt").write_text("\n".join(MADE_UP[:16]))
    problem = make_problem(tmp_path)
    points = rng.random((5, problem.dimension))
    assert (problem.name, problem.dimension, problem.tasks) == ("alloy", 7, tuple(MADE_UP[:16]))
    assert np.array_equal(problem.signed(points), nets[0].predict(points) - nets[1].predict(points))


def test_the_stand_in_of_the_benchmark_is_the_same_wherever_it_is_run():
    problem = make_problem()
    assert problem.dimension == 7
    assert "MG2ZN11" in problem.tasks
    assert np.abs(problem.signed(np.full((1, 7), 0.5))).max() == pytest.approx(0.0779234, rel=1e-5)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of pycalphad and what it imports
@pytest.mark.skipif(importlib.util.find_spec("pycalphad") is None, reason="pycalphad is not installed")
def test_an_equilibrium_is_that_of_pycalphad_from_a_grid_of_its_own():
    from pycalphad import Database, equilibrium
    from pycalphad import variables as v

    from alloy.equilibrium import DATABASE, DENSITIES, PHASES, TEMPERATURE, Equilibrium

    solver, database = Equilibrium(), Database(str(DATABASE))
    weights = {v.W(name.upper()): value / 100 for name, value in MIDDLE.items()}
    conditions = {v.T: TEMPERATURE, v.P: 101_325, v.N: 1, **v.get_mole_fractions(weights, "AL", database)}
    components = ["AL", *map(str.upper, SPACE.names), "VA"]
    found = equilibrium(database, components, list(PHASES), conditions, calc_opts={"pdens": DENSITIES[0]})
    amounts = dict(zip(found.Phase.values.ravel().tolist(), found.NP.values.ravel().tolist(), strict=True))
    amounts.pop("")
    assert solver(composition(MIDDLE)) == pytest.approx(amounts, abs=1e-8)
    assert solver([200.0] * 7) is None
