"""The JSON twin: what was recorded, what was computed from it, and nothing about the maker's disk."""

import json
import math

import numpy as np
import pytest

from ringtrue.core import SHOWN, Reply
from ringtrue.report import document, verify
from ringtrue.report._document import LONGEST, content_digest, contents, restored
from ringtrue.risk import Risk
from ringtrue.study import Study
from support import CountingOracle, make_study


def through_json(made):
    return json.loads(json.dumps(made, allow_nan=False))


def test_it_says_what_was_asked_answered_and_spent(tmp_path):
    with make_study(tmp_path, price="0.25", budget=30) as study:
        study.run(CountingOracle())
        made = through_json(document(study))
        status, finding = study.status(), study.finding()
    spending = made["computed"]["spending"]
    assert spending["answered"] == spending["asked"] == spending["different_items"] == status.answered
    assert (spending["given_up"], spending["open"], spending["raters"]) == (0, 0, {})
    assert spending["money"] == str(status.spent_money)
    assert made["computed"]["finding"] == through_json(finding.to_json())
    assert made["study"]["budget"] == {"labels": 30, "money": None}
    assert len(made["records"]) == status.answered


def test_failures_are_those_and_only_those(tmp_path):
    with make_study(tmp_path, failing=6, claim=None) as study:
        study.run(CountingOracle())
        made = document(study)
        expected = [one.number for one in study.records if one.said != one.value]
    assert [entry["number"] for entry in made["computed"]["failures"]] == expected
    assert len(expected) == 6
    assert set(made["items"]) == {entry["id"] for entry in made["computed"]["failures"]}
    assert all(entry["model"] != entry["truth"] for entry in made["computed"]["failures"])


def test_raters_are_counted(tmp_path):
    with make_study(tmp_path) as study:
        for place, query in enumerate(study.ask(5)):
            study.tell(query, query.item.values["truth"], rater="ann" if place % 2 else "bob")
        made = document(study)
    assert made["computed"]["spending"]["raters"] == {"bob": 3, "ann": 2}


def test_where_files_lie_is_nobodys_business(tmp_path):
    with make_study(tmp_path, notes={"pool": "secret/place.csv", "id": None, "model": "predicted"}) as study:
        assert "secret" not in json.dumps(document(study))
        assert str(tmp_path) not in json.dumps(document(study))


def test_empty_cells_and_infinities_are_kept_and_verified(tmp_path):
    (tmp_path / "pool.csv").write_text("id,predicted,truth,x\na,1,0,\nb,1,0,inf\nc,1,0,-2.5\n")
    with Study.create(tmp_path / "s", pool=tmp_path / "pool.csv", model="predicted", question=Risk()) as study:
        study.run("truth")
        made = through_json(document(study))
        digests = {one.id: one.digest for one in study.records}
    values = {name: restored(entry)["x"] for name, entry in made["items"].items()}
    assert math.isnan(values["a"])
    assert values["b"] == math.inf
    assert values["c"] == -2.5
    assert {name: content_digest(entry) for name, entry in made["items"].items()} == digests
    assert verify(made).agrees


def test_items_of_any_kind_keep_their_hash(tmp_path):
    values = {
        "none": None, "yes": True, "whole": np.int64(3), "float": np.float64(0.1), "small": np.float32(0.1),
        "nan": float("nan"), "text": "é\u202e", "list": [1, float("-inf"), "x"], "table": {"deep": [float("nan")]},
        "bytes": b"\x00\xff", "array": np.array([1.5, np.nan]),
    }  # fmt: skip

    class OneItem:
        def take(self, rows):
            from ringtrue.core import Item

            return [Item("a", values)]

    class FakeStudy:
        class things:  # noqa: N801
            pool = OneItem()

    from ringtrue.core import digest

    kept = through_json(contents(FakeStudy(), [{"row": 0}]))
    assert content_digest(kept["a"]) == digest(values)


def test_long_items_are_named_by_their_hash_alone(tmp_path):
    (tmp_path / "pool.csv").write_text(f"id,predicted,truth,x\na,1,0,{'x' * LONGEST}\nb,1,0,short\n")
    with Study.create(tmp_path / "s", pool=tmp_path / "pool.csv", model="predicted", question=Risk()) as study:
        study.run("truth")
        made = document(study)
    assert set(made["items"]) == {"b"}
    assert len(made["computed"]["failures"]) == 2


def test_without_the_pool_the_numbers_are_the_same(tmp_path):
    with make_study(tmp_path, claim=None, failing=5) as study:
        study.run(CountingOracle())
        whole = document(study)
    with Study.open(tmp_path / "study") as study:
        bare = document(study)
    assert bare["items"] == {}
    assert len(whole["items"]) == 5
    assert bare["computed"] == whole["computed"]


def test_at_most_so_many_items_are_kept(tmp_path):
    with make_study(tmp_path, size=200, failing=150, claim=None) as study:
        study.run(CountingOracle())
        made = document(study)
    assert len(made["items"]) == SHOWN
    assert len(made["computed"]["failures"]) == 150


@pytest.mark.parametrize("claim", [None, "error <= 1% at 99%"])
def test_another_claim_than_the_studys_own(tmp_path, claim):
    with make_study(tmp_path) as study:
        study.run(CountingOracle())
        made = document(study, claim=claim)
        expected = study.finding(claim=claim)
    assert made["claim"] == str(expected.claim)
    assert made["question"]["claim"] == "error <= 20% at 95%"
    assert made["computed"]["finding"]["verdict"] == expected.verdict.value
    assert verify(through_json(made)).agrees


def test_a_reply_with_its_own_cost_is_counted_as_it_was_paid(tmp_path):
    from decimal import Decimal

    class Dear:
        def answer(self, queries):
            return [Reply(str(query.item.values["truth"]), Decimal("1.10")) for query in queries]

    with make_study(tmp_path, price="0.25", budget=3) as study:
        study.run(Dear())
        assert document(study)["computed"]["spending"]["money"] == "3.30"
