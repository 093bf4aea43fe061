"""Small questions of each kind a study must serve: paying for model calls, points of a space, prepared scores."""

from dataclasses import dataclass, field

import numpy as np

from ringtrue.core import Claim, Draw, Estimator, Item, Pass, Policy, Question, Space, Verdict, digest
from ringtrue.stats import generator


@dataclass
class ToyFinding:
    """What was told, in order."""

    told: list
    claim: Claim | None = None
    verdict: Verdict = Verdict.NOT_YET_KNOWN
    assumptions: tuple = ()
    estimate: None = None
    unanswerable: int = 0

    @property
    def answers(self):
        return len(self.told)

    def to_json(self):
        return {"told": [str(one) for one in self.told]}

    def draw(self, axes):
        axes.plot(range(len(self.told)))


class ToyEstimator(Estimator):
    """Remembers the records it was given; with a claim, decides after as many as the claim's limit says per mille."""

    def __init__(self):
        self.records = []

    verdict = Verdict.NOT_YET_KNOWN

    def update(self, records):
        self.records.extend(records)

    def finding(self):
        return ToyFinding([(record.id, record.value) for record in self.records])


@dataclass
class Toy(Question):
    name: str = "toy"
    responder: str = "oracle"
    needs_model: str = "no"
    claim: Claim | None = None
    estimators: list = field(default_factory=list)

    def config(self):
        return {"kind": f"toy-{type(self).__name__}", "name": self.name}

    def estimator(self, *, size, claim, scores=None):
        self.estimators.append(ToyEstimator())
        return self.estimators[-1]


@dataclass
class ModelAudit(Toy):
    """Pays the model for its answers, row by row: what `changed` does."""

    name: str = "audit"
    responder: str = "model"
    needs_model: str = "any"

    @property
    def policy(self):
        class InOrder(Policy):
            name = "in-order"

            def propose(self, view, n):
                rows = [row for row in range(view.size) if row not in view.asked][:n]
                return [Draw(row=row) for row in rows]

        return InOrder()


class UnitSquare(Space):
    """Points (x, y) of the unit square."""

    name = "unit square"
    fingerprint = "unit-square-1"

    def item(self, point):
        values = {"x": float(point[0]), "y": float(point[1])}
        return Item(digest(values), values)


@dataclass
class SpaceSearch(Toy):
    """Adaptive search in a space: the next point depends on the best answer so far."""

    name: str = "search"
    space: UnitSquare = field(default_factory=UnitSquare)

    @property
    def policy(self):
        class NearBest(Policy):
            name = "near-best"

            def propose(self, view, n):
                mine = [one for one in view.records if one.question == "search" and one.state == "answered"]
                centre = max(mine, key=lambda one: float(one.value[0])).point if mine else (0.5, 0.5)
                rng = generator(view.seed, "search", view.step)
                steps = rng.normal(scale=0.1, size=(n, 2))
                return [Draw(point=tuple(np.clip(np.add(centre, step), 0, 1).tolist())) for step in steps]

        return NearBest()


@dataclass
class ScoredDraws(Toy):
    """Prepares a score per row, then draws with probability in proportion to it over a floor, or takes the largest."""

    name: str = "scored"
    argmax: bool = False
    rows: int = 10_000
    prepared: list = field(default_factory=list)

    def passes(self):
        return [Pass(self.prepare, rows=self.rows)]

    def prepare(self, items, beside, ask, rng):
        batch = items.batch
        self.prepared.append(len(batch))
        feature = np.asarray(batch.columns["feature"], dtype=float)
        return {"score": np.abs(feature) + 1e-3 * rng.random(len(batch))}

    @property
    def policy(self):
        argmax = self.argmax

        class ByScore(Policy):
            name = "by-score"

            def propose(self, view, n):
                score = view.scores["score"].copy()
                draws = []
                gone = set(view.asked)
                for place in range(min(n, view.size - len(gone))):
                    free = np.array([row for row in range(view.size) if row not in gone])
                    if argmax:
                        row = int(free[np.argmax(score[free])])
                        draws.append(Draw(row=row))
                    else:
                        chance = 0.5 / len(free) + 0.5 * score[free] / score[free].sum()
                        rng = generator(view.seed, "by-score", view.step + place)
                        pick = int(rng.choice(len(free), p=chance / chance.sum()))
                        row = int(free[pick])
                        draws.append(Draw(row=row, probability=float(chance[pick]), floor=float(chance.min())))
                    gone.add(row)
                return draws

        return ByScore()
