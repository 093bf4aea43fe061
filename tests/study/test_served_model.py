"""A model behind an address in a study: how often it contradicts itself, and whether it is still the one it was."""

import itertools

import numpy as np
import pytest

from ringtrue.core import Labels, Model, PlanChanged, RingtrueWarning
from ringtrue.report import verify_report, write_report
from ringtrue.risk import Risk
from ringtrue.study import Study
from support import ModelAudit, make_pool
from support.old_format import to_format_1

SIZE = 40


class Served(Model):
    """A remote model that says of each item what `say` gives for its row and the number of the call."""

    remote = True
    name = "url models.example/m"

    def __init__(self, say=lambda row, call: "cat", served=None):
        self.say, self.calls, self.versions = say, [], served or {}

    def answer(self, batch):
        self.calls.append(len(batch))
        rows = [int(item.rpartition("-")[2]) for item in batch.ids]
        return Labels([self.say(row, len(self.calls)) for row in rows])


def made(folder, model):
    pool = make_pool(folder / "pool.csv", SIZE)
    return Study.create(folder / "s", pool=pool, model=model, question=Risk(), budget=5)


def reopened(folder, model):
    return Study.open(folder / "s.ringtrue", pool=folder / "pool.csv", model=model)


def moody(rows):
    """A model that answers these rows otherwise at each call."""
    return lambda row, call: f"mood {call}" if row in rows else "cat"


def test_twenty_items_are_asked_about_and_the_first_ten_twice(tmp_path):
    model = Served(served={"model_version": "3"})
    with made(tmp_path, model) as study:
        described = study.plan["model"]
        assert study.notices == study.caveats == ()
    assert model.calls == [1, 20, 10], "whether it gives labels, who it is, and whether it repeats itself"
    assert (described["twice"], described["contradicted"]) == (10, 0)
    assert described["answers"] == ["cat"] * 20
    assert described["versions"] == {"model_version": "3"}
    model.calls.clear()
    reopened(tmp_path, model).close()
    assert model.calls == [20]


SENTENCE = "asked twice about 10 items, the model contradicted itself on 3"


def test_how_often_it_contradicts_itself_is_said_wherever_the_study_is_told_of(tmp_path):
    with pytest.warns(RingtrueWarning, match=SENTENCE):
        study = made(tmp_path, Served(moody({1, 4, 9, 15})))
    with study:
        assert study.notices == (SENTENCE,)
        study.run("truth")
        page, twin = write_report(study, tmp_path / "r.html")
    assert SENTENCE in page.read_text()
    assert verify_report(twin).agrees
    with Study.open(tmp_path / "s.ringtrue") as study:
        assert study.notices == (SENTENCE,), "also when it is only read"


def test_a_report_says_that_a_model_repeated_itself_and_its_version(tmp_path):
    with made(tmp_path, Served(served={"model_version": "<3>"})) as study:
        study.run("truth")
        page, twin = write_report(study, tmp_path / "r.html")
    text = page.read_text()
    assert "asked twice about 10 items, the model repeated itself" in text
    assert "model_version &lt;3&gt;" in text
    assert verify_report(twin).agrees


def test_a_model_that_changed_stops_the_study_if_it_repeated_itself(tmp_path):
    made(tmp_path, Served()).close()
    other = Served(lambda row, call: "dog" if row == 17 else "cat")
    with pytest.raises(PlanChanged, match="1 of 20 first answers differ, such as that to item 'item-17'"):
        reopened(tmp_path, other)


@pytest.mark.filterwarnings("ignore:asked twice:ringtrue.core.RingtrueWarning")
def test_a_model_that_changed_is_a_warning_if_it_never_repeated_itself(tmp_path):
    made(tmp_path, Served(moody({1, 2}))).close()
    other = Served(lambda row, call: f"mood {call}" if row in {1, 2} else "dog")
    with pytest.warns(RingtrueWarning, match="seems to have changed.*20 of 20 first answers differ"):
        study = reopened(tmp_path, other)
    assert any("seems to have changed" in notice for notice in study.notices)
    study.close()


@pytest.mark.filterwarnings("ignore::ringtrue.core.RingtrueWarning")
def test_a_model_that_only_contradicts_itself_is_not_taken_for_another(tmp_path):
    """Each answer is one of two at random: by chance one opening in a hundred says that it changed."""
    rng = np.random.default_rng(1)
    model = Served(lambda row, call: rng.choice(["cat", "dog"]).item())
    made(tmp_path, model).close()
    warned = 0
    for _ in range(30):
        with reopened(tmp_path, model) as study:
            warned += len(study.notices) > 1
    assert warned <= 3


def test_another_version_with_the_same_answers_is_a_warning(tmp_path):
    made(tmp_path, Served(served={"model_version": "3"})).close()
    reopened(tmp_path, Served(served={"model_version": "3"})).close()
    with pytest.warns(RingtrueWarning, match=r"another version \(model_version was '3', now '4'\).*as they were"):
        study = reopened(tmp_path, Served(served={"model_version": "4"}))
    assert len(study.notices) == 1
    study.close()
    reopened(tmp_path, Served()).close()  # a server that tells nothing any more says nothing new


def test_a_paid_model_is_asked_nothing_for_free(tmp_path):
    pool, model = make_pool(tmp_path / "pool.csv", SIZE), Served()
    with Study.create(tmp_path / "s", pool=pool, model=model, question=ModelAudit(), budget=5) as study:
        assert model.calls == []
        assert study.plan["model"] == {"name": model.name, "fingerprint": model.name}
        study.run()
    model.calls.clear()
    Study.open(tmp_path / "s", pool=pool, model=model, questions=[ModelAudit()]).close()
    assert model.calls == []


def test_a_study_of_before_is_compared_by_its_eight_answers(tmp_path):
    made(tmp_path, Served()).close()

    def change(sequence, payload):
        if sequence == 1:
            kept = {"name", "fingerprint", "answers"}
            payload["model"] = {key: value for key, value in payload["model"].items() if key in kept}
            payload["model"]["answers"] = payload["model"]["answers"][:8]
        return payload

    to_format_1(tmp_path / "s.ringtrue", change)
    model = Served(lambda row, call: "dog" if row == 17 else "cat")
    with reopened(tmp_path, model) as study:
        assert study.notices == ()
    assert model.calls == [8]


def test_a_model_in_this_process_says_how_often_it_contradicts_itself_too(tmp_path):
    calls = itertools.count()

    def fickle(rows):
        call = next(calls)
        return [f"mood {call}" if place == 0 else "cat" for place in range(len(rows))]

    with pytest.warns(RingtrueWarning, match="asked twice about 8 items, the model contradicted itself on 1"):
        study = made(tmp_path, fickle)
    assert "answers" not in study.plan["model"]
    study.close()
