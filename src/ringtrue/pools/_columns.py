"""The checks of a table before it is used: its file, its columns' names, its ids, and the cells of a column."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ringtrue.core import Argument, InvalidInput, Pool, is_missing, label_text, meant, plain, shortened

if TYPE_CHECKING:
    from numpy.typing import NDArray

SUFFIXES = (".csv", ".tsv", ".parquet", ".jsonl", ".ndjson", ".npz", ".xlsx")

TEXTS = (".csv", ".tsv", ".jsonl", ".ndjson")

LONGEST = 64 * 2**20
"""Bytes of a line of text: what reads lines holds one of them in memory, however long it is."""

EXACT = 2**53
"""Above it floats skip whole numbers, so that two ids may have become one."""

CHUNK = 65_536
"""Rows of a pool that are looked at together."""


def shown(names: Sequence[str], *, most: int = 20) -> str:
    """Write names on one line, at most `most` of them.

    >>> shown(["a", "two\\nlines", "c"], most=2)
    'a, two lines and 1 more'
    """
    line = ", ".join(" ".join(name.split()) for name in names[:most])
    return line + (f" and {len(names) - most} more" if len(names) > most else "")


def short(value: Any) -> str:
    """Write a value on one line, at most 60 characters of it.

    >>> short([0] * 99)
    '[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0...'
    """
    return shortened(" ".join(repr(value).split()))


def unknown_column(pool: str, column: object, columns: Sequence[str]) -> InvalidInput:
    """Return the error for a column that is not there, with the one that was meant.

    >>> str(unknown_column("a.csv", "trth", ["id", "truth"]))
    "a.csv: there is no column 'trth', did you mean 'truth'? columns: id, truth"
    """
    return InvalidInput(f"{pool}: there is no column {column!r}{meant(str(column), columns)} columns: {shown(columns)}")


def check_file(path: str) -> str:
    """Return the suffix of a file that can be read, has content and is of a known format; refuse any other."""
    suffix = os.path.splitext(path)[1].lower()
    if os.path.isdir(path):
        raise InvalidInput(f"{path}: is a directory: give one file, such as {os.path.join(path, 'pool.parquet')}")
    if not os.path.exists(path):
        raise InvalidInput(f"{path}: no such file: check the path, relative ones start from {os.getcwd()}")
    if not os.path.isfile(path):
        raise InvalidInput(f"{path}: is not a regular file: copy it into a file that can be read again")
    if suffix not in SUFFIXES:
        raise InvalidInput(
            f"{path}: the suffix {suffix!r} is unknown: use one of {', '.join(SUFFIXES)}, or give a dataframe"
        )
    try:
        with open(path, "rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read ({error.strerror}): check its permissions") from None
    if empty:
        raise InvalidInput(f"{path}: the file is empty: write the column names and at least one row")
    if suffix in TEXTS:
        _check_lines(path)
    return suffix


def _check_lines(path: str) -> None:
    """Refuse a file with a line that is too long, before anything holds one of its lines."""
    number, length = 1, 0
    with open(path, "rb") as file:
        while block := file.read(2**20):
            ends = block.replace(b"\r", b"\n")
            first, last = ends.find(b"\n"), ends.rfind(b"\n")
            length += len(block) if first < 0 else first
            if length > LONGEST:
                raise InvalidInput(
                    f"{path}: line {number} is longer than {LONGEST >> 20} MB: break it, or save the file as Parquet"
                )
            number += block.count(b"\n")
            length = length if first < 0 else len(block) - last - 1


def check_files(paths: Sequence[str]) -> str:
    """Return the suffix that all files of a pool have; refuse any that cannot be read, and files of several kinds."""
    kinds = {check_file(path): path for path in reversed(paths)}
    if len(kinds) > 1:
        first, other, *_ = sorted(kinds.values(), key=list(paths).index)
        raise InvalidInput(f"{first} and {other} are files of two kinds: name one in the pattern, such as '*.csv'")
    return next(iter(kinds))


def no_rows(name: str) -> InvalidInput:
    """Return the error for a table that has columns and no rows."""
    return InvalidInput(f"{name}: there are no rows: give at least one item")


def check_names(name: str, columns: list[str]) -> None:
    """Refuse a table without columns, and one in which two columns have one name."""
    if not columns:
        raise InvalidInput(f"{name}: there are no columns: give at least one")
    seen: dict[str, int] = {}
    for place, column in enumerate(columns, start=1):
        if column in seen:
            raise InvalidInput(
                f"{name}: columns {seen[column]} and {place} are both named {column!r}: rename one of them"
            )
        seen[column] = place


def check_same(first: str, columns: Sequence[str], other: str, found: Sequence[str]) -> None:
    """Refuse a file whose columns are not those of the first one, with the difference; their order may be another."""
    lacks, also = ([name for name in one if name not in two] for one, two in ((columns, found), (found, columns)))
    if lacks or also:
        told = [f"lacks {shown(lacks, most=5)}"] * bool(lacks) + [f"also has {shown(also, most=5)}"] * bool(also)
        raise InvalidInput(
            f"{other}: its columns are not those of {first} (it {' and '.join(told)}): give files with the same columns"
        )


def choose_id(pool: str, columns: Sequence[str], id_column: str | None) -> str | None:
    """Return the column of ids: the one asked for, else one named "id", else none (the row numbers serve)."""
    if id_column is None:
        return "id" if "id" in columns else None
    if id_column not in columns:
        raise unknown_column(pool, id_column, columns)
    return id_column


def id_text(value: Any) -> str:
    """Write an id as text; a whole number reads the same from a column of integers and one of floats.

    >>> [id_text(value) for value in ("007", 7, 7.0, True)]
    ['007', '7', '7', 'true']
    """
    if isinstance(value, str):
        return value
    entry = plain(value)
    if isinstance(entry, bool):
        return "true" if entry else "false"
    if isinstance(entry, float) and entry.is_integer():
        return str(int(entry))
    return str(entry)


def id_texts(values: NDArray[Any]) -> list[str]:
    """Write the ids of a column as text; whole numbers, the usual case, without a look at each."""
    if values.dtype.kind in "iu":
        return list(map(str, values.tolist()))
    return [value if type(value) is str else id_text(value) for value in values.tolist()]


def check_ids(pool: str, column: str, values: Sequence[Any]) -> None:
    """Refuse missing, rounded and duplicate ids among values that are in memory."""
    seen: dict[str, int] = {}
    for row, value in enumerate(values):
        if is_missing(value):
            raise missing_id(pool, column, row)
        if isinstance(value, float) and abs(value) >= EXACT:
            raise rounded_id(pool, column, value, row)
        first = seen.setdefault(id_text(value), row)
        if first != row:
            raise duplicate_id(pool, column, id_text(value), (first, row))


def missing_id(pool: str, column: str, row: int) -> InvalidInput:
    """Return the error for an item without a name; `row` counts from 0."""
    return InvalidInput(
        f"{pool}: row {row + 1}: column {column!r} has no id: give each row one, or name another column with ",
        Argument("id"),
    )


def duplicate_id(pool: str, column: str, value: str, rows: tuple[int, int]) -> InvalidInput:
    """Return the error for two items of one name, in rows that are counted from 0."""
    return InvalidInput(
        f"{pool}: rows {rows[0] + 1} and {rows[1] + 1} have the same id {value!r} in column {column!r}: "
        "remove one of them, or name another column with ",
        Argument("id"),
    )


def rounded_id(pool: str, column: str, value: float, row: int) -> InvalidInput:
    """Return the error for an id that a column of floats cannot hold; `row` counts from 0."""
    return InvalidInput(
        f"{pool}: row {row + 1}: the id {value!r} in column {column!r} is a float beyond 2**53, where digits are "
        "lost: store ids as integers or text"
    )


def check_column(pool: Pool, column: str, *, labels: Sequence[Any] | None = None) -> None:
    """Refuse a column that is absent, has missing cells or, if `labels` are given, has other labels than these.

    The error names the first row that breaks the rule. A large pool is read a piece at a time.
    """
    if column not in pool.columns:
        raise unknown_column(pool.name, column, pool.columns)
    known = None if labels is None else {label_text(label) for label in labels}

    def complaint(value: Any) -> str | None:
        if is_missing(value):
            return "is missing: fill it in, or remove the row"
        if known is not None and label_text(value) not in known:
            labels_known = shown(sorted(known))
            return f"is {value!r}, which is not a known label: mend it, or add it; known labels: {labels_known}"
        return None

    check_cells(pool, column, complaint)


def check_cells(pool: Pool, column: str, complaint: Callable[[Any], str | InvalidInput | None]) -> None:
    """Refuse a column by the first row whose cell there is a complaint about."""
    start = 1
    scan = getattr(pool, "scan", None)  # reads the column without the others
    pieces = (batch.columns[column] for batch in pool.chunks(CHUNK)) if scan is None else scan(column)
    for cells in pieces:
        values = cells.tolist()
        if any(complaint(value) is not None for value in _distinct(values)):
            for row, value in enumerate(values, start=start):
                why = complaint(value)
                if why is not None:
                    parts = why.args if isinstance(why, InvalidInput) else (why,)
                    raise InvalidInput(f"{pool.name}: row {row}: column {column!r} ", *parts)
        start += len(values)


def _distinct(values: list[Any]) -> Iterable[Any]:
    """Return each value once where that can be told, since millions of rows share a few labels."""
    if len(set(map(type, values))) > 1:  # 1 and True are equal to Python, and two labels
        return values
    try:
        return set(values)
    except TypeError:  # lists have no hash
        return values
