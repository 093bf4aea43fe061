"""`ringtrue judges --study`: buy the labels that settle most about a panel, durably."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ringtrue.cli._calling import Calling
from ringtrue.cli._judges_panel import read_aloud
from ringtrue.cli._table import Table
from ringtrue.cli._verb import Verb
from ringtrue.core import Argument, InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.core import Model, Pool, Question, Sketch
    from ringtrue.study import Study


class Panel(NamedTuple):
    """The items with their votes, and the votes as counts."""

    pool: Pool
    sketch: Sketch


class JudgesVerb(Verb):
    """How labels are bought for a panel; the help is that of the command."""

    name = "judges"
    own = True
    needed = (("oracle", "who knows the truth, --oracle O"),)
    runs_named = ()

    def __init__(self, table: Table, votes: str) -> None:
        self.table = table  # type: ignore[misc] # that of the command, whose other options have no use here
        self._votes = votes

    def question_type(self) -> type[Question]:
        from ringtrue.judges import Judges

        return Judges

    def notes(self, given: Mapping[str, Any], home: Path) -> dict[str, Any]:
        kept = {name: given.get(name) for name in ("id", "oracle", "oracle_command")}
        return {"verb": self.name, "pool": os.path.relpath(self._votes, home), "model": "votes", **kept}

    def check_made(self, study: Study, path: Path) -> None:
        if not isinstance(study.question(), self.question_type()):
            raise InvalidInput(f"--study={str(path)!r} is a study of another question: name a new file")

    def remembered(self, study: Study, given: Mapping[str, Any]) -> dict[str, Any]:
        question: Any = study.question()
        return super().remembered(study, given) | {"sketch": question.sketch}

    def read(self, notes: Mapping[str, Any], given: Mapping[str, Any], home: Path) -> Panel:
        from ringtrue.pools import read_pool

        pool = read_pool(self._votes, id=given.get("id", notes["id"]))
        panel = Panel(pool, notes["sketch"] if "sketch" in notes else _sketch(self._votes, pool, given))
        if given.get("oracle") in panel.sketch.judges:
            raise InvalidInput(f"--oracle={given['oracle']!r} is one of the judges: name another, who knows the truth")
        return panel

    def pool(self, source: Panel) -> Pool:
        return source.pool

    def model(self, notes: Mapping[str, Any], source: Panel, argument: str, calling: Calling) -> Model:
        from ringtrue.models import PanelModel

        return PanelModel(source.sketch.judges)

    def questions(self, given: Mapping[str, Any], source: Panel, model: Any) -> Sequence[Question]:
        from ringtrue.judges import Judges

        fixed = given.get("fixed")
        if fixed is not None and fixed > source.sketch.size:
            raise InvalidInput(
                Argument("fixed", fixed), f" must not exceed the {count(source.sketch.size, 'item')} of the pool"
            )
        return [Judges(source.sketch, claim=given.get("claim"), fixed=fixed)]

    def settings(self, given: Mapping[str, Any], source: Panel, model: Any) -> dict[str, Any]:
        from ringtrue.study import Budget

        labels = given.get("budget", given.get("fixed"))
        return {"budget": Budget(labels, given.get("money")), "labels": list(source.sketch.labels)}


def _sketch(votes: str, pool: Pool, given: Mapping[str, Any]) -> Sketch:
    """Read the panel in a table with a row per item; what the oracle knows is never taken for a judge."""
    if not {"budget", "fixed"} & set(given):
        raise InvalidInput("--study buys labels: say with --budget N how many it may buy, or fix them with --fixed N")
    judges, oracle = given.get("judges"), given.get("oracle")
    known = oracle if oracle in pool.columns and oracle not in (judges or ()) else None
    sketch = read_aloud(pool, truth=known, judges=judges, labels=given.get("labels"), item=given.get("id"))
    panel = sketch if known is None else sketch.without(known)
    if not set(panel.judges) <= set(pool.columns):
        raise InvalidInput(f"{votes} has a row per vote: --study needs a row per item and a column per judge")
    return panel
