"""A model that is a panel: the votes of several judges, stored beside the items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ringtrue.core import Batch, InvalidInput, Labels, is_missing, label_text
from ringtrue.models._columns import column_of


class PanelModel:
    """Stored votes, a column per judge. Each item is answered with all its votes; an empty cell is an abstention.

    With `labels`, a vote for anything else is refused.

    >>> import numpy as np
    >>> batch = Batch(["a"], {"ann": np.array(["yes"]), "bob": np.array([None], dtype=object)})
    >>> PanelModel(["ann", "bob"]).answer(batch).labels
    [{'votes': {'ann': 'yes', 'bob': None}}]
    """

    def __init__(self, columns: Sequence[str], *, labels: Sequence[Any] | None = None) -> None:
        if isinstance(columns, str):
            raise InvalidInput(f"columns={columns!r} is text: give a list, as in [{columns!r}]")
        if not columns or len(set(columns)) < len(columns):
            raise InvalidInput(f"columns={list(columns)!r} must name at least one judge, each once")
        self.columns = tuple(columns)
        self.labels = None if labels is None else tuple(label_text(label) for label in labels)

    @property
    def name(self) -> str:
        """The judges' names."""
        return f"panel {', '.join(self.columns)}"

    @property
    def stored_in(self) -> tuple[str, ...]:
        """The columns of the pool that hold its votes."""
        return self.columns

    @property
    def classes(self) -> list[str] | None:
        """The labels that judges may give, if they were named."""
        return None if self.labels is None else list(self.labels)

    def answer(self, batch: Batch) -> Labels:
        """The votes on each item, by judge, as text; None where a judge abstained."""
        votes = [self._votes(batch, column) for column in self.columns]
        return Labels([{"votes": dict(zip(self.columns, row, strict=True))} for row in zip(*votes, strict=True)])

    def _votes(self, batch: Batch, column: str) -> list[str | None]:
        cells = column_of(self.name, batch, column).tolist()
        votes = [None if is_missing(cell) else label_text(cell) for cell in cells]
        if self.labels is not None:
            for item, vote in zip(batch.ids, votes, strict=True):
                if vote is not None and vote not in self.labels:
                    raise InvalidInput(
                        f"item {item!r} has the vote {vote!r} in column {column!r}, which is none of "
                        f"{', '.join(self.labels)}: mend it, or name the label"
                    )
        return votes
