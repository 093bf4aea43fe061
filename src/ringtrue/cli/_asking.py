"""What verbs that ask share: making a study, going on with it as it was made, its budget and its workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._output import tell
from ringtrue.core import InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.study import Status, Study


def check_needed(study: str, given: Mapping[str, Any], **needed: str) -> None:
    """Refuse to make a study without the options that it needs, each of them with its remedy in words."""
    for option, remedy in needed.items():
        if option not in given:
            raise InvalidInput(f"STUDY={study!r} is not there yet: to make it, give {remedy}")


def amount_of(given: Mapping[str, Any], option: str) -> Decimal | None:
    """Return the money that the user gave with an option, if any."""
    from ringtrue.study import money

    return money(given[option], f"--{option}") if given.get(option) is not None else None


def settings_of(given: Mapping[str, Any], *, batch: int = 1) -> dict[str, Any]:
    """Return the price, the seed and the batch that a new study is made with."""
    return {
        "price": amount_of(given, "price"),
        "seed": given.get("seed", 0),
        "batch": given.get("batch", batch),
    }


def make_folder(folder: Path) -> None:
    """Make the folder that a new study will lie in."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"STUDY: folder {str(folder)!r} cannot be made ({error.strerror}): choose another") from None


def as_typed(value: Any) -> str:
    """Return a value as it is given on the command line."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def refuse_other(
    path: str,
    made: Mapping[str, Any],
    given: Mapping[str, Any],
    *,
    options: Mapping[str, str] | None = None,
    text: Callable[[Any], str] = as_typed,
) -> None:
    """Refuse an option whose value would make another study of the one that lies there: it goes on as it was made.

    Parameters
    ----------
    path
        The study's file.
    made
        What the study was made with, by name; nothing else is looked at.
    given
        What the user gives now, by the same names.
    options
        The options whose names differ from these.
    text
        Writes a value as the user would.
    """
    for name, was in made.items():
        now = given.get(name, was)
        if now != was:
            option = f"--{(options or {}).get(name, name)}"
            shown = option if now is True else f"{option}={text(now)}"
            how = "without it" if was in (None, (), []) or was is False else f"with {text(was)}"
            raise InvalidInput(f"{shown}: the study {path!r} was made {how}: leave it out, or name a new study")


def threads(workers: int, study: Study) -> ThreadPoolExecutor | nullcontext[None]:
    """Return workers for the queries of a batch; more of them than a batch has queries stand idle, which is said."""
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
