"""An oracle is not shown what the model says, whoever it is and whatever is asked, unless the user wants it to be."""

import json
import sys

import numpy as np
import pytest

from ringtrue.blind import Blind
from ringtrue.core import InvalidInput, Reply
from ringtrue.judges import Judges
from ringtrue.models import ColumnModel, PanelModel
from ringtrue.oracles import FunctionOracle, ProcessOracle
from ringtrue.pools import TablePool, read_votes
from ringtrue.risk import Risk
from ringtrue.study import Study
from ringtrue.worst import Worst
from ringtrue.worst.spaces import SearchSpace

SIZE = 60
SECRET = {"said", "p_cat", "p_dog", "sure"}
VOTES = {"ann", "bob", "cyd"}


@pytest.fixture
def pool():
    rng = np.random.default_rng(0)
    truth = rng.choice(["cat", "dog"], SIZE)
    chance = rng.uniform(0.6, 0.9, SIZE)
    table = {"id": np.array([f"i{place}" for place in range(SIZE)]), "x": rng.normal(size=SIZE)}
    table |= {"said": truth, "p_cat": chance, "p_dog": 1 - chance, "sure": chance, "truth": truth}
    return TablePool(table | {judge: rng.choice(["cat", "dog"], SIZE) for judge in VOTES}, name="pets")


def made(folder, pool, question, model="said", **options):
    return Study.create(folder / "s", pool=pool, model=model, question=question, budget=6, **options)


MODEL = ColumnModel("said", probabilities={"cat": "p_cat", "dog": "p_dog"})


class Whole:
    """An oracle of the user's own: it is given queries."""

    def __init__(self):
        self.seen = []

    def answer(self, queries):
        self.seen += [set(query.item.values) for query in queries]
        return [Reply(str(query.item.values["truth"])) for query in queries]


def spy(kind):
    """An oracle of this kind, and what it was shown."""
    if kind == "object":
        oracle = Whole()
        return oracle, oracle.seen
    seen = []

    def label(values):
        seen.append(set(values))
        return values["truth"]

    return (label if kind == "function" else FunctionOracle(label, rater="ana")), seen


@pytest.mark.parametrize("kind", ["function", "function oracle", "object"])
@pytest.mark.parametrize("asked", ["risk", "risk by confidence", "blind"])
def test_the_models_columns_are_hidden_unless_they_are_wanted(tmp_path, pool, kind, asked):
    hidden = {"said", "p_cat", "p_dog"} | (set() if asked == "risk" else {"sure"})
    question = {
        "risk": lambda: Risk(),
        "risk by confidence": lambda: Risk(confidence="sure"),
        "blind": lambda: Blind.of(pool, model=MODEL, score="sure", features=["x"], threshold=0.5),
    }[asked]()
    for show in (False, True):
        (tmp_path / str(show)).mkdir()
        oracle, seen = spy(kind)
        with made(tmp_path / str(show), pool, question, MODEL) as study:
            study.run(oracle, show_model=show)
        shown = set(pool.columns) if show else set(pool.columns) - hidden
        assert len(seen) == 6
        assert all(one == shown for one in seen)


def test_the_votes_are_hidden_from_who_labels_for_a_panel(tmp_path, pool):
    oracle, seen = spy("function")
    rows = [[str(item.values[name]) for name in ("id", *sorted(VOTES))] for item in pool.take(range(SIZE))]
    (tmp_path / "votes.csv").write_text("\n".join(map(",".join, [["id", *sorted(VOTES)], *rows])))
    sketch = read_votes(tmp_path / "votes.csv")
    with made(tmp_path, pool, Judges(sketch), PanelModel(sketch.judges), labels=["cat", "dog"]) as study:
        study.run(oracle)
    assert seen == [set(pool.columns) - VOTES] * 6


def test_a_program_is_not_shown_them_either(tmp_path, pool):
    code = (
        "import json, sys\nfor line in sys.stdin:\n item = json.loads(line)\n"
        " print(json.dumps(item), file=open('seen', 'a'))\n print(json.dumps(item['truth']), flush=True)\n"
    )
    (tmp_path / "gold.py").write_text(code.replace("'seen'", repr(str(tmp_path / "seen"))))
    oracle = ProcessOracle([sys.executable, str(tmp_path / "gold.py")])
    try:
        with made(tmp_path, pool, Risk(confidence="sure"), MODEL) as study:
            study.run(oracle)
    finally:
        oracle.close()
    shown = [set(json.loads(line)) for line in (tmp_path / "seen").read_text().splitlines()]
    assert shown == [set(pool.columns) - SECRET] * 6


def test_people_who_are_asked_by_ask_are_not_shown_them(tmp_path, pool):
    with made(tmp_path, pool, Risk(confidence="sure"), MODEL) as study:
        assert set(study.ask()[0].item.values) == set(pool.columns) - SECRET
        assert set(study.ask(show_model=True)[0].item.values) == set(pool.columns)


def test_a_function_that_looks_at_a_hidden_column_is_told_so(tmp_path, pool):
    with made(tmp_path, pool, Risk()) as study:
        with pytest.raises(InvalidInput, match=r"looks at the column 'said', .*hidden.*show_model=True"):
            study.run(lambda item: item["said"])
        assert study.run(lambda item: item["said"], show_model=True).failures == 0


def test_a_column_is_still_an_oracle_whatever_it_holds(tmp_path, pool):
    with made(tmp_path, pool, Risk()) as study:
        assert study.run("said").failures == 0


def test_a_gold_standard_is_given_a_point_and_nothing_else(tmp_path):
    seen = []

    def gold(values):
        seen.append(set(values))
        return 1.0

    space = SearchSpace.from_table({"name": "line", "parameters": {"x": {"low": 0.0, "high": 1.0}}})
    question = Worst(space, evaluations=4)
    with Study.create(tmp_path / "s", question=question, model=lambda rows: [row["x"] for row in rows]) as study:
        study.run(gold)
    assert seen == [{"x"}] * 4
