"""Failures that are a matter of spelling are noticed after three, whoever compares labels; nothing else is changed."""

import csv
import warnings

import numpy as np
import pytest

from ringtrue.blind import Blind
from ringtrue.changed import Changed
from ringtrue.core import InvalidInput, RingtrueWarning
from ringtrue.judges import Judges
from ringtrue.models import PanelModel
from ringtrue.pools import TablePool, read_votes
from ringtrue.risk import Risk
from ringtrue.study import Study
from ringtrue.worst import Worst
from ringtrue.worst.spaces import SearchSpace

SIZE = 30


def pool(said, **more):
    said = np.array(said, dtype=object)
    rng = np.random.default_rng(1)
    table = {"id": np.array([f"i{place}" for place in range(len(said))]), "x": rng.normal(size=len(said))}
    return TablePool({**table, "said": said, "sure": np.full(len(said), 0.9), **more}, name="items")


def warned(call):
    """What a call warned of, in order."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(issubclass(one.category, RingtrueWarning) for one in caught)
    return [str(one.message) for one in caught]


def study_of(folder, said, **options):
    return Study.create(folder / "s", pool=pool(said), model="said", **{"question": Risk(), "budget": 10, **options})


@pytest.mark.parametrize(
    ("model", "oracle"),
    [
        ("repaid", "Repaid"),
        ("1", "1.0"),
        ("yes", "Yes "),
        (1, "1.0"),
        ("not_spam", "not spam"),
        ("true", "TRUE"),
        ("not-spam", "not_spam"),
        ("yes", "Yes."),
        ("yes", '"yes"'),
        ("yes", "y\u200bes"),
        ("yes", "\uff39\uff25\uff33"),
        ("\x1b[31mred", "\x1b[31mRED"),
    ],
)
def test_labels_that_differ_in_spelling_alone_are_named_once(tmp_path, model, oracle):
    with study_of(tmp_path, [model] * SIZE) as study:
        (said,) = warned(lambda: study.run(lambda item: oracle))
        assert said.startswith("3 failures so far differ in spelling alone, as in ")
        assert f"{model!r} by the model and {oracle!r} by the oracle" in said
        assert study.notices == (said,)
        assert study.finding().failures == 10, "they count as what they are, and the run goes on"
        study.set_budget(12)
        assert warned(lambda: study.run(lambda item: oracle)) == []
    with Study.open(tmp_path / "s", pool=pool([model] * SIZE), model="said") as again:
        again.set_budget(14)
        assert len(warned(lambda: again.run(lambda item: oracle))) == 1, "whoever comes back is told again"


@pytest.mark.parametrize("oracle", ["repaid", " repaid ", "lost", "repaid-", "-repaid"])
def test_what_is_the_same_or_another_label_is_no_matter_of_spelling(tmp_path, oracle):
    with study_of(tmp_path, ["repaid"] * SIZE) as study:
        assert warned(lambda: study.run(lambda item: oracle)) == []
        assert study.notices == ()


def test_true_failures_in_between_do_not_hide_it(tmp_path):
    said = iter(["Repaid", "lost", "lost", "Repaid", "lost", "Repaid", *["lost"] * 20])
    with study_of(tmp_path, ["repaid"] * SIZE) as study:
        (warning,) = warned(lambda: study.run(lambda item: next(said)))
        assert warning.startswith("3 failures so far")
        assert study.finding().failures == 10


def test_spellings_that_both_sides_use_both_are_two_labels(tmp_path):
    """Readers of letters: each says both of them before three were mistaken."""
    oracle = {f"i{place}": "cC"[place % 2] for place in range(SIZE)}
    model = ["cC"[(place + (place % 5 == 0)) % 2] for place in range(SIZE)]
    with study_of(tmp_path, model, budget=SIZE) as study:
        assert warned(lambda: study.run(lambda item: oracle[item["id"]])) == []
        assert study.finding().failures == 6


def test_spellings_that_were_declared_are_two_labels(tmp_path):
    with study_of(tmp_path, ["c"] * SIZE, labels=["c", "C"]) as study:
        assert warned(lambda: study.run(lambda item: "C")) == []


@pytest.mark.parametrize("careless", ["oracle", "model"])
def test_one_side_that_writes_now_so_now_so_is_warned_of(tmp_path, careless):
    """A person who types a label in two ways, or a model that does, is the likeliest of all."""
    mixed, plain = ["Repaid", "repaid"] * (SIZE // 2), ["repaid"] * SIZE
    said, told = (plain, iter(mixed)) if careless == "oracle" else (mixed, iter(plain))
    with study_of(tmp_path, said, budget=SIZE) as study:
        (warning,) = warned(lambda: study.run(lambda item: next(told)))
        assert "'Repaid'" in warning
        assert "'repaid'" in warning


def test_answers_that_people_tell_are_looked_at_too(tmp_path):
    with study_of(tmp_path, ["repaid"] * SIZE) as study:
        first, *rest = study.ask(4)
        assert warned(lambda: study.tell(first, "Repaid")) == []
        assert len(warned(lambda: study.tell_all([(one, "Repaid") for one in rest]))) == 1


def test_a_hunt_is_watched(tmp_path):
    items = pool(["repaid"] * SIZE)
    question = Blind.of(items, model="said", score="sure", features=["x"])
    with Study.create(tmp_path / "s", pool=items, model="said", question=question, budget=5) as study:
        (said,) = warned(lambda: study.run(lambda item: "REPAID"))
        assert "'repaid' by the model and 'REPAID' by the oracle" in said


def test_new_answers_are_compared_with_old_ones(tmp_path):
    old = ["good", "bad"] * 30
    items = pool(old)
    question = Changed.of(items, old="said", noise=0.0, error=0.05)
    with Study.create(
        tmp_path / "s", pool=items, question=question, budget=12,
        model=lambda rows: [row["said"].title() for row in rows],
    ) as study:  # fmt: skip
        (said,) = warned(study.run)
        assert said.startswith("3 changes so far differ in spelling alone")
        assert " before and " in said


def test_a_search_for_mismatches_is_watched_and_measurements_are_not(tmp_path):
    space = SearchSpace.from_table({"name": "line", "parameters": {"x": {"low": 0.0, "high": 1.0}}})
    for name, deviation, model, gold, times in (
        ("labels", "mismatch", "cat", "Cat", 1),
        ("numbers", "absolute", 1.5, 1.6, 0),
    ):
        question = Worst(space, evaluations=5, deviation=deviation)
        with Study.create(
            tmp_path / name, question=question, model=lambda rows, said=model: [said] * len(rows)
        ) as study:
            assert len(warned(lambda study=study, gold=gold: study.run(lambda item: gold))) == times


def test_a_panel_refuses_another_spelling_at_once(tmp_path):
    """Its labels are known: what is none of them is no answer, so that nothing need be guessed from three."""
    rows = [[f"i{place}", *["good" if (place + judge) % 3 else "bad" for judge in range(3)]] for place in range(SIZE)]
    with open(tmp_path / "votes.csv", "w", newline="") as file:
        csv.writer(file).writerows([["id", "ann", "bob", "cyd"], *rows])
    sketch = read_votes(tmp_path / "votes.csv")
    options = {"labels": list(sketch.labels), "model": PanelModel(sketch.judges), "question": Judges(sketch)}
    study = Study.create(tmp_path / "s", pool=tmp_path / "votes.csv", budget=9, **options)
    with study, pytest.raises(InvalidInput, match=r"'Good'.*not a known label \(bad, good\)"):
        study.run(lambda item: "Good")
