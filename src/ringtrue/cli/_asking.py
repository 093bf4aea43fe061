"""What verbs that ask share: the budget as it is changed, the workers, the folder of a new study."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from ringtrue.cli._common import tell
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.study import Study


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


def make_folder(folder: Path) -> None:
    """The folder that a new study will lie in."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"STUDY: folder {str(folder)!r} cannot be made ({error.strerror}): choose another") from None
