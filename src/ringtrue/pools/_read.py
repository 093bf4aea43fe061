"""One door to every pool."""

from __future__ import annotations

import os
from typing import Any

from ringtrue.core import Pool
from ringtrue.pools._csv import read_csv
from ringtrue.pools._files import check_file, hash_file
from ringtrue.pools._frames import read_frame
from ringtrue.pools._jsonl import read_jsonl
from ringtrue.pools._npz import read_npz
from ringtrue.pools._parquet import ParquetPool
from ringtrue.pools._table import TablePool

SMALL = 2_000_000
"""Parquet files of at most so many cells are held in memory, where a row costs microseconds, not milliseconds."""


def read_pool(source: Any, *, id: str | None = None) -> Pool:  # noqa: A002 - the word users know
    """Open a file (.csv, .tsv, .parquet, .jsonl, .ndjson, .npz) or a dataframe as a pool; a pool stays as it is.

    `id` names the column of ids; without it a column named "id" serves, else the row numbers from 0.
    """
    # A look at `chunks` first: the protocol asks for every attribute, and a lazy frame warns when asked.
    if hasattr(source, "chunks") and isinstance(source, Pool):
        return source
    if not isinstance(source, str | os.PathLike):
        return TablePool(read_frame(source), id=id, name="dataframe")
    path = os.fsdecode(source)
    suffix = check_file(path)
    if suffix == ".parquet":
        pool = ParquetPool(path, id=id)
        return pool.load() if pool.size * len(pool.columns) <= SMALL else pool
    name, by_bytes = os.path.basename(path), hash_file(path)
    if suffix in {".jsonl", ".ndjson"}:
        columns = read_jsonl(path)
    elif suffix == ".npz":
        return TablePool(read_npz(path), id=id, name=name, fingerprint=by_bytes, source=path)
    else:
        columns = read_csv(path, delimiter="\t" if suffix == ".tsv" else None, id_column=id)
    return TablePool(columns, id=id, name=name, source=path, hash_of_file=by_bytes)
