"""Changed as a question of a study: the new model is paid, asked, interrupted, resumed and reported like an oracle."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ringtrue.changed import Changed
from ringtrue.core import InvalidInput, PlanChanged, Verdict
from ringtrue.models import FunctionModel
from ringtrue.pools import read_pool
from ringtrue.report._document import document
from ringtrue.report._verify import verify
from ringtrue.stats import generator
from ringtrue.study import Budget, Study
from ringtrue.testing import check_question
from support import scanned
from support.shifts import frame, pool

COLUMNS = {"old": "old", "truth": "truth", "confidence": "sure", "slices": ["region"]}


def ask(items, **options):
    return Changed.of(items, **{**COLUMNS, "noise": 0, **options})


def create(folder, items, model="new", *, batch=10, budget=None, **options):
    return Study.create(
        folder / "swap", pool=items, model=model, question=ask(items, **options), budget=budget, batch=batch
    )


def asked(study):
    return [(one.id, one.probability, one.floor, one.value, one.known, one.note) for one in study.records]


class Counting:
    """A model that answers from a table and remembers every call; `vary` makes the answer depend on the call."""

    def __init__(self, table, vary=None):
        self.answers = dict(zip(table["id"], table["new"], strict=True))
        self.calls = Counter()
        self.vary = vary
        self.fails_after = None

    def __call__(self, rows):
        answers = []
        for row in rows:
            if self.fails_after is not None and self.calls.total() >= self.fails_after:
                raise KeyboardInterrupt
            answer = self.answers[row["id"]]
            answers.append(answer if self.vary is None else self.vary(row["id"], answer, self.calls[row["id"]]))
            self.calls[row["id"]] += 1
        return answers


def model_of(counting):
    return FunctionModel(counting, name="api", features=["id", "text"])


@pytest.mark.parametrize("method", ["paired", "oneshot", "uniform", "masa"])
def test_it_keeps_the_rules_of_a_question(method):
    items = pool(60)
    question = ask(items, method=method)
    batch = items.take(range(60))
    known, scores, new = [known for _, known in question.known(batch, None)], scanned(question, batch), frame(60)["new"]
    check_question(
        lambda: ask(items, method=method),
        claim="change <= 20%",
        answers=lambda row: (known[row], new[row]),
        scores=scores,
    )


def test_the_model_is_paid_once_for_an_item_and_never_beforehand(tmp_path):
    counting = Counting(frame(200))
    items = pool(200)
    with create(tmp_path, items, model_of(counting), budget=80, error="1%") as study:
        study.prepare()
        assert not counting.calls
        study.run()
        assert counting.calls.total() == len(study.records) == 80
        assert max(counting.calls.values()) == 1
    with Study.open(tmp_path / "swap", pool=items, model=model_of(counting)) as again:
        again.set_budget(120)
        again.run()
        assert counting.calls.total() == 120
        assert max(counting.calls.values()) == 1


def test_an_interrupted_study_goes_on_where_it_stopped_and_asks_the_same(tmp_path):
    table, items = frame(300, changed=0.2), pool(300, changed=0.2)
    (tmp_path / "whole").mkdir()
    (tmp_path / "parts").mkdir()
    with create(tmp_path / "whole", items, model_of(Counting(table)), budget=150, error="1%") as study:
        finding = study.run().to_json()
        whole = asked(study)
    counting = Counting(table)
    counting.fails_after = 47
    with (
        create(tmp_path / "parts", items, model_of(counting), budget=150, error="1%") as study,
        pytest.raises(KeyboardInterrupt),
    ):
        study.run()
    counting.fails_after = None
    with Study.open(tmp_path / "parts" / "swap", pool=items, model=model_of(counting)) as study:
        study.run()
        assert asked(study) == whole
        assert study.finding().to_json() == finding


def test_workers_change_nothing_but_the_time(tmp_path):
    items = pool(300, changed=0.2)
    seen = []
    for workers in (1, 4):
        folder = tmp_path / str(workers)
        folder.mkdir()
        with (
            ThreadPoolExecutor(workers) as threads,
            create(folder, items, model_of(Counting(frame(300, changed=0.2))), budget=120, error="1%") as study,
        ):
            study.run(executor=threads if workers > 1 else None)
            seen.append(asked(study))
    assert seen[0] == seen[1]


def test_draws_turn_unequal_once_an_answer_changed_and_stay_known(tmp_path):
    with create(tmp_path, pool(400, changed=0.2), budget=200, error="1%") as study:
        study.run()
        chances = [(one.probability, one.floor) for one in study.records]
        shares = ["share" in one.note for one in study.records]
    assert all(chance is not None and floor > 0 for chance, floor in chances)
    first = shares.index(True)
    assert 8 <= first < 100
    assert all(shares[first:])
    assert all(chance == floor for chance, floor in chances[:first])
    assert any(chance > 1.2 * floor for chance, floor in chances[first:])


@pytest.mark.parametrize("classes", [1, 2, 3, 7, 12])
def test_nothing_changed_gives_exactly_zero(tmp_path, classes):
    items = pool(400, changed=0, classes=classes)
    for method in ("paired", "oneshot"):
        (tmp_path / method).mkdir()
        with create(tmp_path / method, items, "old", budget=90, method=method) as study:
            found = study.run().to_json()
        assert not np.any(found["shift"])
        assert found["change"]["low"] == 0 < found["change"]["high"] < 0.1
        assert found["verdict"] == "not yet known"
        assert found["accuracy"]["difference"]["low"] < 0 or classes == 1
        assert found["accuracy"]["difference"]["low"] <= 0 <= found["accuracy"]["difference"]["high"]


def test_a_pool_asked_in_full_is_known_exactly(tmp_path):
    table, items = frame(80, changed=0.1), pool(80, changed=0.1)
    for method in ("paired", "oneshot", "uniform", "masa"):
        (tmp_path / method).mkdir()
        with create(
            tmp_path / method, items, claim="accuracy drop <= 1%", method=method, budget=500, error="0.001%"
        ) as study:
            found = study.run()
        wanted = np.zeros_like(found.old)
        names = {name: place for place, name in enumerate(found.answer_names)}
        for truth, new in zip(table["truth"], table["new"], strict=True):
            wanted[names[truth], names[new]] += 1 / 80
        np.testing.assert_allclose(found.old + found.shift, wanted, atol=1e-12)
        moved = float((table["new"] != table["old"]).mean())
        assert (found.change.low, found.change.high) == pytest.approx((moved, moved))
        drop = float((table["old"] == table["truth"]).mean() - (table["new"] == table["truth"]).mean())
        assert found.verdict is (Verdict.RINGS_TRUE if drop <= 0.01 + 1e-9 else Verdict.RINGS_FALSE)
        assert found.accuracy.difference.low == pytest.approx(-drop) == found.accuracy.difference.high


def test_unchanged_within_the_claim_rings_true_and_a_swap_rings_false(tmp_path):
    (tmp_path / "same").mkdir()
    (tmp_path / "swap").mkdir()
    with create(tmp_path / "same", pool(2000, changed=0), claim="change <= 5%") as study:
        found = study.run()
        assert found.verdict is Verdict.RINGS_TRUE
        assert len(study.records) < 120
    with create(tmp_path / "swap", pool(2000, changed=0.4), claim="change <= 5%") as study:
        found = study.run()
        assert found.verdict is Verdict.RINGS_FALSE
        assert len(study.records) < 40


def test_without_a_claim_unchanged_means_within_the_error(tmp_path):
    with create(tmp_path, pool(2000, changed=0), error="5%") as study:
        found = study.run()
        assert len(study.records) < 400
    assert found.verdict is Verdict.RINGS_TRUE
    assert str(found).startswith("the model is unchanged within 5%: 0 of ")
    assert found.decided_at is not None


def test_without_a_claim_the_first_changed_answer_of_a_steady_model_decides(tmp_path):
    with create(tmp_path, pool(300, changed=0.1), batch=1) as study:
        found = study.run()
        last = study.records[-1]
    assert found.verdict is Verdict.RINGS_FALSE
    assert last.value != last.known["old"]
    assert found.changed.at == len(study.records)


def test_a_requirement_is_met_before_the_run_ends(tmp_path):
    with create(tmp_path, pool(3000, changed=0.02, classes=2), error="3%") as study:
        found = study.run()
        assert len(study.records) < 3000
    assert found.error.holds_at is not None
    assert found.error.bound <= 0.03
    assert found.claim is None
    assert str(found).startswith("the model changed: ")


def test_changed_answers_of_a_model_that_varies_are_asked_for_again(tmp_path):
    table, items = frame(300, changed=0.1), pool(300, changed=0.1)

    def wavers(name, answer, call):
        return answer if generator(5, name, call).random() > 0.1 else "c9"

    counting = Counting(table, vary=wavers)
    with create(tmp_path, items, model_of(counting), budget=200, noise=None, claim="change <= 1%") as study:
        found = study.run()
    old = dict(zip(table["id"], table["old"], strict=True))
    firsts: dict[str, str] = {}
    twice = Counter()
    for record in study.records:
        if record.id in firsts:
            twice[record.id] += 1
            assert record.probability is None
        firsts.setdefault(record.id, record.value)
    assert twice
    assert max(twice.values()) == 1
    assert all(firsts[name] != old[name] for name in twice)
    assert found.noise.asked_twice == len(twice)
    assert found.calls == len(study.records) == found.answers + len(twice)
    assert found.noise.floor is not None
    assert found.noise.floor.low <= 0.18 <= found.noise.floor.high  # two answers differ: 1 - (0.9² + 0.1²)
    assert found.noise.persisted + found.noise.reverted + found.noise.third == len(twice)
    assert "c9" in found.answer_names


def test_a_model_that_refuses_to_answer_counts_both_ways(tmp_path):
    items = pool(100, changed=0)

    def refuses(rows):
        return [row["old"] for row in rows]

    with create(tmp_path, items, FunctionModel(refuses, name="api"), budget=100, claim="change <= 10%") as study:
        for query in study.ask(20):
            study.abandon(query)
        found = study.finding()
    assert found.unanswerable == 20
    assert (found.change.low, found.change.high) == (0.0, 1.0)
    assert any("could not answer" in line for line in found.assumptions)


def test_vectors_are_refused_at_the_first_answer(tmp_path):
    items = pool(50)
    model = FunctionModel(lambda rows: [[1.0, 2.0] for _ in rows], name="regressor")
    with create(tmp_path, items, model, budget=10) as study, pytest.raises(InvalidInput, match="give a classifier"):
        study.run()


def test_it_is_made_again_from_its_journal_and_noticed_when_it_is_another(tmp_path):
    items = pool(120)
    with create(tmp_path, items, budget=30, error="2%") as study:
        config = study.question().config()
        study.run()
    assert json.loads(json.dumps(config)) == config
    with Study.open(tmp_path / "swap", pool=items, model="new") as again:
        assert again.question().config() == config
    with pytest.raises(PlanChanged):
        Study.open(tmp_path / "swap", pool=pool(120, seed=2), model="new")


def test_every_number_of_its_report_is_computed_again(tmp_path):
    with create(tmp_path, pool(200, changed=0.1), budget=60, error="2%") as study:
        study.run()
        made = json.loads(json.dumps(document(study)))
    assert verify(made).agrees
    made["records"][7]["value"] = "c0" if made["records"][7]["value"] != "c0" else "c1"
    assert not verify(made).agrees


def test_money_is_reserved_and_spent_for_calls(tmp_path):
    items = pool(200)
    question = ask(items, error="1%")
    with Study.create(
        tmp_path / "paid", pool=items, model="new", question=question, budget=Budget(money="0.50"),
        price={"model": "0.02"}, batch=10,
    ) as study:  # fmt: skip
        study.run()
        assert len(study.records) == 25
        assert str(study.status().spent_money) == "0.50"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"method": "magic"}, "method='magic' is none of paired, oneshot, uniform, masa"),
        ({"method": "masa", "noise": None}, "method='masa' picks items by a rule"),
        ({"method": "masa", "noise": "1%"}, "method='masa' picks items by a rule"),
        ({"error": "0%"}, "error='0%' must be above 0 and below 1"),
        ({"error": 2}, "error=2 must be above 0"),
        ({"noise": "x"}, "'x' is not a number"),
        ({"noise": 1.0}, "noise=1.0 must be at least 0 and below 1"),
        ({"claim": "error <= 5%"}, "speaks of error: this question decides change or accuracy drop"),
        ({"truth": None, "claim": "accuracy drop <= 1%"}, "needs true labels"),
        ({"slices": "region"}, "slices='region' is text"),
    ],
)
def test_what_cannot_be_asked_says_so_in_one_line(options, line):
    with pytest.raises(InvalidInput, match=line) as raised:
        ask(pool(60), **options)
    assert "\n" not in str(raised.value)


def test_without_labels_the_change_is_still_told(tmp_path):
    with create(tmp_path, pool(300, changed=0.3), truth=None, budget=100, claim="change <= 50%") as study:
        found = study.run()
    assert found.accuracy is None
    assert found.flips.unlabelled == found.flips.total > 0
    assert found.change.low > 0
    np.testing.assert_allclose(found.shift.sum(axis=1), 0, atol=1e-12)
    assert any("no true labels" in line for line in found.assumptions)


def test_slices_are_told_apart(tmp_path):
    table = frame(600, changed=0)
    north = table["region"] == "north"
    table.loc[north, "new"] = table.loc[north, "old"].map(lambda one: "c0" if one == "c1" else "c1")
    items = read_pool(table, id="id")
    with create(tmp_path, items, budget=200, error="1%") as study:
        found = study.run()
    parts = {part.value: part for part in found.slices}
    assert parts["north"].change.low > 0.7
    assert parts["south"].change.high < 0.2
    assert parts["north"].items + parts["south"].items == 600
    assert parts["north"].answers + parts["south"].answers == 200


def test_changed_answers_within_the_noise_are_never_called_as_before(tmp_path):
    items = pool(100, changed=0.03)
    for noise in ("10%", None):
        folder = tmp_path / str(noise)
        folder.mkdir()
        with create(folder, items, error="1%", noise=noise) as study:
            found = study.run()
        assert found.flips.total == 3
        assert "as before" not in str(found)
        assert "3 of 100 answers differ" in str(found)


def test_a_claim_beside_an_error_is_decided_before_the_run_ends(tmp_path):
    with create(tmp_path, pool(3000, changed=0.02), error="3%", claim="change <= 5%") as study:
        found = study.run()
    assert found.verdict is Verdict.RINGS_TRUE
    assert found.error.bound <= 0.03


def test_nothing_changed_lists_no_cell(tmp_path):
    with create(tmp_path, pool(300, changed=0, classes=5), budget=60) as study:
        assert study.run().cells == ()


def test_what_nobody_answered_widens_the_error(tmp_path):
    with create(tmp_path, pool(100, changed=0), budget=60) as study:
        for query in study.ask(30):
            study.abandon(query)
        found = study.run()
    assert found.unanswerable == 30
    assert found.error.bound >= np.sqrt(2) * 0.3


def test_studies_that_began_before_keep_their_bound_and_new_ones_allow_for_looks():
    now = Changed.of(pool(100), old="old", error=0.1)
    assert Changed.from_config(now.config()).looks == now.looks == 4
    before = {key: value for key, value in now.config().items() if key != "edition"}
    assert Changed.from_config(before).looks == 1
    assert Changed.from_config(Changed.from_config(before).config()).looks == 1
    with pytest.raises(InvalidInput, match="edition=3 is not one there is"):
        Changed.of(pool(100), old="old", edition=3)
