"""One door from votes to a sketch."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ringtrue.core import Argument, InvalidInput, Sketch
from ringtrue.pools._columns import id_texts
from ringtrue.pools._parquet import ParquetPool
from ringtrue.pools._parquet_file import ParquetFile
from ringtrue.pools._patterns import count_patterns
from ringtrue.pools._read import is_pool
from ringtrue.pools._votes_cells import encode
from ringtrue.pools._votes_gold import TRUTH, Gold, read_gold, truth_column
from ringtrue.pools._votes_long import read_long
from ringtrue.pools._votes_panel import check_voted, check_votes, choose_judges, settle_labels
from ringtrue.pools._votes_parquet import long_parquet, wide_parquet
from ringtrue.pools._votes_table import Asked, Long, Wide, check_items, find_layout, long_hint, read_table

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    known = _names("labels", labels)
    if known is not None:
        known = Sketch(["judge"], known).labels  # which checks them, and makes texts of them
    if item is None and is_pool(source):
        item = source.id_column
    asked = Asked(_names("judges", judges), known, item, rater, label, truth)
    file = _parquet(source)
    if file is not None:
        layout, gold = _layout(file.source, file.columns, asked)
        if isinstance(layout, Wide):
            return wide_parquet(file, layout, asked, gold)
        return long_parquet(file, layout, asked, gold)
    name, columns = read_table(source, item=item, judges=asked.judges)
    layout, gold = _layout(name, list(columns), asked)
    if isinstance(layout, Wide):
        return _read_wide(name, columns, layout, asked, gold)
    return read_long(name, columns, layout, asked, gold)


def _names(what: str, names: Iterable[Any] | None) -> tuple[Any, ...] | None:
    if isinstance(names, str):
        raise InvalidInput(Argument(what, names), f" is one text: give a list, as in [{names!r}]")
    return None if names is None else tuple(names)


def _parquet(source: Any) -> ParquetFile | None:
    """Return the Parquet file that votes stand in, which may be larger than memory; None if they come otherwise."""
    if isinstance(source, ParquetPool):
        return source.file
    if isinstance(source, str | os.PathLike) and os.fsdecode(source).lower().endswith(".parquet"):
        return ParquetFile(os.fsdecode(source))
    return None


def _layout(name: str, columns: Sequence[str], asked: Asked) -> tuple[Wide | Long, Gold | None]:
    """Tell which column is what, and read the true labels if they stand in a table of their own."""
    truth = truth_column(name, asked.truth, columns)
    layout = find_layout(name, columns, asked, truth=truth)
    if asked.truth is None or truth is not None:
        return layout, None
    if isinstance(layout, Wide):
        if layout.item is None:
            raise InvalidInput(
                f"{name}: truth is a table of its own and the votes have no column of items: name it with ",
                Argument("item"),
            )
        if TRUTH in layout.judges:
            said = f"{name}: a judge is named {TRUTH!r}, as the truth is: leave it out with "
            raise InvalidInput(said, Argument("judges"))
    return layout, read_gold(asked.truth, item=asked.item)


def _read_wide(name: str, columns: Mapping[str, NDArray[Any]], layout: Wide, asked: Asked, gold: Gold | None) -> Sketch:
    """Count a table in memory with a row per item."""
    if layout.item is not None and (layout.unique or gold is not None):
        check_items(name, layout.item, columns[layout.item], long_hint(list(columns)))
    judges = layout.judges
    if asked.judges is None:
        judges = choose_judges(name, {judge: columns[judge] for judge in judges}, asked.labels).warned()
    panel = {judge: columns[judge] for judge in judges}
    if layout.truth is not None:
        panel[layout.truth] = columns[layout.truth]
    if gold is not None and layout.item is not None:
        items = id_texts(columns[layout.item])
        gold.check_found(items)
        panel[TRUTH] = gold.of(items)
    cells = {judge: encode(votes, name=f"{name}: judge {judge!r}") for judge, votes in panel.items()}
    if asked.labels is None:
        for judge in judges:
            check_votes(name, judge, cells[judge])
    known = settle_labels(
        name, cells, asked.labels, lambda judge, code: f"row {cells[judge].row(code) + 1}: judge {judge!r}"
    )
    for judge in cells:
        check_voted(name, judge, cells[judge].labels)
    return Sketch(cells, known, count_patterns([column.votes(known) for column in cells.values()], len(known)))
