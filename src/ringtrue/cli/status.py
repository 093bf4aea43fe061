"""`ringtrue status`: where a study stands."""

from __future__ import annotations

import click

from ringtrue.cli._common import json_option, say, study_argument
from ringtrue.cli._opening import open_to_read


@click.command("status")
@study_argument
@json_option
def command(study: str, as_json: bool) -> int:
    """What STUDY has asked, answered and spent, and what it shows so far. Changes nothing."""
    with open_to_read(study) as opened:
        status = opened.status()
        findings = {name: opened.finding(question=name) for name in opened.questions}
    result = {"study": opened.name, **status.to_json()}
    result["findings"] = {name: finding.to_json() for name, finding in findings.items()}
    say(as_json, result, str(status), *(f"{name}: {finding}" for name, finding in findings.items()))
    return 0
