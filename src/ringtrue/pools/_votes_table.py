"""Votes in memory or in a text file, as columns of one length."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import InvalidInput, count
from ringtrue.pools._cells import clean, typed
from ringtrue.pools._csv import read_csv
from ringtrue.pools._duck import to_numpy
from ringtrue.pools._files import SUFFIXES, check_file
from ringtrue.pools._frames import read_frame
from ringtrue.pools._jsonl import read_jsonl

if TYPE_CHECKING:
    from numpy.typing import NDArray

Columns = dict[str, "NDArray[Any]"]


def read_table(
    source: Any, *, item: str | None = None, judges: Sequence[str] | None = None, what: str = "votes"
) -> tuple[str, Columns]:
    """What errors call the source, and its columns; for anything but Parquet. `what` is in the source."""
    if isinstance(source, str | os.PathLike):
        name = os.fsdecode(source)
        suffix = check_file(name)
        if suffix in {".jsonl", ".ndjson"}:
            columns = read_jsonl(name)
        else:
            columns = read_csv(name, delimiter="\t" if suffix == ".tsv" else None, id_column=item)
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
            f"{name}: column {least!r} has {sizes[least]:,} rows and {most!r} has {sizes[most]:,}: "
            "give each one cell per item, None where there is no vote"
        )
    if not any(sizes.values()):
        raise InvalidInput(f"{name}: there are no rows: give the votes on at least one item")
    return name, columns


def _column(what: str, judge: Any, votes: Any) -> NDArray[Any]:
    """A judge's votes as an array; whatever is no list, array or series of them is refused."""
    if not isinstance(judge, str):
        raise InvalidInput(f"{what}: the name {judge!r} is not text: rename it, as in str(name)")
    if hasattr(votes, "to_numpy"):  # a series of a dataframe
        votes = votes.to_numpy()
    if isinstance(votes, np.ndarray):
        if votes.ndim == 1:
            return to_numpy(votes)
        raise InvalidInput(f"{what}: {judge!r} has the shape {votes.shape}: give one vote per item, in one dimension")
    if not isinstance(votes, Sequence) or isinstance(votes, str | bytes):
        raise InvalidInput(f"{what}: {judge!r} is {_short(votes)}: give a list or an array with one vote per item")
    return typed([clean(vote) for vote in votes])


def _matrix(what: str, votes: NDArray[Any], judges: Sequence[str] | None) -> Columns:
    if votes.ndim != 2:
        raise InvalidInput(f"{what} has the shape {votes.shape}: give an array with a row per item, a column per judge")
    if judges is None or len(judges) != votes.shape[1]:
        named = "no names" if judges is None else count(len(judges), "name")
        raise InvalidInput(f"{what} has {count(votes.shape[1], 'column')} and judges= has {named}: name each column")
    # Each judge's votes in one piece of memory: going through them then costs half of what jumping over rows does.
    columns = votes.T.copy(order="C") if votes.dtype.itemsize == 1 and not votes.T.flags.c_contiguous else votes.T
    return {judge: to_numpy(column) for judge, column in zip(judges, columns, strict=True)}


def _frame(what: str, source: Any) -> Columns:
    # A lazy frame, which has `collect`, warns when asked for its columns.
    if hasattr(source, "collect") or hasattr(source, "columns") or hasattr(source, "column_names"):
        return read_frame(source)
    argument = "source" if what == "votes" else what
    raise InvalidInput(
        f"{argument}={_short(source)} cannot be read: give a path ({', '.join(SUFFIXES)}), a pandas, polars or pyarrow "
        "table, a mapping from judges to their votes, or an array with a column per judge"
    )


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
