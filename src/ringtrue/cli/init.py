"""`ringtrue init`: make a study that other verbs go on with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ringtrue.cli._from_log import FROM, check_from
from ringtrue.cli._log_tables import items_to_judge
from ringtrue.cli._runner import command_of
from ringtrue.cli._table import Table
from ringtrue.cli._verb import Asked, Told
from ringtrue.cli.risk import MAKING, RiskVerb
from ringtrue.core import count

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ringtrue.cli._from_log import Brought


class InitVerb(RiskVerb):
    """Make STUDY, a file (`.ringtrue` is added when there is no ending). Nothing is asked or spent yet.

    \b
    ringtrue init loans --pool pool.csv --model predicted --claim "error <= 5% at 95%" --budget 200
    ringtrue init loans --pool pool.csv --model predicted --confidence score --claim "error <= 5% at 95%"
    ringtrue init qa --from log.eval --claim "error <= 10% at 95%"   # then `ringtrue desk qa`
    """

    name = "init"
    always_new = True
    table = Table((*(option for option in MAKING if option.name != "workers"), *FROM))

    def from_log(self, given: Mapping[str, Any], *, new: bool) -> Brought | None:
        """Return the items of a log; who knows the truth is not asked for yet."""
        check_from(given)
        return items_to_judge(given, new=False) if "log" in given else None

    def oracle(self, asked: Asked) -> None:
        """Look for no oracle: nothing is asked yet."""

    def answer(self, asked: Asked, executor: Executor | None) -> Told:
        """Say what was made."""
        path, plan, claim = asked.path, asked.study.plan, asked.question.claim
        result = {"study": str(path), "pool": plan["pool"], "model": plan["model"]}
        result["claim"] = None if claim is None else str(claim)
        items = count(plan["pool"]["size"], "item")
        lines = [f"made {path}: {items}, nothing asked yet"]
        if not {"claim", "budget", "money"} & set(asked.given):
            every = "all " if plan["pool"]["size"] > 1 else ""
            lines.append(f"there is neither a claim nor a budget, so a run asks about {every}{items}")
        return Told(0, result, [*lines, f"next: ringtrue risk {path.typed} --oracle COLUMN (or module:function)"])


command = command_of(InitVerb)
