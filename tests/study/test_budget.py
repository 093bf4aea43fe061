"""The budget: reserved with the lease, settled with the answer, never exceeded."""

from decimal import Decimal

import pytest

from ringtrue.core import InvalidInput, Verdict
from ringtrue.study import Budget
from support import Clock, CountingOracle, make_study


@pytest.mark.parametrize("budget", [0, 1, 2, 7])
def test_exactly_the_budget_is_asked(tmp_path, budget):
    oracle = CountingOracle()
    with make_study(tmp_path, size=400, budget=budget, claim="error <= 5% at 99%") as study:
        finding = study.run(oracle)
        assert len(oracle.order) == budget == study.status().answered
        assert finding.verdict is Verdict.NOT_YET_KNOWN
        assert study.ask(1) == []
        assert study.status().labels_left == 0


def test_exactly_the_needed_amount_decides(tmp_path):
    (tmp_path / "free").mkdir()
    with make_study(tmp_path / "free", size=400) as study:
        needed = study.run("truth").decided_at
    for budget, verdict in [(needed, Verdict.RINGS_TRUE), (needed - 1, Verdict.NOT_YET_KNOWN)]:
        folder = tmp_path / str(budget)
        folder.mkdir()
        with make_study(folder, size=400, budget=budget) as study:
            assert study.run("truth").verdict is verdict
            assert study.status().answered == budget


def test_a_batch_is_cut_to_what_is_left(tmp_path):
    with make_study(tmp_path, budget=7, batch=5, claim=None) as study:
        study.run("truth")
        assert study.status().answered == 7


def test_money_is_exact_to_the_cent(tmp_path):
    """Ten labels at 0.10 fit into 1.00, although ten float tenths do not add up to one."""
    with make_study(tmp_path, budget=Budget(money=Decimal("1.00")), price=0.1, claim=None) as study:
        study.run("truth")
        assert study.status().answered == 10
        assert study.status().spent_money == Decimal("1.0")


def test_reserved_money_counts(tmp_path):
    with make_study(tmp_path, budget=Budget(labels=100, money=1), price="0.30", claim=None) as study:
        queries = study.ask(10)
        assert len(queries) == 3
        assert study.status().reserved_money == Decimal("0.90")
        study.tell(queries[0], "cat", cost="0.10")
        assert study.status().spent_money == Decimal("0.10")
        assert study.status().reserved_money == Decimal("0.60")
        assert len(study.ask(10)) == 1


def test_an_unknown_price_refuses_to_start(tmp_path):
    with pytest.raises(InvalidInput, match=r"price of one answer by the oracle"):
        make_study(tmp_path, budget=Budget(money=5))
    assert not (tmp_path / "study.ringtrue").exists()


def test_an_expired_lease_keeps_its_reservation(tmp_path):
    """Its answer may still come: with it and a new query together a budget of one would be exceeded."""
    clock = Clock()
    with make_study(tmp_path, budget=1, lease=60, clock=clock) as study:
        (query,) = study.ask()
        clock.now += 61
        assert [one.id for one in study.ask(5)] == [query.id]
        study.tell(query, "cat")
        assert study.ask(5) == []


def test_a_late_answer_to_an_abandoned_query_never_exceeds_the_budget(tmp_path):
    with make_study(tmp_path, budget=1) as study:
        (query,) = study.ask()
        study.abandon(query)
        (other,) = study.ask()
        assert study.tell(query, "cat", rater="ana") is None, "kept beside, but it does not count"
        study.tell(other, "dog")
        assert study.status().answered == 1
        assert study.status().opinions == 1


def test_raising_the_budget_goes_on(tmp_path):
    with make_study(tmp_path, budget=2, claim=None) as study:
        study.run("truth")
        study.set_budget(5)
        study.run("truth")
        assert study.status().answered == 5
        assert study.ask() == []


def test_a_budget_below_what_is_spent_is_refused_with_what_is_spent(tmp_path):
    with make_study(tmp_path, budget=Budget(labels=9, money=Decimal(9)), price="0.25", claim=None) as study:
        for query in study.ask(5):
            study.tell(query, "cat")
        study.ask(2)  # out, and not spent yet
        for less, said in [
            (4, "budget=4 is less than the 5 labels spent: give 5 or more"),
            (Budget(money=Decimal("1.2")), "budget money=1.2 is less than the 1.25 spent: give 1.25 or more"),
        ]:
            with pytest.raises(InvalidInput) as caught:
                study.set_budget(less)
            assert str(caught.value) == said
        assert study.status().budget_labels == 9
        study.set_budget(5)
        assert study.ask() == []


@pytest.mark.parametrize("price", ["dear", -1, float("inf")])
def test_bad_prices(tmp_path, price):
    with pytest.raises(InvalidInput, match="price"):
        make_study(tmp_path, price=price)
