"""Pools to hunt in: what is known of the items of a task before anybody is asked, worked out once and kept."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blind_data import Floats, Items
from blind_models import Fitted
from blind_tasks import TASKS, Served, Trained
from ringtrue.blind import Blind, fit_temperature
from ringtrue.blind._scope import label_code, scope_of
from ringtrue.blind.distances import Asker, Box, measure
from ringtrue.blind.signals import compact, variations
from ringtrue.stats import generator

CACHE = Path(__file__).with_name(".cache")
TESTED, MEASURED = 6_000, 1_600
"""Items that a model is asked about, and of those in scope the most whose distances are measured."""

_HELD_OUT = 1_000


class Pool(NamedTuple):
    """What a search is shown, for every item, and which the model gets wrong."""

    scores: dict[str, NDArray[Any]]
    wrong: NDArray[np.bool_]


class Around(Asker):
    """Asks a model about changed items; of a table the columns that may not be changed stay as they are."""

    def __init__(self, model: Fitted, items: Items, heat: float) -> None:
        super().__init__(lambda points: points, items=len(items))
        self._model, self._items, self._heat = model, items, heat

    def margins(self, points: Floats, owners: NDArray[Any]) -> Floats:
        """Return the log odds of class 1 of changed items."""
        if self._items.free:
            points = np.hstack([points, self._items.seen[owners][:, self._items.free :]])
        return _odds(self._model.chances(points), self._heat)

    def answers(self, points: Floats, owners: NDArray[Any]) -> NDArray[np.int64]:
        return (self.margins(points, owners) > 0).astype(np.int64)


def _odds(chances: Floats, heat: float) -> Floats:
    sure = np.clip(chances.astype(float), 1e-9, 1 - 1e-9)
    return np.asarray((np.log(sure) - np.log1p(-sure)) / heat)


def scored(task: str, seed: int) -> Pool:
    """Return the items of a task that are hunted in, from the cache if they are there."""
    code = hashlib.sha256(b"".join(Path(__file__).with_name(f"blind_{part}.py").read_bytes() for part in _MADE_BY))
    path = CACHE / f"{task}-{seed}-{code.hexdigest()[:8]}.npz"
    if not path.is_file():
        made = TASKS[task].made
        found = _served(made, seed) if isinstance(made, Served) else _trained(made, task, seed)
        path.parent.mkdir(exist_ok=True)
        begun = path.with_suffix(".begun.npz")
        np.savez(begun, wrong=found.wrong, **{f"score {name}": values for name, values in found.scores.items()})
        begun.replace(path)  # whoever is killed leaves no half of a file behind
    with np.load(path) as kept:
        scores = {name.removeprefix("score "): kept[name] for name in kept.files if name.startswith("score ")}
        return Pool(scores, kept["wrong"])


_MADE_BY = ("data", "models", "pools", "tasks")


def _served(made: Served, seed: int) -> Pool:
    answers = made.answers[seed % len(made.answers)]()
    rows = np.sort(generator(seed, "items of a service").permutation(len(answers.truth))[:TESTED])
    said = answers.label[rows]
    codes = np.array([label_code(int(label)) for label in said])
    known = _known(made, None, codes, answers.confidence[rows], answers.features[rows], seed)
    scores, scope = _measured_part(known, seed)
    return Pool(scores, (said != answers.truth[rows])[scope])


def _trained(made: Trained, task: str, seed: int) -> Pool:
    items = made.items(seed)
    order = generator(seed, f"split of {task}").permutation(len(items))
    test, rest = items.at(order[:TESTED]), items.at(order[TESTED:])
    if len(order) < 2 * TESTED:  # few items: a third is asked about
        third = len(order) // 3
        test, rest = items.at(order[:third]), items.at(order[third:])
    rest = rest.at(np.flatnonzero(made.kept(rest)))
    train = rest.at(np.arange(min(made.train, len(rest) - _HELD_OUT // 2)))
    model = Fitted(made.models[seed % len(made.models)], train.seen, train.truth, seed)
    heat = 1.0
    if made.softened:
        held = rest.at(np.arange(len(train), min(len(train) + _HELD_OUT, len(rest))))
        chances = model.chances(held.seen)
        heat = fit_temperature(np.stack([1 - chances, chances], axis=1), held.truth).value
    if made.shifted is not None:
        test = Items(made.shifted(test.seen), test.truth, test.told, test.free)
    odds = _odds(model.chances(test.seen), heat)
    said = (odds > 0).astype(np.int64)
    confidence = 1 / (1 + np.exp(-np.abs(odds)))
    critical = None if made.critical is None else str(made.critical)
    codes = np.array([label_code(0), label_code(1)])[said]
    looks = compact(test.seen) if test.seen.ndim > 2 else test.seen
    scores, scope = _measured_part(_known(made, critical, codes, confidence, looks, seed), seed)
    if test.seen.ndim > 2 or test.free:
        scores |= _around(model, test, said, scope, heat, seed)
    return Pool(scores, (said != test.truth)[scope])


def _known(made: Trained | Served, critical: str | None, codes: Any, confidence: Any, looks: Any, seed: int) -> Any:
    question = Blind(critical, threshold=made.threshold)
    return question.gather({"label": codes, "confidence": confidence, "features": looks}) | {"seed": np.array(seed)}


def _measured_part(known: dict[str, NDArray[Any]], seed: int) -> tuple[dict[str, NDArray[Any]], NDArray[np.int64]]:
    scope = scope_of(known)
    scope = np.sort(generator(seed, "items measured").permutation(scope)[:MEASURED])
    names = ("label", "confidence", "neighbours", "nearness", "space", "cluster", "bin", "bin_items", "clusters")
    return {name: known[name][scope] for name in names}, scope


def _around(
    model: Fitted, test: Items, said: NDArray[np.int64], scope: NDArray[np.int64], heat: float, seed: int
) -> dict[str, NDArray[Any]]:
    """Return how firm the model is about the items in scope, and how far each is from another answer."""
    ours = test.at(scope)
    points = ours.seen[:, : ours.free] if ours.free else ours.seen
    everywhere = test.seen[:, : test.free] if test.free else test.seen
    box = Box.of(everywhere)
    asker, owners = Around(model, ours, heat), np.arange(len(ours))
    sign = np.where(said[scope] == 1, 1.0, -1.0)
    varied = variations(points, box, generator(seed, "variations"))
    firm = np.mean([sign * asker.margins(each, owners) for each in varied], axis=0)
    beside = everywhere[:2_000], said[:2_000]
    found = measure("rays", asker, points, said[scope], box=box, rng=generator(seed, "rays"), others=beside)
    return {"steadiness": firm, "distance": np.where(found.changed, found.measured("linf", box), np.nan)}
