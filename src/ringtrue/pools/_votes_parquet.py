"""Votes in a Parquet file, which may be larger than memory: DuckDB groups the rows, and only groups are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import ABSTAINED, Sketch
from ringtrue.pools._cells import filled, unmasked
from ringtrue.pools._columns import id_text
from ringtrue.pools._duck import quoted
from ringtrue.pools._parquet_file import ROW, ROWS, TABLE, ParquetFile
from ringtrue.pools._votes_cells import Cells, encode
from ringtrue.pools._votes_gold import TRUTH, Gold
from ringtrue.pools._votes_long import Ballots, long_labels, pick_raters
from ringtrue.pools._votes_panel import (
    MOST,
    Choice,
    check_few,
    check_known,
    check_voted,
    check_votes,
    choose_judges,
    settle_labels,
)
from ringtrue.pools._votes_table import Asked, Long, Wide, items_named, long_hint

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOOK = 8_192  # rows looked at before the file is grouped, to notice a column that is not one of votes
AT_ONCE = 1_000_000  # votes in rows of their own that are held at once
_ITEM, _GOLD = '"ringtrue: item"', '"ringtrue: gold"'  # names that no column of the file has


def wide_parquet(file: ParquetFile, layout: Wide, asked: Asked, gold: Gold | None) -> Sketch:
    """Count a file with a row per item: the groups of equal rows and their sizes are all that is fetched."""
    if layout.item is not None and (layout.unique or gold is not None):
        with items_named(long_hint(file.columns)):
            file.check_ids(file.source, layout.item)
    truths = (layout.truth,) if layout.truth else ()
    names = (*_glance(file, layout.judges, truths, asked).warned(), *truths)
    groups, times = _groups(file, names, layout, gold)
    cells = _encoded(file, groups)

    def where(judge: str, code: int) -> str:
        if gold is not None and judge == TRUTH:
            return f"item {gold.items[gold.texts.index(cells[judge].texts[code])]!r}: judge {judge!r}"
        return _where(file, judge, groups[judge][cells[judge].row(code)])

    labels = settle_labels(file.source, cells, asked.labels, where)
    for judge in cells:
        check_voted(file.source, judge, cells[judge].labels)
    sketch = Sketch(cells, labels)
    places = [column.votes(labels).piece(0, len(times)).astype(np.intp) for column in cells.values()]
    columns = [np.where(place < len(labels), place, ABSTAINED).tolist() for place in places]
    for pattern, count in zip(zip(*columns, strict=True), times, strict=True):
        sketch.count(pattern, count)
    return sketch


def long_parquet(file: ParquetFile, layout: Long, asked: Asked, gold: Gold | None) -> Sketch:
    """Count a file with a row per vote: a share of the items at a time, chosen by their hashes.

    The file is read once per share of a million votes, so that memory does not grow with the file.
    """
    found = file.fetch(f"SELECT DISTINCT {file.sql(layout.rater)} AS rater FROM {TABLE}")["rater"]
    raters = [id_text(rater) for rater in unmasked(found).tolist() if rater is not None]
    judges = pick_raters(file.source, raters, asked.judges)
    names = (layout.item, layout.rater, layout.label, *((layout.truth,) if layout.truth else ()))
    # More distinct values than these are refused anyway: some of them are not labels.
    most = 100 * MOST + len(asked.labels or ())
    values = {
        column: unmasked(file.fetch(f"SELECT DISTINCT {file.sql(column)} AS v FROM {TABLE} LIMIT {most}")["v"])
        for column in names[2:]
    }
    cells = _encoded(file, values)
    if asked.labels is None:
        check_votes(file.source, layout.label, cells[layout.label], votes=file.size)

    def where(column: str, code: int) -> str:
        rater = layout.rater if column == layout.label else None
        return _where(file, column, values[column][cells[column].row(code)], rater=rater)

    ballots = Ballots(file.source, layout, judges, long_labels(file.source, cells, asked, gold, where), gold)
    shares = -(-file.size // AT_ONCE)
    for share in range(shares):
        chosen = f"WHERE hash({quoted(file.inner[layout.item])}) % {shares} = {share}" if shares > 1 else ""
        part = file.fetch(f"SELECT {file.reads(names)}, {ROW} AS r FROM {TABLE} {chosen}")
        if len(part["r"]):
            order = np.argsort(part["r"])
            columns = {column: found[order] for column, found in file.read(part, names).items()}
            ballots.add(columns, part["r"][order])
    return ballots.finish()


def _groups(
    file: ParquetFile, names: tuple[str, ...], layout: Wide, gold: Gold | None
) -> tuple[dict[str, NDArray[Any]], list[int]]:
    """Count each distinct row; with a table of truths, that is joined to the rows first."""
    if gold is None or layout.item is None:
        found = file.fetch(f"SELECT {file.reads(names)}, count(*) AS n FROM {ROWS} GROUP BY ALL")
        return file.read(found, names), found["n"].tolist()
    key = _id_sql(file, layout.item)
    found = file.fetch(
        f"SELECT {file.reads(names)}, {_GOLD} AS g, count(*) AS n, count({_ITEM}) AS met FROM {ROWS} LEFT JOIN "
        f"(SELECT unnest($items) AS {_ITEM}, unnest($golds) AS {_GOLD}) ON {key} = {_ITEM} GROUP BY ALL",
        items=gold.items,
        golds=gold.texts,
    )
    if sum(found["met"].tolist()) < len(gold.items):
        met = file.fetch(f"SELECT {key} AS met FROM {TABLE} WHERE {key} IN (SELECT unnest($items))", items=gold.items)
        gold.check_found(met["met"].tolist())
    groups = file.read(found, names)
    groups[TRUTH] = filled(unmasked(found["g"]).tolist())
    return groups, found["n"].tolist()


def _glance(file: ParquetFile, judges: tuple[str, ...], truths: tuple[str, ...], asked: Asked) -> Choice:
    """Choose the judges by the first rows; refuse columns that would make a group of every row."""
    values = file.read(
        file.fetch(f"SELECT {file.reads((*judges, *truths))} FROM {TABLE} LIMIT {LOOK}"), (*judges, *truths)
    )
    choice = Choice(judges, {})
    if asked.judges is None:
        choice = choose_judges(file.source, {judge: values[judge] for judge in judges}, asked.labels)
    cells = _encoded(file, {column: values[column] for column in (*choice.judges, *truths)})
    if asked.labels is None:
        for judge in choice.judges:
            check_votes(file.source, judge, cells[judge])
        check_few(file.source, cells)
        return choice

    def where(judge: str, code: int) -> str:
        return _where(file, judge, values[judge][cells[judge].row(code)])

    check_known(file.source, cells, asked.labels, where)
    return choice


def _encoded(file: ParquetFile, columns: dict[str, NDArray[Any]]) -> dict[str, Cells]:
    return {column: encode(values, name=f"{file.source}: column {column!r}") for column, values in columns.items()}


def _where(file: ParquetFile, column: str, value: Any, *, rater: str | None = None) -> str:
    """Find the first row with this value, in the file, once something is wrong."""
    value = value.item() if isinstance(value, np.generic) else value
    who = "NULL" if rater is None else file.sql(rater)
    found = file.fetch(
        f"SELECT {ROW} AS r, {who} AS w FROM {TABLE} WHERE {file.sql(column)} = $value ORDER BY {ROW} LIMIT 1",
        value=value,
    )
    judge = column if rater is None else id_text(unmasked(found["w"]).tolist()[0])
    return f"row {int(found['r'][0]) + 1}: judge {judge!r}"


def _id_sql(file: ParquetFile, column: str) -> str:
    """Write the SQL for an item's name as text, a whole number without a point also where it is stored as a float."""
    cell = quoted(file.inner[column])
    text = f"CAST({cell} AS VARCHAR)"
    if file.types[column] in {"FLOAT", "DOUBLE"}:
        return f"CASE WHEN {cell} = trunc({cell}) THEN CAST(CAST({cell} AS HUGEINT) AS VARCHAR) ELSE {text} END"
    return text
