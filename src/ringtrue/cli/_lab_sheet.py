"""A sheet of queries, one row each: it goes out to a laboratory or to people who label, and comes back filled in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ringtrue.cli._sheet_files import Cells, cell_of, is_same, read_cells, write_cells
from ringtrue.cli._sheet_forms import Changed, Filled, Form, free_name
from ringtrue.core import InvalidInput, Query, formula_restored
from ringtrue.journal import for_owner

MODEL_SAYS = "the model says"
"""The column of the model's answers, where people are shown them."""


def write_sheet(
    path: str | Path,
    queries: Sequence[Query],
    form: Form,
    *,
    rater: str | None = None,
    show_model: bool = False,
    picture: Callable[[Any], bytes | None] = lambda _: None,
) -> None:
    """Write one row per query: its id, who answers it, the item's values, and an empty column per output to fill in.

    Parameters
    ----------
    path
        The file, which must not be there: it may be filled in.
    queries, form
        What is asked, and the columns to fill in.
    rater
        Who fills it in; None where that need not be told.
    show_model
        Whether what the model says is shown.
    picture
        Makes the bytes of a PNG file of a value, which is put into a folder beside the sheet; None for what is not an
        image.
    """
    who, names = [] if rater is None else [rater], list(queries[0].item.values) if queries else []
    said = [free_name(MODEL_SAYS, names)] if show_model else []
    header = [form.query, *[form.rater for _ in who], *names, *said, *form.outputs]
    twice = next((name for place, name in enumerate(header) if name in header[:place]), None)
    if twice is not None:
        raise InvalidInput(f"sheet {str(path)!r} would have two columns {twice!r}: rename the parameter or the output")
    pictures: dict[Path, bytes] = {}
    rows = []
    for one in queries:
        row: list[Any] = [one.id, *who]
        for place, value in enumerate(one.item.values.values()):
            drawn = picture(value)
            file = Path(f"{Path(path).stem}-pictures", f"{_name(one.id)}-{place}.png")
            if drawn is not None:
                pictures[file] = drawn
            row.append(cell_of(value if drawn is None else file.as_posix()))
        rows.append([*row, *[cell_of(one.said) for _ in said], *[""] * len(form.outputs)])
    write_cells(path, [[cell_of(name) for name in header], *rows])
    for file, drawn in pictures.items():
        target = Path(path).parent / file
        try:
            target.parent.mkdir(mode=0o700, exist_ok=True)
            with open(target, "wb", opener=for_owner) as out:
                out.write(drawn)
        except OSError as error:
            why = f"picture {str(target)!r} cannot be written ({error.strerror})"
            raise InvalidInput(f"{why}: make room for it, then write the sheet again with --again") from None


def read_sheet(path: str | Path, form: Form) -> tuple[Cells, list[Filled]]:
    """Return a sheet and the rows of it that are filled in, in any order; the others are passed over."""
    cells = read_cells(path)
    lacking = [name for name in (form.query, *form.outputs) if name not in cells.header]
    if lacking:
        raise InvalidInput(f"sheet {str(path)!r} has no column {lacking[0]!r}: columns: {', '.join(cells.header)}")
    rows: dict[str, tuple[str, Mapping[str, str], Mapping[str, str]]] = {}
    for where, row in cells.rows:
        told = {name: row.get(name, "") for name in form.outputs}
        if not any(told.values()):
            continue
        query = formula_restored(row.get(form.query, ""))
        if not query or query in rows:
            why = f"the query {query!r} a second time" if query else "an answer but no query"
            raise InvalidInput(f"{where} has {why}: keep one row per query, with its id")
        rows[query] = (where, row, told)
    values = form.read(cells, [(where, told) for where, _, told in rows.values()])
    found = zip(rows.items(), values, strict=True)
    return cells, [
        Filled(where, query, row, value, formula_restored(row.get(form.rater, "")))
        for (query, (where, row, _)), value in found
    ]


def changed_inputs(cells: Cells, row: Filled, asked: Mapping[str, Any]) -> list[Changed]:
    """Return the inputs of a row that are not those that were asked for; a column that was deleted says nothing."""
    changed = []
    for name, value in asked.items():
        found = formula_restored(row.cells.get(str(cell_of(name)), str(cell_of(value))))
        in_file = getattr(value, "shape", ()) and Path(found).name.startswith(f"{_name(row.query)}-")
        if not in_file and not is_same(found, value, cells):
            changed.append(Changed(name, found, value))
    return changed


def _name(query: str) -> str:
    """Return a query's id as a part of a file's name."""
    return query.replace(":", "-")
