"""A finding of every question in every state, from a real study each, and what its figure of the claim must show."""

import json
import math
import tempfile
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from judges.test_question import create as judges_study
from report.test_changed_study import study_of as changed_study
from ringtrue.blind import Blind
from ringtrue.blind._figures import draw_rate
from ringtrue.changed._figures import draw_claim
from ringtrue.models import ColumnModel
from ringtrue.pools import TablePool
from ringtrue.report import document
from ringtrue.risk import Risk
from ringtrue.study import Study
from ringtrue.worst import Integer, Real, SearchSpace, Worst
from ringtrue.worst._figures import plot_path
from support import make_study

_HUNTED = 150
LINE = SearchSpace([Real("x", 0, 1)], name="line")
GRID = SearchSpace([Integer("x", 0, 6)], name="grid")
"""So small that every point is evaluated."""


@dataclass(frozen=True)
class Case:
    """A finding with its document. `edge` is the bound that decides, or must; `along` is the axis it stands on."""

    finding: Any
    made: dict[str, Any]
    draw: Any
    edge: float | None
    along: str = "y"
    scale: float = 100.0

    @property
    def limit(self):
        return None if self.finding.claim is None else self.finding.claim.limit


def told(study):
    """The finding of a study, and its document as the file has it."""
    with study:
        return study.finding(), json.loads(json.dumps(document(study), allow_nan=False))


def of_risk(folder, *, failing, budget=400, claim="error <= 5% at 95%", size=5_000, **options):
    study = make_study(folder, size, failing, question=Risk(claim, **options), budget=budget)
    study.run("truth")
    finding, made = told(study)
    bound = finding.bound
    edge = None if bound is None else bound.low if finding.verdict.value == "rings false" else bound.high
    return Case(finding, made, finding.draw, edge if finding.deciding else None)


def of_silence(folder):
    """Every fourth item is one that nobody can tell."""
    study = make_study(folder, 2000, 20, question=Risk("error <= 30% at 95%"), budget=60)
    asked = iter(range(2000))
    study.run(lambda item: None if next(asked) % 4 == 3 else item["truth"])
    finding, made = told(study)
    return Case(finding, made, finding.draw, finding.bound.high)


def of_changed(folder, **options):
    finding, made = told(changed_study(folder, **{"size": 1500, "budget": 250, **options}))
    found = made["computed"]["finding"]
    side = "low" if finding.verdict.value == "rings false" else "high"
    edge = found["claimed"][side][-1] if found["claimed"] else None
    return Case(finding, made, lambda axes: draw_claim(axes, found), edge)


def of_blind(folder, *, claim, budget, wrong=0.1, **options):
    rng = np.random.default_rng(0)
    sure = 0.66 + 0.33 * rng.random(_HUNTED)
    truth = np.where(rng.random(_HUNTED) < np.where(sure < 0.85, 4 * wrong, wrong / 4), "b", "a").astype(object)
    said = np.array(["a"] * _HUNTED, dtype=object)
    pool = TablePool({"said": said, "sure": sure, "x": rng.random(_HUNTED), "truth": truth}, name="crowd")
    question = Blind(None, score="sure", features=["x"], claim=claim, **options)
    study = Study.create(folder / "s", question=question, pool=pool, model=ColumnModel("said"), budget=budget)
    study.run("truth")
    finding, made = told(study)
    found = made["computed"]["finding"]
    edge = found["deciding"]["bounds"][-1] if found["deciding"] else None
    if finding.verdict.value != "not yet known":  # what decides is beyond the limit, or on it where the claim is true
        assert edge > finding.claim.limit if finding.verdict.value == "rings false" else edge <= finding.claim.limit
    return Case(finding, made, lambda axes: draw_rate(axes, found), edge)


def of_judges(folder, *, claim, budget):
    study = judges_study(folder, claim=claim, budget=budget)
    study.run("truth")
    finding, made = told(study)
    bound, false = finding.worst.bound, finding.verdict.value == "rings false"
    edge = None if bound is None or not finding.answers else bound.low if false else bound.high
    return Case(finding, made, finding.draw, edge, along="x")


def hill(values):
    return 2.0 * math.exp(-0.5 * (values["x"] - 0.25) ** 2 / 0.3**2)


def of_worst(folder, *, claim, budget, space=LINE):
    question = Worst(space, evaluations=max(budget, 9), claim=claim)
    with Study.create(folder / "s", question=question, model=zero, budget=budget) as study:
        study.run(hill)
        finding, made = told(study)
    found = made["computed"]["finding"]
    edge = found["bound"]["upper"] if found["bound"] else None
    if finding.verdict.value == "rings false":
        edge = next(best for best in found["path"]["best"] if best > claim_limit(claim))
    return Case(finding, made, lambda axes: plot_path(axes, found), edge, scale=1.0)


def claim_limit(claim):
    return float(claim.split("<=")[1].split("at")[0])


def zero(rows):
    return [0.0] * len(rows)


_MAKERS = {
    "risk, no claim": partial(of_risk, failing=200, claim=None, budget=60),
    "risk, no claim, nothing failed": partial(of_risk, failing=0, claim=None, budget=40),
    "risk, no claim, no answer": partial(of_risk, failing=0, claim=None, budget=0),
    "risk, claim true": partial(of_risk, failing=0),
    "risk, claim true at the very limit": partial(of_risk, failing=0, size=2000),
    "risk, claim false": partial(of_risk, failing=750),
    "risk, claim open": partial(of_risk, failing=150, budget=40),
    "risk, claim nearly true": partial(of_risk, failing=0, budget=69),
    "risk, claim fixed beforehand": partial(of_risk, failing=0, fixed=59, budget=59),
    "risk, claim open, some not told": of_silence,
    "risk, claim true in a whole pool": partial(
        of_risk, failing=0, size=300, budget=300, claim="error <= 0.001% at 95%"
    ),
    "risk, claim, no answer": partial(of_risk, failing=0, budget=0),
    "changed, no claim": partial(of_changed, changed=0.05, claim=None, error="2%", budget=100),
    "changed, no claim, nothing changed": partial(of_changed, changed=0, claim=None, error="2%"),
    "changed, no claim, the whole pool as before": partial(of_changed, changed=0, claim=None, size=30, budget=30),
    "changed, no claim, not yet": partial(of_changed, changed=0, claim=None, error="2%", budget=20),
    "changed, claim true": partial(of_changed, changed=0),
    "changed, claim false": partial(of_changed, changed=0.2),
    "changed, claim open": partial(of_changed, changed=0.02, budget=30),
    "changed, claim on accuracy": partial(of_changed, changed=0.05, claim="accuracy drop <= 3%", budget=60),
    "changed, claim of a noisy model": partial(of_changed, changed=0.05, noise=None, budget=60),
    "changed, claim, no answer": partial(of_changed, changed=0, budget=0),
    "blind, no claim": partial(of_blind, claim=None, budget=30),
    "blind, no claim, nothing wrong": partial(of_blind, claim=None, budget=20, wrong=0.0),
    "blind, no claim, no answer": partial(of_blind, claim=None, budget=0),
    "blind, claim true": partial(of_blind, claim="error <= 40% at 95%", budget=60, wrong=0.0, floor=0.9),
    "blind, claim false": partial(of_blind, claim="error <= 2% at 95%", budget=60),
    "blind, claim open": partial(of_blind, claim="error <= 20% at 95%", budget=20),
    "blind, claim, nothing at random": partial(of_blind, claim="error <= 20% at 95%", budget=5, floor=0.0),
    "judges, no claim": partial(of_judges, claim=None, budget=30),
    "judges, no claim, no answer": partial(of_judges, claim=None, budget=0),
    "judges, claim true": partial(of_judges, claim="error <= 30% at 95%", budget=100),
    "judges, claim false": partial(of_judges, claim="error <= 3% at 95%", budget=100),
    "judges, claim open": partial(of_judges, claim="error <= 12% at 95%", budget=20),
    "worst, no claim": partial(of_worst, claim=None, budget=5),
    "worst, no claim, no answer": partial(of_worst, claim=None, budget=0),
    "worst, claim true": partial(of_worst, claim="deviation <= 2.2 at 95%", budget=9, space=GRID),
    "worst, claim, no answer": partial(of_worst, claim="deviation <= 2.2 at 95%", budget=0),
    "worst, claim false": partial(of_worst, claim="deviation <= 1.9 at 95%", budget=20),
    "worst, claim open": partial(of_worst, claim="deviation <= 2.2 at 95%", budget=5),
}  # fmt: skip
NAMES = tuple(_MAKERS)


@cache
def case(name):
    """The case of this name, made once."""
    with tempfile.TemporaryDirectory() as folder:
        return _MAKERS[name](Path(folder))
