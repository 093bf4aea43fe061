"""Bought labels: bets that cannot win against the truth, bounds that hold while one watches, claims decided rightly."""

import copy
import itertools

import numpy as np
import pytest

from ringtrue.core import Claim, InvalidInput, Verdict
from ringtrue.judges import BoughtAccuracies
from ringtrue.judges.bought._draws import BoughtDraws, LearntChances
from ringtrue.judges.bought._numbers import BoughtNumbers
from ringtrue.stats import Means, _records, generator
from support.panels import NAMES, Panel, random_panel


def told(panel, records):
    draws = BoughtDraws(panel.index)
    for one in records:
        draws.take(one)
    return draws


@pytest.mark.parametrize("first", [8, 2])
def test_no_bet_against_the_truth_is_expected_to_win(first, monkeypatch):
    """All orders of a pool of five with unequal chances; the second item is picked by looking at the first.

    With `first` = 2 the predictions are learnt anew after two, three and more labels, inside the enumeration.
    """
    monkeypatch.setattr(_records, "_FIRST", first)
    panel = Panel([(0, 0), (0, 0), (0, 1), (1, -1), (1, 1)], [0, 1, 0, 1, 1])
    scores = np.array([5.0, 1.0, 2.0, 1.0, 3.0])
    wealth = np.zeros((len(panel.numbers(told(panel, []))), 2))
    for order in itertools.permutations(range(5)):
        weight, left, records = 1.0, list(range(5)), []
        for step, row in enumerate(order[:4]):
            chance = 0.5 / len(left) + 0.5 * scores[left] / scores[left].sum()
            if step == 1:
                weight *= row == max(left, key=lambda one: scores[one] * (1 if panel.truth[order[0]] else -1))
                records.append(panel.record(step, row, None, None))
            else:
                probability = float(chance[left.index(row)])
                weight *= probability
                records.append(panel.record(step, row, probability, float(chance.min())))
            left.remove(row)
        if weight:
            for place, (number, value) in enumerate(panel.numbers(told(panel, records))):
                wealth[place] += weight * np.exp(np.ravel([number.log_below(value), number.log_above(value)]))
    assert np.all(wealth <= 1 + 1e-6)
    assert np.all(wealth > 0.2)


def test_a_pool_labelled_in_full_is_a_point_and_nothing_else_is():
    rng = generator(1, "bought")
    panel = random_panel(rng, 40, labels=3, missing=0.2)
    draws = told(panel, panel.bought(40, seed=1))
    for number, value in panel.numbers(draws):
        assert np.ravel(number.bounds(0.025, 0.025)) == pytest.approx([value, value], abs=1e-9)
    for number, _ in panel.numbers(draws, 30):
        low, high = number.bounds(0.025, 0.025)
        assert low < high
    estimates = BoughtNumbers(draws).estimates(BoughtNumbers(draws).error_intervals(0.95))
    right, voted = panel.votes == panel.truth[:, None], panel.votes >= 0
    for judge, one in enumerate(estimates.overall):
        assert one.estimate == pytest.approx(right[:, judge].sum() / voted[:, judge].sum())


def test_predictions_narrow_the_bounds(monkeypatch):
    """Unanimous judges who are right: the labels of a few items settle more than their number alone could."""
    rng = generator(2, "bought")
    panel = random_panel(rng, 500, accuracies=(0.97, 0.95, 0.7))
    draws = told(panel, panel.bought(120, seed=3))
    for number, value in panel.numbers(draws):
        low, high = number.bounds(0.025, 0.025)
        assert low <= value <= high
    wide = [number.bounds(0.025, 0.025) for number, _ in panel.numbers(draws) if isinstance(number, Means)]
    monkeypatch.setattr(LearntChances, "after", lambda _, counts: np.zeros(counts.shape))
    blind = told(panel, panel.uniform(range(120)))
    plain = [number.bounds(0.025, 0.025) for number, _ in panel.numbers(blind) if isinstance(number, Means)]
    assert np.mean([high - low for low, high in wide]) < 0.8 * np.mean([high - low for low, high in plain])


def ever_excluded(number, value, alpha):
    """Whether some look along the way excludes the true value, two-sided at alpha."""
    return max(number.path(value, sign).max() for sign in (1, -1)) >= -np.log(alpha / 2)


@pytest.mark.slow
def test_intervals_hold_while_one_watches():
    """120 studies of 70 labels bought by the policy, looked at after each: no number is ever lost in more than 5% of
    them, plus three standard errors; over all numbers together the share is below 5%."""
    studies, lost = 120, []
    for study in range(studies):
        rng = generator(study, "watching")
        panel = random_panel(rng, 150)
        draws = told(panel, panel.bought(70, seed=study))
        lost.append([ever_excluded(number, value, 0.05) for number, value in panel.numbers(draws)])
    shares = np.mean(lost, axis=0)
    assert shares.max() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / studies)
    assert shares.mean() <= 0.05


def test_items_that_nobody_can_label_span_every_way_they_could_have_come_out():
    rng = generator(4, "bought")
    panel = random_panel(rng, 30, missing=0.1)
    rows, lost = rng.permutation(30)[:20].tolist(), (3, 11)
    open_numbers = panel.numbers(told(panel, panel.uniform(rows, abandoned=lost)))
    for ways in itertools.product((0, 1), repeat=2):
        other = copy.deepcopy(panel)
        for place, label in zip(lost, ways, strict=True):
            other.truth[rows[place]] = label
        records = other.uniform(rows)
        for (number, _), (filled, _) in zip(open_numbers, panel.numbers(told(other, records)), strict=True):
            for side in ("least", "most"):
                sign = 1 if side == "least" else -1
                assert sign * getattr(number, side) <= sign * getattr(filled, side) + 1e-12
        # Nothing is learnt from fewer than eight labels, so here the bounds themselves can be compared.
        for (number, _), (filled, _) in zip(
            panel.numbers(told(panel, panel.uniform(rows[:7], abandoned=(3,)))),
            panel.numbers(told(other, other.uniform(rows[:7]))),
            strict=True,
        ):
            low, high = number.bounds(0.1, 0.1)
            inner_low, inner_high = filled.bounds(0.1, 0.1)
            assert low <= inner_low + 1e-6
            assert inner_high <= high + 1e-6


def decided(panel, claim, records):
    estimator = BoughtAccuracies(panel.sketch, size=panel.size, claim=Claim.parse(claim))
    for one in records:
        estimator.update([one])
        if estimator.verdict is not Verdict.NOT_YET_KNOWN:
            break
    return estimator


def test_claims_are_decided_and_stay_decided():
    rng = generator(5, "bought")
    panel = random_panel(rng, 600, accuracies=(0.97, 0.95, 0.9))
    records = panel.bought(250, seed=1)
    true = decided(panel, "error <= 25% at 95%", records)
    assert true.verdict is Verdict.RINGS_TRUE
    finding = true.finding()
    assert finding.decided_at == finding.answers < 250
    assert "rings true" in str(finding)
    for one in finding.judged:
        assert one.bound.high <= 0.25
        assert one.passed_at <= finding.decided_at
    true.update(records[finding.answers :])
    assert true.verdict is Verdict.RINGS_TRUE
    assert true.finding().decided_at == finding.decided_at
    false = decided(panel, "accuracy >= 97%", records)
    assert false.verdict is Verdict.RINGS_FALSE
    finding = false.finding()
    worst = finding.worst
    assert worst.failed_at == finding.decided_at
    assert worst.bound.low >= 0.03
    judge, draws = NAMES.index(worst.judge), told(panel, records)
    for n in (worst.failed_at - 1, worst.failed_at):
        shown = BoughtNumbers(draws, n).errors(judge).log_above(0.03) >= np.log(3 / 0.05)  # one chance for three judges
        assert shown == (n == worst.failed_at)
    assert f"{worst.judge} errs on more than" in str(finding)
    narrow = decided(panel, "error <= 11% at 95%", records[:30])
    assert narrow.verdict is Verdict.NOT_YET_KNOWN
    assert "not yet known" in str(narrow.finding())


def test_the_running_evidence_is_that_of_the_bounds():
    """A judge passes exactly when the evidence from all answers at once, against its own votes' limit, suffices."""
    rng = generator(6, "bought")
    panel = random_panel(rng, 200, missing=0.15)
    records = panel.bought(90, seed=2)
    records[10].state = records[30].state = "abandoned"
    estimator = BoughtAccuracies(panel.sketch, size=200, claim=Claim.parse("error <= 45% at 90%"))
    draws = BoughtDraws(panel.index)
    limits = 0.45 * (panel.votes >= 0).mean(axis=0)
    for n, one in enumerate(records, start=1):
        estimator.update([one])
        draws.take(one)
        numbers = BoughtNumbers(draws)
        for judge in range(3):
            if estimator._passed[judge] in (0, n):
                shown = numbers.errors(judge).log_below(limits[judge]) >= np.log(10)
                assert shown == bool(estimator._passed[judge])
    assert len(set(estimator._passed.tolist())) == 3
    finding = estimator.finding()
    for one in finding.judged:
        if one.passed_at:
            assert BoughtNumbers(draws, one.passed_at).n == one.bound.n == one.passed_at
            assert one.bound.high <= 0.45


def test_what_is_certain_decides_and_nothing_before_it():
    """Six items are too few for evidence: the claim is decided when the items left cannot change it any more."""
    truth = np.array([0, 1, 0, 1, 0, 1])
    for wrong, limit, steps, verdict in (
        (2, "40%", 6, "rings true"),
        (2, "60%", 5, "rings true"),
        (3, "40%", 3, "rings false"),
    ):
        votes = np.column_stack([np.where(np.arange(6) < wrong, 1 - truth, truth)])
        panel = Panel(votes, truth)
        estimator = decided(panel, f"error <= {limit} at 99%", panel.uniform(range(6)))
        assert (estimator.verdict.value, estimator._draws.answers) == (verdict, steps)


@pytest.mark.slow
def test_a_claim_that_is_just_false_rarely_rings_true():
    """80 studies in which the worst judge errs on one item more than the claim allows, watched for 80 labels."""
    rung = 0
    for study in range(80):
        rng = generator(study, "just false")
        truth = (rng.random(200) < 0.4).astype(int)
        votes = np.column_stack([truth, truth, truth])
        for judge, wrong in enumerate((10, 20, 61)):
            rows = rng.choice(200, wrong, replace=False)
            votes[rows, judge] = 1 - truth[rows]
        panel = Panel(votes, truth)
        rung += decided(panel, "error <= 30% at 95%", panel.bought(80, seed=study)).verdict is Verdict.RINGS_TRUE
    assert rung / 80 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 80)


def test_labels_contradict_an_evaluation_that_votes_alone_make_of_clones():
    """Two clones and a third look perfect to the latent fit; they are right on seven in ten."""
    rng = generator(8, "bought")
    truth = (rng.random(400) < 0.5).astype(int)
    one = np.where(rng.random(400) < 0.7, truth, 1 - truth)
    panel = Panel(np.column_stack([one, one, np.where(rng.random(400) < 0.8, one, 1 - one)]), truth)
    estimator = BoughtAccuracies(panel.sketch, size=400, claim=None)
    estimator.update(panel.bought(150, seed=1))
    finding = estimator.finding()
    assert finding.contradiction.contradicted
    assert finding.contradiction.stated > 0.9
    assert "contradict" in str(finding.contradiction)
    assert finding.unlabelled is not None


def test_before_the_first_label_everything_is_open():
    panel = random_panel(generator(9, "bought"), 50)
    finding = BoughtAccuracies(panel.sketch, size=50, claim=None).finding()
    for row in (finding.estimates.prevalence, *finding.estimates.accuracy, finding.estimates.overall):
        for one in row:
            assert (one.low, one.high) == (0, 1)
    assert not finding.contradiction.contradicted
    assert finding.answers == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"known": {}}, "has no votes"),
        ({"said": "yes", "known": {}}, "has no votes"),
        ({"known": {"votes": {"ann": "no", "bob": "yes", "cyd": None}}}, "this very pool"),
        ({"known": {"votes": {"dan": "no"}}}, "judge='dan'"),
        ({"value": "perhaps"}, "'perhaps'"),
        ({"floor": None}, "floor=None"),
        ({"floor": 0.5}, "floor=0.5"),
    ],
)
def test_records_that_do_not_fit_are_refused(change, words):
    panel = random_panel(generator(10, "bought"), 50)
    (one,) = panel.uniform([0])
    for name, value in change.items():
        setattr(one, name, value)
    with pytest.raises(InvalidInput) as caught:
        BoughtAccuracies(panel.sketch, size=50, claim=None).update([one])
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_pool_of_another_size_is_refused():
    panel = random_panel(generator(11, "bought"), 50)
    with pytest.raises(InvalidInput, match="50 items and the pool 51"):
        BoughtAccuracies(panel.sketch, size=51, claim=None)
