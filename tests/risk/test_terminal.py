"""What a terminal shows of a failure rate beside its sentence, and how errors name the options they are about."""

import numpy as np
import pytest

from ringtrue.core import Batch, Context, InvalidInput, Labels, percent, terminal_lines
from ringtrue.risk import FailureRate, Fragility, Risk, doubt_of
from ringtrue.risk.cells import Grid, assess
from ringtrue.risk.profiles import ProfileWeights
from risk.test_failure_rate import uniform

SIZE = 200


def profile(name, pool, operation):
    kinds = ("day", "night", "fog")
    counts = ({(kind,): number for kind, number in zip(kinds, side, strict=False)} for side in (pool, operation))
    return ProfileWeights.of(name, ("light",), None, *counts)


def shown(estimator, flags):
    estimator.update(uniform(flags, SIZE))
    finding = estimator.finding()
    return finding, terminal_lines(Risk.sections(Context(finding.to_json())))


def test_nothing_is_told_of_a_pool_before_the_first_answer():
    finding, lines = shown(FailureRate(size=SIZE, claim=None), [])
    assert lines == []
    assert finding.estimate is None


@pytest.mark.parametrize(
    ("fixed", "why"), [(None, "although somebody may have looked"), (60, "settled before the first")]
)
def test_a_page_says_why_the_interval_holds(fixed, why):
    estimator = Risk(fixed=fixed).estimator(size=SIZE, claim=None)
    estimator.update(uniform([False] * 60, SIZE))
    words = [word for section in Risk.sections(Context(estimator.finding().to_json())) for word in section.words]
    assert why in str(words)


def test_what_even_draws_say_of_operation():
    finding, lines = shown(FailureRate(size=SIZE, claim=None), [False] * 59 + [True])
    assert finding.estimate is finding.interval
    most = percent(finding.operation.high, toward="above")
    assert lines == [f"if the pool is a random sample of operation: error <= {most} (95%) there"]


def test_priced_profiles_are_told_one_by_one_with_their_worth_or_why_not():
    near, far = profile("near", (100, 100), (120, 80)), profile("far", (190, 10), (1, 199))
    scores = {"weight near": [1.0] * SIZE, "weight far": [0.01 if row % 20 else 19.9 for row in range(SIZE)]}
    estimator = Risk(priced=[near, far]).estimator(size=SIZE, claim=None, scores=scores)
    finding, lines = shown(estimator, [False] * 100)
    assert len(lines) == 3
    assert lines[1] == f"profile near: error {finding.priced[0].interval}, worth 100 even labels (largest weight 1.2)"
    assert lines[2] == f"profile far: refused, {finding.priced[1].refusal}"


@pytest.mark.parametrize("answers", [0, 20])
def test_kinds_that_the_pool_lacks_are_told_in_any_case(answers):
    asked = Risk(profile=profile("ops", (100, 100), (45, 45, 10)))
    estimator = asked.estimator(size=SIZE, claim=None, scores={"weight": [0.9] * SIZE})
    _, lines = shown(estimator, [False] * answers)
    assert lines == ["10% of operation is of kinds the pool lacks: it counts as failed in the bound"]


BATCH = Batch(["a", "b"], {"sure": np.array([0.5, 1.5]), "name": np.array(["x", "y"])})
LABELS = Labels(["no", "no"])
SHAKEN = Fragility(("name",))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: Risk(method="best"), "--method 'best' is unknown: use "),
        (
            lambda: Risk(method="stratified"),
            "--method 'stratified' needs something to go by: give --confidence or --fr",
        ),
        (lambda: Risk(fixed=0), "--fixed 0 must be a whole number of labels of at least 1"),
        (
            lambda: Risk(method="map", confidence="sure"),
            "--method 'map' and --cells None: cells are for --method 'map'",
        ),
        (lambda: Risk("error <= 5% at 95%", profile=profile("ops", (9, 9), (45, 45, 10))), "--claim 'error <= 5% at"),
        (lambda: doubt_of(BATCH, None, confidence="sure", fragility=None), "--confidence 'sure' is 1.5 for item 'b'"),
        (
            lambda: doubt_of(BATCH, LABELS, confidence="model", fragility=None),
            "--confidence 'model' needs a model that",
        ),
        (lambda: doubt_of(BATCH, None, confidence=None, fragility=SHAKEN), "--fragility 'name' needs a model that"),
        (lambda: SHAKEN.probes(BATCH, np.random.default_rng(0)), "--fragility 'name' is not a column of numbers"),
        (lambda: assess([[0.0], [1.0]], [0, 1], max, grid=Grid.over(0, 1, 2), mode="own"), "--mode 'own' is unknown"),
        (lambda: assess([[0.0], [1.0]], [0, 1], max, grid=Grid.over(0, 1, 2), local="eye"), "--local 'eye' is unknown"),
        (lambda: Grid.over(0, 1, 0), "--cells 0 must be whole numbers of at least 1"),
    ],
)
def test_errors_can_call_their_arguments_by_options(wrong, said):
    with pytest.raises(InvalidInput) as refused:
        wrong()
    words = refused.value.in_words(lambda one: f"--{one.name}" + ("" if one.value is ... else f" {one.value!r}"))
    assert words.startswith(said)
