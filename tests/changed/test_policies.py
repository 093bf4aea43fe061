"""What is asked next: with the chances that are stated, by label and slice too, the same in every process."""

from decimal import Decimal

import numpy as np
import pytest

from ringtrue.changed import Changed
from ringtrue.core import InvalidInput, Record, View
from support import scanned
from support.shifts import frame, pool

SIZE = 120


@pytest.fixture(scope="module")
def prepared():
    items = pool(SIZE, changed=0.3, classes=2)
    question = Changed.of(items, old="old", truth="truth", confidence="sure", slices=["region"], noise=0, error="1%")
    batch = items.take(range(SIZE))
    return question, [known for _, known in question.known(batch, None)], scanned(question, batch)


def records(question, known, rows, answers):
    made = []
    for number, (row, answer) in enumerate(zip(rows, answers, strict=True)):
        record = Record(number, "changed", "paired", "model", row, str(row), "", None, None, Decimal(0), None)
        record.known = known[row]
        record.state, record.value = ("leased", None) if answer is None else ("answered", answer)
        made.append(record)
    return made


def view(prepared, rows, answers, *, seed=0, step=None):
    question, known, scores = prepared
    told = records(question, known, rows, answers)
    return View(seed, len(rows) if step is None else step, SIZE, set(rows), told, scores=scores)


def fresh(prepared):
    return type(prepared[0]).from_config(prepared[0].config()).policy


def learnt(prepared):
    """Twelve answers, of which half changed: enough to learn from."""
    table = frame(SIZE, changed=0.3, classes=2)
    moved = (table["new"] != table["old"]).to_numpy()
    rows = [*np.flatnonzero(moved)[:6].tolist(), *np.flatnonzero(~moved)[:6].tolist()]
    return rows, [table["new"][row] for row in rows]


def test_before_a_change_all_items_have_the_same_chance(prepared):
    draws = fresh(prepared).propose(view(prepared, [], []), 30)
    assert [draw.probability for draw in draws] == pytest.approx([1 / (SIZE - place) for place in range(30)])
    assert all(draw.probability == draw.floor and not draw.note for draw in draws)
    assert len({draw.row for draw in draws}) == 30


@pytest.mark.slow
def test_afterwards_chances_and_shares_are_as_stated(prepared):
    """4,000 seeds; the chi-square of the rows drawn against their chances stays below its 99.9% point."""
    question, known, _ = prepared
    rows, answers = learnt(prepared)
    policy, drawn, chance, notes = fresh(prepared), np.zeros(SIZE), np.zeros(SIZE), {}
    for seed in range(4000):
        (draw,) = policy.propose(view(prepared, rows, answers, seed=seed), 1)
        drawn[draw.row] += 1
        chance[draw.row], notes[draw.row] = draw.probability, draw.note
    seen = drawn > 0
    assert 0.98 < chance.sum() <= 1 + 1e-9  # all rows but a few rare ones were drawn
    statistic = ((drawn - 4000 * chance)[seen] ** 2 / (4000 * chance)[seen]).sum()
    from scipy.stats import chi2

    assert statistic < chi2.ppf(0.999, int(seen.sum()) - 1)
    assert len(notes) == SIZE - len(rows)
    for row, note in notes.items():
        same = sum(chance[other] for other in notes if known[other]["truth"] == known[row]["truth"])
        assert note["share"] == pytest.approx(same)
        area = known[row]["slices"]["region"]
        alike = sum(chance[other] for other in notes if known[other]["slices"]["region"] == area)
        assert note["slice_shares"]["region"] == pytest.approx(alike)
    assert question.census.kinds > 4


def test_what_is_still_open_teaches_nothing(prepared):
    rows, answers = learnt(prepared)
    answers = [None, *answers[1:]]
    draws = fresh(prepared).propose(view(prepared, rows, answers), 3)
    assert all(not draw.note for draw in draws)


def test_one_that_followed_along_asks_what_a_fresh_one_asks(prepared):
    rows, answers = learnt(prepared)
    question, known, scores = prepared
    told = []
    follower = fresh(prepared)
    for place in range(len(rows)):
        told.extend(records(question, known, rows[place : place + 1], answers[place : place + 1]))
        told[-1].number = place
        seen = View(7, place + 1, SIZE, set(rows[: place + 1]), told, scores=scores)
        followed = follower.propose(seen, 2)
    assert followed == fresh(prepared).propose(view(prepared, rows, answers, seed=7), 2)


def test_another_pool_is_noticed(prepared):
    question, _, scores = prepared
    wrong = {**scores, "kind": scores["kind"][::-1] * 0}
    with pytest.raises(InvalidInput, match="not the one that was counted"):
        question.policy.propose(View(0, 0, SIZE, set(), [], scores=wrong), 1)


def test_the_end_of_the_pool_is_the_end(prepared):
    question, known, scores = prepared
    rows = list(range(SIZE - 2))
    told = records(question, known, rows, [known[row]["old"] for row in rows])
    draws = fresh(prepared).propose(View(0, len(rows), SIZE, set(rows), told, scores=scores), 5)
    assert sorted(draw.row for draw in draws) == [SIZE - 2, SIZE - 1]
    assert [draw.probability for draw in draws] == pytest.approx([0.5, 1.0])
