"""The verdict on panels whose truth is known: what must warn warns, and what may be trusted is."""

import json
import re

import numpy as np
import pytest

from ringtrue.core import ABSTAINED, InvalidInput, Sketch, Verdict
from ringtrue.judges import Reserve, Standing, evaluate
from ringtrue.judges._evaluation import named_intervals
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


def trapped(seed, items=3000, skill=(0.93, 0.77, 0.92), share=0.1):
    """A share of the items is a trap that fools every judge four times in five."""
    rng = generator(seed, "trapped")
    truth = (rng.random(items) > 0.5).astype(int)
    fooled = rng.random((items, len(skill))) < 0.8
    right = np.where((rng.random(items) < share)[:, None], ~fooled, rng.random((items, len(skill))) < np.array(skill))
    return np.where(right, truth[:, None], 1 - truth[:, None]), truth


def test_without_labels_nothing_is_shown_without_reserve_unless_the_user_states_independence():
    votes, _ = independent(1)
    alone = evaluate(panel(votes))
    assert alone.reserve is Reserve.CONDITIONAL
    assert alone.unreserved == ()
    assert alone.verdict is Verdict.NOT_YET_KNOWN
    assert kinds(alone, "doubt") == {"labels"}
    near = evaluate(panel(votes), independent=True)
    assert "j4 may not stand in for people yet: it takes more votes or labels to tell" in near.uses
    stated = evaluate(panel(votes), independent=True, at_least=0.7)
    assert stated.reserve is Reserve.NONE
    assert stated.unreserved == (stated.general, stated.here)
    assert stated.verdict is Verdict.RINGS_TRUE
    assert any("statement of yours" in reason.text for reason in stated.reasons)


def test_an_interval_from_votes_alone_keeps_its_reserve_when_it_is_printed_by_itself():
    votes, truth = independent(1)
    finding = evaluate(panel(votes, truth, labelled=sample(1, 4000, 100)), truth="truth")
    words = "only if the judges share nothing but the truth"
    for alone in (finding.general, finding.here):
        assert all(words in str(one) and words in one.to_json()["method"] for _, one in named_intervals(alone))
    for labelled in finding.unreserved:
        assert not any(words in str(one) for _, one in named_intervals(labelled))
    made = finding.to_json()
    outside = json.dumps({name: part for name, part in made.items() if name != "votes_alone"})
    assert "likelihood" not in outside
    assert "majority" not in outside


def test_labels_decide_who_is_good_enough():
    votes, truth = independent(2)
    finding = evaluate(panel(votes, truth, labelled=sample(2, 4000, 600)), truth="truth", at_least=0.7)
    assert finding.standings.each == (Standing.GOOD,) * 5
    assert finding.verdict is Verdict.RINGS_TRUE
    assert finding.labelled_items == 600
    assert finding.unreserved == (finding.labelled, finding.labelled_here)


def test_few_labels_leave_it_open_and_say_how_many_more_would_tell():
    votes, truth = independent(2)
    finding = evaluate(panel(votes, truth, labelled=sample(2, 4000, 40)), truth="truth")
    assert finding.verdict is Verdict.NOT_YET_KNOWN
    each = finding.standings.wanted
    assert finding.standings.more_labels == min(each) > 40
    assert str(finding).startswith(f"it takes about {min(each):,} more labels to tell of one of these 5 judges whether")
    assert f"j0 may not stand in for people yet: it takes about {each[0]:,} more labels to tell" in finding.uses
    assert finding.to_json()["standings"]["more_labels_of"]["j0"] == each[0]


def test_judges_who_are_still_open_are_told_how_many_labels_they_take():
    """A judge that is 87% right, beside three who fail, reads as promising; so it does without labels."""
    votes, truth = independent(4, accuracies=(0.87, 0.6, 0.55, 0.6))
    finding = evaluate(panel(votes, truth, labelled=sample(4, 4000, 150)), truth="truth")
    assert finding.standings.each == (Standing.OPEN, *(Standing.NOT_GOOD,) * 3)
    (more,) = (use for use in finding.uses if use.startswith("j0"))
    assert re.fullmatch(r"j0 may not stand in for people yet: it takes about [\d,]+ more labels to tell", more)
    alone = evaluate(panel(votes))
    assert alone.standings.word == "not all good enough"
    assert re.fullmatch(
        r"about [\d,]+ labels chosen by chance would tell of judges who are right on 90% of the items of every label",
        alone.uses[1],
    )


def test_labels_that_exceed_the_items_are_said_to():
    votes, truth = independent(5, items=60, accuracies=(0.85,) * 3)
    assert "labels, more than there are items, to tell whether j0, j1 and j2 are good enough" in str(
        evaluate(panel(votes))
    )
    finding = evaluate(panel(votes, truth, labelled=np.arange(60)), truth="truth")
    left = [use for use in finding.uses if "yet" in use]
    assert left
    assert all(use.endswith("more labels, more than there are items, to tell") for use in left)


def test_three_judges_with_a_shared_trap_are_never_shown_without_reserve_by_their_votes():
    """200 labels do not contradict numbers that are off by ten points: not contradicting is not bounding."""
    off, uncontradicted = [], 0
    for seed in range(20):
        votes, truth = trapped(seed)
        finding = evaluate(panel(votes, truth, labelled=sample(seed, 3000, 200)), truth="truth")
        uncontradicted += finding.reserve is Reserve.CONDITIONAL
        assert finding.general not in finding.unreserved
        assert finding.here not in finding.unreserved
        real = [[np.mean(votes[truth == label, judge] == label) for label in (0, 1)] for judge in range(3)]
        off.append(np.abs(finding.evaluation.accuracies - real).max())
        # What the labels say of the votes' error holds: it is at most the margin.
        assert off[-1] <= finding.margin.most
    assert uncontradicted > 10
    assert min(off) > 0.05


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.1, 0.3])
def test_an_interval_shown_without_reserve_misses_in_at_most_five_percent(share):
    """60 panels: 11 intervals each, of which those of one panel go together; three standard errors are allowed."""
    missed = []
    for seed in range(60):
        votes, truth = trapped(100 + seed, items=1500, share=share)
        finding = evaluate(panel(votes, truth, labelled=sample(seed, 1500, 100)), truth="truth")
        real = np.array([[np.mean(votes[truth == label, judge] == label) for label in (0, 1)] for judge in range(3)])
        held = finding.labelled_here
        pairs = [(held.prevalence[0], np.mean(truth == 0))]
        pairs += [(one, real[judge, label]) for judge in range(3) for label, one in enumerate(held.accuracy[judge])]
        missed.append(np.mean([not one.low - 1e-9 <= value <= one.high + 1e-9 for one, value in pairs]))
    assert np.mean(missed) <= 0.05 + 3 * np.std(missed) / np.sqrt(60)


def test_the_headline_is_about_the_judges():
    weak, truth = independent(3, accuracies=(0.65,) * 5)
    finding = evaluate(panel(weak, truth, labelled=sample(3, 4000, 1000)), truth="truth")
    assert finding.standings.word == "not good enough"
    assert str(finding).startswith("none of these 5 judges is good enough")
    assert finding.verdict is Verdict.RINGS_FALSE
    mixed, truth = independent(4, accuracies=(0.92, 0.6, 0.55, 0.6))
    finding = evaluate(panel(mixed, truth, labelled=sample(4, 4000, 1000)), truth="truth")
    assert finding.standings.word == "some good enough"
    assert str(finding).startswith("j0 is good enough, right on at least 80% of the items of every label")
    assert any(use.startswith("j0 may stand in for people") for use in finding.uses)
    assert any(use.startswith("j2 may not stand in for people: right on at most") for use in finding.uses)


def test_a_full_set_of_labels_is_the_best_case():
    """Also where the labels show that the votes alone mislead."""
    votes, truth = misled(1)
    finding = evaluate(panel(votes, truth, labelled=np.arange(4000)), truth="truth", at_least=0.7)
    assert finding.verdict is Verdict.RINGS_TRUE
    assert finding.standings.word == "good enough"
    assert "do not use" not in f"{finding} {finding.about} {' '.join(finding.uses)}"
    assert finding.labelled_here.overall[0].low == finding.labelled_here.overall[0].high


def test_the_headline_has_at_most_three_numbers():
    """Over panels of every standing; the bar counts, names do not."""
    for skill in (
        (0.95,) * 2,
        (0.95,) * 5,
        (0.65,) * 5,
        (0.95, 0.95, 0.95, 0.95, 0.6),
        (0.8,) * 6,
        (0.95, 0.6, 0.6, 0.6, 0.6),
    ):
        for labels in (0, 30, 400, 3000):
            votes, truth = trapped(1, skill=skill, share=0.0)
            known = {} if not labels else {"truth": "truth"}
            sketch = panel(votes, truth, labelled=sample(1, 3000, labels) if labels else None)
            line = re.sub(r"\bj\d+", "judge", str(evaluate(sketch, **known)))
            assert len(re.findall(r"\d[\d,.]*", line)) <= 3, line


@pytest.mark.parametrize("seed", range(8))
def test_judges_who_share_a_mistake_are_contradicted_by_labels_whatever_the_fit_says(seed):
    """Given what they all see, their errors are independent: no votes can tell that it is not the truth."""
    votes, truth = misled(seed)
    alone = evaluate(panel(votes))
    assert alone.fit.p > 0.001  # the fit is fine, or nearly so by chance
    assert alone.reserve is not Reserve.NONE
    with_labels = evaluate(panel(votes, truth, labelled=sample(seed, 4000, 300)), truth="truth", independent=True)
    assert with_labels.reserve is Reserve.CONTRADICTED
    assert "labels" in kinds(with_labels, "bar")
    assert abs(with_labels.labelled.prevalence[0].estimate - np.mean(truth == 0)) < 0.1


@pytest.mark.parametrize("labels", [60, 150])
def test_a_rare_label_that_all_judges_overlook_makes_no_judge_good_enough(labels):
    """Half of the rare items look to every judge like the others; few labels meet any of them."""
    for seed in range(5):
        rng = generator(seed, "overlooked")
        truth = (rng.random(2000) < 0.05).astype(int)
        seen = np.where((truth == 1) & (rng.random(2000) < 0.5), 0, truth)
        votes = np.where(rng.random((2000, 5)) < 0.95, seen[:, None], 1 - seen[:, None])
        finding = evaluate(panel(votes, truth, labelled=sample(seed, 2000, labels)), truth="truth")
        assert Standing.GOOD not in finding.standings.each


def test_labels_seldom_contradict_weak_judges_who_are_independent():
    """The votes say little of weak judges, and their intervals say so: at most two of twenty such panels are barred."""
    barred = 0
    for seed in range(20):
        votes, truth = independent(seed, items=1500, accuracies=(0.68,) * 4)
        barred += "labels" in kinds(evaluate(panel(votes, truth, labelled=np.arange(1500)), truth="truth"), "bar")
    assert barred <= 2


def test_two_judges_with_labels_are_known_by_them():
    votes, truth = independent(9, accuracies=(0.95, 0.6))
    finding = evaluate(panel(votes, truth, labelled=sample(9, 4000, 400)), truth="truth")
    assert finding.standings.each == (Standing.GOOD, Standing.NOT_GOOD)
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
def test_correlated_errors_are_contradicted_even_when_independence_is_stated(seed):
    finding = evaluate(panel(shared_errors(seed)[0]), independent=True)
    assert finding.reserve is Reserve.CONTRADICTED
    assert "fit" in kinds(finding, "bar")
    (text,) = (reason.text for reason in finding.reasons if "seem to err together" in reason.text)
    named = text.partition(" seem to err together")[0].split("; ")[-1]
    assert set(named.split(" and ")) < {"j0", "j1", "j2"}


def test_three_judges_keep_their_reserve_without_labels():
    votes, _ = independent(3, accuracies=(0.9, 0.85, 0.8), items=20_000)
    finding = evaluate(panel(votes), independent=True)
    assert finding.reserve is Reserve.CONDITIONAL
    assert any("cannot be checked" in reason.text for reason in finding.reasons)
    assert finding.tolerance == pytest.approx(
        0.05 / sum(1 / (a * b) for a, b in [(0.8, 0.7), (0.8, 0.6), (0.7, 0.6)]), rel=0.2
    )


def test_clones_are_barred():
    votes, _ = independent(4)
    finding = evaluate(panel(np.column_stack([votes, votes[:, 0]])), independent=True)
    assert finding.reserve is Reserve.CONTRADICTED
    assert "clones" in kinds(finding, "bar")


def test_two_clones_and_another_are_not_called_perfect():
    votes, _ = independent(5, accuracies=(0.8, 0.8))
    finding = evaluate(panel(np.column_stack([votes, votes[:, 0]])), independent=True)
    assert finding.reserve is Reserve.CONTRADICTED
    assert "clones" in kinds(finding, "bar")


def test_a_constant_judge_is_named_and_barred_where_too_few_are_left():
    votes, _ = independent(6)
    votes[:, 3] = 1
    finding = evaluate(panel(votes), independent=True)
    assert finding.reserve is Reserve.CONDITIONAL
    assert any("j3 always votes yes" in reason.text for reason in finding.reasons)
    few = evaluate(panel(votes[:, 2:]), independent=True)
    assert few.reserve is Reserve.CONTRADICTED
    assert "constant" in kinds(few, "bar")


def test_a_judge_no_better_than_chance_is_named():
    votes, _ = independent(7, accuracies=(0.9, 0.9, 0.85, 0.85, 0.5))
    finding = evaluate(panel(votes), independent=True)
    assert finding.reserve is Reserve.CONDITIONAL
    assert any("no better than chance" in reason.text and "j4" in reason.text for reason in finding.reasons)


def test_a_swapped_judge_is_named():
    votes, _ = independent(8, accuracies=(0.9, 0.9, 0.85, 0.85, 0.2))
    finding = evaluate(panel(votes), independent=True)
    assert any("worse than chance" in reason.text and "j4" in reason.text for reason in finding.reasons)


def test_a_trio_without_a_solution_is_barred():
    sketch = Sketch.from_cells(["a", "b", "c"], ["no", "yes"], [10, 3, 9, 20, 8, 25, 4, 21])
    finding = evaluate(sketch)
    assert finding.reserve is Reserve.CONTRADICTED
    assert finding.evaluation is None
    assert finding.general is None
    json.dumps(finding.to_json(), allow_nan=False)


def test_two_judges_leave_everything_open():
    votes, _ = independent(9, accuracies=(0.9, 0.8))
    finding = evaluate(panel(votes))
    assert finding.reserve is Reserve.CONDITIONAL
    assert finding.evaluation is None
    assert finding.best is not None
    assert any("j0 and j1 disagree on" in reason.text for reason in finding.reasons)


def test_the_specification_alarm():
    sketch = Sketch.from_cells(["a", "b", "c"], ["a", "b"], [114, 26, 60, 60, 36, 24, 45, 85])
    beyond, within = evaluate(sketch, at_least=0.8), evaluate(sketch, at_least=0.7)
    assert beyond.verdict is Verdict.RINGS_FALSE
    assert "whatever the truth is, one of them is right on at most 73.4%" in str(beyond)
    assert within.verdict is Verdict.NOT_YET_KNOWN


def test_few_items_leave_much_open():
    votes, _ = independent(10, items=60)
    finding = evaluate(panel(votes), independent=True)
    assert finding.reserve is not Reserve.NONE
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
    assert finding.reserve is Reserve.CONDITIONAL
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
    assert str(finding).startswith("it takes about ")
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
