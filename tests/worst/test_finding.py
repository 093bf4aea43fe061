"""What a search says: the worst point, its region, other peaks, slices, and every word of it as JSON."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from ringtrue.core import Claim, InvalidInput, Verdict, terminal_lines
from ringtrue.worst import Choice, Integer, Real, SearchSpace, Worst, simulate
from ringtrue.worst._deviation import DEVIATIONS, measured_value, measured_values, model_output

SQUARE = SearchSpace([Real("x", 0, 1), Real("y", 0, 1)], name="square")


def hills(values):
    """A broad hill of 2 at (.25, .3) and a lower one of 1.4 at (.8, .8)."""
    x, y = values["x"], values["y"]
    first = 2.0 * math.exp(-0.5 * ((x - 0.25) ** 2 + (y - 0.3) ** 2) / 0.15**2)
    return first + 1.4 * math.exp(-0.5 * ((x - 0.8) ** 2 + (y - 0.8) ** 2) / 0.12**2)


def finding_of(question, trace, claim=None):
    estimator = question.estimator(size=0, claim=claim)
    estimator.update(trace.records)
    return estimator.finding()


@pytest.fixture(scope="module")
def found():
    question = Worst(SQUARE, evaluations=60)
    return finding_of(question, simulate(question, hills))


def test_the_worst_point_and_both_sides_of_it_are_told(found):
    assert math.dist((found.worst.point["x"], found.worst.point["y"]), (0.25, 0.3)) < 0.02
    assert found.worst.deviation == pytest.approx(2.0, abs=0.01)
    assert (found.worst.model, found.worst.gold) == ([0.0], pytest.approx(2.0, abs=0.01))
    assert found.worst.signed == -found.worst.gold
    assert found.verdict is Verdict.NOT_YET_KNOWN
    assert str(found).startswith("largest deviation ")


def test_the_region_is_as_large_as_it_is(found):
    """Half the height of a Gaussian hill is reached at 1.1774 widths: a disc of radius .1766 and area .0980."""
    assert found.region.threshold == pytest.approx(1.0, abs=0.01)
    assert found.region.volume == pytest.approx(math.pi * 0.1766**2, rel=0.15)
    assert found.region.extent["x"] == pytest.approx([0.0734, 0.4266], abs=0.02)
    assert found.region.tried == 5
    assert found.region.confirmed >= 3


@pytest.mark.parametrize(("seed", "other"), [(0, False), (2, True), (4, True)])
def test_other_peaks_are_told_apart_once_an_evaluation_lies_on_them(seed, other):
    question = Worst(SQUARE, evaluations=60)
    trace = simulate(question, hills, seed=seed)
    assert any(math.dist(record.point, (0.8, 0.8)) < 0.12 for record in trace.records) is other
    found = finding_of(question, trace)
    places = [(peak.point["x"], peak.point["y"]) for peak in found.peaks]
    assert math.dist(places[0], (0.25, 0.3)) < 0.03
    assert [math.dist(place, (0.8, 0.8)) < 0.12 for place in places[1:]] == ([True] if other else [])


def ripples(values):
    """Waves shorter than twelve evaluations can follow."""
    rng = np.random.default_rng(2)
    frequencies, phases = rng.standard_normal((100, 2)) / 0.15, rng.uniform(0, 6.28, 100)
    return float(np.cos(frequencies @ np.array(list(values.values())) + phases).sum() * math.sqrt(2 / 100))


def test_no_other_peak_is_told_above_what_was_seen():
    """The surrogate of twelve evaluations had two, of 1.95 and 1.86, where the deviation is .85 and .74."""
    question = Worst(SQUARE, evaluations=20)
    estimator = question.estimator(size=0, claim=None)
    estimator.update(simulate(question, ripples, seed=2).records[:12])
    found = estimator.finding()
    others = [peak for peak in found.peaks if not peak.at_worst]
    assert all(peak.predicted <= found.worst.deviation for peak in others)
    told = "\n".join(terminal_lines(found.sections()))
    assert "about" not in told
    assert told.count("another peak") == told.count(" ± ") == len(others)


def test_the_worst_average_is_the_highest_one_not_that_at_the_worst_point():
    """A ridge of 2 that is narrow, and a hill of 1.5 that is not: with inputs that vary, the hill is worse."""

    def both(values):
        x = values["x"]
        return 2.0 * math.exp(-0.5 * ((x - 0.2) / 0.04) ** 2) + 1.5 * math.exp(-0.5 * ((x - 0.7) / 0.15) ** 2)

    question = Worst(SearchSpace([Real("x", 0, 1)]), evaluations=45, input_noise={"x": 0.05})
    found = finding_of(question, simulate(question, both))
    assert found.worst.point["x"] == pytest.approx(0.2, abs=0.02)
    assert found.robust.point["x"] == pytest.approx(0.7, abs=0.03)


@pytest.mark.parametrize("deviation", ["absolute", "squared"])
@pytest.mark.parametrize("size", [1.0, 1e-9])
def test_small_deviations_that_are_smooth_are_not_told_to_scatter(deviation, size):
    """Scatter is that of the difference: beside its square, any of a small difference would be large."""
    question = Worst(SQUARE, evaluations=14, deviation=deviation)
    found = finding_of(question, simulate(question, lambda values: size * math.sin(3 * values["x"] + values["y"])))
    assert found.worst.noise is not None
    assert not any("scatter" in line for line in found.assumptions)


def test_slices_go_through_the_worst_point(found):
    told = found.to_json()["slices"]
    assert [one["parameter"] for one in told] == ["x", "y"]
    assert max(told[0]["mean"]) == pytest.approx(2.0, abs=0.05)
    assert all(
        low <= mean <= high for low, mean, high in zip(told[0]["low"], told[0]["mean"], told[0]["high"], strict=True)
    )


def test_the_finding_is_json_and_draws(found):
    from matplotlib.figure import Figure

    made = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert made["sentence"] == str(found)
    assert made["path"]["best"] == sorted(made["path"]["best"])
    assert len(made["inputs"]["x"]) == made["answers"] == 60
    axes = Figure().subplots()
    found.draw(axes)
    assert axes.get_ylabel()


def test_nothing_evaluated_yet_is_said():
    question = Worst(SQUARE, evaluations=20)
    empty = question.estimator(size=0, claim=None).finding()
    assert str(empty) == "nothing is evaluated yet"
    json.dumps(empty.to_json(), allow_nan=False)
    assert (empty.estimate, empty.answers, empty.unanswerable) == (None, 0, 0)


def test_the_initial_design_alone_gives_a_finding():
    question = Worst(SQUARE, evaluations=2)
    told = finding_of(question, simulate(question, hills))
    assert (told.answers, told.region, told.peaks) == (2, None, ())


def test_a_mixed_space_has_options_in_its_region():
    space = SearchSpace([Real("x", 0, 1), Integer("k", 1, 5), Choice("kind", ["a", "b"])])
    question = Worst(space, evaluations=30, deviation="given")
    told = finding_of(
        question, simulate(question, lambda v: 1 - abs(v["x"] - 0.5) - 0.1 * abs(v["k"] - 3) + (v["kind"] == "b"))
    )
    assert told.worst.point["kind"] == "b"
    assert told.region.extent["kind"] == ["b"]
    low, high = told.region.extent["k"]
    assert low <= 3 <= high


@pytest.mark.parametrize("rule", ["random", "sobol"])
def test_baselines_have_a_path_and_no_surrogate(rule):
    question = Worst(SQUARE, evaluations=12, rule=rule)
    told = finding_of(question, simulate(question, hills), claim=Claim("deviation", 99.0))
    assert told.peaks == ()
    assert len(told.to_json()["path"]["best"]) == 12


def test_several_tasks_are_counted():
    question = Worst(SQUARE, evaluations=24, tasks=("a", "b"), priced="alone", rule="round-robin")
    told = finding_of(question, simulate(question, lambda v: hills(v) * (2 if v["task"] == "b" else 1)))
    assert told.worst.task == "b"
    # The last five confirm the worst task's region.
    assert [row["evaluations"] for row in told.to_json()["by_task"]] in ([10, 14], [9, 15], [12, 12])


def test_a_question_is_rebuilt_from_its_configuration():
    asked = Worst(
        SQUARE, evaluations=30, tasks=("a", "b"), priced="alone", rule="exp3bo", acquisition="upper-bound",
        claim="deviation <= 2.5 at 90%", input_noise={"x": 0.1}, noise=0.2, initial=7, name="again", after=("worst",),
    )  # fmt: skip
    config = json.loads(json.dumps(asked.config()))
    assert Worst.from_config(config).config() == config


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"evaluations": 0}, ["evaluations=0", "at least 1"]),
        ({"evaluations": True}, ["evaluations=True"]),
        ({"deviation": "cubed"}, ["deviation='cubed'", "absolute"]),
        ({"priced": "free"}, ["priced='free'", "together", "alone"]),
        ({"rule": "greedy"}, ["rule='greedy'", "joint"]),
        ({"rule": "exp3bo"}, ["rule='exp3bo'", "together"]),
        ({"kernel": "linear"}, ["kernel='linear'", "matern-5/2"]),
        ({"acquisition": "hope"}, ["acquisition='hope'", "improvement"]),
        ({"tasks": "ab"}, ["tasks='ab'", "list"]),
        ({"tasks": ["a", "a"]}, ["tasks=['a', 'a']"]),
        ({"tasks": ["a", "b"], "deviation": "rmse"}, ["folds all outputs"]),
        ({"deviation": "rmse", "priced": "alone"}, ["folds all outputs", "alone"]),
        ({"input_noise": {"z": 0.1}}, ["'z'", "x, y"]),
        ({"input_noise": {"x": -1}}, ["-1", "at least 0"]),
        ({"input_noise": {"x": 0.1}, "kernel": "matern-5/2"}, ["squared-exponential"]),
        ({"noise": -1}, ["noise=-1"]),
        ({"initial": 0}, ["initial=0"]),
        ({"claim": "error <= 5%"}, ["error", "deviation"]),
        ({"claim": "deviation <= 0"}, ["limit=0", "positive"]),
    ],
)
def test_bad_settings_get_one_line(settings, words):
    with pytest.raises(InvalidInput) as refused:
        Worst(SQUARE, **({"evaluations": 20} | settings))
    assert "\n" not in str(refused.value)
    assert all(word in str(refused.value) for word in words), str(refused.value)


@pytest.mark.parametrize(
    ("name", "model", "gold", "values"),
    [
        ("absolute", [3.0, 1.0], [1.0, 4.0], [2.0, -3.0]),
        ("squared", {"label": [3.0], "phase": "search"}, 1, [2.0]),
        ("rmse", [3.0, 1.0], [0.0, 5.0], [math.sqrt(12.5)]),
        ("mismatch", ["a", "b", "c", "d"], ["a", "b", "x", "y"], [0.5]),
        ("mismatch", "cat", "dog", [1.0]),
        ("given", None, {"deviation": [0.5, 0.25], "gold": "whatever"}, [0.5, 0.25]),
    ],
)
def test_deviations(name, model, gold, values):
    assert measured_values(DEVIATIONS[name], model, gold, len(values)) == pytest.approx(values)


def test_sizes_of_signed_deviations():
    assert DEVIATIONS["squared"].size(np.array([-3.0]))[0] == 9.0
    assert DEVIATIONS["absolute"].size(np.array([-3.0]))[0] == 3.0
    assert DEVIATIONS["given"].size(np.array([-3.0]))[0] == -3.0


def test_one_task_is_taken_from_all_that_the_model_says():
    absolute = DEVIATIONS["absolute"]
    assert model_output(absolute, [1.0, 5.0], 1, 2) == model_output(absolute, [5.0], 1, 2) == 5.0
    assert model_output(DEVIATIONS["given"], [1.0, 5.0], 1, 2) is None
    assert measured_value(absolute, 5.0, 2.0) == 3.0
    with pytest.raises(InvalidInput, match="3 outputs for 2 tasks"):
        model_output(absolute, [1.0, 2.0, 3.0], 1, 2)
    with pytest.raises(InvalidInput, match="2 numbers for one task: give the one that was asked"):
        measured_value(DEVIATIONS["given"], None, [1.0, 2.0])


@pytest.mark.parametrize("gold", [float("nan"), [1.0, float("inf")], "high", True, None, [], [1.0, 2.0, 3.0]])
def test_answers_that_are_no_numbers_are_refused(gold):
    with pytest.raises(InvalidInput, match=r"the gold standard|outputs for"):
        measured_values(DEVIATIONS["absolute"], [0.0, 0.0], gold, 2)
