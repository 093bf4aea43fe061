"""Ask and tell: leases, idempotency, late answers, second opinions, abandoned queries, labels."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput, Verdict
from ringtrue.risk import Risk
from ringtrue.study import Study
from support import Clock, CountingOracle, make_pool, make_study


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def study(tmp_path, clock):
    with make_study(tmp_path, budget=10, lease=60, clock=clock) as made:
        yield made


def test_a_query_carries_item_cost_and_probability(study):
    first, second = study.ask(2)
    assert first.item.values["feature"] is not None
    assert first.item.id.startswith("item-")
    assert (first.probability, second.probability) == (1 / 40, 1 / 39)
    assert first.cost == 0
    assert first.said in ("cat", "dog")
    assert first.id == "study:0"


def test_leased_queries_are_not_offered_again(study):
    assert {query.id for query in study.ask(3)} & {query.id for query in study.ask(3)} == set()


def test_telling_twice_returns_the_first_answer_and_records_one(study):
    (query,) = study.ask()
    assert study.tell(query, "cat", rater="ana") == "cat"
    assert study.tell(query, "dog", rater="ana") == "cat"
    assert study.tell(query.id, "dog") == "cat"
    assert study.status().answered == 1
    assert study.status().opinions == 0


def test_a_second_rater_is_kept_beside_the_first(study):
    (query,) = study.ask()
    study.tell(query, "cat", rater="ana")
    assert study.tell(query, "dog", rater="ben") == "cat"
    assert study.status().opinions == 1
    assert study.records[0].value == "cat"


def test_an_expired_lease_is_offered_again_under_the_same_id(study, clock):
    (query,) = study.ask(rater="ana")
    clock.now += 61
    again = study.ask(2, rater="ben")
    assert [one.id for one in again] == [query.id, "study:1"]
    assert again[0].item == query.item


def test_a_late_answer_is_kept_and_ends_the_second_lease(study, clock):
    (query,) = study.ask(rater="ana")
    clock.now += 61
    study.ask(rater="ben")
    study.tell(query, "cat", rater="ana")
    assert study.records[0].value == "cat"
    assert study.status().leased == 0
    assert study.tell(query, "dog", rater="ben") == "cat"
    assert study.status().answered == 1


def test_answers_in_any_order_wait_for_the_earlier_ones(study):
    first, second, third = study.ask(3)
    study.tell(third, "cat")
    study.tell(second, "cat")
    assert study.finding().answers == 0
    assert study.status().held == 2
    study.tell(first, "cat")
    assert study.finding().answers == 3
    assert study.status().held == 0


def test_an_abandoned_query_counts_both_ways_and_frees_its_budget(study):
    queries = study.ask(10)
    for query in queries[1:]:
        study.tell(query, query.said)
    assert study.ask(1) == []
    study.tell(queries[0], None)
    finding = study.finding()
    assert (finding.answers, finding.failures, finding.unanswerable) == (9, 0, 1)
    assert len(study.ask(5)) == 1
    told = make_like(study, lost_as="failed")
    assert finding.interval.high == pytest.approx(told.interval.high, abs=1e-12)
    assert finding.interval.low == 0.0


def make_like(study, lost_as):
    """The finding if the abandoned item had been answered with a failure."""
    from ringtrue.study import evidence_of

    records = [record for record in study.records if record.state in ("answered", "abandoned")]
    for record in records:
        if record.state == "abandoned":
            record.state, record.value = "answered", "neither" if lost_as == "failed" else record.said
    return evidence_of(study.question(), records, size=40, claim=study.question().claim)


def test_an_answer_after_all_replaces_the_abandoned_query(study):
    (query,) = study.ask()
    study.abandon(query)
    assert study.finding().unanswerable == 1
    study.tell(query, query.said)
    finding = study.finding()
    assert (finding.answers, finding.unanswerable) == (1, 0)


@pytest.mark.parametrize("query", ["study:99", "other:0", "nonsense", "study:-1"])
def test_an_unknown_query_is_refused(study, query):
    with pytest.raises(InvalidInput, match="never asked"):
        study.tell(query, "cat")


def test_unknown_and_missing_labels_are_refused_and_nothing_is_recorded(tmp_path):
    with make_study(tmp_path, labels=["cat", "dog"]) as study:
        (query,) = study.ask()
        for answer, words in [("cta", "cat, dog"), (float("nan"), "missing"), (" ", "missing")]:
            with pytest.raises(InvalidInput, match=words) as caught:
                study.tell(query, answer)
            assert "\n" not in str(caught.value)
        assert study.status().answered == 0
        assert study.tell(query, "cat") == "cat"


def test_a_wrong_label_from_the_oracle_keeps_the_good_ones(tmp_path):
    def oracle(row):
        return "cta" if calls.append(row["id"]) or len(calls) == 3 else row["truth"]

    calls = []
    with make_study(tmp_path, labels=["cat", "dog"], batch=5) as study:
        with pytest.raises(InvalidInput, match="cta"):
            study.run(oracle)
        assert study.status().answered == 4
        assert study.status().leased == 0


def test_an_oracle_that_cannot_tell_abandons(tmp_path):
    with make_study(tmp_path, budget=6, claim=None) as study:
        finding = study.run(lambda row: None if row["id"] == "item-7" else row["truth"], until="error <= 1% at 95%")
        lost = sum(record.state == "abandoned" for record in study.records)
        assert finding.unanswerable == lost


def test_two_openings_of_one_study_share_it(tmp_path, clock):
    with (
        make_study(tmp_path, clock=clock) as one,
        Study.open(tmp_path / "study.ringtrue", pool=tmp_path / "pool.csv", model="predicted", clock=clock) as other,
    ):
        mine, theirs = one.ask(3), other.ask(3)
        assert {query.id for query in mine} & {query.id for query in theirs} == set()
        other.tell(mine[0], "cat")
        assert one.tell(mine[0], "dog") == "cat"


def test_status_and_finding_without_any_answer(study):
    finding = study.finding()
    assert (finding.interval.low, finding.interval.high) == (0.0, 1.0)
    assert finding.verdict is Verdict.NOT_YET_KNOWN
    assert "0 answers" in str(finding)
    assert "0 answers recorded" in str(study.status())


def test_run_returns_the_finding_and_stops_when_decided(tmp_path):
    oracle = CountingOracle()
    with make_study(tmp_path, size=400, failing=4, claim="error <= 10% at 95%") as study:
        finding = study.run(oracle)
        assert finding.verdict is Verdict.RINGS_TRUE
        assert finding.decided_at == len(oracle.order) < 100
        assert finding.bound.high <= 0.10
        assert study.run(oracle).decided_at == finding.decided_at
        assert max(oracle.items.values()) == 1


def test_a_pool_labelled_in_full_gives_the_one_value(tmp_path):
    with make_study(tmp_path, size=30, failing=3, claim=None) as study:
        finding = study.run("truth")
        assert (finding.interval.low, finding.interval.high) == (0.1, 0.1)
        assert finding.answers == 30


@pytest.mark.parametrize(
    "bad", [{"seed": 1.5}, {"batch": 0}, {"lease": 0}, {"budget": -1}, {"budget": 2.5}, {"question": []}]
)
def test_bad_arguments_name_themselves(tmp_path, bad):
    with pytest.raises(InvalidInput, match=next(iter(bad))):
        make_study(tmp_path, **bad)
    assert not (tmp_path / "study.ringtrue").exists()


def test_two_questions_of_one_name_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="own name"):
        make_study(tmp_path, question=[Risk(), Risk()])


def test_telling_many_at_once_is_one_commit_and_as_idempotent_as_one(study):
    queries = study.ask(5)
    study.tell(queries[0], "cat", rater="ana")
    before = study._book.ledger.sequence
    study.tell_all([(query, "dog") for query in queries[1:4]] + [(queries[4], None), (queries[1], "cat")], rater="ben")
    assert study._book.ledger.sequence == before + 2
    study.tell_all([(queries[0], "dog"), (queries[1], "cat")], rater="eva")
    assert [record.value for record in study.records] == ["cat", "dog", "dog", "dog", None]
    assert (study.status().answered, study.status().abandoned, study.status().opinions) == (4, 1, 2)


def test_telling_many_refuses_all_for_one_wrong_label(tmp_path):
    with make_study(tmp_path, labels=["cat", "dog"]) as study:
        queries = study.ask(3)
        with pytest.raises(InvalidInput, match="cta"):
            study.tell_all(zip(queries, ["cat", "cta", "dog"], strict=True))
        assert study.status().answered == 0


def test_numpy_numbers_are_whole_numbers(tmp_path):
    with make_study(tmp_path, seed=np.int64(3), batch=np.int32(2)) as study:
        assert len(study.ask(np.int64(2))) == 2
        assert study.plan["seed"] == 3


def test_a_question_that_compares_needs_a_model_that_labels(tmp_path):
    pool = make_pool(tmp_path / "pool.csv")
    with pytest.raises(InvalidInput, match="needs a model"):
        Study.create(tmp_path / "s", pool=pool, question=Risk())
    with pytest.raises(InvalidInput, match="gives vectors"):
        Study.create(tmp_path / "s", pool=pool, question=Risk(), model=lambda rows: np.zeros((len(rows), 1)))
    with pytest.raises(InvalidInput, match=r"such as Risk\('error <= 5%'\)"):
        Study.create(tmp_path / "s", pool=pool, question="error <= 5%", model="predicted")
    assert not (tmp_path / "s.ringtrue").exists()


def test_an_unknown_oracle_column_asks_nothing(study):
    with pytest.raises(InvalidInput, match=r"not a column of pool\.csv"):
        study.run("tt")
    assert len(study.records) == 0
