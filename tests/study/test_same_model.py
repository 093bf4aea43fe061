"""A model is known again by all that it answered: one other answer is found, last digits of a number are not."""

import subprocess
import sys

import numpy as np
import pytest

from ringtrue.core import InvalidInput, PlanChanged
from ringtrue.models import differing, is_another
from ringtrue.models._fingerprint import CHANCE
from ringtrue.risk import Risk
from ringtrue.study import Study
from support import ModelAudit, SpaceSearch, UnitSquare, make_pool
from support.old_format import to_format_1
from support.processors import KINDS, environment

SIZE = 40


class Chances:
    """Answers with probabilities by the feature, and counts its calls; `change` alters what it says of an item."""

    name = "chances"
    classes = ("cat", "dog")

    def __init__(self, change=None):
        self.change = change or (lambda item, label, chance: (label, chance))
        self.calls = []

    def answer(self, batch):
        from ringtrue.core import Labels

        self.calls.append(len(batch))
        chance = 1 / (1 + np.exp(-np.asarray(batch.columns["feature"], dtype=float)))
        said = [
            self.change(item, "dog" if one > 0.5 else "cat", one) for item, one in zip(batch.ids, chance, strict=True)
        ]
        return Labels([label for label, _ in said], np.array([[1 - one, one] for _, one in said]), self.classes)


@pytest.fixture
def made(tmp_path):
    """A folder with a study of such a model that has asked about 30 of 40 items."""
    pool = make_pool(tmp_path / "pool.csv", SIZE)
    with Study.create(tmp_path / "s", pool=pool, model=Chances(), question=Risk(), budget=30) as study:
        study.run("truth")
    return tmp_path


def reopened(folder, model):
    return Study.open(folder / "s.ringtrue", pool=folder / "pool.csv", model=model)


def asked(folder):
    """Items that were asked about, beyond the first few by which a model was known before."""
    with Study.open(folder / "s.ringtrue") as study:
        return [record.id for record in study.records if record.row >= 8]


def test_one_other_label_among_all_recorded_is_found_in_one_call(made):
    item = asked(made)[-1]
    model = Chances(lambda one, label, chance: ("cow" if one == item else label, chance))
    with pytest.raises(PlanChanged, match=rf"model is not the one.*1 of 30 recorded answers differ.*item '{item}'"):
        reopened(made, model)
    assert model.calls == [8, 30, 1], "the first few, all that were recorded, and once more where they differ"


def test_another_chance_is_another_model_and_last_digits_are_not(made):
    reopened(made, Chances(lambda one, label, chance: (label, chance + 3e-6))).close()
    with pytest.raises(PlanChanged, match="answers differ"):
        reopened(made, Chances(lambda one, label, chance: (label, chance + (3e-3 if one in asked(made) else 0))))


def test_a_model_that_contradicts_itself_where_it_differs_is_not_taken_for_another(made):
    calls = iter(range(10**6))
    moody = set(asked(made)[:3])
    reopened(
        made, Chances(lambda one, label, chance: (f"mood {next(calls)}" if one in moody else label, chance))
    ).close()


def test_a_model_that_changed_is_found_although_it_contradicts_itself_somewhere(made):
    """One mood among thirty other answers must not pass for all of them."""
    calls, (moody, *_) = iter(range(10**6)), asked(made)
    with pytest.raises(PlanChanged, match="of 30 recorded answers differ"):
        reopened(
            made,
            Chances(
                lambda one, label, chance: (
                    f"mood {next(calls)}" if one == moody else "cow" if one in asked(made) else label, chance
                )
            ),
        )  # fmt: skip


@pytest.mark.parametrize("kind", ["labels", "numbers"])
def test_a_model_that_only_contradicts_itself_is_seldom_taken_for_another(kind):
    """Three answers of one model each to 40 items, over and over; and of one whose every answer moved."""
    rng, told_apart, found = np.random.default_rng(0), 0, 0
    for _ in range(400):
        if kind == "labels":
            answers = np.where(rng.random((3, 40)) < 0.1, "no", "yes")
            moved = np.where(answers == "no", "yes", "no")
        else:
            answers = rng.normal(size=(3, 40))
            moved = answers + 3.0
        for new, counts in ((answers, True), (moved, False)):
            told, said = answers[0].tolist(), new[1].tolist()
            wrong = differing(told, said)
            triple = ([told[one] for one in wrong], [said[one] for one in wrong], new[2][wrong].tolist())
            another = is_another(*triple, fickle=True)
            told_apart, found = told_apart + (another and counts), found + (another and not counts)
    assert told_apart <= 400 * CHANCE + 3 * (400 * CHANCE) ** 0.5
    assert found >= 380


def test_a_model_is_not_compared_without_the_pool(made):
    """An empty list says that all is as it was: it must not come from nothing that was looked at."""
    with Study.open(made / "s.ringtrue") as study:
        with pytest.raises(InvalidInput, match=r"give pool=… too"):
            study.compare(model=Chances())
        assert study.compare(pool=made / "pool.csv", model=Chances()) == []


def test_what_was_never_asked_may_change_in_a_model_that_is_a_function(made):
    """Its answers elsewhere are in no record, and it need not be the pool's to be judged by what was asked."""
    rest = {f"item-{place}" for place in range(8, SIZE)} - set(asked(made))
    reopened(made, Chances(lambda one, label, chance: ("cow" if one in rest else label, chance))).close()


def as_before(path, *, forget=("answers",)):
    """The study as an earlier version wrote it, with the hash of eight answers alone."""

    def change(sequence, payload):
        if sequence == 1:
            payload["model"] = {key: value for key, value in payload["model"].items() if key not in forget}
        return payload

    to_format_1(path, change)


def test_a_study_of_an_earlier_version_goes_on(made):
    as_before(made / "s.ringtrue")
    reopened(made, Chances()).close()
    reopened(made, Chances(lambda one, label, chance: (label, chance + 1e-9))).close()
    item = asked(made)[0]
    with pytest.raises(PlanChanged, match="1 of 30 recorded answers differ"):
        reopened(made, Chances(lambda one, label, chance: ("cow" if one == item else label, chance)))


def test_a_study_of_an_earlier_version_still_knows_labels_by_their_hash(tmp_path):
    pool = make_pool(tmp_path / "pool.csv", SIZE)

    def said(rows, label="cat"):
        return [label] * len(rows)

    def other(rows):
        return said(rows, "dog")

    other.__name__ = "said"
    Study.create(tmp_path / "s", pool=pool, model=said, question=Risk()).close()
    as_before(tmp_path / "s.ringtrue")
    reopened(tmp_path, said).close()
    with pytest.raises(PlanChanged, match="fingerprint was 'said:"):
        reopened(tmp_path, other)


def test_a_paid_model_is_not_asked_when_a_study_is_opened(tmp_path):
    pool, model = make_pool(tmp_path / "pool.csv", SIZE), Chances()
    with Study.create(tmp_path / "s", pool=pool, model=model, question=ModelAudit(), budget=5) as study:
        study.run()
    model.calls.clear()
    Study.open(tmp_path / "s", pool=pool, model=model, questions=[ModelAudit()]).close()
    assert model.calls == []


def test_points_of_a_space_are_compared_too(tmp_path):
    def model(rows, by=0.0):
        return [[row["x"] + row["y"] + by * (row["x"] > 0.5)] for row in rows]

    def other(rows):
        return model(rows, 0.1)

    other.__name__ = "model"
    options = {"space": UnitSquare(), "question": SpaceSearch()}
    with Study.create(tmp_path / "s", model=model, budget=12, **options) as study:
        study.run(lambda item: [item["x"]])
    again = {"space": UnitSquare(), "questions": [SpaceSearch()]}
    Study.open(tmp_path / "s", model=model, **again).close()
    with pytest.raises(PlanChanged, match="of 12 recorded answers differ"):
        Study.open(tmp_path / "s", model=other, **again)


@pytest.mark.parametrize(
    ("was", "now", "same"),
    [
        ("cat", {"label": "cat", "probabilities": {"cat": 0.9}, "guess": 1.0}, True),
        ({"label": 1, "note": 3}, "1", True),
        ("cat", "Cat", False),
        (1.0, 2.0, False),
        (1e6 + 1.0, 1e6 + 2.0, False),
        (0.1 + 0.2, 0.3, True),
        ([0.5, 2.0], [0.5, 2.0 + 1e-9], True),
        ([0.5, 2.0], [0.5], False),
        ([0.5], [0.5001], False),
        ({"votes": {"ann": "a", "bob": None}, "stratum": 2}, {"votes": {"ann": "a", "bob": None}}, True),
        ({"votes": {"ann": "a"}}, {"votes": {"ann": "b"}}, False),
        ({"label": "a", "probabilities": {"a": 0.7}}, {"label": "a", "probabilities": {"b": 0.7}}, False),
    ],
)
def test_which_answers_are_the_same(was, now, same):
    assert differing([was], [now]) == ([] if same else [0])


PROGRAM = """
import sys
import numpy as np
from ringtrue.models import EstimatorModel
from ringtrue.risk import Risk
from ringtrue.study import Study
from ringtrue.pools import TablePool

rng = np.random.default_rng(0)
names = [f"x{place}" for place in range(120)]
table = rng.normal(size=(400, 120))
weights = rng.normal(size=(120, 3)) / 9

class Linear:  # its weights are given: fitting would differ from one processor to the next as well
    classes_ = np.array([0, 1, 2])

    def predict_proba(self, table):
        chances = np.exp(np.asarray(table, dtype=float) @ weights)
        return chances / chances.sum(axis=1, keepdims=True)

    def predict(self, table):
        return self.classes_[self.predict_proba(table).argmax(axis=1)]

pool = TablePool({**dict(zip(names, table.T)), "truth": rng.integers(0, 3, 400)}, name="table")
model = EstimatorModel(Linear(), features=names)
print(model.answer(pool.take(range(60))).probabilities.tobytes().hex())
if sys.argv[1] == "make":
    study = Study.create("s", pool=pool, model=model, question=Risk(), budget=20)
else:
    study = Study.open("s", pool=pool, model=model)
    study.set_budget(study.status().answered + 10)
study.run("truth")
print(study.status().answered, file=sys.stderr)
"""


def on(kind, what, folder):
    """Make or go on with the study of a linear model as on that processor, and return its answers, to the bit."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, what], capture_output=True, text=True, cwd=folder, env=environment(kind)
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, int(done.stderr)


@pytest.mark.skipif(len(KINDS) < 2, reason="this processor can stand for no other: it is no x86 of Linux")
def test_a_study_begun_on_one_processor_goes_on_on_another(tmp_path):
    if len(KINDS) < 2:
        pytest.skip("this processor can stand for no other kind: nothing was tried")
    answers, answered = on(KINDS[0], "make", tmp_path)
    others = [on(kind, "go on", tmp_path) for kind in KINDS[1:]]
    assert (answered, *(number for _, number in others)) == (20, *range(30, 30 + 10 * len(others), 10))
    if all(one == answers for one, _ in others):
        pytest.skip("this machine's linear algebra knows one processor alone: nothing was tried")
