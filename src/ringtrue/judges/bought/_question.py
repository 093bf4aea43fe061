"""The question: how good is each judge of this panel on this pool, and which item is to be labelled next?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import (
    NO_SCORES,
    Argument,
    Ask,
    Claim,
    Context,
    Draw,
    InvalidInput,
    Labels,
    Measured,
    Pass,
    Policy,
    Question,
    Record,
    Scores,
    Section,
    Sketch,
    View,
    count,
    said_and_known,
)
from ringtrue.judges._evaluation import Floats
from ringtrue.judges.bought._draws import LearntChances, PatternIndex
from ringtrue.judges.bought._estimator import BoughtAccuracies
from ringtrue.judges.bought._finding import judges_sections
from ringtrue.judges.bought._fixed import FixedAccuracies
from ringtrue.stats import GroupDraws, Groups, Left, Plan, even_and_weighted, even_draws, settled

_EVEN = 0.5
"""The share of the chance that all items have alike: a weight is at most two then. Of 1/4, 1/2, 3/4 and 1, a half gave
intervals within 10% of the narrowest after 100 and after 300 labels, on ten judges of adult, mushroom and twonorm."""

_LEAST = 0.02
"""Added to the doubt about every pattern: certain as it may look, most of its items were never labelled."""


class Disagreement(GroupDraws):
    """Draws items by the doubt that is left about their label, over an even chance for all.

    An item's chance is half an equal share and half in proportion to the square root of the chance that two draws
    from its predicted labels differ: Neyman's allocation for estimates that are corrected by predictions. What the
    labels so far teach about patterns is taken in after 8, 12, 18, ... labels. Without the prepared patterns all
    items are alike.

    References: Neyman, Journal of the Royal Statistical Society 97 (1934); Zrnic & Candès, Active statistical
    inference (2024), arXiv 2403.03208.
    """

    def __init__(self, sketch: Sketch) -> None:
        super().__init__("disagreement", "judges/disagreement", "oracle")
        self._index = PatternIndex(sketch)
        self._chances = LearntChances(self._index.patterns, len(sketch.labels))

    def plan(self, view: View) -> Plan:
        """Return the items by the pattern of their votes."""
        patterns = view.scores.get("pattern")
        if patterns is None:
            return Plan(Groups(np.zeros(view.size, dtype=np.int64), 1), _Alike)
        rows = Groups(patterns, len(self._index.items))
        if not np.array_equal(rows.sizes, self._index.items):
            raise InvalidInput("the votes in the pool are not those of the sketch: make the sketch from this very pool")
        return Plan(rows, lambda: _Patterns(self._index, self._chances, rows))


class _Alike:
    """Learns nothing: all items are alike."""

    weights: Floats = np.ones(1)

    def learn(self, record: Record, row: int) -> None:
        pass

    def chances(self, left: Floats) -> Floats:
        """Return the chance of an item by pattern."""
        return even_and_weighted(left, self.weights, even=_EVEN)

    def noted(self, draw: Draw, group: int, left: Left, chance: Floats) -> Draw:  # noqa: ARG002 - nothing is noted
        return draw


class _Patterns(_Alike):
    """Learns from the labels how much doubt is left about each pattern of votes."""

    def __init__(self, index: PatternIndex, chances: LearntChances, rows: Groups) -> None:
        self._index, self._chances, self._rows = index, chances, rows
        self._counts = np.zeros((len(index.items), len(index.sketch.labels)))
        self._labels = self._learnt = 0
        self._lesson: Floats | None = self._counts.copy()

    def learn(self, record: Record, row: int) -> None:
        """Count a label; the next lesson is of all labels there are after 8, 12, 18, ... of them."""
        label = self._index.label(record)
        if label is None:
            return
        self._counts[self._rows.group[row], label] += 1
        self._labels += 1
        if settled(self._labels) != self._learnt:
            self._learnt, self._lesson = self._labels, self._counts.copy()

    def chances(self, left: Floats) -> Floats:
        """Return the chance of an item by pattern, by the last lesson; it is learnt when it is needed."""
        if self._lesson is not None:
            expected = self._chances.after(self._lesson)
            self.weights, self._lesson = np.sqrt(1 - (expected**2).sum(axis=1) + _LEAST), None
        return super().chances(left)


class EvenDraws(Policy):
    """Draws items without replacement, each with the same chance: what an interval of one look is made for."""

    name = "even"
    foresees = True

    def propose(self, view: View, n: int) -> list[Draw]:
        """Return the next `n` items, each with its chance given all before."""
        return even_draws(view, n, "judges/even")


class Judges(Question):
    """How good is each judge on this pool? `sketch` holds the votes on the whole pool; the model is a PanelModel.

    The claim speaks of every judge: `error <= 20%` says that none errs on more than a fifth of its votes. `fixed` is a
    number of labels that is settled before the first and looked at once, which makes the intervals narrower: items are
    then drawn evenly. Without it, items on which judges disagree are drawn more often, and one may look at any time.

    >>> panel = Sketch(["ann", "bob"], ["no", "yes"], {(0, 0): 60, (0, 1): 40})
    >>> Judges(panel, claim="accuracy >= 80%").claim
    Claim(quantity='error', limit=0.2, level=0.95)
    """

    kind = "judges"
    reads = {"sketch": Sketch.from_json}  # noqa: RUF012
    needs_model = "labels"

    def __init__(
        self, sketch: Sketch, *, claim: Claim | str | None = None, name: str = "judges", fixed: int | None = None
    ) -> None:
        if fixed is not None and (
            isinstance(fixed, bool) or not isinstance(fixed, int) or not 1 <= fixed <= sketch.size
        ):
            raise InvalidInput(
                Argument("fixed", fixed),
                f" must be a whole number of labels from 1 to the {count(sketch.size, 'item')}",
            )
        for judge in sketch.judges:
            if not any(pattern[0] >= 0 for pattern in sketch.marginal([judge])):
                raise InvalidInput(f"judge {judge!r} has not voted once: leave it out")
        self.sketch = sketch.copy()
        self.claim = None if claim is None else Claim.parse(claim).about("error", "failure")
        self.name, self.fixed = name, fixed
        self._policy = Disagreement(self.sketch) if fixed is None else EvenDraws()

    def __repr__(self) -> str:
        made = {"sketch": self.sketch, "claim": self.claim, "name": self.name, "fixed": self.fixed}
        return f"Judges({', '.join(f'{key}={value!r}' for key, value in made.items())}, policy={self.policy!r})"

    @cached_property
    def _index(self) -> PatternIndex:
        return PatternIndex(self.sketch)

    @property
    def policy(self) -> Policy:
        """Draws by disagreement or, where the number of labels is fixed, evenly."""
        return self._policy

    def passes(self) -> list[Pass]:
        """Return one scan that finds the pattern of votes of each item."""
        return [Pass(self._find_patterns)]

    def _find_patterns(
        self,
        items: Measured,
        _: Measured,
        ask: Ask,
        rng: np.random.Generator,  # noqa: ARG002
    ) -> dict[str, NDArray[Any]]:
        """Return the place of each item's pattern of votes in the sketch."""
        answers = ask(items.batch)
        if not isinstance(answers, Labels):
            raise InvalidInput(
                f"question {self.name!r} needs the judges' votes: make the study with model=PanelModel(…)"
            )
        told = map(said_and_known, answers.labels)
        places = [
            self._index.place(item, said, known.get("votes"))
            for item, (said, known) in zip(items.batch.ids, told, strict=True)
        ]
        return {"pattern": np.array(places, dtype=np.int32)}

    def estimator(
        self,
        *,
        size: int,
        claim: Claim | None,
        scores: Scores = NO_SCORES,  # noqa: ARG002
    ) -> BoughtAccuracies | FixedAccuracies:
        """Return what turns labels into accuracies of the judges."""
        about = None if claim is None else claim.about("error", "failure")
        if self.fixed is not None:
            return FixedAccuracies(self.sketch, size=size, claim=about, answers=self.fixed, question=self.name)
        return BoughtAccuracies(self.sketch, size=size, claim=about)

    @classmethod
    def sections(cls, context: Context) -> Sequence[Section]:
        """Return what a reader is shown of bought labels."""
        return judges_sections(context)
