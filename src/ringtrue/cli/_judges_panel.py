"""A panel of judges: its votes read aloud, and the plan for a smaller standard error."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ringtrue.cli._output import Result, say, single, tell
from ringtrue.core import InvalidInput, Sketch, Verdict, is_missing, label_text, terminal_lines

if TYPE_CHECKING:
    from ringtrue.core import Pool
    from ringtrue.judges import PanelFinding, PanelPlan


def read_aloud(votes: str | Pool, **reading: Any) -> Sketch:
    """Read votes as a sketch; a line on standard error names the columns that were not taken for judges."""
    from ringtrue.pools import LeftOut, read_votes

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", LeftOut)
        sketch = read_votes(votes, **reading)
    for one in told:
        if issubclass(one.category, LeftOut):
            tell(str(one.message), err=True)
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return sketch


def plan_ahead(accuracy: float | None, error: float | None, prevalence: float | None, *, as_json: bool) -> int:
    """Plan before there are votes, for judges who will all be right so often."""
    from ringtrue.judges import plan_panel

    if accuracy is None:
        raise InvalidInput(
            "give VOTES, a file of votes; or --accuracy and --standard-error to plan before there are any"
        )
    plan = plan_panel(
        accuracy, error=0.02 if error is None else error, prevalence=0.3 if prevalence is None else prevalence
    )
    say(as_json, plan.to_json(), *str(plan).splitlines())
    return 0


def plan_on(finding: PanelFinding, error: float) -> PanelPlan:
    """Plan from what the votes say of these judges: more items, or more judges like them."""
    from ringtrue.judges import plan_panel

    found = finding.evaluation
    if found is None or len(found.labels) != 2:
        raise InvalidInput(
            f"--standard-error={error:g} plans from the judges' accuracies on two labels, which these votes do not give"
        )
    accuracies = [(float(first), float(second)) for first, second in found.accuracies]
    sizes = sorted({max(3, len(accuracies) + more) for more in (0, 1, 2)})
    return plan_panel(accuracies, prevalence=float(found.prevalence[0]), judges=sizes, error=error, items=finding.items)


def by_strata(votes: str, reading: Mapping[str, Any], given: Mapping[str, Any], *, as_json: bool) -> int:
    """Print Hui and Walter's answer for two judges in two strata. Exit code 3: it rests on what cannot be tested."""
    from ringtrue.judges import RESERVE_OF_STRATA, Standing, hui_walter, strata_estimates, strata_sections

    column = given["strata"]
    names, (first, second) = _parted(votes, column, reading)
    found = hui_walter(first, second, better=given.get("better"))
    both = strata_estimates(first, second, found, level=given["level"]) if found.valid else ()
    strata = dict(zip(names, both, strict=False))
    intervals = {name: one.to_json() for name, one in strata.items()} or None
    details = {"strata": names, **found.to_json(), "reserve": RESERVE_OF_STRATA, "intervals": intervals}
    where = f"in the strata {names[0]} and {names[1]} of {column}"
    sentence = f"{Standing.OPEN.value}: how good 2 judges are {where} cannot be told without labels"
    result = Result(
        question=column, kind="panel", verdict=Verdict.NOT_YET_KNOWN.value, sentence=sentence, details=details
    )
    say(as_json, result.to_json(), sentence, *single(terminal_lines(strata_sections(found, strata))))
    return Verdict.NOT_YET_KNOWN.exit_code


def _parted(votes: str, column: str, reading: Mapping[str, Any]) -> tuple[list[str], tuple[Sketch, Sketch]]:
    """Return the names of the two strata, and the sketch of each."""
    import numpy as np

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
