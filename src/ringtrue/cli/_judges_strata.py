"""`ringtrue judges --strata`: two judges suffice where the items come in two kinds of different prevalence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ringtrue.cli._judges_panel import table_of
from ringtrue.cli._output import say
from ringtrue.core import InvalidInput, Sketch, is_missing, label_text

RESERVE = "only if the judges share nothing but the truth and are as good in both strata"


def by_strata(votes: str, reading: Mapping[str, Any], given: Mapping[str, Any], *, as_json: bool) -> int:
    """Print Hui and Walter's answer for two judges in two strata. Exit code 3: it rests on what cannot be tested."""
    from ringtrue.judges import Standing, hui_walter, strata_estimates

    column = given["strata"]
    names, (first, second) = _parted(votes, column, reading)
    found = hui_walter(first, second, better=given.get("better"))
    result = {"verdict": Standing.OPEN.value, "strata": names, **found.to_json(), "reserve": RESERVE}
    result["intervals"] = None
    where = f"in the strata {names[0]} and {names[1]} of {column}"
    lines = [
        f"{Standing.OPEN.value}: how good 2 judges are {where} cannot be told without labels",
        f"  ? {found}",
    ]
    if found.valid:
        both = strata_estimates(first, second, found, level=given["level"])
        result["intervals"] = {name: one.to_json() for name, one in zip(names, both, strict=True)}
        for name, one in zip(names, both, strict=True):
            lines += ["", f"stratum {name}", *table_of(one, RESERVE)]
    say(as_json, result, *lines)
    return 3


def _parted(votes: str, column: str, reading: Mapping[str, Any]) -> tuple[list[str], tuple[Sketch, Sketch]]:
    """Return the names of the two strata, and the sketch of each."""
    from ringtrue.pools import read_pool, read_votes

    pool = read_pool(votes, id=reading["item"])
    columns = dict(pool.take(range(pool.size)).columns)
    if column not in columns:
        raise InvalidInput(f"--strata={column!r} is not a column of {votes}: it has {', '.join(columns)}")
    cells = columns.pop(column).tolist()
    for row, cell in enumerate(cells, start=1):
        if is_missing(cell):
            raise InvalidInput(f"{votes}: row {row}: column {column!r} is missing: say which stratum the item is in")
    kinds = np.array([label_text(cell) for cell in cells], dtype=object)
    names = sorted(set(kinds))
    if len(names) != 2:
        raise InvalidInput(f"--strata={column!r} parts the items into {len(names)}: two strata are needed")
    identity = pool.id_column
    judges = reading["judges"] or [name for name in columns if name not in (identity, "item", "task")]
    absent = [name for name in judges if name not in columns]
    if absent:
        raise InvalidInput(f"--judges: {absent[0]!r} is not a column of {votes}: it has {', '.join(columns)}")
    if len(judges) != 2:
        raise InvalidInput(
            f"--strata is for two judges, there are {len(judges)}: name two with --judges, or leave --strata out"
        )
    whole = read_votes({name: columns[name] for name in judges}, judges=judges, labels=reading["labels"])
    first, second = (
        read_votes({name: columns[name][kinds == kind] for name in judges}, judges=judges, labels=whole.labels)
        for kind in names
    )
    return names, (first, second)
