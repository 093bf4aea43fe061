"""`ringtrue judges --study`: buy the labels that settle most about a panel, durably."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ringtrue.cli._common import say
from ringtrue.cli._judges_text import table_of
from ringtrue.cli._opening import study_file
from ringtrue.cli._responders import responder
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from pathlib import Path

    from ringtrue.core import Pool
    from ringtrue.judges import Judges
    from ringtrue.study import Study


def buy(
    votes: str, study: str, oracle: str, reading: Mapping[str, Any], *, budget: int | None, claim: str | None,
    seed: int, as_json: bool,
) -> int:  # fmt: skip
    """Make the study, or open it again, and ask the oracle until the claim is decided or the budget is spent."""
    from ringtrue.cli._progress import Progress
    from ringtrue.core import Claim
    from ringtrue.pools import check_column, read_pool

    wanted = None if claim is None else Claim.parse(claim)
    path = study_file(study)
    pool = read_pool(votes)
    answers = responder(oracle, "--oracle", pool.columns)
    with _opened(path, pool, votes, oracle, reading, budget, wanted, seed) as opened:
        if isinstance(answers, str):
            check_column(pool, answers, labels=opened.plan["labels"])
        if budget is not None and opened.status().budget_labels != budget:
            from ringtrue.study import Budget

            opened.set_budget(Budget(labels=budget, money=opened.status().budget_money))
        with Progress(wanted) as progress:
            finding: Any = opened.run(answers, until=wanted, progress=progress)
        status = opened.status()
    result = {"study": str(path), **finding.to_json(), "status": status.to_json()}
    say(as_json, result, str(finding), *table_of(finding.estimates), str(status))
    return 0 if finding.claim is None else finding.verdict.exit_code


def _opened(
    path: Path,
    pool: Pool,
    votes: str,
    oracle: str,
    reading: Mapping[str, Any],
    budget: int | None,
    claim: Any,
    seed: int,
) -> Study:
    """The study in its file, or a new one; what the oracle knows is never taken for a judge."""
    from ringtrue.models import PanelModel
    from ringtrue.study import Budget, Study

    if path.exists():
        with Study.open(path) as glance:
            question: Any = glance.question(None)
        if not hasattr(question, "sketch"):
            raise InvalidInput(f"--study={str(path)!r} is a study of another question: name a new file")
        model = PanelModel(question.sketch.judges)
        return Study.open(path, pool=pool, model=model)
    question = _question(pool, oracle, reading, claim)
    path.parent.mkdir(parents=True, exist_ok=True)
    notes = {"pool": os.path.relpath(votes, path.parent), "id": None, "model": "votes"}
    return Study.create(
        path, pool=pool, model=PanelModel(question.sketch.judges), question=question, budget=Budget(labels=budget),
        labels=list(question.sketch.labels), seed=seed, notes=notes,
    )  # fmt: skip


def _question(pool: Pool, oracle: str, reading: Mapping[str, Any], claim: Any) -> Judges:
    from ringtrue.judges import Judges
    from ringtrue.pools import read_votes

    columns = pool.take(range(pool.size)).columns
    judges = reading["judges"]
    if judges is None:
        identity = getattr(pool, "id_column", None)
        judges = [name for name in columns if name not in (identity, "item", "task", oracle)]
    sketch = read_votes(
        {name: columns[name] for name in judges if name in columns}, judges=judges, labels=reading["labels"]
    )
    return Judges(sketch, claim=claim)
