"""Other searches of the same study for the worst deviation: how far each had come after how many evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import Json, Question, Record
from ringtrue.study import Study, evidence_of, make_question

_SAME = ("kind", "space", "tasks", "deviation")
"""What two searches must have in common, for their numbers to be of the same kind."""


def rivals(study: Study, question: Question) -> list[dict[str, Json]]:
    """The other searches of a study for the same deviation: their curves stand beside that of the one reported."""
    own = question.config()
    if own.get("kind") != "worst":
        return []
    others = [one.config() for name, one in study.questions.items() if name != question.name]
    return [config for config in others if all(config.get(key) == own[key] for key in _SAME)]


def baselines(compared: Sequence[Mapping[str, Any]], records: Sequence[Record]) -> dict[str, Json]:
    """The worst deviation so far in each of these searches, from its own records."""
    curves: dict[str, Json] = {}
    for config in compared:
        found = evidence_of(make_question(config), records, size=0, claim=None).to_json()
        path: Any = found["path"]
        if path["answer"]:
            curves[config["name"]] = {"rule": found["rule"], "answer": path["answer"], "best": path["best"]}
    return curves
