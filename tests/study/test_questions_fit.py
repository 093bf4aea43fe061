"""Questions of every kind fit the study as it is: model calls, spaces, prepared scores, shared labels."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from ringtrue.core import Draw, InvalidInput, Labels, Pass, Policy, Question, Verdict
from ringtrue.risk import Risk
from ringtrue.study import Budget, Study
from support import CountingOracle, ModelAudit, ScoredDraws, SpaceSearch, make_study


def reopened(folder, *questions):
    return Study.open(folder / "study.ringtrue", pool=folder / "pool.csv", model="predicted", questions=questions)


def test_a_question_may_pay_for_model_answers(tmp_path):
    with make_study(tmp_path, question=ModelAudit(), budget=Budget(money=1), price={"model": "0.25"}) as study:
        finding = study.run()
        assert study.status().answered == 4
        assert [value for _, value in finding.told] == [record.value for record in study.records]
        assert {record.responder for record in study.records} == {"model"}


def test_a_question_that_pays_for_model_answers_needs_its_model(tmp_path):
    make_study(tmp_path, question=ModelAudit()).close()
    with (
        Study.open(tmp_path / "study.ringtrue", pool=tmp_path / "pool.csv", questions=[ModelAudit()]) as study,
        pytest.raises(InvalidInput, match="model"),
    ):
        study.run()


class CountedCalls:
    """A model that counts the items it was asked about."""

    name = "counted"

    def __init__(self):
        self.items = 0

    def answer(self, batch):
        self.items += len(batch)
        return Labels(["right"] * len(batch))


class PreparedAudit(ModelAudit):
    """Pays for model answers and prepares scores, too."""

    def passes(self):
        return [Pass(self.prepare)]

    def prepare(self, items, beside, ask, rng):
        with pytest.raises(InvalidInput, match="asks the model"):
            ask(items.batch)
        return {"score": np.zeros(len(items.batch))}


def test_a_paid_model_is_not_asked_to_prepare_scores(tmp_path):
    model = CountedCalls()
    with make_study(tmp_path, question=PreparedAudit(), model=model, budget=3, size=40) as study:
        study.prepare()
        assert model.items == 0
        study.run()
        assert model.items == 3


class KnowingAudit(ModelAudit):
    """Knows something of every item, and its draws carry a note."""

    def known(self, batch, model):
        return [(None, {"feature": value}) for value in batch.columns["feature"].tolist()]

    @property
    def policy(self):
        class Noted(Policy):
            name = "noted"

            def propose(self, view, n):
                rows = [row for row in range(view.size) if row not in view.asked][:n]
                return [Draw(row=row, note={"chance": row / 2}) for row in rows]

        return Noted()


def test_what_a_question_knows_and_a_draw_notes_is_kept_with_the_query(tmp_path):
    with make_study(tmp_path, question=KnowingAudit(), budget=3) as study:
        study.run()
        values = [item.values["feature"] for item in study.things.pool.take(range(3))]
    with reopened(tmp_path, KnowingAudit()) as again:
        kept = [(record.said, record.known, record.note) for record in again.records]
    assert kept == [(None, {"feature": value}, {"chance": row / 2}) for row, value in enumerate(values)]


class Sure:
    """A model that gives probabilities, as a class of Python's own."""

    name, classes = "sure", ("cat", "dog")

    def answer(self, batch):
        return Labels(["cat"] * len(batch), np.tile([0.75, 0.25], (len(batch), 1)), self.classes)


@pytest.mark.parametrize(
    ("model", "said", "known"),
    [
        ("predicted", {"cat", "dog"}, {}),
        (Sure(), {"cat"}, {"probabilities": {"cat": 0.75, "dog": 0.25}}),
    ],
)
def test_what_the_model_said_stands_apart_from_what_it_told_beside_it(tmp_path, model, said, known):
    """For the oracle, for whoever comes back, and for the check that the model is the same."""
    with make_study(tmp_path, model=model, budget=4, claim=None) as study:
        queries = study.ask(4)
        assert {query.said for query in queries} <= said
        assert all(query.known == known for query in queries)
        for query in queries:
            study.tell(query, "cat")
    with Study.open(tmp_path / "study.ringtrue", pool=tmp_path / "pool.csv", model=model) as again:
        assert [(one.said, one.known) for one in again.records] == [(one.said, one.known) for one in queries]
        assert again.finding().failures == sum(query.said != "cat" for query in queries)


class AskingAgain(ModelAudit):
    """Asks every row twice."""

    @property
    def policy(self):
        class Twice(Policy):
            name = "twice"
            asks_again = True

            def propose(self, view, n):
                return [Draw(row=(view.step + place) // 2) for place in range(n)]

        return Twice()


def test_a_row_is_asked_again_only_by_a_policy_that_says_so(tmp_path):
    class Silently(AskingAgain):
        @property
        def policy(self):
            policy = super().policy
            policy.asks_again = False
            return policy

    with make_study(tmp_path, question=AskingAgain(), budget=6) as study:
        study.run()
        assert [record.row for record in study.records] == [0, 0, 1, 1, 2, 2]
    (tmp_path / "other").mkdir()
    with (
        make_study(tmp_path / "other", question=Silently(), budget=6) as study,
        pytest.raises(InvalidInput, match="ask each row once"),
    ):
        study.run()


class Requiring(ModelAudit):
    """Wants five answers, whatever the verdict."""

    def estimator(self, *, size, claim, scores=None):
        made = super().estimator(size=size, claim=claim)

        class Wants(type(made)):
            verdict = Verdict.RINGS_TRUE

            @property
            def done(self):
                return len(self.records) >= 5

        made.__class__ = Wants
        return made


def test_a_run_goes_on_until_the_requirement_of_its_estimator_is_met(tmp_path):
    with make_study(tmp_path, question=Requiring()) as study:
        study.run()
        assert study.status().answered == 5


def test_points_of_a_space_are_asked_told_and_resumed(tmp_path):
    with Study.create(tmp_path / "lab", question=SpaceSearch(), budget=9) as study:
        first = study.ask(3)
        study.tell(first[2], [0.5])  # a laboratory answers in its own order
        study.tell(first[0], [0.25])
        assert [value for _, value in study.finding().told] == [[0.5], [0.25]]
    with Study.open(tmp_path / "lab", questions=[SpaceSearch()]) as study:
        study.tell(first[1], [0.75])
        assert len(study.finding().told) == 3
        assert study.records[0].point == tuple(first[0].item.values.values())


def test_scores_are_prepared_once_chunk_by_chunk_and_survive(tmp_path):
    question = ScoredDraws(rows=7)
    make_study(tmp_path, question=question, size=40).close()

    class Dies(ScoredDraws):
        def prepare(self, items, beside, ask, rng):
            if len(self.prepared) == 3:
                raise KeyboardInterrupt
            return super().prepare(items, beside, ask, rng)

        def config(self):
            return question.config()

    with reopened(tmp_path, Dies(rows=7)) as study, pytest.raises(KeyboardInterrupt):
        study.prepare()
    second = ScoredDraws(rows=7)
    with reopened(tmp_path, second) as study:
        study.ask(1)
        assert second.prepared == [7, 7, 5]
    third = ScoredDraws(rows=7)
    with reopened(tmp_path, third) as study:
        study.ask(1)
        assert third.prepared == []


def test_processes_prepare_the_same_scores(tmp_path):
    histories = []
    for name, executor in [("alone", None), ("processes", ProcessPoolExecutor(2))]:
        (tmp_path / name).mkdir()
        with make_study(tmp_path / name, question=ScoredDraws(rows=7), seed=4) as study:
            study.prepare(executor=executor)
            histories.append([(query.item.id, query.probability) for query in study.ask(10)])
    assert histories[0] == histories[1]


def test_questions_share_labels_and_none_is_bought_twice(tmp_path):
    """A hunt by argmax and a random sample in one study: the sample skips what the hunt has asked, and knows it."""
    hunt, risk = ScoredDraws(name="hunt", argmax=True), Risk()
    oracle = CountingOracle()
    with make_study(tmp_path, size=40, failing=10, question=[risk, hunt], claim=None) as study:
        for _ in range(8):
            for name in ("risk", "hunt"):
                (query,) = study.ask(1, question=name)
                study.tell(query, oracle.answer([query])[0].value)
        finding = study.finding(question="risk")
        assert max(oracle.items.values()) == 1
        assert (finding.answers, finding.picked) == (16, 8)
        assert "known items" in finding.interval.method
        drawn = [record for record in study.records if record.question == "risk"]
        assert [record.probability for record in drawn] == [1 / (40 - 2 * turn) for turn in range(8)]
        study.run(oracle, question="risk")
        finding = study.finding(question="risk")
        assert finding.interval.low == finding.interval.high == 0.25
        assert sum(oracle.items.values()) == 40


def test_unequal_draws_of_another_question_are_weighted(tmp_path):
    with make_study(tmp_path, size=200, failing=20, question=[Risk(), ScoredDraws()], claim=None) as study:
        for query in study.ask(120, question="scored"):
            study.tell(query, str(query.item.values["truth"]))
        finding = study.finding(question="risk")
        assert "unequal probabilities" in finding.interval.method
        assert finding.interval.low < 0.1 < finding.interval.high
        assert finding.interval.high < 0.6


def test_a_question_added_later_sees_the_earlier_labels(tmp_path):
    with make_study(tmp_path, question=ScoredDraws(), size=40, failing=0, claim=None, budget=40) as study:
        for query in study.ask(10):
            study.tell(query, query.said)
        study.add(Risk("error <= 50% at 95%"))
        assert study.finding(question="risk").answers == 10
        with pytest.raises(InvalidInput, match="already"):
            study.add(Risk())
        with pytest.raises(InvalidInput, match="risk, scored"):
            study.finding()
        with pytest.raises(InvalidInput, match="risk, scored"):
            study.finding(question="other")


@pytest.mark.parametrize("question", [Risk(), ModelAudit()])
def test_a_question_without_its_subject_is_refused(tmp_path, question):
    with pytest.raises(InvalidInput, match=r"needs a (pool|model)"):
        Study.create(tmp_path / "s", question=question, model=None, pool=None)


def test_scores_of_the_wrong_shape_are_refused(tmp_path):
    class Wrong(ScoredDraws):
        def prepare(self, items, beside, ask, rng):
            return {"score": np.zeros(3)}

    with pytest.raises(InvalidInput, match="one number per item"):
        make_study(tmp_path, question=Wrong())
    assert not list(tmp_path.glob("*.ringtrue")), "refused before there is a study"


def test_a_policy_that_repeats_a_row_is_refused(tmp_path):
    class Repeats(ModelAudit):
        @property
        def policy(self):
            policy = super().policy
            propose = policy.propose
            policy.propose = lambda view, n: propose(view, 1) * 2
            return policy

    with make_study(tmp_path, question=Repeats()) as study, pytest.raises(InvalidInput, match="proposed a row twice"):
        study.ask(2)


def test_a_question_without_a_kind_is_refused_in_one_line(tmp_path):
    class Nameless(ModelAudit):
        config = Question.config

    with pytest.raises(InvalidInput, match="question Nameless has no kind: give the class one") as refused:
        make_study(tmp_path, question=Nameless())
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "study.ringtrue").exists()
