"""A report of a real search: what stands beside the finding, and the check that its numbers are right."""

import copy
import json

import pytest

from report.pages import assert_harmless
from ringtrue.report import document, render, verify
from ringtrue.study import Study
from ringtrue.worst import Choice, Integer, Real, SearchSpace, Worst
from support.worst_findings import picture

SPACE = SearchSpace([Real("x", -1.0, 1.0), Integer("n", 1, 4), Choice("kind", ["plain", "odd"])])
TRAINING = {"point": {"x": 0.5, "n": 2, "kind": "odd"}, "task": None, "deviation": 0.1, "rows": 30}


def model(rows):
    return [[row["x"] ** 2, float(row["n"])] for row in rows]


def gold(values):
    return [0.0, values["n"] + (values["x"] if values["kind"] == "odd" else 0.0)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A search of twelve evaluations beside a random one of six and one that measures something else."""
    path = tmp_path_factory.mktemp("worst") / "search.ringtrue"
    questions = [
        Worst(SPACE, evaluations=12, tasks=("square", "count")),
        Worst(SPACE, evaluations=6, tasks=("square", "count"), rule="random", name="at random"),
        Worst(SPACE, evaluations=6, deviation="rmse", rule="sobol", name="all in one"),
    ]
    with Study.create(path, question=questions, model=model, budget=24) as study:
        for question in questions:
            study.run(gold, question=question.name)
        study.keep("training", TRAINING)
        study.keep("picture", picture(4))
        study.keep("something else", {"secret": 1})
        return json.loads(json.dumps(document(study, question="worst"), allow_nan=False))


def test_other_searches_of_the_same_deviation_are_curves_beside_it(made):
    (name, curve), *more = made["computed"]["baselines"].items()
    assert (name, more) == ("at random", [])
    values = [entry["value"] for entry in made["records"] if entry["question"] == "at random"]
    said = [entry["said"] for entry in made["records"] if entry["question"] == "at random"]
    largest = [
        max(abs(a - b) for a, b in zip(one, other, strict=True)) for one, other in zip(values, said, strict=True)
    ]
    assert curve["answer"] == [1, 2, 3, 4, 5, 6]
    assert curve["best"] == pytest.approx([max(largest[: place + 1]) for place in range(6)])


def test_what_was_kept_stands_beside_it_under_a_hash_of_its_own(made):
    assert made["kept"] == {"training": TRAINING, "picture": picture(4)}
    assert verify(made).agrees
    (difference,) = verify({**made, "kept": {"picture": picture(4)}}).differences
    assert difference.startswith("hashes.kept says")


def test_every_number_is_recomputed(made):
    changed = copy.deepcopy(made)
    finding, others = changed["computed"]["finding"], changed["computed"]["baselines"]
    finding["worst"]["deviation"] *= 1.001
    finding["slices"][0]["mean"][3] *= 1.001
    others["at random"]["best"][5] *= 1.001
    assert [one.split(" says")[0] for one in verify(changed).differences] == [
        "computed.baselines.at random.best[5]",
        "computed.finding.slices[0].mean[3]",
        "computed.finding.worst.deviation",
    ]


def test_an_answer_that_was_changed_is_found(made):
    changed = copy.deepcopy(made)
    changed["records"][3]["value"][0] += 1.0
    assert any(one.startswith("hashes.answers says") for one in verify(changed).differences)


def test_the_page_tells_it(made, undrawn):
    page = assert_harmless(render(made))
    words = " ".join(page.text.split())
    assert made["computed"]["finding"]["sentence"] in words
    assert "12; the others belong to other searches of this study" in words
    assert "The worst of the training set deviates by 0.1, among 30 rows." in words
    assert "Beside it other searches of this study." in words
    assert made["hashes"]["kept"] in words
    assert made["computed"]["failures"] == []


def test_nothing_of_it_before_the_first_answer(tmp_path):
    with Study.create(tmp_path / "s.ringtrue", question=Worst(SPACE, evaluations=9), model=model, budget=9) as study:
        made = json.loads(json.dumps(document(study), allow_nan=False))
    assert not {"kept", "compared"} & set(made)
    assert verify(made).agrees
    assert "nothing to draw" in render(made)
