"""Labels whose number was fixed beforehand: nothing is said before, one look after, and the price of watching."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from ringtrue.core import Claim, InvalidInput, Sketch, Verdict, View
from ringtrue.judges import Judges, labelled_estimates
from ringtrue.judges.bought._estimator import BoughtAccuracies
from ringtrue.judges.bought._fixed import FixedAccuracies
from ringtrue.judges.bought._question import EvenDraws
from ringtrue.stats import generator
from support.panels import Panel, random_panel


def drawn(panel, count, seed):
    """What the policy buys, one at a time."""
    policy, records, asked = EvenDraws(), [], set()
    for step in range(count):
        (draw,) = policy.propose(View(seed, step, panel.size, asked, records, None, {}), 1)
        records.append(panel.record(step, draw.row, draw.probability, draw.floor))
        asked.add(draw.row)
    return records


def looked(panel, records, answers, claim=None):
    wanted = None if claim is None else Claim.parse(claim)
    estimator = FixedAccuracies(panel.sketch, size=panel.size, claim=wanted, answers=answers, question="judges")
    estimator.update(records)
    return estimator


def numbers(estimates):
    return [*estimates.prevalence, *(one for row in estimates.accuracy for one in row), *estimates.overall]


def test_one_look_gives_the_intervals_of_a_random_sample_and_nothing_before():
    panel = random_panel(generator(1, "fixed"), 600)
    records = drawn(panel, 120, seed=1)
    early = looked(panel, records[:119], 120)
    assert not early.satisfied
    finding = early.finding()
    assert all((one.low, one.high) == (0, 1) for one in numbers(finding.estimates))
    assert "1 more to come before anything is said" in str(finding)
    assert finding.headline == "nothing is known yet: 1 more to come before anything is said"
    claimed = looked(panel, records[:119], 120, "error <= 25%").finding()
    assert claimed.headline == "error <= 25% at 95% is not yet known: 1 more to come before anything is said"
    finding = looked(panel, records, 120).finding()
    assert "looked at once, after 120 labels" in str(finding)
    rows = {record.row for record in records}
    sketch = Sketch([*panel.sketch.judges, "truth"], panel.labels)
    for row, votes in enumerate(panel.votes.tolist()):
        sketch.count((*votes, int(panel.truth[row]) if row in rows else -1))
    same = labelled_estimates(sketch, "truth", target="on this test")
    for one, other in zip(numbers(finding.estimates), numbers(same), strict=True):
        assert (one.low, one.high) == pytest.approx((other.low, other.high))
        assert one.method.endswith("fixed beforehand")
    assert finding.planned.answers == 120
    assert finding.to_json()["planned"] == {"answers": 120, "fair": True}
    later = looked(panel, [*records, *drawn(panel, 150, seed=1)[120:]], 120).finding()
    assert later.to_json() == finding.to_json()


def test_labels_that_came_before_or_had_other_chances_are_not_looked_at():
    panel = random_panel(generator(2, "fixed"), 200)
    for change in ({"question": "other"}, {"probability": 0.02, "floor": 0.004}):
        records = drawn(panel, 60, seed=1)
        records[3] = replace(records[3], **change)
        finding = looked(panel, records, 60, "error <= 60%").finding()
        assert finding.verdict is Verdict.NOT_YET_KNOWN
        assert "make a new study" in str(finding)
        assert all((one.low, one.high) == (0, 1) for one in numbers(finding.estimates))


def test_claims_are_decided_at_the_look():
    panel = random_panel(generator(3, "fixed"), 800, accuracies=(0.97, 0.95, 0.9))
    records = drawn(panel, 200, seed=2)
    assert looked(panel, records[:199], 200, "error <= 25%").verdict is Verdict.NOT_YET_KNOWN
    true = looked(panel, records, 200, "error <= 25%").finding()
    assert true.verdict is Verdict.RINGS_TRUE
    assert true.decided_at == 200
    assert all(one.bound.high <= 0.25 for one in true.judged)
    false = looked(panel, records, 200, "error <= 4%").finding()
    assert false.verdict is Verdict.RINGS_FALSE
    assert false.worst.judge == "cyd"
    assert false.worst.bound.low > 0.04
    open_ = looked(panel, records, 200, "error <= 10%").finding()
    assert open_.verdict is Verdict.NOT_YET_KNOWN


def test_items_that_nobody_could_label_are_counted_the_way_that_widens_each_number():
    """Three labels. Two items open: every estimate of the nine ways to label them is inside, and so are both ends of
    a judge's accuracy when they came out as it voted, and as it did not."""
    panel = random_panel(generator(4, "fixed"), 120, labels=3, missing=0.1)
    records = drawn(panel, 40, seed=3)
    for place in (5, 20):
        records[place].state, records[place].value = "abandoned", None
    open_ = looked(panel, records, 40).finding()
    assert open_.unanswerable == 2

    @cache
    def filled(first, second):
        for place, label in ((5, first), (20, second)):
            records[place].state, records[place].value = "answered", panel.labels[label]
        return looked(panel, records, 40).finding().estimates

    for first in range(3):
        for second in range(3):
            for wide, narrow in zip(numbers(open_.estimates), numbers(filled(first, second)), strict=True):
                assert wide.low <= narrow.estimate <= wide.high
    for judge in range(3):
        votes = [max(0, int(panel.votes[records[place].row, judge])) for place in (5, 20)]
        right, wrong = filled(*votes), filled(*((vote + 1) % 3 for vote in votes))
        assert open_.estimates.overall[judge].high >= right.overall[judge].high
        assert open_.estimates.overall[judge].low <= wrong.overall[judge].low


def test_one_look_is_narrower_than_watching_and_the_price_is_foreseen():
    """Judges of whom a tenth of the items fools all: watched, the same labels leave wider intervals."""
    rng = generator(5, "fixed")
    truth = (rng.random(2000) < 0.7).astype(int)
    votes = np.where(rng.random((2000, 3)) < (0.93, 0.77, 0.92), truth[:, None], 1 - truth[:, None])
    fooled = (rng.random(2000) < 0.1)[:, None] & (rng.random((2000, 3)) < 0.8)
    panel = Panel(np.where(fooled, 1 - truth[:, None], votes), truth)
    watched = BoughtAccuracies(panel.sketch, size=2000, claim=None)
    watched.update(panel.bought(150, seed=1))
    seen, once = watched.finding(), looked(panel, drawn(panel, 150, seed=1), 150).finding()
    widths = [np.mean([one.error.high - one.error.low for one in each.judged]) for each in (seen, once)]
    assert widths[1] < 0.75 * widths[0]
    assert seen.price.width == pytest.approx(widths[0])
    assert seen.price.once == pytest.approx(widths[1], rel=0.2)
    assert 40 < seen.price.enough < 100
    assert "watched: 150 labels for intervals" in str(seen.price)
    assert once.price is None
    assert seen.to_json()["price"]["enough"] == seen.price.enough


def test_before_thirty_labels_no_price_is_foreseen():
    panel = random_panel(generator(6, "fixed"), 200)
    watched = BoughtAccuracies(panel.sketch, size=200, claim=None)
    watched.update(panel.bought(20, seed=1))
    assert watched.finding().price is None


def test_the_question_keeps_its_number():
    panel = random_panel(generator(7, "fixed"), 50)
    question = Judges(panel.sketch, fixed=20)
    assert Judges.from_config(question.config()).fixed == 20
    assert isinstance(question.estimator(size=50, claim=None), FixedAccuracies)
    assert question.policy.name == "even"
    assert "fixed" not in Judges(panel.sketch).config()
    for wrong in (0, 51, True, 2.5):
        with pytest.raises(InvalidInput, match="fixed="):
            Judges(panel.sketch, fixed=wrong)


def test_a_pool_of_another_size_is_refused():
    panel = random_panel(generator(8, "fixed"), 50)
    with pytest.raises(InvalidInput, match="50 items and the pool 51"):
        FixedAccuracies(panel.sketch, size=51, claim=None, answers=5, question="judges")
