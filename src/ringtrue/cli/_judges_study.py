"""`ringtrue judges --study`: buy the labels that settle most about a panel, durably."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._asking import change_budget, make_folder, refuse_other
from ringtrue.cli._judges_panel import read_aloud, table_of
from ringtrue.cli._opening import is_made, study_file
from ringtrue.cli._output import say
from ringtrue.cli._responders import responder
from ringtrue.core import InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.core import Pool, Sketch
    from ringtrue.judges import Judges
    from ringtrue.study import Study


def buy(votes: str, reading: Mapping[str, Any], given: Mapping[str, Any], *, as_json: bool) -> int:
    """Make the study, or open it again, and ask the oracle until the claim is decided or the budget is spent."""
    from ringtrue.cli._progress import Progress
    from ringtrue.core import Claim
    from ringtrue.judges import Judges
    from ringtrue.models import PanelModel
    from ringtrue.pools import check_column, read_pool
    from ringtrue.study import Budget, Study

    oracle, budget, fixed = given["oracle"], given.get("budget"), given.get("fixed")
    wanted = Claim.parse(given["claim"]) if "claim" in given else None
    path = study_file(given["study"])
    made = is_made(path)
    pool = read_pool(votes, id=reading["item"])
    answers = responder(oracle, "--oracle", pool.columns)
    # All that can be wrong is found out before a file is made: a study made by mistake would be gone on with.
    with ExitStack() as ending:
        if made:
            study = ending.enter_context(Study.open(path))
            question = _question_of(study, path)
            _check_same(str(path), question, reading, given)
            sketch = question.sketch
        else:
            budget = fixed if budget is None else budget
            sketch = _sketch_of(votes, pool, oracle, reading, budget)
            if fixed is not None and fixed > sketch.size:
                raise InvalidInput(f"--fixed={fixed} must not exceed the {count(sketch.size, 'item')} of the pool")
        if isinstance(answers, str):
            if answers in sketch.judges:
                raise InvalidInput(f"--oracle={answers!r} is one of the judges: name another, who knows the truth")
            check_column(pool, answers, labels=sketch.labels)
        model = PanelModel(sketch.judges)
        if made:
            study.attach(pool=pool, model=model)
        else:
            make_folder(path.parent)
            study = Study.create(
                path,
                pool=pool,
                model=model,
                question=Judges(sketch, claim=wanted, fixed=fixed),
                budget=Budget(labels=budget),
                labels=list(sketch.labels),
                seed=given.get("seed", 0),
                notes={"pool": os.path.relpath(votes, path.parent), "id": reading["item"], "model": "votes"},
            )
            ending.enter_context(study)
        change_budget(study, budget, None)
        with Progress(wanted) as progress:
            finding: Any = study.run(answers, until=wanted, progress=progress, show_model="show_model" in given)
        status, notices = study.status(), study.notices
    result = {"study": str(path), **finding.to_json(), "status": status.to_json(), "warnings": notices}
    price = [] if finding.price is None else [str(finding.price)]
    say(as_json, result, str(finding), *table_of(finding.estimates), *price, str(status))
    return 0 if finding.claim is None else finding.verdict.exit_code


def _check_same(path: str, question: Judges, reading: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse other judges, labels or number of labels than the study was made with, and another seed."""
    sketch = question.sketch
    made = {"judges": list(sketch.judges), "labels": list(sketch.labels), "fixed": question.fixed}
    asked = {name: reading[name] or made[name] for name in ("judges", "labels")}
    asked["fixed"] = given.get("fixed", question.fixed)
    refuse_other(path, made, asked, options={"labels": "label-names"})
    if "seed" in given:
        raise InvalidInput(f"--seed={given['seed']}: the study {path!r} has its seed already: leave it out")


def _question_of(study: Study, path: Path) -> Judges:
    """Return the question of a study that was made before."""
    from ringtrue.judges import Judges

    question = study.question(None)
    if not isinstance(question, Judges):
        raise InvalidInput(f"--study={str(path)!r} is a study of another question: name a new file")
    return question


def _sketch_of(votes: str, pool: Pool, oracle: str, reading: Mapping[str, Any], budget: int | None) -> Sketch:
    """Read the panel in a table with a row per item; what the oracle knows is never taken for a judge."""
    if budget is None:
        raise InvalidInput("--study buys labels: say with --budget N how many it may buy, or fix them with --fixed N")
    known = oracle if oracle in pool.columns and oracle not in (reading["judges"] or ()) else None
    sketch = read_aloud(pool, truth=known, **reading)
    panel = sketch if known is None else sketch.without(known)
    if not set(panel.judges) <= set(pool.columns):
        raise InvalidInput(f"{votes} has a row per vote: --study needs a row per item and a column per judge")
    return panel
