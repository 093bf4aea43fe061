"""The demo's answers in plain words, and its first page: five questions, what may be claimed, a link to each report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ringtrue.cli._demo_digits import Digits
from ringtrue.core import Json
from ringtrue.study import Study

_WORDS = {"rings true": "Yes", "rings false": "No", "not yet known": "Not yet known"}
"""The verdicts as the answer to a question."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question of the tour.

    `word` is its gist, `claimed` what may be claimed and `took` what that cost, all in plain words. `tone` is the
    verdict that colours the page; `finding` is what the study found, with its report in `page` and `twin`. `numbers`
    are what else was measured.
    """

    verb: str
    word: str
    tone: str
    claimed: str
    took: str
    finding: Any
    page: Path
    twin: Path
    verified: bool
    numbers: Mapping[str, Json] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.word}. {self.claimed} {self.took}"

    def to_json(self) -> dict[str, Json]:
        return {
            "verb": self.verb,
            "verdict": self.tone,
            "claimed": self.claimed,
            "took": self.took,
            "answers": self.finding.answers,
            "sentence": str(self.finding),
            "html": str(self.page),
            "json": str(self.twin),
            "verified": self.verified,
            **self.numbers,
        }


def answer(study: Study, folder: Path, *, claimed: str, took: str, tone: str | None = None) -> Answer:
    """Write the report of a study, check it, and return the answer.

    Parameters
    ----------
    study
        The study, which has one question.
    folder
        The folder that the report is written to.
    claimed
        A sentence that says what may be claimed.
    took
        A sentence that says what it took.
    tone
        The tone of the answer; by default the verdict.
    """
    from ringtrue.cli._progress import Preparing
    from ringtrue.report import verify_report, write_report

    finding: Any = study.finding()
    verb = study.question(None).kind
    with Preparing() as advance:
        advance("writing the report", 0, 1)
        page, twin = write_report(study, folder / f"{verb}.html")
        verified = verify_report(twin).agrees
        advance("writing the report", 1, 1)
    shown = finding.verdict.value if tone is None else tone
    return Answer(
        verb=verb,
        word=_WORDS[shown],
        tone=shown,
        claimed=claimed,
        took=took,
        finding=finding,
        page=page,
        twin=twin,
        verified=verified,
    )


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop of the tour: a question in plain words, what asks it here, and commands to ask it of another model."""

    verb: str
    title: str
    asked: str
    ask: Callable[[Path, Digits, Callable[[str], None]], Answer]
    commands: tuple[str, ...]


def write_index(path: Path, stops: Sequence[tuple[Stop, Answer]]) -> None:
    """Write the page that links to the reports beside it."""
    from ringtrue.report._templates import template

    made: dict[str, Any] = {"ringtrue": version("ringtrue")}
    path.write_text(template("demo.html").render(made=made, stops=stops), encoding="utf-8")
