"""What verbs that ask share: the budget as it is changed, the workers, the folder of a new study."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from ringtrue.cli._common import tell
from ringtrue.core import InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.study import Status, Study


def threads(workers: int, study: Study) -> ThreadPoolExecutor | nullcontext[None]:
    """Workers for the queries of a batch; more of them than a batch has queries stand idle, which is said."""
    batch = study.plan["batch"]
    if workers > batch:
        tell(f"--workers={workers} share a batch of {batch}: make a study with --batch {workers}", err=True)
    return ThreadPoolExecutor(workers) if workers > 1 else nullcontext()


def change_budget(study: Study, labels: int | None, amount: str | None) -> None:
    """Set what was given and leave the other side as it is."""
    from ringtrue.study import Budget, money

    now = study.status()
    wanted = Budget(
        labels=now.budget_labels if labels is None else labels,
        money=now.budget_money if amount is None else money(amount, "--money"),
    )
    if (wanted.labels, wanted.money) != (now.budget_labels, now.budget_money):
        study.set_budget(wanted)


def outlook(study: str, status: Status, price: str | None) -> list[str]:
    """Say what an open claim waits for: queries that are out, or a larger budget; nothing if it is neither."""
    from ringtrue.study import Budget

    if status.leased:
        out = count(status.leased, "query")
        held = f", and {count(status.held, 'answer')} cannot be used before" if status.held else ""
        return [
            f"{out} out with others{held}: run again later, or give back what is out with `ringtrue release {study}`"
        ]
    used, spent = status.answered + status.waiting, status.spent_money + status.reserved_money
    budget = Budget(status.budget_labels, status.budget_money)
    if budget.affords(labels=used, spent=spent, price=Decimal(price or 0)) == 0:
        return ["the budget is spent: the same command with a larger --budget N (or --money) goes on"]
    return []


def make_folder(folder: Path) -> None:
    """The folder that a new study will lie in."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"STUDY: folder {str(folder)!r} cannot be made ({error.strerror}): choose another") from None
