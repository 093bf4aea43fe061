"""The figures of a page about the worst deviation, and what its tables say beside the finding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import Json, label_of
from ringtrue.report._pictures import svg, svg_of_claim, svg_of_several
from ringtrue.worst._figures import MOST_BASELINES, plot_calibration, plot_path, plot_tasks, shown_tasks
from ringtrue.worst._space_figures import (
    MOST_PARAMETERS,
    plot_parallel,
    plot_picture,
    plot_slices,
    shown_slices,
    upright,
    worst_answers,
)

_ROWS = 10
"""Evaluations and peaks listed in words."""

_TASKS = 50
"""Tasks listed in words."""

_PARAMETERS = 50
"""Parameters of the worst point listed in words."""

_COLUMNS = 8
"""Parameters that have a column of their own in a table: as many as a sheet of paper holds beside the rest."""

_ABREAST = 4
"""Slices side by side."""


def worst_figures(made: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the drawings by name; those that have nothing to show are left out."""
    finding, kept = made["computed"]["finding"], made.get("kept") or {}
    drawings = []
    if finding["answers"]:
        baselines = made["computed"].get("baselines") or {}
        drawings.append(("path", svg_of_claim(lambda axes: plot_path(axes, finding, baselines), height=4.0)))
        size = (7.2, 3.4 if upright(finding) else 4.8)
        training = kept.get("training")
        drawings.append(("parallel", svg(lambda axes: plot_parallel(axes, finding, training), size=size)))
    if slices := shown_slices(finding):
        drawings.append(("slices", _slices(finding, len(slices))))
    if tasks := shown_tasks(finding):
        size = (7.2, 1.0 + 0.24 * len(tasks))
        drawings.append(("tasks", svg_of_several(lambda figure: plot_tasks(figure.subplots(1, 2), finding), size=size)))
    if scores := finding["surrogate"]["calibration"].get("scores"):
        drawings.append(("calibration", svg(lambda axes: plot_calibration(axes, scores), size=(7.2, 3.0))))
    if kept.get("picture"):
        drawings.append(("picture", svg(lambda axes: plot_picture(axes, kept["picture"]), size=(7.2, 3.2))))
    return drawings


def shown_of_worst(made: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is told beside the finding: the worst evaluations, and how much is drawn and listed."""
    finding = made["computed"]["finding"]
    names = [parameter["name"] for parameter in finding["space"]["parameters"]]
    baselines = made["computed"].get("baselines") or {}
    return {
        "worst_rows": worst_rows(made),
        "at_worst": _said_at_worst(finding),
        "names": names,
        "shown_names": names[:_COLUMNS],
        "training": (made.get("kept") or {}).get("training"),
        "baselines": baselines,
        "shown_baselines": min(len(baselines), MOST_BASELINES),
        "shown_parameters": min(len(names), MOST_PARAMETERS),
        "shown_tasks": len(shown_tasks(finding)),
        "most_rows": _ROWS,
        "most_tasks": _TASKS,
        "most_parameters": _PARAMETERS,
    }


def worst_rows(made: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the worst evaluations: where, by which task, and what the model and the gold standard said there."""
    finding = made["computed"]["finding"]
    own = (made["question"]["name"], *made["question"].get("after", ()))
    path, tasks = finding["path"], finding["tasks"]
    answered = [entry for entry in made["records"] if entry["question"] in own and entry["state"] == "answered"]
    rows = []
    for place in worst_answers(finding, _ROWS):
        task = path["task"][place]
        entry = answered[place] if place < len(answered) else {"said": None, "value": None}
        rows.append(
            {
                "answer": path["answer"][place],
                "phase": path["phase"][place],
                "task": task,
                "deviation": path["deviation"][place],
                "point": {name: values[place] for name, values in finding["inputs"].items()},
                "model": _said(entry["said"], tasks.index(task), len(tasks)),
                "gold": _said(entry["value"], tasks.index(task), len(tasks)),
            }
        )
    return rows


def _said_at_worst(finding: Mapping[str, Any]) -> dict[str, Json]:
    worst, tasks = finding["worst"], finding["tasks"]
    if worst is None:
        return {}
    return {side: _said(worst[side], tasks.index(worst["task"]), len(tasks)) for side in ("model", "gold")}


def _said(answer: Json, task: int, count: int) -> Json:
    """Return what was said of one task, where there is one answer per task; else all that was said."""
    said = label_of(answer)
    return said[task] if isinstance(said, list) and len(said) == count else said


def _slices(finding: Mapping[str, Any], number: int) -> str:
    columns = min(number, _ABREAST)
    rows = -(-number // columns)

    def draw(figure: Any) -> None:
        plot_slices(list(figure.subplots(rows, columns, squeeze=False).flat), finding)

    return svg_of_several(draw, size=(7.2, 0.4 + (2.2 if rows == 1 else 1.55) * rows))
