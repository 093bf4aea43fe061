"""`ringtrue check`: the gate for CI."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click

from ringtrue.cli._common import json_option, open_to_read, say
from ringtrue.core import Claim, InvalidInput, Verdict

_FORM = 'write [[claim]] tables with study = "…" and says = "error <= 5% at 95%"'


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
        with open_to_read(str(path.parent / entry["study"])) as study:
            findings.append((entry, study.finding(claim=Claim.parse(entry["says"]), question=entry.get("question"))))
    verdicts = [finding.verdict for _, finding in findings]
    overall = next(
        (worst for worst in (Verdict.RINGS_FALSE, Verdict.NOT_YET_KNOWN) if worst in verdicts), Verdict.RINGS_TRUE
    )
    result = {
        "verdict": overall.value,
        "claims": [{"study": entry["study"], **finding.to_json()} for entry, finding in findings],
    }
    lines = [f"{entry['study']}: {finding}" for entry, finding in findings]
    say(
        as_json,
        result,
        *lines,
        f"{len(findings)} of {path.name}: {overall.value}" if len(findings) > 1 else overall.value,
    )
    return overall.exit_code


def read_claims(path: Path) -> list[dict[str, Any]]:
    """The claims of a file, each with a study and what it says; anything else is an error with its remedy."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInput(f"claims file {str(path)!r} does not exist: {_FORM}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(
            f"claims file {str(path)!r} cannot be read ({' '.join(str(error).split())}): {_FORM}"
        ) from None
    entries = content.get("claim")
    if not isinstance(entries, list) or not entries or set(content) != {"claim"}:
        raise InvalidInput(f"claims file {str(path)!r} must hold [[claim]] tables and nothing else: {_FORM}")
    for place, entry in enumerate(entries, start=1):
        known = {"study", "says", "question"}
        if (
            not isinstance(entry, dict)
            or not {"study", "says"} <= set(entry) <= known
            or not all(isinstance(value, str) for value in entry.values())
        ):
            raise InvalidInput(f"claims file {str(path)!r}: claim {place} is incomplete or has unknown keys: {_FORM}")
    return entries
