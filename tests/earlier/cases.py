"""One small study of every question, in words that every version of ringtrue understands."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringtrue.blind import Blind
from ringtrue.changed import Changed
from ringtrue.core import Batch, Labels, Sketch
from ringtrue.judges import Judges
from ringtrue.models import PanelModel
from ringtrue.pools import TablePool
from ringtrue.risk import Risk
from ringtrue.risk.profiles import ProfileWeights
from ringtrue.study import Study
from ringtrue.worst import Real, SearchSpace, Worst

SIZE = 90
JUDGES = ("ann", "label", "cyd")
"""One judge has the name under which a plain model's label was kept."""


def pool():
    """Items whose content is arithmetic, so that they are the same everywhere and always."""
    rows = np.arange(SIZE)
    x, sure, turn = (rows * 37 % 101) / 101, 0.5 + 0.49 * (rows * 29 % 97) / 97, rows * 53 % 100
    truth = np.where(x < 0.5, "no", "yes")
    other = np.where(x < 0.5, "yes", "no")
    columns = {
        "id": np.array([f"item-{row}" for row in rows]),
        "x": x,
        "sure": sure,
        "truth": truth,
        "said": np.where(turn < np.where(sure < 0.65, 70, 8), other, truth),
        "old": np.where(turn < 12, other, truth),
        "new": np.where((turn > 70) & (x > 0.3), other, truth),
        "kind": np.where(rows % 3 == 0, "rare", "common"),
        "region": np.array(["north", "south", "east"])[rows % 7 % 3],
    }
    for place, judge in enumerate(JUDGES):
        wrong = (rows * (17 + 6 * place) + 5 * place) % 100 < 10 + 6 * place
        votes = np.where(wrong, other, truth).astype(object)
        votes[(rows * 31 + place) % 23 == 0] = None
        columns[judge] = votes
    return TablePool(columns, name="arithmetic")


class Unsure:
    """A model that gives probabilities with its labels."""

    name = "unsure"
    classes = ("no", "yes")

    def answer(self, batch: Batch) -> Labels:
        labels = [str(label) for label in batch.columns["said"]]
        sure = np.asarray(batch.columns["sure"], dtype=float)
        chance = np.where(np.array(labels) == "yes", sure, 1 - sure)
        return Labels(labels, np.column_stack([1 - chance, chance]), self.classes)


def line(rows):
    """A model of two outputs."""
    return [[2 * row["x"], row["y"]] for row in rows]


def bent(values):
    """What the outputs should be."""
    return [2 * values["x"] + 0.8 * values["x"] ** 4, values["y"] - 0.3 * values["x"] * values["y"]]


def one_output(values):
    """What the output should be that is asked about."""
    return bent(values)[OUTPUTS.index(values["task"])]


def sketch():
    """The votes of the pool, counted."""
    votes = [pool().take(range(SIZE)).columns[judge].tolist() for judge in JUDGES]
    labels = ("no", "yes")
    return Sketch(
        JUDGES,
        labels,
        Counter(tuple(-1 if v is None else labels.index(v) for v in row) for row in zip(*votes, strict=True)),
    )


OUTPUTS = ("first", "second")
BOX = SearchSpace([Real("x", 0, 1), Real("y", 0, 2)], name="box")


@dataclass(frozen=True)
class Case:
    """A study: what is asked, of whom, and after how many labels it is half done and done."""

    questions: tuple[Any, ...]
    oracle: Any = "truth"
    model: Any = "said"
    half: int = 14
    done: int = 32
    batch: int = 3
    in_space: bool = False

    def create(self, path):
        """Make the study, with a budget for its first half."""
        return Study.create(
            path,
            pool=None if self.in_space else pool(),
            model=self.model,
            question=list(self.questions),
            budget=self.half,
            batch=self.batch,
            seed=7,
        )

    def open(self, path):
        """Come back to it; the questions are made from the journal."""
        return Study.open(path, pool=None if self.in_space else pool(), model=self.model)

    @staticmethod
    def read(path):
        """Open it with nothing beside it."""
        return Study.open(path)

    def run(self, study):
        """Ask the last question until the budget is spent."""
        last = self.questions[-1]
        study.run(None if last.responder == "model" else self.oracle, question=last.name)

    def begin(self, path):
        """Ask half of it; then one query is answered twice, one is given up, and one stays out.

        Of two questions the first has the first quarter.
        """
        with self.create(path) as study:
            if len(self.questions) > 1:
                study.set_budget(self.half // 2)
                study.run(self.oracle, question=self.questions[0].name)
                study.set_budget(self.half)
            self.run(study)
            study.set_budget(self.half + 3)
            told, lost, _ = study.ask(3, question=self.questions[-1].name, rater="ann")
            for rater in ("ann", "bob"):
                study.tell(told, self.answer(study.records[-3]), rater=rater)
            study.abandon(lost)

    def go_on(self, path):
        """Answer what is out, and ask the rest."""
        with self.open(path) as study:
            out = study.records[-1]
            study.tell(f"{study.name}:{out.number}", self.answer(out), rater="ann")
            study.set_budget(self.done)
            self.run(study)

    def findings(self, study):
        """What the answers so far show, by question."""
        return {question.name: study.finding(question=question.name).to_json() for question in self.questions}

    def answer(self, record):
        """What is the answer to a record's query."""
        if record.point is not None:
            return self.oracle(self.questions[-1].space.item(record.point).values)
        column = "new" if record.responder == "model" else self.oracle
        return str(pool().take([record.row]).columns[column][0])


def of_changed(**options):
    """A model whose new answers are paid for."""
    return Case((Changed.of(pool(), old="old", **options),), model="new")


def of_worst(question, *, half):
    """A search in the box."""
    oracle = one_output if question.plan.alone else bent
    return Case((question,), oracle, line, half, question.plan.evaluations, in_space=True)


CLAIM = "error <= 25% at 95%"
COUNTS = ({("common",): 60, ("rare",): 30}, {("common",): 1, ("rare",): 3})
NIGHTS = ProfileWeights.of("nights", ("kind",), None, *COUNTS)
CASES = {
    "risk": lambda: Case((Risk(CLAIM),)),
    "risk-doubt": lambda: Case((Risk(CLAIM, confidence="sure"),)),
    "risk-importance": lambda: Case((Risk(CLAIM, confidence="sure", method="importance"),)),
    "risk-probabilities": lambda: Case((Risk(CLAIM, confidence="model", method="prediction-powered"),), model=Unsure()),
    "risk-fixed": lambda: Case((Risk(CLAIM, confidence="sure", fixed=32),)),
    "risk-profile": lambda: Case((Risk(CLAIM, confidence="sure", profile=NIGHTS),)),
    "changed": lambda: of_changed(truth="truth", confidence="sure", slices=["region"], noise=0, error="1%"),
    "changed-noisy": lambda: of_changed(claim="change <= 5%"),
    "worst": lambda: of_worst(Worst(BOX, evaluations=12, tasks=OUTPUTS, claim="deviation <= 3"), half=6),
    "worst-confirmed": lambda: of_worst(Worst(BOX, evaluations=24, initial=4, tasks=OUTPUTS), half=17),
    "worst-alone": lambda: of_worst(Worst(BOX, evaluations=12, tasks=OUTPUTS, priced="alone", rule="exp3bo"), half=6),
    "blind": lambda: Case((Blind("no", threshold=0.6, score="sure", features=["x"], floor=0.4, edition=1),)),
    "judges": lambda: Case((Judges(sketch(), claim="error <= 20%"),), model=PanelModel(JUDGES)),
    "risk-and-blind": lambda: Case(
        (Risk(CLAIM), Blind(None, threshold=0.1, score="sure", features=["x"], floor=0.5, edition=1)),
    ),
}
"""In `risk-and-blind` the draws of one question are predicted by the other. Each has a study of its own every time."""
