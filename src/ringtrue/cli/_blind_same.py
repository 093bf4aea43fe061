"""A hunt goes on as it was made: what is said again must be the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ringtrue.core import InvalidInput, label_text

if TYPE_CHECKING:
    from ringtrue.blind import Blind
    from ringtrue.core import Pool
    from ringtrue.study import Study

_OPTIONS = {"critical": "class", "inputs": "input", "slices": "slice", "plain": "no-variations"}


def check_same(path: str, study: Study, question: Blind, notes: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse an option that would make this another hunt; the budget, the oracle and the pool's place may change."""
    distance = question.distance
    made: dict[str, Any] = {
        "critical": question.critical, "confidence": question.threshold, "search": question.search,
        "floor": question.floor, "claim": question.claim, "model": notes.get("model"), "id": notes.get("id"),
        "inputs": None if question.inputs is None else list(question.inputs.columns),
        "features": list(question.features) or None, "slices": tuple(question.slices), "score": question.score,
        "distance": "none" if distance is None else distance.method,
        "queries": None if distance is None else distance.queries, "plain": not question.variations,
        "seed": study.plan["seed"], "batch": study.plan["batch"],
    }  # fmt: skip
    asked = {**given, **({"critical": label_text(given["critical"])} if "critical" in given else {})}
    for name, was in made.items():
        if asked.get(name, was) != was:
            option = f"--{_OPTIONS.get(name, name)}"
            shown = option if asked[name] is True else f"{option}={_text(asked[name])}"
            how = "without it" if was in (None, ()) or was is False else f"with {_text(was)}"
            raise InvalidInput(f"{shown}: the study {path!r} was made {how}: leave it out, or name a new study")
    for name in ("validation", "price", "labels"):
        if name in given:
            raise InvalidInput(f"--{name}: the study {path!r} is made already: leave it out, or name a new study")


def check_fits(path: str, study: Study, pool: Pool, notes: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse what a study that another verb made cannot take up with a hunt."""
    from ringtrue.pools import holds_image_files

    made: dict[str, Any] = {
        "model": notes.get("model"), "id": notes.get("id"), "seed": study.plan["seed"], "batch": study.plan["batch"],
        "price": study.plan["price"]["oracle"], "validation": None, "labels": study.plan["labels"],
    }  # fmt: skip
    for name, was in made.items():
        if name in given and given[name] != was:
            raise InvalidInput(
                f"--{name}: the study {path!r} was made {'without it' if was is None else f'with {_text(was)}'}: "
                "leave it out, or name a new study"
            )
    for column in given.get("inputs", ()):
        if column in pool.columns and holds_image_files(pool, column):
            raise InvalidInput(
                f"--input={column}: the study {path!r} was made without images: name a new study for them"
            )


def _text(value: Any) -> str:
    """A value as it is given on the command line."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
