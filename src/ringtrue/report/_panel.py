"""The report on a panel of judges: its document, recomputable from the counts of votes, and its page."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ringtrue.core import Chip, Code, Json, Section, Sketch, Table, digest
from ringtrue.report._document import FORMAT
from ringtrue.report._page import rendered
from ringtrue.report._write import write_files


def write_panel_report(
    sketch: Sketch,
    path: str | os.PathLike[str],
    *,
    name: str = "votes",
    stream: Mapping[str, Json] | None = None,
    **options: Any,
) -> tuple[Path, Path]:
    """Write the page of a panel to `path` and its JSON twin beside it; return both paths.

    Parameters
    ----------
    sketch
        The votes, as counts of their patterns.
    path
        Where the page is written; it must end in .html.
    name
        What the page calls the votes, such as the name of their file.
    stream
        What an alarm on later votes found, as `PanelAlarm.to_json` gives it.
    options
        Those of `evaluate`.
    """
    return write_files(path, lambda: panel_document(sketch, name=name, stream=stream, **options), render_panel)


def panel_document(
    sketch: Sketch, *, name: str, stream: Mapping[str, Json] | None = None, **options: Any
) -> dict[str, Any]:
    """Return everything the page says, as JSON values."""
    made: dict[str, Any] = {
        "format": FORMAT,
        "kind": "panel",
        "ringtrue": version("ringtrue"),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "name": name,
        "options": options,
        "votes": sketch.to_json(),
        "stream": None if stream is None else dict(stream),
    }
    made["computed"] = panel_computed(made)
    made["hashes"] = panel_hashes(made)
    return made


def panel_computed(made: Mapping[str, Any]) -> dict[str, Json]:
    """Return every number of the page but those of the stream, from the counts of votes alone."""
    from ringtrue.judges import evaluate

    return evaluate(Sketch.from_json(made["votes"]), **made["options"]).to_json()


def panel_hashes(made: Mapping[str, Any]) -> dict[str, Json]:
    """Return one hash for the votes, one for what was asked of them and seen in the stream."""
    return {"votes": digest(made["votes"]), "plan": digest([made["name"], made["options"], made["stream"]])}


def render_panel(made: Mapping[str, Any]) -> str:
    """Return the HTML page of a panel's document."""
    from ringtrue.judges import panel_sections

    finding = made["computed"]
    chip = Chip(finding["verdict"], {0: "rings-true", 1: "rings-false"}.get(finding["exit_code"], "not-yet-known"))
    sections = [
        *panel_sections(finding, made["stream"]),
        Section("What this rests on", listed=finding["assumptions"]),
        _check_section(made),
    ]
    return rendered(made, sections, chip, about="Judges in", name=made["name"], headline=finding["sentence"])


def _check_section(made: Mapping[str, Any]) -> Section:
    words = (
        "The JSON file beside this page holds the count of every pattern of votes. ",
        Code("ringtrue report --verify FILE.json"),
        " recomputes every number here from them.",
    )
    facts = [(name, (Code(made["hashes"][name]),)) for name in ("votes", "plan")]
    return Section("How to check and repeat this", [words], table=Table(facts, shape="facts"))
