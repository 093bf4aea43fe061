"""A search that may ask the model at will: what it asks, what it finds, and where it must not."""

from __future__ import annotations

import numpy as np
import pytest

from ringtrue.core import Batch, InvalidInput, Model, Vectors, View
from ringtrue.report import verify_report, write_report
from ringtrue.study import Study
from ringtrue.worst import AtMost, Choice, Integer, Real, SearchSpace, Worst, simulate
from ringtrue.worst._seen_model import SPREAD
from ringtrue.worst._sighted import QUERIES, _root_mean_square

CUBE = SearchSpace([Real(f"x{axis}", 0, 1) for axis in range(4)])


def smooth(values):
    """A gold standard that a few evaluations tell much of."""
    x = np.array([values[f"x{axis}"] for axis in range(4)])
    return float(np.sin(3 * x[0] + x[1]) + x[2] ** 2 - x[3])


def stepped(values):
    """Its model is a stair, and stops short of one corner."""
    near = {name: np.floor(4 * min(value, 0.999)) / 4 + 0.125 for name, value in values.items()}
    return smooth(near) + (0.7 if min(values.values()) > 0.8 else 0.0)


class Counted(Model):
    """A model that counts what it is asked, on this machine or behind an address."""

    name = "counted"

    def __init__(self, *, remote=False):
        self.remote, self.asked = remote, 0

    def answer(self, batch: Batch) -> Vectors:
        self.asked += len(batch)
        return Vectors(np.array([[stepped(item.values)] for item in batch]))


def test_the_kinks_of_a_model_are_seen_and_not_learnt():
    """Over the corner that is off, found in 24 evaluations by seeing it, and hardly ever by learning the deviation."""
    found = {
        queries: [
            simulate(Worst(CUBE, evaluations=24, model_queries=queries), smooth, model=stepped, seed=seed).best[-1]
            for seed in range(3)
        ]
        for queries in (None, 0)
    }
    corner = max(abs(stepped(dict.fromkeys(CUBE.names, x)) - smooth(dict.fromkeys(CUBE.names, x))) for x in (0.81, 1.0))
    assert all(largest >= corner for largest in found[None])
    assert np.mean(found[None]) > np.mean(found[0])


@pytest.mark.parametrize(("queries", "most"), [(None, QUERIES), (64, 64), (0, 0)])
def test_the_model_is_asked_no_more_than_is_said(tmp_path, queries, most):
    model = Counted()
    question = Worst(CUBE, evaluations=12, model_queries=queries)
    with Study.create(tmp_path / "s", question=question, model=model, budget=12) as study:
        before = model.asked
        finding = study.run(smooth)
        asked = model.asked - before
        write_report(study, tmp_path / "s.html")
    assert asked <= (SPREAD if most else 0) + 12 * (most + 1)
    assert (asked > SPREAD // 2) == bool(most)
    chosen = sum(finding.to_json()["path"].get("seen", ()))
    assert 0 < chosen < 12 if most else not chosen
    page = (tmp_path / "s.html").read_text("utf-8")
    assert (f"gold standard itself: {chosen} evaluations." in page) == bool(most)
    assert verify_report(tmp_path / "s.json").agrees


@pytest.mark.parametrize(("queries", "asked"), [(None, False), (16, True)])
def test_a_model_behind_an_address_is_asked_at_will_only_if_the_user_says_so(tmp_path, queries, asked):
    model = Counted(remote=True)
    question = Worst(CUBE, evaluations=10, model_queries=queries)
    with Study.create(tmp_path / "s", question=question, model=model, budget=10) as study:
        study.run(smooth)
    assert (model.asked > SPREAD // 2) == asked


@pytest.mark.parametrize(
    "settings",
    [{"priced": "alone", "rule": "exp3bo"}, {"rule": "random"}, {"edition": 1}, {"model_queries": 0}],
    ids=["published", "learns nothing", "earlier", "told not to"],
)
def test_who_must_not_ask_does_not(settings):
    def refuse(_):
        raise AssertionError("it asked")

    question = Worst(CUBE, evaluations=12, **settings)
    records = simulate(question, smooth).records[:11]
    view = View(0, 11, 0, frozenset(), records, question.space, ask=refuse)
    assert len(question.policy.propose(view, 1)) == 1


def test_a_study_of_an_earlier_version_goes_on_as_it_began():
    config = Worst(CUBE, evaluations=60).config()
    assert config["edition"] == 2
    earlier = Worst.from_config({key: value for key, value in config.items() if key != "edition"})
    assert (earlier.plan.edition, earlier.plan.confirming, earlier.plan.sees_model) == (1, 5, False)
    assert [earlier.plan.phase(place) for place in range(12, 20)].count("check") == 2


def test_a_number_of_queries_below_zero_is_refused():
    with pytest.raises(InvalidInput, match="model_queries=-1 must be a whole number"):
        Worst(CUBE, evaluations=10, model_queries=-1)


@pytest.mark.parametrize("batch", [1, 3])
def test_every_kind_of_parameter_and_constraint_is_kept(batch):
    space = SearchSpace(
        [Real("x", 0, 1), Integer("n", 1, 5), Choice("kind", ["a", "b"])], constraints=[AtMost({"x": 1, "n": 1}, 4.5)]
    )
    trace = simulate(
        Worst(space, evaluations=20),
        lambda values: values["x"] * values["n"],
        model=lambda values: values["x"] * values["n"] + (values["kind"] == "b") * values["n"],
        batch=batch,
    )
    points = [space.values(record.point) for record in trace.records]
    assert all(point["x"] + point["n"] <= 4.5 for point in points)
    assert trace.best[-1] == pytest.approx(4.0)
    assert len({record.point for record in trace.records}) == 20


def test_all_outputs_folded_into_one_are_searched_by_each():
    space = SearchSpace([Real("x", 0, 1), Real("y", 0, 1)])
    trace = simulate(
        Worst(space, deviation="rmse", evaluations=24),
        lambda values: [values["x"] ** 2, values["y"], 1.0],
        model=lambda values: [values["x"] ** 2, values["y"] + (values["x"] > 0.9), 1.0 - values["y"] ** 3],
    )
    assert trace.best[-1] == pytest.approx(np.sqrt(2 / 3), rel=1e-2)


def test_the_root_mean_square_of_gaussians_has_about_these_moments():
    rng = np.random.default_rng(3)
    mean, sd = rng.normal(size=(4, 15)), rng.uniform(0.1, 0.5, size=(4, 15))
    drawn = np.sqrt(np.mean((mean + sd * rng.standard_normal((40_000, 4, 15))) ** 2, axis=-1))
    about, spread = _root_mean_square(mean, sd)
    assert about == pytest.approx(drawn.mean(axis=0), rel=2e-2)
    assert spread == pytest.approx(drawn.std(axis=0), rel=1e-1)


def test_a_model_without_an_answer_somewhere_is_searched_elsewhere(tmp_path):
    """A corner that it has no number for must not end a study, nor draw it."""

    def patchy(rows):
        return [[float("nan") if min(row.values()) > 0.85 else stepped(row)] for row in rows]

    question = Worst(CUBE, evaluations=16)
    with Study.create(tmp_path / "s", question=question, model=patchy, budget=16) as study:
        finding = study.run(smooth)
        points = [record.point for record in study.records]
    assert finding.answers == 16
    assert all(min(point) <= 0.85 for point in points)


@pytest.mark.parametrize("edition", [0, 3, "2"])
def test_an_edition_that_is_not_there_is_refused(edition):
    with pytest.raises(InvalidInput, match="edition="):
        Worst(CUBE, evaluations=10, edition=edition)


def test_what_was_given_up_draws_the_search_no_more_than_what_the_model_says(tmp_path):
    """The oracle cannot tell of the corner that looks worst: the search turns elsewhere."""
    question = Worst(CUBE, evaluations=25)
    with Study.create(tmp_path / "s", question=question, model=Counted(), budget=25) as study:
        finding = study.run(lambda values: None if min(values.values()) > 0.75 else smooth(values))
        lost = [record for record in study.records if record.state == "abandoned"]
    assert finding.worst is not None
    assert len(lost) <= 12
