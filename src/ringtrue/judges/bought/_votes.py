"""The votes of a panel on a pool: the place of each pattern, the labels that it promises, and what votes alone say."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput, Json, Record, Sketch, label_text
from ringtrue.judges._evaluation import Evaluation, Floats
from ringtrue.judges._label_predictions import label_chances, vote_design, vote_shares
from ringtrue.judges._majority import majority_vote
from ringtrue.judges.latent._em import arrays_of
from ringtrue.judges.latent._latent import fit_latent
from ringtrue.judges.latent._uncertainty import beyond_votes


class PatternIndex:
    """The patterns of a sketch in the order of `arrays_of`, to be found again.

    >>> index = PatternIndex(Sketch(["ann", "bob"], ["no", "yes"], {(1, 0): 2, (0, -1): 3}))
    >>> index.place("item", None, {"ann": "yes", "bob": "no"})
    1
    """

    def __init__(self, sketch: Sketch) -> None:
        self.sketch = sketch
        self.patterns, self.items = arrays_of(sketch)
        self._places = {tuple(pattern): place for place, pattern in enumerate(self.patterns.tolist())}
        self._labels = {label: place for place, label in enumerate(sketch.labels)}

    def place(self, item: str, said: Json, votes: Mapping[str, Json] | None) -> int:
        """Return where the pattern of these votes stands; what one model said is the vote of a panel of one."""
        if votes is not None:
            pattern = self.sketch.pattern(votes)
        elif said is not None and len(self.sketch.judges) == 1:
            pattern = self.sketch.pattern([said])
        else:
            raise InvalidInput(f"item {item!r} has no votes ({said!r}): make the study with model=PanelModel(…)")
        if pattern not in self._places:
            raise InvalidInput(
                f"item {item!r} has votes {dict(zip(self.sketch.judges, pattern, strict=True))} (places of labels) "
                "that the sketch has not: make the sketch from the votes of this very pool"
            )
        return self._places[pattern]

    def of(self, record: Record) -> int:
        """Return where the pattern of the votes on a record's item stands."""
        return self.place(record.id, record.said, record.known.get("votes"))

    def label(self, record: Record) -> int | None:
        """Return the place of the oracle's label; None where the oracle could not tell."""
        if record.state == "abandoned":
            return None
        text = label_text(record.label)
        if text not in self._labels:
            raise InvalidInput(
                f"item {record.id!r} has the label {text!r}, which is none of {', '.join(self._labels)}: name it in "
                "the sketch's labels"
            )
        return self._labels[text]


class LearntChances:
    """The chance of each label per pattern, shape (k, labels), from counts of labels per pattern of that shape.

    Without labels it is the share of the votes, then the vote regression.
    """

    def __init__(self, patterns: NDArray[np.int64], labels: int) -> None:
        self._shares = vote_shares(patterns, labels)
        self._design = vote_design(patterns, labels)

    def after(self, labelled: Floats) -> Floats:
        return label_chances(self._design, labelled) if labelled.any() else self._shares


def unlabelled_of(sketch: Sketch) -> Evaluation | None:
    """Return the likeliest evaluation if judges err independently; the majority's if that cannot be told from votes."""
    if len(sketch.judges) < 3 or beyond_votes(sketch):
        return majority_vote(sketch).evaluation
    return fit_latent(sketch).evaluation
