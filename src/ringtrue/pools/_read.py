"""One door to every pool, and one reader for every format of files and dataframes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from ringtrue.core import Argument, InvalidInput, Pool, RingtrueWarning, count
from ringtrue.pools._cells import clean, typed
from ringtrue.pools._columns import SUFFIXES, check_files, check_names, short
from ringtrue.pools._csv import read_csv
from ringtrue.pools._folder import read_folder
from ringtrue.pools._jsonl import read_jsonl
from ringtrue.pools._npz import read_npz
from ringtrue.pools._parquet_pool import ParquetPool, load_files
from ringtrue.pools._parts import hash_file, named_parts
from ringtrue.pools._places import find_place
from ringtrue.pools._table import TablePool
from ringtrue.pools._xlsx import read_xlsx

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALL = 2_000_000
"""The cells of a Parquet file that is held in memory, at most: there a row costs microseconds, not milliseconds."""


def read_pool(
    source: Any,
    *,
    id: str | None = None,  # noqa: A002 - the word users know
    commas: bool = False,
    partitions: bool = False,
    all_bytes: bool = False,
) -> Pool:
    """Open a file, several files, a folder of images or a dataframe as a pool; a pool stays as it is.

    Parameters
    ----------
    source
        A file (.csv, .tsv, .parquet, .jsonl, .ndjson, .npz, .xlsx); a sheet of a workbook, as in `scores.xlsx#May`,
        without which the first is read; a pattern such as `parts/*.csv`, whose files, sorted by name, must have the
        same columns; a folder of Parquet files, with its subfolders; a folder of image files, as in `photos`, or
        `photos#truth` to have the first subfolder of each image in a column of that name; or a dataframe.
    id
        The column of ids; without it a column named "id" serves, else the row numbers from 0. The images of a folder
        have their paths in it as ids.
    commas
        Whether numbers of a CSV file that no comma parts may have decimal commas; without it, such a column is text.
    partitions
        Whether what the folders of Parquet files say, as in `region=eu/day=1`, is in columns.
    all_bytes
        Whether several large Parquet files are known again by all their bytes, and not by their footers alone.
    """
    if is_pool(source):
        return source
    if not isinstance(source, str | os.PathLike):
        return TablePool(read_frame(source), id=id, name="dataframe")
    place = find_place(source)
    many = {"partitions": partitions, "all_bytes": all_bytes}
    if place.kind == "folder":
        images = read_folder(place.path, id=id, label=place.part)  # which says it where the folder holds neither
        _check_not_given(place.name, many)
        return images
    files = place.files()
    suffix = check_files(files)
    if suffix == ".parquet":
        if other := place.passed_over():
            first = short(os.path.relpath(other[0], place.path))
            told = f"{place.name} is read as Parquet; passed over: {count(len(other), 'other file')}, such as {first}"
            warnings.warn(told, RingtrueWarning, stacklevel=2)
        on_disk = ParquetPool(source, id=id, **many)
        return on_disk.load() if on_disk.size * len(on_disk.columns) <= SMALL else on_disk
    _check_not_given(place.name, many)
    hashes = [hash_file(file) for file in files]
    columns = _read(files, suffix, place.part, id_column=id, commas=commas)
    known_by: dict[str, Any] = {}
    if place.kind == "files":
        known_by["parts"] = named_parts(files, hashes)
    elif suffix != ".xlsx":
        known_by["fingerprint" if suffix == ".npz" else "hash_of_file"] = hashes[0]
    return TablePool(columns, id=id, name=place.name, source=os.fsdecode(source), **known_by)


def _check_not_given(name: str, many: Mapping[str, bool]) -> None:
    """Refuse what is for Parquet files alone."""
    for argument, given in many.items():
        if given:
            raise InvalidInput(Argument(argument), f" is for Parquet files, and {name} is not: leave it out")


def is_pool(source: Any) -> TypeGuard[Pool]:
    """Return whether this is a pool already."""
    # A look at `chunks` first: the protocol asks for every attribute, and a lazy frame warns when asked.
    return hasattr(source, "chunks") and isinstance(source, Pool)


def read_columns(path: str, *, id_column: str | None = None, commas: bool = False) -> dict[str, NDArray[Any]]:
    """Read all columns of a file, or of those that a pattern names, into memory.

    In text, `id_column` is whole numbers or text, never floats. With `commas`, numbers in text may have decimal commas.
    """
    place = find_place(path)
    files = place.files()
    suffix = check_files(files)
    if suffix == ".parquet":
        return load_files(files)
    return _read(files, suffix, place.part, id_column=id_column, commas=commas)


def _read(
    files: list[str], suffix: str, part: str | None, *, id_column: str | None, commas: bool
) -> dict[str, NDArray[Any]]:
    if suffix in {".jsonl", ".ndjson"}:
        return read_jsonl(*files)
    if suffix == ".xlsx":
        return read_xlsx(*files, sheet=part)
    if suffix == ".npz":
        if len(files) > 1:
            raise InvalidInput(f"{files[0]} and {files[1]}: arrays are read from one .npz file: join them in one")
        return read_npz(files[0])
    return read_csv(*files, delimiter="\t" if suffix == ".tsv" else None, id_column=id_column, commas=commas)


def read_frame(frame: Any) -> dict[str, NDArray[Any]]:
    """Read the columns of a dataframe in memory, of any library that narwhals knows."""
    import narwhals as nw

    # Looked at before narwhals does, which takes the first of two equal names or fails in its own words.
    eager = not hasattr(frame, "collect") and hasattr(frame, "columns")
    names = list(getattr(frame, "column_names", getattr(frame, "columns", ()))) if eager else []
    for name in names:
        if not isinstance(name, str):
            raise InvalidInput(f"dataframe: the column name {name!r} is not text: rename it, as in str(name)")
    if names:
        check_names("dataframe", names)
    try:
        table = nw.from_native(frame, pass_through=True)
    except Exception as error:
        raise InvalidInput(f"dataframe: narwhals cannot read it ({' '.join(str(error).split())})") from None
    if isinstance(table, nw.LazyFrame):
        raise InvalidInput("dataframe: a lazy frame has no rows yet: call .collect() and give the result")
    if not isinstance(table, nw.DataFrame):
        raise InvalidInput(
            f"pool={short(frame)} is neither a file nor a dataframe: give a path ({', '.join(SUFFIXES)}), "
            "or a pandas, polars or pyarrow table"
        )
    check_names("dataframe", table.columns)
    return {name: _column(table.get_column(name)) for name in table.columns}


def _column(series: Any) -> NDArray[Any]:
    """Return an array without loss: by way of numpy if no cell is missing, else cell by cell."""
    dtype = series.dtype
    if dtype.is_integer() and not series.null_count():
        return np.array(series.to_numpy())
    if dtype.is_float():
        cells = [np.nan if cell is None else cell for cell in map(clean, series.to_list())]
        return np.array(cells, dtype=np.float64)
    return typed([clean(cell) for cell in series.to_list()])
