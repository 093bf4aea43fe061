"""The question: where is this classifier confidently wrong, and how often?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._estimator import ConfidentErrors
from ringtrue.blind._inputs import Inputs
from ringtrue.blind._measuring import Distance, ItemAsker, amounts_changed, named, nearest_changed, steadiness
from ringtrue.blind._plan import EDITION, check_settings, checked_edition, floor_for, seen_from, share
from ringtrue.blind._policy import Hunting
from ringtrue.blind._pool_scores import confidences, gathered, looks, slice_codes
from ringtrue.blind._scope import Hunt, label_codes, scope_of, starts_of
from ringtrue.blind._sections import blind_chip, blind_sections
from ringtrue.blind._shown import shown
from ringtrue.blind.distances import Perturb
from ringtrue.blind.searches import DEFAULT, GOAL, search_for
from ringtrue.core import (
    NO_SCORES,
    Argument,
    Ask,
    Block,
    Chip,
    Claim,
    Context,
    InvalidInput,
    Material,
    Measured,
    Pass,
    Policy,
    Pool,
    Question,
    Scores,
    Section,
    label_text,
)

_ROWS = 1_000  # items held at a time: images are large

_BLOCK = 256
"""Items measured together: enough to fill the calls of a model, few enough to lose little when a process dies."""


class Blind(Question):
    """Where is this model wrong although it is confident?

    The hunt is among the items that the model answers with a critical class and with much confidence. `Blind.of` fills
    in what can be seen from a pool.

    >>> Blind("cat", threshold=0.65, claim="error <= 10% at 95%").search
    'learning'

    Parameters
    ----------
    critical
        The class that these answers name; None hunts among all classes.
    threshold
        The confidence that these answers exceed.
    search
        What chooses the items to ask about, one of `SEARCHES`.
    goal
        What the learning search is after, one of `GOALS`: most errors, the default, or most errors beyond those that
        the confidence admits.
    floor
        The share of the queries that is drawn at random, which says how common such errors are. None is none without a
        claim, and else what `floor_for` plans.
    claim
        What is to be decided about the rate of errors among the items hunted in, such as "error <= 10% at 95%".
    inputs
        What can be changed of an item, where the model can be asked about changed items.
    features
        Columns of numbers in which items are compared, in place of the inputs.
    slices
        Columns with their values, by which errors are grouped.
    score
        The column with the model's confidence, where the model gives none itself.
    temperature
        The number that softens the model's probabilities; 1 leaves them as they are.
    variations
        Whether the answers to small variations of each item guide the search; this needs `inputs`.
    distance
        How the distance of each item to a changed decision is measured, which then guides the search; this needs
        `inputs`.
    perturb
        A function that changes items which are not numbers, such as texts; it stands in place of `distance`.
    name
        The name of the question within its study.
    seed
        The seed of what is drawn while the pool is prepared.
    perturb_name
        The name by which a journal keeps `perturb`; it is given where the function itself is not.
    edition
        The way in which hunts are made. Those of the first edition go on as they began.
    """

    kind = "blind"
    kept_beside = ("field", "gallery")
    keys = {"search": "policy", "perturb_name": "perturb", "perturb": ""}  # noqa: RUF012
    reads = {"inputs": Inputs.from_json, "distance": lambda kept: Distance(**kept)}  # noqa: RUF012
    needs_model = "labels"

    def __init__(
        self,
        critical: Any = None,
        *,
        threshold: float = 0.65,
        search: str = DEFAULT,
        goal: str | None = None,
        floor: float | None = None,
        claim: Claim | str | None = None,
        inputs: Inputs | None = None,
        features: Sequence[str] = (),
        slices: Mapping[str, Sequence[str]] | None = None,
        score: str | None = None,
        temperature: float = 1.0,
        variations: bool = False,
        distance: Distance | str | None = None,
        perturb: Perturb | None = None,
        name: str = "blind",
        seed: int = 0,
        perturb_name: str | None = None,
        edition: int = EDITION,
    ) -> None:
        self.critical = None if critical is None else label_text(critical)
        self.threshold = share("threshold", threshold, "how confident an answer must be to be hunted")
        self.claim = None if claim is None else Claim.parse(claim).about("error", "failure")
        self.edition = checked_edition(edition)
        planned = floor_for(self.claim, None) if floor is None else floor
        self.floor = share("floor", planned, "the share of queries drawn at random")
        self.inputs, self.features = inputs, tuple(features)
        self.slices = {column: tuple(values) for column, values in (slices or {}).items()}
        self.search, self.score, self.temperature = search, score, temperature
        self.goal = GOAL if goal is None and search == DEFAULT and self.edition > 1 else goal
        self.variations, self.perturb = bool(variations), perturb
        self.distance = Distance(distance) if isinstance(distance, str) else distance
        self.perturb_name = perturb_name if perturb is None else named(perturb)
        check_settings(self)
        self.temperature = float(temperature)
        self.name, self.seed = name, seed
        self.told_by_model = () if score is None else (score,)
        self._policy = Hunting(search_for(search, self.goal, self.edition), self.floor, name)

    @classmethod
    def of(cls, pool: Pool, critical: Any = None, *, model: Any = None, **settings: Any) -> Blind:
        """Return a hunt in this pool: `inputs`, `features` and `slices` are names of columns, the rest is seen from it.

        Without `inputs` nothing is known of what may be changed, and the model is not asked around the items. Nor is a
        `model` whose answers are stored; any other is, unless `distance=None` and `variations=False`.
        """
        return cls(critical, **seen_from(pool, model, settings))

    @classmethod
    def from_config(cls, config: Mapping[str, Any], **given: Any) -> Self:
        """Make the hunt that wrote this configuration; one that names no edition is of the first."""
        return super().from_config({"edition": 1, **config}, **given)

    @property
    def policy(self) -> Policy:
        """The search, with its floor of random draws."""
        return self._policy

    def passes(self) -> list[Pass]:
        """Return a scan for what the model says of all items, and one around those hunted in where that is wanted."""
        scans = [Pass(self._look, rows=_ROWS, join=self.gather)]
        if self.variations or self.distance is not None or self.perturb_name is not None:
            doing = "asking the model around the items"
            scans.append(Pass(self._measure, doing=doing, blocks=self._blocks, around=True))
        return scans

    def _look(self, items: Measured, _: Measured, ask: Ask, __: np.random.Generator) -> Mapping[str, NDArray[Any]]:
        """Return what the model says of each item, how sure it is, and what the item looks like."""
        answers = ask(items.batch)
        confidence = confidences(items.batch, answers, score=self.score, temperature=self.temperature)
        said = {"label": label_codes(answers), "confidence": confidence}
        return said | looks(items.batch, self.inputs, self.features) | slice_codes(items.batch, self.slices)

    def gather(self, scores: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        """Return what is hunted in, who is like whom, and which groups there are."""
        return gathered(scores, self._hunt, self.seed)

    @property
    def _hunt(self) -> Hunt:
        return Hunt(self.name, self.search, self.critical, self.threshold, self.floor, self.slices, self.goal)

    def _blocks(self, scores: Mapping[str, NDArray[Any]]) -> list[Block]:
        """Return the items hunted in, and beside them the nearest that the model answers differently."""
        rows = scope_of(scores)
        parts = (rows[start : start + _BLOCK] for start in range(0, len(rows), _BLOCK))
        return [Block(part, starts_of(scores, part)) for part in parts]

    def check_budget(self, scores: Mapping[str, NDArray[Any]], labels: int | None) -> None:
        """Refuse more labels than there are items hunted in: the user has mistaken the pool or the class."""
        scope = int(scores["scope"].max())
        if labels is not None and labels > scope:
            raise InvalidInput(
                Argument("budget", labels),
                f": only {scope:,} items are hunted in: give at most {scope:,}, or hunt at a lower confidence or in "
                "all classes",
            )

    def _measure(
        self, items: Measured, beside: Measured, ask: Ask, rng: np.random.Generator
    ) -> Mapping[str, NDArray[Any]]:
        """Return how firm the model is about each item, and how far from another answer; with the queries this took."""
        made: dict[str, NDArray[Any]] = {}
        if self.inputs is not None:
            asker = ItemAsker(self.inputs, items, ask)
            if self.variations:
                made["steadiness"], asked = steadiness(asker, rng)
                made["variation_queries"] = np.full(len(items.batch), asked)
            if self.distance is not None:
                nearest = nearest_changed(self.distance, asker, beside, rng)
                made["distance"] = nearest.measured(self.distance.norm, self.inputs.box)
                made["distance_queries"] = nearest.queries
        if self.perturb_name is not None and self.distance is None:
            if self.perturb is None:
                rule = " is known by name alone: open the study with questions=[Blind(perturb=…)]"
                raise InvalidInput(Argument("perturb", self.perturb_name), rule)
            amounts = amounts_changed(self.perturb, items, ask, rng)
            made["distance"], made["distance_queries"] = amounts.amount, amounts.queries
        return made

    def estimator(self, *, size: int, claim: Claim | None, scores: Scores = NO_SCORES) -> ConfidentErrors:
        """Return what turns labels into the rate of confident errors."""
        wanted = None if claim is None else claim.about("error", "failure")
        return ConfidentErrors(self._hunt, size=size, claim=wanted, scores=scores)

    def shown(self, material: Material) -> Iterator[tuple[str, Any]]:
        """Yield the distances of the pool and a gallery of the errors, which need the model."""
        return shown(self, material)

    @classmethod
    def sections(cls, context: Context) -> Sequence[Section]:
        """Return what a reader is shown of a hunt."""
        return blind_sections(context)

    @classmethod
    def chip(cls, finding: Mapping[str, Any]) -> Chip:
        """Return the verdict: without a claim, whether the model was shown to be overconfident."""
        return blind_chip(finding)
