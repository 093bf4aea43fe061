"""A panel of judges without a study: its votes read aloud and judged, and the plan for a smaller standard error."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._from_log import BROUGHT
from ringtrue.cli._terminal import Result, say, single, tell
from ringtrue.core import InvalidInput, Sketch, Verdict, is_missing, label_text, terminal_lines

if TYPE_CHECKING:
    from ringtrue.core import Pool
    from ringtrue.judges import PanelFinding, PanelPlan


def read_aloud(votes: str | Pool, **reading: Any) -> Sketch:
    """Read votes as a sketch; a line on standard error names the columns that were not taken for judges."""
    from ringtrue.pools import LeftOut, read_votes

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", LeftOut)
        sketch = read_votes(_votes_of_raters(votes) if _is_study(votes) else votes, **reading)
    for one in told:
        if issubclass(one.category, LeftOut):
            tell(str(one.message), err=True)
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return sketch


def called(votes: str | Pool) -> str:
    """Return what a table of votes is called."""
    return Path(votes).name if isinstance(votes, str) else votes.name


def _is_study(votes: str | Pool) -> bool:
    from ringtrue.journal import is_address

    if not isinstance(votes, str):
        return False
    return is_address(votes) or (votes.endswith(".ringtrue") and Path(votes).is_file())


def _votes_of_raters(study: str | Pool) -> dict[str, list[Any]]:
    """Return the raters of a study as judges, with what each said of every item that was answered.

    Where language models voted in it, they are the judges.
    """
    from ringtrue.cli._opening import open_to_read
    from ringtrue.cli._place import Place

    with open_to_read(Place.of(str(study))) as opened:
        voting = [one for one in opened.questions.values() if one.kind == "vote"]
        if voting:
            from ringtrue.cli._vote_tables import panel_table

            return panel_table(opened, voting[-1])
        told = {record.id: dict(opened.second.of(record)) for record in opened.records if record.row is not None}
    raters = list(dict.fromkeys(rater for said in told.values() for rater in said if rater is not None))
    if len(raters) < 2:
        raise InvalidInput(f"VOTES={str(study)!r} is a study with {len(raters)} named raters: a panel needs two")
    items = [item for item, said in told.items() if any(value is not None for value in said.values())]
    return {"item": items, **{rater: [told[item].get(rater) for item in items] for rater in raters}}


def read_given(
    votes: str | Pool, given: Mapping[str, Any], *, truth: str | None = None
) -> tuple[Sketch, dict[str, Any]]:
    """Return the votes in a file as a sketch, and what the options say of how the panel is judged."""
    sketch = read_aloud(votes, truth=truth, **_reading(given))
    options = {name: given.get(name) for name in ("prevalence", "better", "at_least")}
    return sketch, options | {"independent": "independent" in given, "level": given.get("level", 0.95)}


def _reading(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"judges": given.get("judges"), "labels": given.get("labels"), "item": given.get("id")}


def judge(votes: str | Pool, given: Mapping[str, Any], *, as_json: bool) -> int:
    """Evaluate, say the verdict first, and write the report if one is wanted."""
    from ringtrue.judges import evaluate

    sketch, options = read_given(votes, given, truth=given.get("truth"))
    options["truth"] = sketch.judges[-1] if "truth" in given else None  # read as one more judge, the last
    finding = evaluate(sketch, **options)
    lines = [f"{finding.standings.word}: {finding}", *terminal_lines(finding.sections())]
    beside: dict[str, Any] = {"standing": finding.standings.word}
    beside |= {"log": given[BROUGHT]} if BROUGHT in given else {}
    if "error" in given:
        plan = _plan_on(finding, given["error"])
        beside["plan"] = plan.to_json()
        lines += ["", *str(plan).splitlines()]
    if "out" in given:
        from ringtrue.report import write_panel_report

        page, twin = write_panel_report(sketch, given["out"], name=called(votes), **options)
        beside |= {"html": str(page), "json": str(twin)}
        lines += ["", f"wrote {page}", f"wrote {twin}"]
    result = Result.of(finding, question=called(votes), kind="panel", details=beside)
    say(as_json, result.to_json(), *single(lines))
    return finding.verdict.exit_code


def plan_ahead(given: Mapping[str, Any], *, as_json: bool) -> int:
    """Plan before there are votes, for judges who will all be right so often."""
    from ringtrue.judges import plan_panel

    if "accuracy" not in given:
        raise InvalidInput(
            "give VOTES, a file of votes; or --accuracy and --standard-error to plan before there are any"
        )
    wanted: dict[str, Any] = {"error": given.get("error", 0.02), "prevalence": given.get("prevalence", 0.3)}
    plan = plan_panel(given["accuracy"], **wanted)
    say(as_json, plan.to_json(), *str(plan).splitlines())
    return 0


def _plan_on(finding: PanelFinding, error: float) -> PanelPlan:
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


def by_strata(votes: str | Pool, given: Mapping[str, Any], *, as_json: bool) -> int:
    """Print Hui and Walter's answer for two judges in two strata. Exit code 3: it rests on what cannot be tested."""
    from ringtrue.judges import RESERVE_OF_STRATA, Standing, hui_walter, strata_estimates, strata_sections

    column = given["strata"]
    names, (first, second) = _parted(votes, column, _reading(given))
    found = hui_walter(first, second, better=given.get("better"))
    both = strata_estimates(first, second, found, level=given.get("level", 0.95)) if found.valid else ()
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


def _parted(votes: str | Pool, column: str, reading: Mapping[str, Any]) -> tuple[list[str], tuple[Sketch, Sketch]]:
    """Return the names of the two strata, and the sketch of each."""
    import numpy as np

    from ringtrue.pools import read_pool, read_votes

    pool = read_pool(votes, id=reading["item"])
    columns = dict(pool.take(range(pool.size)).columns)
    if column not in columns:
        raise InvalidInput(f"--strata={column!r} is not a column of {called(votes)}: it has {', '.join(columns)}")
    cells = columns.pop(column).tolist()
    for row, cell in enumerate(cells, start=1):
        if is_missing(cell):
            raise InvalidInput(
                f"{called(votes)}: row {row}: column {column!r} is missing: say which stratum the item is in"
            )
    kinds = np.array([label_text(cell) for cell in cells], dtype=object)
    names = sorted(set(kinds))
    if len(names) != 2:
        raise InvalidInput(f"--strata={column!r} parts the items into {len(names)}: two strata are needed")
    identity = pool.id_column
    judges = reading["judges"] or [name for name in columns if name not in (identity, "item", "task")]
    absent = [name for name in judges if name not in columns]
    if absent:
        raise InvalidInput(f"--judges: {absent[0]!r} is not a column of {called(votes)}: it has {', '.join(columns)}")
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
