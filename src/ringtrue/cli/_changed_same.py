"""A study of a change goes on as it was made: what is said again must be the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import InvalidInput, percent

_NOTED = {
    "model": "--model", "id": "--id", "answer": "--answer", "truth": "--truth", "confidence": "--confidence",
    "slices": "--slice", "features": "--features", "error": "--error", "noise": "--noise", "method": "--method",
}  # fmt: skip


def check_same(path: str, plan: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse an option that would make this another study; budget, claim and the places of files may change."""
    from ringtrue.study import money

    made = {name: plan["notes"][name] for name in _NOTED} | {"seed": plan["seed"], "batch": plan["batch"]}
    made["price"] = None if plan["price"]["model"] is None else money(plan["price"]["model"], "price")
    asked = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
    if "price" in asked:
        asked["price"] = money(asked["price"], "--price")
    for name in made:
        if name in asked and asked[name] != made[name]:
            option = _NOTED.get(name, f"--{name}")
            was = "without it" if made[name] in (None, []) else f"with {_text(made[name])}"
            raise InvalidInput(
                f"{option}={_text(asked[name])}: the study {path!r} was made {was}: leave it out, or name a new study"
            )


def _text(value: Any) -> str:
    """A value as it is given on the command line."""
    if isinstance(value, list):
        return ",".join(map(str, value))
    return percent(value) if isinstance(value, float) else str(value)
