"""Judges as a question of a study: asked, told, interrupted, resumed and reported like any other."""

import csv
import json
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from ringtrue.core import InvalidInput, PlanChanged, Reply, Sketch, Verdict
from ringtrue.judges import Judges
from ringtrue.models import PanelModel
from ringtrue.report._document import document
from ringtrue.report._verify import verify
from ringtrue.stats import generator
from ringtrue.study import Study
from support import CountingOracle

JUDGES, LABELS = ("ann", "label", "cyd"), ("no", "yes")
"""One judge has the name under which a plain model's label is kept."""


def make_votes(path, size=240, accuracies=(0.95, 0.9, 0.85), seed=0):
    """A CSV of votes beside the truth, with a few abstentions; returns the sketch of the votes."""
    rng = generator(seed, "votes")
    truth = (rng.random(size) < 0.4).astype(int)
    votes = np.where(rng.random((size, 3)) < np.array(accuracies), truth[:, None], 1 - truth[:, None])
    votes = np.where(rng.random((size, 3)) < 0.05, -1, votes)
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", *JUDGES, "truth"])
        for place, (row, label) in enumerate(zip(votes, truth, strict=True)):
            rows.writerow([f"item-{place}", *("" if vote < 0 else LABELS[vote] for vote in row), LABELS[label]])
    return Sketch(JUDGES, LABELS, Counter(map(tuple, votes.tolist())))


def create(folder, claim=None, **options):
    folder.mkdir(exist_ok=True)
    sketch = make_votes(folder / "votes.csv")
    return Study.create(
        folder / "panel", pool=folder / "votes.csv", model=PanelModel(JUDGES, labels=LABELS),
        question=Judges(sketch, claim=claim), **options,
    )  # fmt: skip


def reopen(folder):
    """Without the question: the journal holds all that is needed to make it again."""
    return Study.open(folder / "panel", pool=folder / "votes.csv", model=PanelModel(JUDGES, labels=LABELS))


def asked(study):
    return [(one.id, one.probability, one.floor, one.value, one.known) for one in study.records]


class Stops:
    """Answers so many calls, then raises KeyboardInterrupt as Ctrl-C would."""

    def __init__(self, after):
        self.left, self.inner = after, CountingOracle()

    def answer(self, queries):
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return self.inner.answer(queries)


def test_a_study_of_judges_runs_and_says_what_it_found(tmp_path):
    with create(tmp_path, budget=80) as study:
        finding = study.run("truth")
        assert study.status().answered == finding.answers == 80
        assert finding.verdict is Verdict.NOT_YET_KNOWN
        assert set(study.records[0].known["votes"]) == set(JUDGES)
        assert max(Counter(one.row for one in study.records).values()) == 1
        text = json.dumps(finding.to_json(), allow_nan=False)
        entry = json.loads(text)
        assert [one["judge"] for one in entry["judges"]] == list(JUDGES)
        assert entry["estimates"]["method"].startswith("betting")
        assert "80 labels on 3 judges" in str(finding)
        assert len({one.probability * (240 - one.number) for one in study.records}) > 3


def test_interruptions_change_neither_the_questions_nor_the_finding(tmp_path):
    for batch in (1, 4):
        cut, whole = tmp_path / f"cut-{batch}", tmp_path / f"whole-{batch}"
        create(cut, budget=60, batch=batch, seed=2).close()
        calls = []
        for turn in range(6):
            with reopen(cut) as study:
                oracle = Stops(after=1 + turn % 3)
                with pytest.raises(KeyboardInterrupt):
                    study.run(oracle)
                calls += oracle.inner.order
        with reopen(cut) as study:
            oracle = CountingOracle()
            first = study.run(oracle)
            history = asked(study)
        calls += oracle.order
        assert max(Counter(calls).values()) == 1
        assert len(calls) == 60
        with create(whole, budget=60, batch=batch, seed=2) as study:
            assert study.run("truth").to_json() == first.to_json()
            assert asked(study) == history


def test_workers_change_nothing(tmp_path, monkeypatch):
    passes = Judges.passes
    monkeypatch.setattr(Judges, "passes", lambda self: [replace(one, rows=100) for one in passes(self)])
    histories = []
    for name, executor in (("alone", None), ("threads", ThreadPoolExecutor(3)), ("processes", ProcessPoolExecutor(2))):
        with create(tmp_path / name, budget=24, batch=6, seed=1) as study:
            study.prepare(executor=executor)
            study.run("truth", executor=executor if name == "threads" else None)
            histories.append(asked(study))
    assert histories[0] == histories[1] == histories[2]


@pytest.mark.parametrize(
    ("claim", "verdict"), [("accuracy >= 70%", "rings true"), ("error <= 3% at 95%", "rings false")]
)
def test_a_claim_ends_the_run_when_it_is_decided(tmp_path, claim, verdict):
    with create(tmp_path, claim=claim) as study:
        finding = study.run("truth")
        assert finding.verdict.value == verdict
        assert study.status().answered == finding.decided_at < 200
        assert verdict in str(finding)
    with reopen(tmp_path) as study:
        assert study.finding().to_json() == finding.to_json()
        assert study.finding(claim="error <= 60%").verdict is Verdict.RINGS_TRUE


def test_items_that_the_oracle_cannot_tell_are_counted_both_ways(tmp_path):
    def oracle(item):
        return None if item["id"].endswith("7") else item["truth"]

    class Unsure:
        def answer(self, queries):
            return [Reply(oracle({"id": one.item.id, **one.item.values})) for one in queries]

    with create(tmp_path, budget=60) as study:
        finding = study.run(Unsure())
        assert finding.answers == 60
        assert finding.unanswerable > 0
        assert any("nobody could label" in line for line in finding.assumptions)


def test_the_document_of_a_study_of_judges_verifies_and_lists_no_failures(tmp_path):
    with create(tmp_path, claim="accuracy >= 75%", budget=40) as study:
        study.run("truth")
        made = json.loads(json.dumps(document(study), allow_nan=False))
    assert made["computed"]["failures"] == []
    assert verify(made).agrees
    made["records"][3]["value"] = "no" if made["records"][3]["value"] == "yes" else "yes"
    assert not verify(made).agrees


def test_the_figure_shows_each_judge_and_the_claim(tmp_path):
    from matplotlib.figure import Figure

    with create(tmp_path, claim="accuracy >= 75%", budget=20) as study:
        axes = Figure().subplots()
        study.run("truth").draw(axes)
    assert [tick.get_text() for tick in axes.get_yticklabels()] == list(JUDGES)
    assert any("claim" in text.get_text() for text in axes.get_legend().get_texts())


def test_another_sketch_is_another_plan_and_another_pool_is_refused(tmp_path):
    create(tmp_path).close()
    other = make_votes(tmp_path / "other.csv", seed=5)
    with pytest.raises(PlanChanged, match="sketch"):
        Study.open(
            tmp_path / "panel", pool=tmp_path / "votes.csv", model=PanelModel(JUDGES, labels=LABELS),
            questions=[Judges(other)],
        )  # fmt: skip
    with pytest.raises(PlanChanged, match="model"):
        Study.open(tmp_path / "panel", pool=tmp_path / "votes.csv", model=PanelModel(JUDGES[::-1], labels=LABELS))
    with (
        Study.create(
            tmp_path / "mixed", pool=tmp_path / "votes.csv", model=PanelModel(JUDGES), question=Judges(other), budget=5
        ) as study,
        pytest.raises(InvalidInput, match="this very pool"),
    ):
        study.run("truth")


def test_a_plain_model_is_no_panel_of_three(tmp_path):
    sketch = make_votes(tmp_path / "votes.csv")
    with pytest.raises(InvalidInput, match="has no votes"):
        Study.create(tmp_path / "plain", pool=tmp_path / "votes.csv", model="truth", question=Judges(sketch))
    assert not (tmp_path / "plain.ringtrue").exists(), "refused before there is a study"


def test_a_judge_without_a_vote_is_refused_and_the_sketch_is_kept_as_it_was():
    with pytest.raises(InvalidInput, match="'bob' has not voted once"):
        Judges(Sketch(["ann", "bob"], LABELS, {(0, -1): 5}))
    sketch = Sketch(["ann", "bob"], LABELS, {(0, 1): 5})
    question = Judges(sketch, claim="accuracy >= 80%", name="panel")
    sketch.add({"ann": "yes"})
    assert question.sketch.size == 5
    again = Judges.from_config(json.loads(json.dumps(question.config())))
    assert again.config() == question.config()
    assert (again.name, str(again.claim)) == ("panel", "error <= 20% at 95%")
