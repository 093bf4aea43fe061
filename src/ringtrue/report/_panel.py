"""The report on a panel of judges: its document, recomputable from the counts of votes, and its page."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ringtrue.core import Json, Sketch, digest
from ringtrue.judges import PanelFinding, draw_prevalence, draw_residuals, draw_timeline, evaluate
from ringtrue.report._document import FORMAT
from ringtrue.report._pictures import svg
from ringtrue.report._templates import template
from ringtrue.report._write import write_files

_WITH_LABELS = (
    ("With labels: these judges on items like these", "with_labels"),
    ("With labels: these judges on these very items", "with_labels_on_this_test"),
)
_ALONE = (("On items like these", "in_general"), ("On these very items", "on_this_test"))


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
    return finding_of_panel(made).to_json()


def panel_hashes(made: Mapping[str, Any]) -> dict[str, Json]:
    """Return one hash for the votes, one for what was asked of them and seen in the stream."""
    return {"votes": digest(made["votes"]), "plan": digest([made["name"], made["options"], made["stream"]])}


def finding_of_panel(made: Mapping[str, Any]) -> PanelFinding:
    """Return the finding that these votes give."""
    return evaluate(Sketch.from_json(made["votes"]), **made["options"])


def render_panel(made: Mapping[str, Any]) -> str:
    """Return the HTML page of a panel's document."""
    finding = finding_of_panel(made)
    alone = {"votes alone": finding.general, "votes alone, these very items": finding.here}
    ways = {name: one for name, one in {"with labels": finding.labelled, **alone}.items() if one is not None}
    conditional = () if finding.reserve_of_votes is None else tuple(alone)
    square = (7.2, 5.2) if len(finding.labels) == 2 else (7.2, 1 + 0.35 * min(len(finding.judges), 24))
    shares = (7.2, 1.6 + 0.6 * len(finding.labels))
    page: str = template("panel.html").render(
        made=made,
        finding=made["computed"],
        accuracies=None if finding.shown is None else _markup(finding.draw, square),
        prevalence=_markup(lambda axes: draw_prevalence(axes, ways, conditional=conditional), shares) if ways else None,
        residuals=_residuals(finding),
        timeline=_timeline(made["stream"]),
        tables=_tables(made["computed"], _WITH_LABELS),
        alone=_tables(made["computed"]["votes_alone"], _ALONE),
    )
    return page


def _tables(computed: Mapping[str, Any], titles: Sequence[tuple[str, str]]) -> list[tuple[str, Any]]:
    return [(title, computed[key]) for title, key in titles if computed[key] is not None]


def _residuals(finding: PanelFinding) -> Any:
    residuals = finding.residuals
    if residuals is None:
        return None
    side = 2.5 + 0.35 * min(len(finding.judges), 24)
    return _markup(lambda axes: draw_residuals(axes, residuals, finding.judges), (max(7.2, side + 1), side))


def _timeline(stream: Mapping[str, Any] | None) -> Any:
    return None if stream is None else _markup(lambda axes: draw_timeline(axes, stream), (7.2, 3.4))


def _markup(draw: Callable[[Any], None], size: tuple[float, float]) -> Any:
    from markupsafe import Markup

    return Markup(svg(draw, size=size))  # noqa: S704 - drawn by matplotlib, which escapes its texts
