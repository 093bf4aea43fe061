"""From an item's recorded votes to the place of their pattern in a sketch, and from a label to its place."""

from __future__ import annotations

from collections.abc import Mapping

from ringtrue.core import InvalidInput, Json, Record, Sketch, label_of, label_text
from ringtrue.judges.latent._em import arrays_of


class PatternIndex:
    """The patterns of a sketch in the order of `arrays_of`, to be found again.

    >>> index = PatternIndex(Sketch(["ann", "bob"], ["no", "yes"], {(1, 0): 2, (0, -1): 3}))
    >>> index.place("item", {"votes": {"ann": "yes", "bob": "no"}})
    1
    """

    def __init__(self, sketch: Sketch) -> None:
        self.sketch = sketch
        self.patterns, self.items = arrays_of(sketch)
        self._places = {tuple(pattern): place for place, pattern in enumerate(self.patterns.tolist())}
        self._labels = {label: place for place, label in enumerate(sketch.labels)}

    def place(self, item: str, predicted: Json) -> int:
        """Where the pattern of these votes stands. A plain label is the vote of a panel of one."""
        votes = predicted.get("votes") if isinstance(predicted, dict) else None
        if isinstance(votes, Mapping):
            pattern = self.sketch.pattern(votes)
        elif predicted is not None and votes is None and len(self.sketch.judges) == 1:
            pattern = self.sketch.pattern([label_of(predicted)])
        else:
            raise InvalidInput(f"item {item!r} has no votes ({predicted!r}): make the study with model=PanelModel(…)")
        if pattern not in self._places:
            raise InvalidInput(
                f"item {item!r} has votes {dict(zip(self.sketch.judges, pattern, strict=True))} (places of labels) "
                "that the sketch has not: make the sketch from the votes of this very pool"
            )
        return self._places[pattern]

    def label(self, record: Record) -> int | None:
        """The place of the oracle's label; None where nobody could tell."""
        if record.state == "abandoned":
            return None
        text = label_text(label_of(record.value))
        if text not in self._labels:
            raise InvalidInput(
                f"item {record.id!r} has the label {text!r}, which is none of {', '.join(self._labels)}: name it in "
                "the sketch's labels"
            )
        return self._labels[text]
