"""A search goes on as it was made: what is said again must be the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._space_file import read_space
from ringtrue.core import InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.study import Study
    from ringtrue.worst import Worst


def check_same(path: str, study: Study, question: Worst, given: Mapping[str, Any]) -> None:
    """Refuse an option that would make this another study; budget, claim and whom to ask may change."""
    from ringtrue.study import money

    plan, notes, price = question.plan, study.plan["notes"], study.plan["price"]["oracle"]
    asked = dict(given)
    if "space" in given:
        space, rest = read_space(Path(given["space"]))
        if space.fingerprint != plan.space.fingerprint or rest.get("input_noise") != plan.input_noise:
            raise InvalidInput(
                f"--space={given['space']} is not the one the study {path!r} was made with: name a new study"
            )
        asked = {"tasks": rest.get("tasks", list(plan.tasks)), **asked}
    if "price" in given:
        asked["price"] = money(given["price"], "--price")
    made = {
        "model": notes["model"], "deviation": notes["own"] or plan.deviation.name, "alone": plan.alone,
        "tasks": list(plan.tasks), "rule": plan.rule, "acquisition": plan.acquisition, "kernel": plan.kernel,
        "noise": plan.noise, "seed": study.plan["seed"], "batch": study.plan["batch"],
        "price": None if price is None else money(price, "price"),
    }  # fmt: skip
    for name, was in made.items():
        if asked.get(name, was) != was:
            _refuse(
                path, name, _text(asked[name]), "without it" if was is None or was is False else f"with {_text(was)}"
            )
    for name in given.get("baselines", ()):
        if name not in study.questions:
            _refuse(path, "baseline", name, "without it")
    if given.get("budget", plan.evaluations) < plan.evaluations:
        raise InvalidInput(
            f"--budget={given['budget']}: the study {path!r} plans {count(plan.evaluations, 'evaluation')}: stop it "
            "with Ctrl-C, or name a new study"
        )


def _refuse(path: str, name: str, asked: str, was: str) -> None:
    option = f"--{name}" if asked == str(True) else f"--{name}={asked}"
    raise InvalidInput(f"{option}: the study {path!r} was made {was}: leave it out, or name a new study")


def _text(value: Any) -> str:
    """A value as it is given on the command line."""
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
