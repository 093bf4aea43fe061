"""`ringtrue grades`: have answers marked until the claim about their average is decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from ringtrue.cli.verbs import ID, JSON, POOL, SPENDING, TRUST, WHO, Option, Table, Verb, asked, claim_about, command_of


class GradesVerb(Verb):
    """Find out what share of the full marks the answers in a pool lose on average.

    Makes STUDY if it is not there; else goes on with it where it stopped.

    \b
    ringtrue grades essays --pool essays.csv --oracle desk:mark --claim "error <= 30% at 95%"
    ringtrue grades essays                                   # go on
    ringtrue report essays

    Exit code: 0 rings true (or there is no claim), 1 rings false, 3 not yet known.
    """

    name = "grades"
    own = True
    needed = (("pool", "the answers to be marked, --pool FILE"),)
    table = Table(
        (
            POOL,
            *WHO,
            Option(
                "claim",
                'What to decide, such as "error <= 30% at 95%".',
                read=claim_about("error", like='"error <= 30%"'),
            ),
            Option("full", "The best possible mark (default 10).", "MARK", type=click.FLOAT, made=asked("full")),
            ID,
            *SPENDING,
            TRUST,
            JSON,
        )
    )

    def question_type(self) -> Any:
        from ringtrue_grades._question import Grades

        return Grades

    def questions(self, given: Mapping[str, Any], source: Any, model: Any) -> Sequence[Any]:
        return [self.question_type()(given.get("claim"), full=given.get("full", 10.0))]


command = command_of(GradesVerb)
