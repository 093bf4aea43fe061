"""`ringtrue check`: the gate for CI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringtrue.cli._claims import read_claims
from ringtrue.cli._common import json_option, say
from ringtrue.cli._opening import open_to_read
from ringtrue.core import Verdict

if TYPE_CHECKING:
    from ringtrue.study import Study


def _made_with(study: Study) -> str:
    """The question that a study was made with, or the last that goes on from it."""
    asked = next(iter(study.questions))
    for name, question in study.questions.items():
        if asked in getattr(question, "after", ()):
            asked = name
    return asked


@click.command("check")
@click.argument("claims", metavar="CLAIMS.toml")
@json_option
def command(claims: str, as_json: bool) -> int:
    """Judge every claim in a file by the answers its study has recorded. Buys nothing.

    \b
    [[claim]]
    study = "loans.ringtrue"          # beside this file
    says = "error <= 5% at 95%"

    Exit code: 0 if all ring true, 1 if any rings false, else 3 if any is not yet known.
    """
    path = Path(claims)
    findings = []
    for entry in read_claims(path):
        with open_to_read(str(path.parent / entry.study)) as study:
            asked = entry.question or _made_with(study)
            findings.append((entry, study.finding(claim=entry.claim, question=asked)))
    verdicts = [finding.verdict for _, finding in findings]
    overall = next(
        (worst for worst in (Verdict.RINGS_FALSE, Verdict.NOT_YET_KNOWN) if worst in verdicts), Verdict.RINGS_TRUE
    )
    result = {
        "verdict": overall.value,
        "claims": [{"study": entry.study, **finding.to_json()} for entry, finding in findings],
    }
    lines = [f"{entry.study}: {finding}" for entry, finding in findings]
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict.value}" for verdict in Verdict if verdict in verdicts)
    say(as_json, result, *lines, *([f"{path.name}: {counts}"] if len(findings) > 1 else []))
    return overall.exit_code
