"""From an item's recorded votes to the place of their pattern in a sketch, and from a label to its place."""

from __future__ import annotations

from collections.abc import Mapping

from ringtrue.core import InvalidInput, Json, Record, Sketch, label_text
from ringtrue.judges.latent._em import arrays_of


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
        """The place of the oracle's label; None where nobody could tell."""
        if record.state == "abandoned":
            return None
        text = label_text(record.label)
        if text not in self._labels:
            raise InvalidInput(
                f"item {record.id!r} has the label {text!r}, which is none of {', '.join(self._labels)}: name it in "
                "the sketch's labels"
            )
        return self._labels[text]
