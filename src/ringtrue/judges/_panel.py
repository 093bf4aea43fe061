"""A panel of judges as a question that asks nothing: everything that is told of it follows from the counts of votes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from ringtrue.core import (
    NO_SCORES,
    Chip,
    Claim,
    Context,
    Draw,
    Estimator,
    Policy,
    Question,
    Record,
    Scores,
    Section,
    Sketch,
    Verdict,
    View,
)
from ringtrue.judges._evaluate import check_options, evaluate
from ringtrue.judges._panel_finding import PanelFinding
from ringtrue.judges._panel_sections import panel_sections

_TONES = {0: "rings-true", 1: "rings-false"}


class Nothing(Policy):
    """Asks nothing."""

    name = "nothing"
    foresees = True

    def propose(self, view: View, n: int) -> list[Draw]:  # noqa: ARG002 - whatever was seen
        """Return no draw."""
        return []


class EvaluatedVotes(Estimator):
    """Evaluates the votes once; there are no records to take, and nothing is ever asked."""

    done = True

    def __init__(self, question: Panel) -> None:
        self._found = cache(partial(evaluate, question.sketch, **question.options))

    def update(self, records: Iterable[Record]) -> None:
        """Take nothing from records: labels stand among the votes."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on all judges."""
        return self._found().verdict

    def finding(self) -> PanelFinding:
        """Return what the votes show."""
        return self._found()


class Panel(Question):
    """How good are these judges, by the votes and labels that are there?

    What an alarm on later votes found, as `PanelAlarm.to_json` gives it, is kept beside it as "stream".

    Parameters
    ----------
    sketch
        The votes, as counts of their patterns.
    truth, prevalence, better, at_least, independent, level
        As `evaluate` takes them.
    name
        What the votes are called, such as the name of their file.
    """

    kind = "panel"
    reads = {"sketch": Sketch.from_json}  # noqa: RUF012
    asks = False
    kept_beside = ("stream",)

    def __init__(
        self,
        sketch: Sketch,
        *,
        truth: str | None = None,
        prevalence: float | None = None,
        better: str | None = None,
        at_least: float | None = None,
        independent: bool = False,
        level: float = 0.95,
        name: str = "votes",
    ) -> None:
        check_options(sketch if truth is None else sketch.without(truth), prevalence, better, at_least)
        self.sketch = Sketch.from_json(sketch.to_json())  # in the order of a journal: sums round by their order
        self.name = name
        self.options: dict[str, Any] = {"truth": truth, "prevalence": prevalence, "better": better}
        self.options |= {"at_least": at_least, "independent": independent, "level": level}

    def argument(self, name: str) -> Any:
        """Return an argument by which this question was made."""
        return self.options[name] if name in self.options else super().argument(name)

    @property
    def policy(self) -> Policy:
        """Asks nothing."""
        return Nothing()

    def estimator(self, *, size: int, claim: Claim | None, scores: Scores = NO_SCORES) -> EvaluatedVotes:  # noqa: ARG002
        """Return what evaluates the votes."""
        return EvaluatedVotes(self)

    @classmethod
    def sections(cls, context: Context) -> Sequence[Section]:
        """Return what a reader is shown of a panel."""
        return panel_sections(context)

    @classmethod
    def chip(cls, finding: Mapping[str, Any]) -> Chip:
        """Return what is known of all judges together."""
        return Chip(finding["verdict"], _TONES.get(finding["exit_code"], "not-yet-known"))
