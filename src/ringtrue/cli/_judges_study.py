"""`ringtrue judges --study`: buy the labels that settle most about a panel, durably."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._asking import change_budget
from ringtrue.cli._common import say
from ringtrue.cli._judges_reading import read_aloud
from ringtrue.cli._judges_text import table_of
from ringtrue.cli._opening import is_made, study_file
from ringtrue.cli._responders import responder
from ringtrue.core import InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.core import Claim, Pool, Sketch
    from ringtrue.judges import Judges
    from ringtrue.study import Study


def buy(
    votes: str, study: str, oracle: str, reading: Mapping[str, Any], *, budget: int | None, claim: str | None,
    fixed: int | None, seed: int | None, show_model: bool, as_json: bool,
) -> int:  # fmt: skip
    """Make the study, or open it again, and ask the oracle until the claim is decided or the budget is spent."""
    from ringtrue.cli._progress import Progress
    from ringtrue.core import Claim
    from ringtrue.pools import check_column, read_pool

    wanted = None if claim is None else Claim.parse(claim)
    path = study_file(study)
    pool = read_pool(votes, id=reading["item"])
    answers = responder(oracle, "--oracle", pool.columns)
    # All that can be wrong is found out before a file is made: a study made by mistake would be gone on with.
    if is_made(path):
        question = _question_in(path)
        _check_same(path, question, reading, seed, fixed)
        sketch = question.sketch
    else:
        budget = fixed if budget is None else budget
        sketch = _sketch_of(votes, pool, oracle, reading, budget)
        if fixed is not None and fixed > sketch.size:
            raise InvalidInput(f"--fixed={fixed} must not exceed the {count(sketch.size, 'item')} of the pool")
    if isinstance(answers, str):
        if answers in sketch.judges:
            raise InvalidInput(f"--oracle={answers!r} is one of the judges: name somebody else, who knows the truth")
        check_column(pool, answers, labels=sketch.labels)
    with _opened(path, pool, sketch, votes, reading["item"], budget, wanted, seed or 0, fixed) as opened:
        change_budget(opened, budget, None)
        with Progress(wanted) as progress:
            finding: Any = opened.run(answers, until=wanted, progress=progress, show_model=show_model)
        status, notices = opened.status(), opened.notices
    result = {"study": str(path), **finding.to_json(), "status": status.to_json(), "warnings": notices}
    price = [] if finding.price is None else [str(finding.price)]
    say(as_json, result, str(finding), *table_of(finding.estimates), *price, str(status))
    return 0 if finding.claim is None else finding.verdict.exit_code


def _check_same(path: Path, question: Judges, reading: Mapping[str, Any], seed: int | None, fixed: int | None) -> None:
    """A study goes on as it was made: other judges, labels, seed or number of labels would make another one."""
    sketch = question.sketch
    if fixed is not None and fixed != question.fixed:
        made = "without --fixed" if question.fixed is None else f"with --fixed {question.fixed}"
        raise InvalidInput(
            f"--fixed={fixed}: the study {str(path)!r} was made {made}: leave it out, or name a new study"
        )
    for name, stands in (("judges", sketch.judges), ("labels", sketch.labels)):
        if reading[name] is not None and tuple(reading[name]) != stands:
            option = "--judges" if name == "judges" else "--label-names"
            raise InvalidInput(
                f"--study={str(path)!r} was made with {option} {','.join(stands)}: leave it out, or name a new study"
            )
    if seed is not None:
        raise InvalidInput(f"--seed={seed}: the study {str(path)!r} has its seed already: leave it out")


def _question_in(path: Path) -> Judges:
    """The question of a study that was made before."""
    from ringtrue.judges import Judges
    from ringtrue.study import Study

    with Study.open(path) as glance:
        question = glance.question(None)
    if not isinstance(question, Judges):
        raise InvalidInput(f"--study={str(path)!r} is a study of another question: name a new file")
    return question


def _sketch_of(votes: str, pool: Pool, oracle: str, reading: Mapping[str, Any], budget: int | None) -> Sketch:
    """The panel in a table with a row per item; what the oracle knows is never taken for a judge."""
    if budget is None:
        raise InvalidInput("--study buys labels: say with --budget N how many it may buy, or fix them with --fixed N")
    known = oracle if oracle in pool.columns and oracle not in (reading["judges"] or ()) else None
    sketch = read_aloud(pool, truth=known, **reading)
    panel = sketch if known is None else sketch.without(known)
    if not set(panel.judges) <= set(pool.columns):
        raise InvalidInput(f"{votes} has a row per vote: --study needs a row per item and a column per judge")
    return panel


def _opened(
    path: Path, pool: Pool, sketch: Sketch, votes: str, item: str | None, budget: int | None, claim: Claim | None,
    seed: int, fixed: int | None,
) -> Study:  # fmt: skip
    from ringtrue.judges import Judges
    from ringtrue.models import PanelModel
    from ringtrue.study import Budget, Study

    model = PanelModel(sketch.judges)
    if is_made(path):
        return Study.open(path, pool=pool, model=model)
    path.parent.mkdir(parents=True, exist_ok=True)
    return Study.create(
        path, pool=pool, model=model, question=Judges(sketch, claim=claim, fixed=fixed), budget=Budget(labels=budget),
        labels=list(sketch.labels), seed=seed,
        notes={"pool": os.path.relpath(votes, path.parent), "id": item, "model": "votes"},
    )  # fmt: skip
