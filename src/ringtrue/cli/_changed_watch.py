"""`ringtrue changed --watch`: one call per run, when it is due, meant for a scheduler."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ringtrue.cli._asked import Asked, Told
from ringtrue.core import Argument, InvalidInput, Verdict

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ringtrue.changed import Watch
    from ringtrue.pools import OldAnswers

EVERY = {"hour": 3_600, "day": 86_400}
"""How often a watched model may be asked, in seconds."""

_YEAR = 365 * 86_400

_EARLY = 1 / 20
"""The part of a period by which a call may be early: calls take time, and the clocks of schedulers change to summer."""

_USELESS = ("error", "claim", "slices", "method", "plan", "to", "log")
"""Options that ask what changed, which a watch does not."""


def is_watch(question: Any) -> bool:
    """Return whether a question, or a finding, is of a watch."""
    return getattr(question, "kind", "") == "watch"


def check_watch(given: Mapping[str, Any]) -> None:
    """Refuse options that a watch has no use for, and those that only a watch has."""
    if "watch" in given:
        for name in _USELESS:
            if name in given:
                raise InvalidInput(Argument(name, given[name]), " has no use with --watch: leave one of them out")
    else:
        for name in ("every", "sentinels"):
            if name in given:
                raise InvalidInput(Argument(name, given[name]), " belongs to --watch: add it, or leave this out")


def watch_question(given: Mapping[str, Any], source: OldAnswers, noise: float | None) -> Watch:
    """Return the question that watches the model of a new study."""
    from ringtrue.changed import Watch

    year = _YEAR // EVERY[given.get("every", "day")]
    chosen = {name: given[name] for name in ("sentinels", "seed") if name in given}
    return Watch.of(source.pool, old=source.answer, confidence=source.confidence, year=year, noise=noise, **chosen)


def call_when_due(asked: Asked, executor: Executor | None) -> None:
    """Ask what is missing of the first calls, or else one call if it is due, and nothing before that."""
    question: Any = asked.question
    answers: int = asked.study.finding(question=question.name).answers
    due, now, period = _due(asked), time.time(), EVERY[asked.notes["every"]]
    # Earlier than the last answer it is only by a clock that was set back: then a call is due, and notes the new time.
    early = due is not None and due - period <= now < due - _EARLY * period
    most = question.before - answers if answers < question.before else int(not early)
    asked.run(question.name, asked.claim, executor, most=most)


def due_at(asked: Asked) -> str | None:
    """Return when the next call is due, as programs read it; None before the first and after an alarm."""
    raised = asked.study.finding(question=asked.question.name).verdict is Verdict.RINGS_FALSE
    due = None if raised else _due(asked)
    return None if due is None else datetime.fromtimestamp(due, UTC).isoformat(timespec="seconds")


def due_line(asked: Asked, said: Told) -> Told:
    """Say when the next call is due, unless there is an alarm or something else to wait for."""
    due, (*lines, following) = _due(asked), said.lines
    if said.code == 1 or due is None or not following.startswith("next: ringtrue report"):
        return said
    when = f"{datetime.fromtimestamp(due, UTC):%Y-%m-%d %H:%M} UTC"
    return said._replace(lines=[*lines, f"next: ringtrue changed {asked.path.typed}, due {when}: one call per run"])


def _due(asked: Asked) -> float | None:
    """Return when the next call is due, in seconds since 1970; None before the first."""
    last = asked.study.answered_at
    return None if last is None else last + EVERY[asked.notes["every"]]
