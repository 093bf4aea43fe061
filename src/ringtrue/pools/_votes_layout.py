"""Which columns of a table are what: a row per item with a column per judge, or a row per vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ringtrue.core import InvalidInput
from ringtrue.pools._ids import shown, unknown_column

ITEMS = ("id", "item", "task")
RATERS = ("rater", "worker", "judge", "annotator")
LABELS = ("label", "vote")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the caller said about a table of votes."""

    judges: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    item: str | None = None
    rater: str | None = None
    label: str | None = None
    truth: Any = None

    def __post_init__(self) -> None:
        if self.judges is not None and not self.judges:
            raise InvalidInput("judges=[] must name at least one judge: name some, or leave judges= out to take all")
        for judge in self.judges or ():
            if not isinstance(judge, str):
                raise InvalidInput(f"judges= has {judge!r}, which is not text: give names, as in str(name)")
            if (self.judges or ()).count(judge) > 1:
                raise InvalidInput(f"judges= has {judge!r} twice: name each judge once")


@dataclass(frozen=True, slots=True)
class Wide:
    """A row per item. `item` is the column of names, if there is one; `truth` the column of true labels."""

    judges: tuple[str, ...]
    item: str | None
    truth: str | None
    unique: bool
    """Whether an item that stands there twice is an error."""


@dataclass(frozen=True, slots=True)
class Long:
    """A row per vote: who voted what on which item."""

    item: str
    rater: str
    label: str
    truth: str | None


def find_layout(name: str, columns: Sequence[str], asked: Asked, *, truth: str | None) -> Wide | Long:
    """The layout of a table with these columns; `truth` is the column of true labels, if it has one."""
    for column in (asked.item, asked.rater, asked.label, truth):
        if column is not None and column not in columns:
            raise unknown_column(name, column, columns)
    item = asked.item or _named(columns, ITEMS)
    rater, label = asked.rater or _named(columns, RATERS), asked.label or _named(columns, LABELS)
    picked = asked.judges is not None and set(asked.judges) <= set(columns)
    if asked.rater or asked.label or (not picked and _three(columns, item, rater, label, truth)):
        return _long(name, columns, item, rater, label, truth)
    spared = {item, truth, *(column for column in columns if column.lower() in ITEMS)}
    judges = tuple(column for column in columns if column not in spared) if asked.judges is None else asked.judges
    for judge in judges:
        if judge not in columns:
            raise unknown_column(name, judge, columns)
    judges = tuple(judge for judge in judges if judge != truth)
    if not judges:
        raise InvalidInput(
            f"{name}: there is no column of votes among {shown(columns)}: add one per judge, or name them with judges="
        )
    # Rows are counted as they are if the judges were picked and the items were not.
    return Wide(judges, item, truth, unique=item is not None and (asked.judges is None or asked.item is not None))


def long_hint(columns: Sequence[str]) -> str:
    """What to try if a table that was read as a row per item may have a row per vote."""
    rater, label = _named(columns, RATERS), _named(columns, LABELS)
    return f", or name rater={rater!r} and label={label!r} if each row is one vote" if rater and label else ""


def _long(
    name: str, columns: Sequence[str], item: str | None, rater: str | None, label: str | None, truth: str | None
) -> Long:
    found = {"item": item, "rater": rater, "label": label}
    for what, column in found.items():
        if column is None:
            raise InvalidInput(
                f"{name}: there is no column for the {what} among {shown(columns)}: name it with {what}="
            )
    if item is None or rater is None or label is None or len({item, rater, label, truth}) < 4:
        raise InvalidInput(
            f"{name}: item={item!r}, rater={rater!r}, label={label!r} and truth={truth!r} must be different columns: "
            "name each with its own"
        )
    return Long(item, rater, label, truth)


def _three(columns: Sequence[str], item: str | None, rater: str | None, label: str | None, truth: str | None) -> bool:
    """Whether a table is nothing but items, raters and labels: with a column more, a rater may be a judge."""
    rest = {column for column in columns if column != truth}
    return None not in (item, rater, label) and rest == {item, rater, label} and len(rest) == 3


def _named(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """The column with the first of these names that any has; capitals do not matter."""
    return next((column for name in names for column in columns if column.lower() == name), None)
