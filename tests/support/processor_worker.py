"""Writes, verifies and goes on with small studies of every question; run as on some kind of processor.

write FOLDER: a JSON twin of each question; then begins studies, the last of which is killed in the middle.
go-on FOLDER FOLDER…: goes on with what was begun in the first folder, and writes the twins of these studies, too; then
prints a line for each twin that was written in any folder: where, its name, and whether it agrees.
"""

import json
import math
import os
import signal
import sys
from pathlib import Path

import numpy as np

from ringtrue.blind import Blind, Distance
from ringtrue.changed import Changed
from ringtrue.core import ABSTAINED, Sketch
from ringtrue.judges import Judges
from ringtrue.models import EstimatorModel, PanelModel
from ringtrue.pools import TablePool
from ringtrue.report import document, verify
from ringtrue.report._write import panel_document
from ringtrue.risk import Risk
from ringtrue.study import Study
from ringtrue.worst import Choice, Real, SearchSpace, Worst

SPACE = SearchSpace([Real("x", 0, 1), Real("y", 0, 1)])
MIXED = SearchSpace([Real("x", -1, 1), Choice("kind", ["plain", "odd"])])
EVALUATIONS, BEGUN = 14, 5
WRITTEN = ("worst", "worst mixed", "risk", "risk by doubt", "changed", "judges", "panel of judges", "blind")


def architecture():
    """What the linear algebra of this process takes the processor for."""
    from threadpoolctl import threadpool_info

    return {entry.get("architecture") for entry in threadpool_info() if entry["internal_api"] == "openblas"}


def flat(rows):
    return [0.0 for _ in rows]


def hills(values):
    """Two hills, the larger at (0.3, 0.6)."""
    x, y = values["x"], values["y"]
    return math.exp(-((x - 0.3) ** 2 + (y - 0.6) ** 2) / 0.05) + 0.5 * math.sin(5 * x) * y


def both(values):
    return [values["x"] ** 2, math.sin(3 * values["x"]) if values["kind"] == "odd" else 0.2]


def save(folder, name, made):
    (folder / f"{name}.json").write_text(json.dumps(made, allow_nan=False))


def finish(folder, name, study, oracle=None):
    study.run(*[] if oracle is None else [oracle])
    save(folder, name, document(study))


def searches(folder):
    question = Worst(SPACE, evaluations=EVALUATIONS, claim="deviation <= 3 at 95%")
    # A seed by which no fitted number stands a rounding away from a measured one: a sentence may be written by either.
    with Study.create(folder / "hills", question=question, model=flat, budget=EVALUATIONS, seed=1) as study:
        finish(folder, "worst", study, hills)
    question = Worst(MIXED, evaluations=12, tasks=("square", "wave"), kernel="matern-5/2")
    model = [[0.0, 0.0]]
    with Study.create(folder / "mixed", question=question, model=lambda rows: model * len(rows), budget=12) as study:
        finish(folder, "worst mixed", study, both)


def table(size=200):
    """Items with two features, a truth, a stored answer that errs near the border, and a confidence."""
    rng = np.random.default_rng(3)
    x = np.round(rng.normal(size=(size, 2)), 6)  # as a file has it: the same on any processor
    margin = x[:, 0] + 0.5 * x[:, 1]
    truth = np.where(margin + 0.3 * rng.normal(size=size) > 0, "yes", "no")
    said = np.where(margin > 0, "yes", "no")
    columns = {
        "a": x[:, 0],
        "b": x[:, 1],
        "truth": truth,
        "said": said,
        "sure": np.round(1 / (1 + np.exp(-2 * abs(margin))), 6),
    }
    votes = {judge: np.where(rng.random(size) < right, truth, said) for judge, right in JUDGES.items()}
    return TablePool({**columns, **votes, "then": np.roll(said, 3)}, name="table")


JUDGES = {"ann": 0.9, "bob": 0.8, "cyd": 0.7}


def fitted():
    """A scikit-learn model of the table, the same bits on any processor: a tree compares and counts."""
    from sklearn.tree import DecisionTreeClassifier

    items = table().take(range(100)).columns
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    return EstimatorModel(tree.fit(np.column_stack([items["a"], items["b"]]), items["truth"]), features=["a", "b"])


def pools(folder):
    items = table()
    with Study.create(folder / "plain", pool=items, model="said", question=Risk("error <= 20%"), budget=25) as study:
        finish(folder, "risk", study, "truth")
    doubt = Risk("error <= 20%", confidence="sure")
    with Study.create(folder / "doubt", pool=items, model="said", question=doubt, budget=25) as study:
        finish(folder, "risk by doubt", study, "truth")
    change = Changed.of(items, old="then", truth="truth", noise=0, claim="change <= 5%", error="1%")
    with Study.create(folder / "swap", pool=items, model="said", question=change, budget=30, batch=10) as study:
        finish(folder, "changed", study)
    votes = panel(items)
    bought = Judges(votes.without("truth"))
    model = PanelModel(tuple(JUDGES), labels=votes.labels)
    with Study.create(folder / "panel", pool=items, model=model, question=bought, budget=20) as study:
        finish(folder, "judges", study, "truth")
    save(folder, "panel of judges", panel_document(votes, name="votes", truth="truth"))


def panel(items):
    """The votes, with the truth of every other item as one more judge."""
    columns, labels = items.take(range(items.size)).columns, ("no", "yes")
    sketch = Sketch([*JUDGES, "truth"], labels)
    for row in range(items.size):
        known = labels.index(columns["truth"][row]) if row % 2 else ABSTAINED
        sketch.count((*(labels.index(columns[judge][row]) for judge in JUDGES), known))
    return sketch


def hunt(items, model):
    return Blind.of(items, "yes", model=model, inputs=["a", "b"], threshold=0.6, distance=Distance("rays", 10))


def begin(folder):
    """Begin a hunt with a fitted model, and a search whose gold standard is killed with all the rest."""
    items, model = table(), fitted()
    with Study.create(folder / "hunt", pool=items, model=model, question=hunt(items, model), budget=8) as study:
        finish(folder, "blind", study, "truth")
    asked = []

    def killed(values):
        asked.append(values)
        if len(asked) > BEGUN:
            os.kill(os.getpid(), signal.SIGKILL)
        return hills(values)

    question = Worst(SPACE, evaluations=EVALUATIONS, claim="deviation <= 1.2 at 95%")
    with Study.create(folder / "search", question=question, model=flat, budget=EVALUATIONS) as study:
        study.run(killed)


def go_on(folder):
    with Study.open(folder / "hunt", pool=table(), model=fitted()) as study:
        study.set_budget(16)
        finish(folder, "hunt gone on", study, "truth")
    with Study.open(folder / "search", model=flat) as study:
        finish(folder, "search gone on", study, hills)


def main(task, *folders):
    places = [Path(folder) for folder in folders]
    if task == "write":
        (folder,) = places
        print(json.dumps(sorted(architecture())), flush=True)
        searches(folder)
        pools(folder)
        begin(folder)
        return
    go_on(places[0])
    for folder in places:
        for name in WRITTEN:
            print(json.dumps([folder.name, name, str(verify(json.loads((folder / f"{name}.json").read_text())))]))


if __name__ == "__main__":
    main(*sys.argv[1:])
