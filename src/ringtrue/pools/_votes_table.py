"""A table of votes: its columns, whatever they come in, and which of them are what."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ringtrue.core import Argument, InvalidInput, count
from ringtrue.pools._cells import clean, filled, typed, unmasked
from ringtrue.pools._columns import SUFFIXES, check_ids, id_texts, no_rows, short, shown, unknown_column
from ringtrue.pools._read import is_pool, read_columns, read_frame
from ringtrue.pools._votes_cells import encode

if TYPE_CHECKING:
    from numpy.typing import NDArray

ITEMS = ("id", "item", "task")
RATERS = ("rater", "worker", "judge", "annotator")
LABELS = ("label", "vote")
NAMES = ("truth", "gold", "label")

TRUTH = "truth"
"""The judge that a table of true labels becomes."""

Columns = dict[str, "NDArray[Any]"]


def read_table(
    source: Any, *, item: str | None = None, judges: Sequence[str] | None = None, what: str = "votes"
) -> tuple[str, Columns]:
    """Return what errors call the source, and its columns in memory. `what` says what is in the source."""
    if isinstance(source, str | os.PathLike):
        name = os.fsdecode(source)
        columns = read_columns(name, id_column=item)
    elif is_pool(source):
        name = getattr(source, "source", None) or source.name
        columns = dict(next(source.chunks(source.size)).columns)
    elif isinstance(source, Mapping):
        name, columns = what, {judge: _column(what, judge, votes) for judge, votes in source.items()}
    elif isinstance(source, np.ndarray):
        name, columns = what, _matrix(what, source, judges)
    else:
        name, columns = "dataframe", _frame(what, source)
    sizes = {column: len(cells) for column, cells in columns.items()}
    if len(set(sizes.values())) > 1:
        least, most = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
        raise InvalidInput(
            f"{name}: column {least!r} has {count(sizes[least], 'row')} and {most!r} has {sizes[most]:,}: "
            "give each one cell per item, None where there is no vote"
        )
    if not any(sizes.values()):
        raise no_rows(name)
    # A column of arrays, such as images, has an array per row: it is not one of votes.
    return name, {column: cells if cells.ndim == 1 else filled(list(cells)) for column, cells in columns.items()}


def _column(what: str, judge: Any, votes: Any) -> NDArray[Any]:
    """Return a judge's votes as an array; refuse all but a list, an array or a series of them."""
    if not isinstance(judge, str):
        raise InvalidInput(f"{what}: the name {judge!r} is not text: rename it, as in str(name)")
    if hasattr(votes, "to_numpy"):  # a series of a dataframe
        votes = votes.to_numpy()
    if isinstance(votes, np.ndarray):
        if votes.ndim == 1:
            return unmasked(votes)
        raise InvalidInput(f"{what}: {judge!r} has the shape {votes.shape}: give one vote per item, in one dimension")
    if not isinstance(votes, Sequence) or isinstance(votes, str | bytes):
        raise InvalidInput(f"{what}: {judge!r} is {short(votes)}: give a list or an array with one vote per item")
    return typed([clean(vote) for vote in votes])


def _matrix(what: str, votes: NDArray[Any], judges: Sequence[str] | None) -> Columns:
    if votes.ndim != 2:
        raise InvalidInput(f"{what} has the shape {votes.shape}: give an array with a row per item, a column per judge")
    if judges is None or len(judges) != votes.shape[1]:
        named = "no names" if judges is None else count(len(judges), "name")
        columns_there = f"{what} has {count(votes.shape[1], 'column')} and "
        raise InvalidInput(columns_there, Argument("judges"), f" has {named}: name each column")
    # Each judge's votes in one piece of memory: going through them then costs half of what jumping over rows does.
    columns = votes.T.copy(order="C") if votes.dtype.itemsize == 1 and not votes.T.flags.c_contiguous else votes.T
    return {judge: unmasked(column) for judge, column in zip(judges, columns, strict=True)}


def _frame(what: str, source: Any) -> Columns:
    # A lazy frame, which has `collect`, warns when asked for its columns.
    if hasattr(source, "collect") or hasattr(source, "columns") or hasattr(source, "column_names"):
        return read_frame(source)
    argument = "source" if what == "votes" else what
    raise InvalidInput(
        f"{argument}={short(source)} cannot be read: give a path ({', '.join(SUFFIXES)}), a pandas, polars or pyarrow "
        "table, a mapping from judges to their votes, or an array with a column per judge"
    )


class Asked(NamedTuple):
    """The caller's words about a table of votes."""

    judges: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    item: str | None = None
    rater: str | None = None
    label: str | None = None
    truth: Any = None


class Wide(NamedTuple):
    """A row per item. `item` is the column of names, if there is one; `truth` the column of true labels."""

    judges: tuple[str, ...]
    item: str | None
    truth: str | None
    unique: bool
    """True if an item that stands there twice is an error."""


class Long(NamedTuple):
    """A row per vote: who voted what on which item."""

    item: str
    rater: str
    label: str
    truth: str | None


def find_layout(name: str, columns: Sequence[str], asked: Asked, *, truth: str | None) -> Wide | Long:
    """Tell the layout of a table by its columns; `truth` is the column of true labels, if it has one."""
    judges = asked.judges
    for column in (asked.item, asked.rater, asked.label, truth):
        if column is not None and column not in columns:
            raise unknown_column(name, column, columns)
    item = asked.item or _named(columns, ITEMS)
    rater, label = asked.rater or _named(columns, RATERS), asked.label or _named(columns, LABELS)
    # With a column more than items, raters and labels, a rater may be a judge; so may one that is picked.
    three = None not in (item, rater, label) and len({item, rater, label}) == 3
    three = three and {item, rater, label} == {column for column in columns if column != truth}
    picked = judges is not None and set(judges) <= set(columns)
    if asked.rater or asked.label or (three and not picked):
        for what, column in (("item", item), ("rater", rater), ("label", label)):
            if column is None:
                raise InvalidInput(
                    f"{name}: there is no column for the {what} among {shown(columns)}: name it with ", Argument(what)
                )
        if item is None or rater is None or label is None or len({item, rater, label, truth}) < 4:
            other = f"rater={rater!r}, label={label!r} and truth={truth!r}"
            rule = f", {other} must be different columns: name each with its own"
            raise InvalidInput(f"{name}: ", Argument("item", item), rule)
        return Long(item, rater, label, truth)
    if judges is None:
        judges = tuple(column for column in columns if column != item and column.lower() not in ITEMS)
    for judge in judges:
        if judge not in columns:
            raise unknown_column(name, judge, columns)
    judges = tuple(judge for judge in judges if judge != truth)
    if not judges:
        raise InvalidInput(
            f"{name}: there is no column of votes among {shown(columns)}: add one per judge, or name them with ",
            Argument("judges"),
        )
    # Rows are counted as they are if the judges were picked and the items were not.
    return Wide(judges, item, truth, unique=item is not None and (asked.judges is None or asked.item is not None))


def long_hint(columns: Sequence[str]) -> str:
    """Say what to try if a table that was read as a row per item may have a row per vote."""
    rater, label = _named(columns, RATERS), _named(columns, LABELS)
    return f", or name rater={rater!r} and label={label!r} if each row is one vote" if rater and label else ""


def _named(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the column with the first of these names that any has; capitals do not matter."""
    return next((column for name in names for column in columns if column.lower() == name), None)


@contextmanager
def items_named(hint: str = "") -> Iterator[None]:
    """Put what the checks of ids say in the words of a table of votes: the column of ids is the one of items."""
    try:
        yield
    except InvalidInput as error:
        before, named, after = str(error).partition("with id=")
        rest = ("with ", Argument("item"), after.removeprefix("…")) if named else ()
        raise InvalidInput(before, *rest, hint) from None


def check_items(name: str, column: str, values: NDArray[Any], hint: str = "") -> None:
    """Refuse items without a name and items that stand there twice."""
    if values.dtype.kind in "iu":
        ordered = np.sort(values)
        if not (ordered[1:] == ordered[:-1]).any():
            return
    with items_named(hint):
        check_ids(name, column, values.tolist())


class Gold(NamedTuple):
    """The true labels of some items, by their names: as text, None where one is missing."""

    name: str
    labels: dict[str, str | None]

    def of(self, items: Iterable[str]) -> NDArray[Any]:
        """Return the labels of these items, None for those that have none here."""
        return filled([self.labels.get(item) for item in items])

    def where(self, text: str | None) -> str:
        """Name the first item with this label, for errors."""
        return f"item {next(item for item, label in self.labels.items() if label == text)!r}: judge {TRUTH!r}"

    def check_found(self, found: Iterable[str]) -> None:
        """Refuse a true label for an item that has no votes."""
        there = set(found)
        lost = next((item for item in self.labels if item not in there), None)
        if lost is not None:
            raise InvalidInput(
                f"{self.name}: item {lost!r} has a true label and no votes: remove it, or check how items are named"
            )


def read_gold(truth: Any, *, item: str | None) -> Gold:
    """Read true labels from a file, a dataframe, a mapping from columns to cells or one from items to labels."""
    if isinstance(truth, np.ndarray):
        raise InvalidInput("truth= is an array, which does not say whose labels these are: give a mapping from items")
    if isinstance(truth, Mapping) and not _is_table(truth, item):
        if not truth:
            raise InvalidInput("truth={} has no labels: give some, or leave truth= out")
        name, items, labels, of = TRUTH, "item", TRUTH, TRUTH
        columns = {items: filled(list(truth)), labels: filled(list(truth.values()))}
    else:
        name, columns = read_table(truth, item=item, what=TRUTH)
        items = _choose(name, columns, ((item,) if item else ()) + ITEMS, "item")
        labels = _choose(name, {key: cells for key, cells in columns.items() if key != items}, NAMES, TRUTH)
        of = f"{name}: column {labels!r}"
    check_items(name, items, columns[items])
    cells = encode(columns[labels], name=of)
    texts = [cells.texts[code] for code in cells.codes.tolist()]
    return Gold(name, dict(zip(id_texts(columns[items]), texts, strict=True)))


def _is_table(truth: Mapping[Any, Any], item: str | None) -> bool:
    """Return whether a mapping has columns rather than items: its cells are lists, and a name says which are items."""
    names = {str(key).lower() for key in truth}
    listed = all(hasattr(cells, "__len__") and not isinstance(cells, str) for cells in truth.values())
    return listed and bool(names & {*ITEMS, (item or "item").lower()})


def _choose(name: str, columns: Mapping[str, Any], names: Sequence[str], what: str) -> str:
    for wanted in names:
        for column in columns:
            if wanted in (column, column.lower()):
                return column
    raise InvalidInput(
        f"{name}: there is no column for the {what} of the items among {shown(list(columns))}: "
        f"name it {' or '.join(map(repr, names))}"
    )
