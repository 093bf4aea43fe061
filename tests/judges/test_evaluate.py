"""The verdict on panels whose truth is known: what must warn warns, and what may be trusted is."""

import json

import numpy as np
import pytest

from ringtrue.core import ABSTAINED, InvalidInput, Sketch, Verdict
from ringtrue.judges import Trust, evaluate
from ringtrue.stats import generator


def panel(votes, truth=None, *, labelled=None, labels=("no", "yes")):
    """A sketch of votes (items, judges) and, where asked for, the truth of the labelled items as one more judge."""
    names = [f"j{place}" for place in range(votes.shape[1])]
    if labelled is None:
        rows, judges = votes, names
    else:
        known = np.full(len(truth), ABSTAINED)
        known[labelled] = truth[labelled]
        rows, judges = np.column_stack([votes, known]), [*names, "truth"]
    sketch = Sketch(judges, labels)
    for row in rows.tolist():
        sketch.count(tuple(row))
    return sketch


def independent(seed, items=4000, accuracies=(0.9, 0.85, 0.85, 0.8, 0.8), prevalence=0.3):
    rng = generator(seed, "independent")
    truth = (rng.random(items) > prevalence).astype(int)
    right = rng.random((items, len(accuracies))) < np.array(accuracies)
    return np.where(right, truth[:, None], 1 - truth[:, None]), truth


def misled(seed, items=4000, judges=5, share=0.15):
    """Judges who independently see one and the same thing, which differs from the truth on a share of the items."""
    rng = generator(seed, "misled")
    truth = (rng.random(items) > 0.4).astype(int)
    seen = np.where(rng.random(items) < share, 1 - truth, truth)
    right = rng.random((items, judges)) < 0.9
    return np.where(right, seen[:, None], 1 - seen[:, None]), truth


def kinds(finding, weight):
    return {reason.kind for reason in finding.reasons if reason.weight == weight}


def sample(seed, items, size):
    return generator(seed, "sample").choice(items, size, replace=False)


def test_without_labels_nothing_is_trusted_unless_somebody_states_independence():
    votes, _ = independent(1)
    alone = evaluate(panel(votes))
    assert alone.trust is Trust.CHECK
    assert kinds(alone, "doubt") == {"labels"}
    stated = evaluate(panel(votes), independent=True)
    assert stated.trust is Trust.TRUST
    assert any("statement of yours" in reason.text for reason in stated.reasons)


def test_labels_that_agree_earn_trust():
    votes, truth = independent(2)
    finding = evaluate(panel(votes, truth, labelled=sample(2, 4000, 300)), truth="truth")
    assert finding.trust is Trust.TRUST
    assert finding.verdict is Verdict.RINGS_TRUE
    assert finding.labelled_items == 300


def test_few_labels_that_agree_do_not():
    votes, truth = independent(2)
    finding = evaluate(panel(votes, truth, labelled=sample(2, 4000, 40)), truth="truth")
    assert finding.trust is Trust.CHECK
    assert "labels" in kinds(finding, "doubt")


@pytest.mark.parametrize("seed", range(8))
def test_judges_who_share_a_mistake_are_never_trusted_whatever_the_fit_says(seed):
    """Given what they all see, their errors are independent: no votes can tell that it is not the truth."""
    votes, truth = misled(seed)
    alone = evaluate(panel(votes))
    assert alone.fit.p > 0.001  # the fit is fine, or nearly so by chance
    assert alone.trust is not Trust.TRUST
    with_labels = evaluate(panel(votes, truth, labelled=sample(seed, 4000, 300)), truth="truth")
    assert with_labels.trust is Trust.DO_NOT_USE
    assert "labels" in kinds(with_labels, "bar")
    assert abs(with_labels.labelled.prevalence[0].estimate - np.mean(truth == 0)) < 0.1


@pytest.mark.parametrize("labels", [60, 150])
def test_a_rare_label_that_all_judges_overlook_is_not_trusted_with_few_labels(labels):
    """Half of the rare items look to every judge like the others; few labels meet any of them."""
    for seed in range(10):
        rng = generator(seed, "overlooked")
        truth = (rng.random(2000) < 0.05).astype(int)
        seen = np.where((truth == 1) & (rng.random(2000) < 0.5), 0, truth)
        votes = np.where(rng.random((2000, 5)) < 0.95, seen[:, None], 1 - seen[:, None])
        finding = evaluate(panel(votes, truth, labelled=sample(seed, 2000, labels)), truth="truth")
        assert finding.trust is not Trust.TRUST


def test_labels_seldom_contradict_weak_judges_who_are_independent():
    """The votes say little of weak judges, and their intervals say so: at most two of twenty such panels are barred."""
    barred = 0
    for seed in range(20):
        votes, truth = independent(seed, items=1500, accuracies=(0.68,) * 4)
        barred += "labels" in kinds(evaluate(panel(votes, truth, labelled=np.arange(1500)), truth="truth"), "bar")
    assert barred <= 2


def test_two_judges_with_labels_are_known_by_them():
    votes, truth = independent(9, accuracies=(0.9, 0.8))
    finding = evaluate(panel(votes, truth, labelled=sample(9, 4000, 400)), truth="truth")
    assert finding.trust is Trust.TRUST
    assert finding.evaluation is None
    assert finding.labelled is not None


def shared_errors(seed, items=4000, judges=5):
    """Two of the judges copy a third's errors half of the time."""
    votes, truth = independent(seed, items, (0.8,) * judges)
    rng = generator(seed, "copy")
    for judge in (1, 2):
        copied = rng.random(items) < 0.5
        votes[copied, judge] = votes[copied, 0]
    return votes, truth


@pytest.mark.parametrize("seed", range(8))
def test_correlated_errors_are_never_trusted_even_when_independence_is_stated(seed):
    finding = evaluate(panel(shared_errors(seed)[0]), independent=True)
    assert finding.trust is Trust.DO_NOT_USE
    assert "fit" in kinds(finding, "bar")
    named = str(finding).partition("; ")[2].partition(" seem to err together")[0].split("; ")[-1]
    assert set(named.split(" and ")) < {"j0", "j1", "j2"}


def test_three_judges_are_never_trusted_without_labels():
    votes, _ = independent(3, accuracies=(0.9, 0.85, 0.8), items=20_000)
    finding = evaluate(panel(votes), independent=True)
    assert finding.trust is Trust.CHECK
    assert any("cannot be checked" in reason.text for reason in finding.reasons)
    assert finding.tolerance == pytest.approx(
        0.05 / sum(1 / (a * b) for a, b in [(0.8, 0.7), (0.8, 0.6), (0.7, 0.6)]), rel=0.2
    )


def test_clones_are_barred():
    votes, _ = independent(4)
    finding = evaluate(panel(np.column_stack([votes, votes[:, 0]])), independent=True)
    assert finding.trust is Trust.DO_NOT_USE
    assert "clones" in kinds(finding, "bar")


def test_two_clones_and_another_are_not_called_perfect():
    votes, _ = independent(5, accuracies=(0.8, 0.8))
    finding = evaluate(panel(np.column_stack([votes, votes[:, 0]])), independent=True)
    assert finding.trust is Trust.DO_NOT_USE
    assert "clones" in kinds(finding, "bar")


def test_a_constant_judge_is_named_and_barred_where_too_few_are_left():
    votes, _ = independent(6)
    votes[:, 3] = 1
    finding = evaluate(panel(votes), independent=True)
    assert finding.trust is Trust.CHECK
    assert any("j3 always votes yes" in reason.text for reason in finding.reasons)
    few = evaluate(panel(votes[:, 2:]), independent=True)
    assert few.trust is Trust.DO_NOT_USE
    assert "constant" in kinds(few, "bar")


def test_a_judge_no_better_than_chance_is_named():
    votes, _ = independent(7, accuracies=(0.9, 0.9, 0.85, 0.85, 0.5))
    finding = evaluate(panel(votes), independent=True)
    assert finding.trust is Trust.CHECK
    assert any("no better than chance" in reason.text and "j4" in reason.text for reason in finding.reasons)


def test_a_swapped_judge_is_named():
    votes, _ = independent(8, accuracies=(0.9, 0.9, 0.85, 0.85, 0.2))
    finding = evaluate(panel(votes), independent=True)
    assert any("worse than chance" in reason.text and "j4" in reason.text for reason in finding.reasons)


def test_a_trio_without_a_solution_is_barred():
    sketch = Sketch.from_cells(["a", "b", "c"], ["no", "yes"], [10, 3, 9, 20, 8, 25, 4, 21])
    finding = evaluate(sketch)
    assert finding.trust is Trust.DO_NOT_USE
    assert finding.evaluation is None
    assert finding.general is None
    json.dumps(finding.to_json(), allow_nan=False)


def test_two_judges_leave_everything_open():
    votes, _ = independent(9, accuracies=(0.9, 0.8))
    finding = evaluate(panel(votes))
    assert finding.trust is Trust.CHECK
    assert finding.evaluation is None
    assert finding.best is not None
    assert any("j0 and j1 disagree on" in reason.text for reason in finding.reasons)


def test_the_specification_alarm():
    sketch = Sketch.from_cells(["a", "b", "c"], ["a", "b"], [114, 26, 60, 60, 36, 24, 45, 85])
    assert "specification" in kinds(evaluate(sketch, at_least=0.8), "bar")
    assert "specification" in kinds(evaluate(sketch, at_least=0.7), "note")


def test_few_items_leave_much_open():
    votes, _ = independent(10, items=60)
    finding = evaluate(panel(votes), independent=True)
    assert finding.trust is not Trust.TRUST
    assert "width" in kinds(finding, "doubt")


def test_intervals_hold_the_truth_and_carry_all_they_need():
    votes, truth = independent(11)
    finding = evaluate(panel(votes), independent=True)
    real = np.array([[np.mean(votes[truth == label, judge] == label) for label in (0, 1)] for judge in range(5)])
    for judge in range(5):
        for label in (0, 1):
            one = finding.here.accuracy[judge][label]
            assert one.low - 0.02 <= real[judge, label] <= one.high + 0.02
            assert one.level == 0.95
            assert one.low < one.high
    assert finding.here.target == "on this test"
    assert finding.general.target == "in general"


def test_missing_votes_are_taken_and_said():
    votes, _ = independent(12)
    gaps = generator(12, "gaps").random(votes.shape) < 0.2
    finding = evaluate(panel(np.where(gaps, ABSTAINED, votes)), independent=True)
    assert finding.abstentions == gaps.sum()
    assert any("abstains" in line for line in finding.assumptions)
    assert abs(finding.evaluation.accuracies - [[0.9], [0.85], [0.85], [0.8], [0.8]]).max() < 0.06


def test_three_labels_are_checked_with_labels():
    rng = generator(13, "three labels")
    truth = rng.choice(3, 6000, p=[0.5, 0.3, 0.2])
    right = rng.random((6000, 4)) < 0.8
    votes = np.where(right, truth[:, None], (truth[:, None] + rng.integers(1, 3, (6000, 4))) % 3)
    finding = evaluate(panel(votes, labels=("a", "b", "c")), independent=True)
    assert finding.trust is Trust.CHECK
    assert np.abs(finding.evaluation.prevalence - [0.5, 0.3, 0.2]).max() < 0.04
    json.dumps(finding.to_json(), allow_nan=False)


def test_a_known_prevalence_is_held():
    votes, _ = independent(14, prevalence=0.5)
    finding = evaluate(panel(votes), prevalence=0.5)
    assert finding.evaluation.prevalence[0] == 0.5
    assert finding.mirror is None


def test_a_stated_judge_chooses_the_root():
    votes, _ = independent(15, accuracies=(0.9, 0.2, 0.2, 0.15))
    most, stated = evaluate(panel(votes)), evaluate(panel(votes), better="j0")
    assert most.evaluation.skill[0] < 0 < stated.evaluation.skill[0]
    assert "j0 is stated" in stated.choice


def test_one_line_and_json():
    votes, _ = independent(16)
    finding = evaluate(panel(votes))
    assert "\n" not in str(finding)
    assert str(finding).startswith("check with labels: 5 judges on 4,000 items; ")
    made = finding.to_json()
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert made["exit_code"] == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prevalence": 1.5}, "prevalence=1.5 must lie strictly between 0 and 1"),
        ({"at_least": 80}, "at_least=80 must lie between 0 and 1"),
        ({"better": "nobody"}, "judge='nobody' is none of j0"),
        ({"better": "j0", "prevalence": 0.3}, "may contradict each other"),
        ({"truth": "gold"}, "judge='gold' is none of j0"),
    ],
)
def test_bad_arguments_get_one_line(options, words):
    votes, _ = independent(17, items=200)
    with pytest.raises(InvalidInput, match=words):
        evaluate(panel(votes), **options)


def test_an_empty_sketch_is_refused():
    with pytest.raises(InvalidInput, match="holds no votes"):
        evaluate(Sketch(["a", "b", "c"], ["no", "yes"]))
