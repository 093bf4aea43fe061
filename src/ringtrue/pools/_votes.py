"""One door from votes to a sketch, and the table with a row per item."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from ringtrue.core import Argument, InvalidInput, Sketch
from ringtrue.pools._columns import SUFFIXES, no_rows, unknown_column
from ringtrue.pools._parquet import ParquetFile
from ringtrue.pools._parquet_pool import ParquetPool
from ringtrue.pools._places import find_place
from ringtrue.pools._read import is_pool
from ringtrue.pools._votes_cells import Cells, count_patterns, encode
from ringtrue.pools._votes_long import read_long
from ringtrue.pools._votes_panel import LeftOut, check_labels, check_voted, check_votes, choose_judges, settle_labels
from ringtrue.pools._votes_source import InMemory, OnDisk, Source
from ringtrue.pools._votes_table import TRUTH, Asked, Gold, Long, Wide, find_layout, read_gold, read_table


def read_votes(
    source: Any,
    *,
    judges: Iterable[str] | None = None,
    labels: Iterable[Any] | None = None,
    item: str | None = None,
    rater: str | None = None,
    label: str | None = None,
    truth: Any = None,
) -> Sketch:
    """Count the votes in a table with a row per item and a column per judge, or with a row per vote.

    An empty cell, None or NaN is an abstention; any other cell, also -1, is a label.

    >>> votes = {"ann": ["yes", "no", "yes"], "bob": ["yes", None, "no"], "gold": ["yes", None, None]}
    >>> sketch = read_votes(votes, truth="gold")
    >>> sketch.judges, sketch.labels, dict(sketch)[1, 0, -1]
    (('ann', 'bob', 'gold'), ('no', 'yes'), 1)

    Parameters
    ----------
    source
        A file, a dataframe, a pool, a mapping from judges to votes, or an array (items, judges). A table of just an
        item, a rater and a label, or of `task`, `worker` and `label`, is read as a row per vote.
    judges
        The columns or raters, in order; they name the columns of an array. Without it all are taken but `id`, `item`
        and `task`, of which the first is the name of the item and must be there once, and columns that cannot be
        votes: with more than 50 values, or more than 10 that come less than twice on average, or with other labels
        than most columns share. A warning names those. Of a Parquet file that is not in memory the first 8,192 rows
        decide.
    labels
        The labels, in order; without it those seen, numbers by size and then texts by the alphabet.
    item
        The column that names the items; without it that of a pool's ids, else `id`, `item` or `task`.
    rater
        The column that names the raters, if the table has a row per vote.
    label
        The column of their labels, if the table has a row per vote.
    truth
        The column of true labels, or a table of items and their `truth`, `gold` or `label`, or a mapping from items
        to labels. The truth becomes the last judge, under the name of its column, or "truth" if it came from
        elsewhere; it abstains on items without a true label.
    """
    known = _listed("labels", labels)
    if known is not None:
        known = Sketch(["judge"], known).labels  # which checks them, and makes texts of them
    if item is None and is_pool(source):
        item = source.id_column
    asked = Asked(_named(judges), known, item, rater, label, truth)
    votes = _source(source, asked)
    layout, gold = _layout(votes.name, votes.columns, asked)
    if isinstance(layout, Wide):
        return _read_wide(votes, layout, asked, gold)
    return read_long(votes, layout, asked, gold)


def _listed(what: str, names: Iterable[Any] | None) -> tuple[Any, ...] | None:
    if isinstance(names, str):
        raise InvalidInput(Argument(what, names), f" is one text: give a list, as in [{names!r}]")
    return None if names is None else tuple(names)


def _named(judges: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the judges that the caller named; refuse none at all, what is not text, and a name that comes twice."""
    names = _listed("judges", judges)
    if names is not None and not names:
        rule = " must name at least one judge: name some, or leave it out to take all"
        raise InvalidInput(Argument("judges", []), rule)
    for judge in names or ():
        if not isinstance(judge, str):
            raise InvalidInput(Argument("judges"), f" has {judge!r}, which is not text: give names, as in str(name)")
        if (names or ()).count(judge) > 1:
            raise InvalidInput(Argument("judges"), f" has {judge!r} twice: name each judge once")
    return names


def _source(source: Any, asked: Asked) -> Source:
    if isinstance(source, ParquetPool) and len(source.files) == 1:
        return OnDisk(source.files[0])
    if isinstance(source, str | os.PathLike):
        place = find_place(source)
        if place.kind == "file" and place.path.lower().endswith(".parquet"):
            file = ParquetFile(place.path)
            if not file.size:
                raise no_rows(place.path)
            return OnDisk(file)
    return InMemory(*read_table(source, item=asked.item, judges=asked.judges))


def _layout(name: str, columns: Sequence[str], asked: Asked) -> tuple[Wide | Long, Gold | None]:
    """Tell which column is what, and read the true labels if they stand in a table of their own."""
    truth = asked.truth if isinstance(asked.truth, str) and asked.truth in columns else None
    if truth is None and isinstance(asked.truth, str) and not _is_file_name(asked.truth):
        raise unknown_column(name, asked.truth, columns)
    layout = find_layout(name, columns, asked, truth=truth)
    if asked.truth is None or truth is not None:
        return layout, None
    if isinstance(layout, Wide) and layout.item is None:
        raise InvalidInput(
            f"{name}: truth is a table of its own and the votes have no column of items: name it with ",
            Argument("item"),
        )
    if isinstance(layout, Wide) and TRUTH in layout.judges:
        said = f"{name}: a judge is named {TRUTH!r}, as the truth is: leave it out with "
        raise InvalidInput(said, Argument("judges"))
    return layout, read_gold(asked.truth, item=asked.item)


def _is_file_name(text: str) -> bool:
    return os.path.splitext(find_place(text).path)[1].lower() in SUFFIXES


def _read_wide(source: Source, layout: Wide, asked: Asked, gold: Gold | None) -> Sketch:
    """Count a table with a row per item. All judges are chosen and checked before the rows are grouped."""
    if layout.item is not None and (layout.unique or gold is not None):
        source.check_items(layout.item)
    truths = (layout.truth,) if layout.truth else ()
    values = first = source.first((*layout.judges, *truths))
    cells: dict[str, Cells] = {}
    if asked.judges is None:
        cells, left = choose_judges(source.name, {judge: first[judge] for judge in layout.judges}, asked.labels)
        if left:
            named = ", ".join(f"{column} ({reason})" for column, reason in left.items())
            warnings.warn(f"left out: {named}; name the judges to choose otherwise", LeftOut, stacklevel=3)
    judges = tuple(cells) or layout.judges

    def encoded(judge: str) -> Cells:
        if judge in cells and values[judge] is first[judge]:
            return cells[judge]
        return encode(values[judge], name=f"{source.name}: judge {judge!r}")

    def where(judge: str, code: int) -> str:
        if gold is not None and judge == TRUTH:
            return gold.where(cells[judge].texts[code])
        row = cells[judge].row(code)
        row, _ = source.place(judge, row, values[judge][row], judge)
        return f"row {row + 1}: judge {judge!r}"

    cells = {judge: encoded(judge) for judge in (*judges, *truths)}
    for judge in judges if asked.labels is None else ():
        check_votes(source.name, judge, cells[judge])
    check_labels(source.name, cells, asked.labels, where)
    values, times = source.groups((*judges, *truths), layout.item, gold)
    cells = {judge: encoded(judge) for judge in values}
    labels = settle_labels(source.name, cells, asked.labels, where)
    check_voted(source.name, {judge: bool(votes.labels) for judge, votes in cells.items()})
    panel = [votes.places(labels) for votes in cells.values()]
    return Sketch(cells, labels, count_patterns(panel, len(labels), times))
