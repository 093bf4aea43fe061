"""Labels shared out beforehand: each stratum gets its number, of any of its items alike, and the bound is exact."""

import json
from itertools import islice

import numpy as np
import pytest

from ringtrue import Study
from ringtrue.core import Claim, InvalidInput, Verdict, View
from ringtrue.pools import TablePool
from ringtrue.report import document, verify
from ringtrue.risk import FIXED_STRATA, FailureRate, Risk
from ringtrue.risk._fixed_strata import is_out_of_reach, share_out
from ringtrue.risk._strata_rate import StrataRate
from ringtrue.stats import hypergeometric, stratified_upper
from ringtrue.testing._replayed import asked
from ringtrue.testing.questions import answered
from risk.test_failure_rate import uniform
from support.profiles import slices

SIZE = 400
DOUBT = np.where(np.arange(SIZE) < 360, 0.001, 0.3)


def led(question, truth, *, seed=0, answers=None, doubt=DOUBT):
    """The records that a study of this question would have."""
    records = asked(question.policy, truth, seed=seed, scores={"doubt": doubt})
    return list(islice(records, answers or question.fixed))


def told(question, records, size=SIZE):
    estimator = question.estimator(size=size, claim=question.claim, scores={"doubt": DOUBT})
    estimator.update(records)
    return estimator


def right(failing=(), lost=()):
    return [None if row in lost else "wrong" if row in failing else "right" for row in range(SIZE)]


def by_place(records):
    return np.bincount([record.note["place"] for record in records])


def test_it_is_what_a_fixed_number_with_doubt_means():
    assert Risk(confidence="score", fixed=40).method == FIXED_STRATA
    assert Risk(confidence="score").method == "stratified"
    assert Risk(fixed=40).method == "simple-random"
    profile = slices("ops", {"a": 20, "b": 40}, {"a": 2, "b": 1}, ["kind"])
    assert Risk(confidence="score", fixed=40, profile=profile).method == "stratified"


def test_every_stratum_gets_the_labels_it_was_given_and_they_come_mixed():
    question = Risk(confidence="score", fixed=100)
    shares = set()
    for seed in range(5):
        records = led(question, right(), seed=seed)
        wanted = {record.note["place"]: record.note["labels"] for record in records}
        assert by_place(records).tolist() == [wanted[0], wanted[1]]
        assert sum(wanted.values()) == 100
        shares.add((wanted[0], wanted[1]))
        places = [record.note["place"] for record in records]
        assert 0 < places[:50].count(1) < places.count(1), "neither stratum comes first"
    assert len(shares) == 1, "how labels are shared out does not depend on the seed"
    assert by_place(records)[1] > 10, "the doubtful tenth has more than a tenth"


def test_any_items_of_a_stratum_are_as_likely_as_any_others():
    """Of 12 items six are asked about, 2 of 4 doubtful ones: each comes as often as its stratum has it."""
    doubt = np.array([0.001] * 8 + [0.9] * 4)
    question = Risk(confidence="score", fixed=6)
    studies = 2000
    rows = [[record.row for record in led(question, ["right"] * 12, seed=seed, doubt=doubt)] for seed in range(studies)]
    seen = np.bincount(np.ravel(rows), minlength=12) / studies
    wanted = np.repeat([seen[:8].mean(), seen[8:].mean()], [8, 4])
    np.testing.assert_allclose(seen, wanted, atol=4 * 0.5 / np.sqrt(studies))
    first = np.array([row[0] for row in rows])
    np.testing.assert_allclose(np.bincount(first, minlength=12) / studies, wanted / 6, atol=4 * 0.3 / np.sqrt(studies))


def test_the_chance_of_a_draw_is_the_chance_it_had():
    """By hand: 30 of 100 labels are left in a stratum with 50 of 360 items left, say: 30 / 100 / 50."""
    question = Risk(confidence="score", fixed=100)
    records = led(question, right())
    lower, upper = (next(r.note for r in records if r.note["place"] == place) for place in (0, 1))
    labels = np.array([lower["labels"], upper["labels"]], dtype=float)
    items = np.array([lower["items"], upper["items"]], dtype=float)
    for record in records:
        place = record.note["place"]
        if record.probability is None:
            assert labels.min() == 0, "a draw is a pick where the other stratum has no chance any more"
            assert record.floor is None
        else:
            chance = labels / labels.sum() / items
            assert record.probability == pytest.approx(chance[place])
            assert record.floor == pytest.approx(chance.min())
        labels[place] -= 1
        items[place] -= 1
    assert not labels.any()


def test_nothing_is_said_before_the_last_and_then_the_exact_bound():
    failing = {3, 50, *range(360, 372)}
    question = Risk("error <= 12% at 90%", confidence="score", fixed=100)
    records = led(question, right(failing), answers=140)
    before, at, after = (told(question, records[:answers]) for answers in (99, 100, 140))
    assert isinstance(at, StrataRate)
    assert before.verdict is Verdict.NOT_YET_KNOWN
    assert "1 more to come before anything is said" in str(before.finding())
    assert at.finding().to_json() == after.finding().to_json()
    answers = by_place(records[:100])
    failed = np.bincount([r.note["place"] for r in records[:100] if r.failed], minlength=2)
    items = [next(r.note["items"] for r in records if r.note["place"] == place) for place in (0, 1)]
    exact = stratified_upper(failed, answers, items, level=0.9, side="both")
    finding = at.finding()
    assert (finding.interval.low, finding.interval.high) == pytest.approx((exact.low, exact.high))
    assert finding.bound.high == pytest.approx(stratified_upper(failed, answers, items, level=0.9).high)
    assert finding.interval.estimate == pytest.approx(np.array(items) @ (failed / answers) / SIZE)
    assert finding.picked == 0
    assert "looked at once, after 100 answers" in str(finding)
    assert finding.interval.method == "exact stratified, 100 answers fixed beforehand"
    assert finding.planned.answers == 100


def test_claims_are_decided_both_ways():
    many = set(range(0, 400, 3))
    assert told(*_claimed("error <= 20%", many)).verdict is Verdict.RINGS_FALSE
    assert told(*_claimed("error <= 10%", set())).verdict is Verdict.RINGS_TRUE
    between = told(*_claimed("error <= 4%", {1, *range(360, 400, 4)}))
    assert between.verdict is Verdict.NOT_YET_KNOWN
    assert "the planned answers do not decide it" in str(between.finding())


def _claimed(claim, failing):
    question = Risk(claim, confidence="score", fixed=100)
    return question, led(question, right(failing))


def test_what_nobody_could_tell_counts_both_ways():
    question = Risk(confidence="score", fixed=100)
    lost = set(range(0, 400, 20))
    finding = told(question, led(question, right({5}, lost))).finding()
    records = led(question, right({5}, lost))
    assert finding.unanswerable == sum(record.failed is None for record in records) > 0
    answers, untold, failed = (
        np.bincount([r.note["place"] for r in records if wanted(r)], minlength=2)
        for wanted in (lambda r: True, lambda r: r.failed is None, lambda r: r.failed)
    )
    items = [next(r.note["items"] for r in records if r.note["place"] == place) for place in (0, 1)]
    most = stratified_upper(failed + untold, answers, items, level=0.95, side="both").high
    assert finding.interval.high == pytest.approx(most)
    assert finding.interval.low == pytest.approx(stratified_upper(failed, answers, items, level=0.95, side="both").low)


def test_labels_of_another_question_were_there_before_the_number():
    question = Risk("error <= 20%", confidence="score", fixed=20)
    others = uniform([False] * 5, SIZE)
    for record in others:
        record.question = "another"
    policy, records, rows = question.policy, list(others), {record.row for record in others}
    while len(records) < 20:
        (draw,) = policy.propose(View(1, len(records) - 5, SIZE, rows, records, None, {"doubt": DOUBT}), 1)
        asker = question.name, policy.name, question.responder
        records.append(answered(draw, len(records), asker, ("right", "right")))
        rows.add(draw.row)
    estimator = told(question, records)
    assert estimator.done
    assert estimator.verdict is Verdict.NOT_YET_KNOWN
    assert "other labels were there before the number was fixed" in str(estimator.finding())


def test_other_questions_can_use_the_labels():
    question = Risk(confidence="score", fixed=100)
    records = led(question, right(set(range(360, 380))))
    other = FailureRate(size=SIZE, claim=None)
    other.update(records)
    interval = other.finding().interval
    assert 0 < interval.low < 0.05 < interval.high < 1
    assert other.finding().picked == sum(record.probability is None for record in records)


def test_all_items_of_a_pool_are_a_census():
    question = Risk(confidence="score", fixed=SIZE)
    finding = told(question, led(question, right({7, 380}))).finding()
    assert (finding.interval.low, finding.interval.estimate, finding.interval.high) == (2 / 400,) * 3


def test_without_differences_in_doubt_it_is_a_plain_sample():
    question = Risk(confidence="score", fixed=50)
    finding = told(question, led(question, right({7, 300}), doubt=np.full(SIZE, 0.2))).finding()
    exact = hypergeometric([finding.failures], [50], population=SIZE, level=0.95, side="both")
    assert (finding.interval.low, finding.interval.high) == pytest.approx((exact.low[0], exact.high[0]))


@pytest.mark.parametrize("labels", [1, 2, 5, 40, 300, 999, 1000])
def test_labels_are_shared_out_whole_and_never_more_than_there_are(labels):
    rng = np.random.default_rng(labels)
    for _ in range(20):
        sizes = rng.multinomial(1000, rng.dirichlet(np.full(6, 0.5))).astype(float)
        sizes = sizes[sizes > 0]
        doubt = np.sort(rng.beta(0.3, 3, len(sizes)))
        cut, shared = share_out(sizes, doubt, labels)
        assert sum(shared) == labels
        if cut is None:
            assert len(shared) == 1
            continue
        items = np.array([sizes[:cut].sum(), sizes[cut:].sum()])
        assert np.all((np.array(shared) >= 1) & (np.array(shared) <= items))
        # The stratum that is asked less than its share is asked a tenth less at most, and a whole label.
        assert items[0] / 1000 <= 1.1 * shared[0] / labels + 1e-9


def test_a_claim_that_plain_draws_can_just_reach_stays_in_reach():
    """59 labels without a failure decide 5% of an endless pool; shared out otherwise they would not."""
    sizes, doubt = np.array([9e5, 1e5]), np.array([0.001, 0.2])
    assert share_out(sizes, doubt, 59, claim=Claim("error", 0.05)).cut is None
    assert share_out(sizes, doubt, 120, claim=Claim("error", 0.05)).cut == 1
    for labels in (60, 62, 64, 70):
        cut, shared = share_out(sizes, doubt, labels, claim=Claim("error", 0.05))
        found = stratified_upper([0] * len(shared), shared, sizes if cut else [sizes.sum()])
        assert found.high <= 0.05


def test_a_claim_out_of_reach_asks_for_nothing():
    """With 40 labels even draws cannot show 5% either, and with 60 they can: then it must stay so."""
    out, within, free = (
        by_place(led(Risk(claim, confidence="score", fixed=labels), right()))
        for claim, labels in (("error <= 5%", 40), ("error <= 5%", 56), (None, 40))
    )
    assert out.tolist() == free.tolist()
    assert len(out) == 2
    assert within.tolist() == [56]
    reach = [is_out_of_reach(Claim("error", 0.05), labels, size=SIZE) for labels in (54, 55, 56, 57)]
    shown = [hypergeometric(0, labels, population=SIZE, side="upper").high <= 0.05 for labels in (54, 55, 56, 57)]
    assert [not one for one in reach] == shown


def test_nothing_beats_plain_draws_where_nothing_fails():
    """Whatever the allocation: the largest rate with a chance of 5% to show nothing is lowest with equal rates."""
    plain = hypergeometric(0, 100, population=1000, side="upper").high
    for upper in (2, 10, 15, 30, 60):
        assert stratified_upper([0, 0], [100 - upper, upper], [900, 100]).high >= plain


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: Risk(method=FIXED_STRATA, confidence="score"), "shares out a number of labels: give fixed"),
        (lambda: Risk(method=FIXED_STRATA, fixed=5), "needs something to go by"),
        (
            lambda: Risk(
                method=FIXED_STRATA, fixed=5, profile=slices("ops", {"a": 2, "b": 4}, {"a": 2, "b": 1}, ["kind"])
            ),
            "knows no profile",
        ),
        (lambda: Risk(method="strata"), "use simple-random, stratified, .* fixed-strata or map"),
    ],
)
def test_what_cannot_be_shared_out_is_refused(make, line):
    with pytest.raises(InvalidInput, match=line):
        make()


def test_a_study_of_an_earlier_version_goes_on_as_it_began():
    """Then a fixed number with doubt was drawn by the method `stratified`, and that stands in its journal."""
    earlier = {"claim": None, "policy": "stratified", "confidence": "score", "fixed": 30}
    again = Risk.from_config(earlier)
    assert again.method == "stratified"
    assert not isinstance(again.estimator(size=SIZE, claim=None), StrataRate)
    now = Risk(confidence="score", fixed=30)
    assert Risk.from_config(now.config()).method == FIXED_STRATA


def test_labels_that_were_drawn_evenly_for_a_claim_out_of_reach_go_on_so():
    """Its journal names no edition; where there is room for a claim, or none, both editions are one."""
    now = Risk("error <= 5%", confidence="score", fixed=40)
    config = now.config()
    assert config["edition"] == 2
    earlier = Risk.from_config({key: value for key, value in config.items() if key != "edition"})
    assert by_place(led(earlier, right())).tolist() == [40]
    assert len(by_place(led(Risk.from_config(config), right()))) == 2
    assert Risk.from_config(earlier.config()).edition == 1
    for claim in (None, "error <= 12%"):
        question = Risk(claim, confidence="score", fixed=40)
        assert "edition" not in question.config()
        again = Risk.from_config(question.config())
        assert [r.row for r in led(again, right())] == [r.row for r in led(question, right())]
    with pytest.raises(InvalidInput, match="edition=3 is not one there is"):
        Risk(confidence="score", fixed=40, edition=3)


def test_a_study_that_was_stopped_goes_on_and_its_report_can_be_verified(tmp_path):
    rng = np.random.default_rng(0)
    doubt = rng.beta(0.3, 6, 2000)
    truth = np.where(rng.random(2000) < doubt, "wrong", "right")
    pool = TablePool({"said": np.full(2000, "right"), "truth": truth, "score": 1 - doubt}, name="made up")
    question = Risk("error <= 9%", confidence="score", fixed=200)
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    with Study.create(whole, pool=pool, model="said", question=question, seed=4) as study:
        study.run("truth")
        rows = [record.row for record in study.records]
    with Study.create(stopped, pool=pool, model="said", question=question, seed=4, budget=80) as study:
        assert study.run("truth").verdict is Verdict.NOT_YET_KNOWN
    with Study.open(stopped, pool=pool, model="said") as study:
        study.set_budget(200)
        finding = study.run("truth")
        made = json.loads(json.dumps(document(study), allow_nan=False))
        assert [record.row for record in study.records] == rows
    assert len(rows) == 200
    assert finding.interval.method.startswith("exact stratified")
    assert not verify(made).differences
    made["records"][0]["value"] = "wrong" if made["records"][0]["value"] == "right" else "right"
    assert verify(made).differences, "an answer that was changed is noticed"
