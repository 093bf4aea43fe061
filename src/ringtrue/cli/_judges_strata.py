"""`ringtrue judges --strata`: two judges suffice where the items come in two kinds of different prevalence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ringtrue.cli._common import say
from ringtrue.core import InvalidInput, is_missing, label_text


def by_strata(votes: str, column: str, reading: Mapping[str, Any], *, as_json: bool) -> int:
    """Hui and Walter's answer for two judges in two strata. Exit code 3: it rests on what cannot be tested."""
    from ringtrue.judges import hui_walter
    from ringtrue.pools import read_pool, read_votes

    pool = read_pool(votes)
    columns = dict(pool.take(range(pool.size)).columns)
    if column not in columns:
        raise InvalidInput(f"--strata={column!r} is no column of {votes}: it has {', '.join(columns)}")
    cells = columns.pop(column).tolist()
    for row, cell in enumerate(cells, start=1):
        if is_missing(cell):
            raise InvalidInput(
                f"{votes}: row {row}: column {column!r} is missing: say to which stratum the item belongs"
            )
    kinds = np.array([label_text(cell) for cell in cells], dtype=object)
    names = sorted(set(kinds))
    if len(names) != 2:
        raise InvalidInput(f"--strata={column!r} parts the items into {len(names)}: two strata are needed")
    identity = getattr(pool, "id_column", None)
    judges = reading["judges"] or [name for name in columns if name not in (identity, "item", "task")]
    whole = read_votes(
        {name: columns[name] for name in judges if name in columns}, judges=judges, labels=reading["labels"]
    )
    if len(whole.judges) != 2:
        raise InvalidInput(
            f"--strata is for two judges, there are {len(whole.judges)}: name two with --judges, or leave --strata out"
        )
    parts = [
        read_votes({name: columns[name][kinds == kind] for name in judges}, judges=judges, labels=whole.labels)
        for kind in names
    ]
    found = hui_walter(*parts)
    result = {"strata": names, **found.to_json()}
    say(as_json, result, f"check with labels: 2 judges in the strata {names[0]} and {names[1]} of {column}", str(found))
    return 3
