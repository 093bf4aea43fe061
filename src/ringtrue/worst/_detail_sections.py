"""The details of a search: its peaks, its tasks, the worst evaluations, and whether its surrogate may be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import (
    Column,
    Context,
    Figure,
    Json,
    Quoted,
    Section,
    Soft,
    Strong,
    Text,
    cell,
    count,
    label_of,
    number,
)
from ringtrue.worst._figures import plot_calibration, plot_tasks, shown_tasks
from ringtrue.worst._finding_parts import point_text
from ringtrue.worst._space_figures import worst_answers
from ringtrue.worst._wording import Cells, Parameters, left_out, listed, numbers, table_of, value

_ROWS = 10
"""Evaluations and peaks listed in words."""

_TASKS = 50
"""Tasks listed in words."""


def detail_sections(context: Context) -> list[Section]:
    """Return the details of a search."""
    finding, parameters = context.finding, Parameters(context.finding)
    return [
        *_peaks(finding, parameters),
        *(_robust(finding["robust"], parameters) if finding["robust"] else []),
        *(_tasks(finding, parameters) if parameters.many else []),
        _evaluations(context, parameters),
        *(_surrogate(finding, parameters) if finding["surrogate"]["lengthscales"] else []),
    ]


def _peaks(finding: Mapping[str, Any], parameters: Parameters) -> list[Section]:
    peaks = finding["peaks"]
    brief = [
        f"another peak{' of ' + peak['task'] if parameters.many else ''}, predicted: {_predicted(peak)} (measured "
        f"nearest to it: {number(peak['nearest'], beside=finding['worst']['deviation'])})"
        for peak in peaks
        if not peak.get("at_worst")
    ]
    if len(peaks) < 2:
        return [Section(detail=True, brief=brief)] if brief else []
    columns: list[Cells] = [
        numbers("rank", lambda peak: str(peak["rank"])),
        *parameters.task,
        numbers("expected", lambda peak: value(peak["predicted"])),
        numbers("give or take", lambda peak: value(peak["sd"])),
        numbers("measured nearby", lambda peak: value(peak["nearest"])),
        *parameters.columns,
    ]
    caption = (
        "Where the surrogate expects most, first around the worst evaluation, then the highest; between any two of one "
        "task it falls. Give or take: one standard deviation of the surrogate. Measured nearby: the deviation at the "
        f"evaluation nearest to the peak.{parameters.left_out}"
    )
    ranked = [{**peak, "rank": rank} for rank, peak in enumerate(peaks[:_ROWS], start=1)]
    return [Section("Peaks", table=table_of(ranked, columns, caption), detail=True, brief=brief)]


def _predicted(peak: Mapping[str, Any]) -> str:
    """Return what the surrogate predicts of a place: its mean, one standard deviation, and where."""
    return f"{number(peak['predicted'])} ± {number(peak['sd'])} at {point_text(peak['point'])}"


def _robust(robust: Mapping[str, Any], parameters: Parameters) -> list[Section]:
    spreads = listed([(Quoted(cell(name)), " ", value(spread)) for name, spread in robust["spread"].items()])
    words: Text = (
        "With inputs that vary by ",
        *spreads,
        " (standard deviations), the surrogate expects the mean deviation to be largest, "
        f"{value(robust['predicted'])} give or take {value(robust['sd'])}",
        *((" of ", Quoted(cell(robust["task"]))) if parameters.many else ()),
        ", around ",
        *parameters.named(robust["point"]),
        f".{parameters.left_out}",
    )
    brief = [f"largest average over input noise, predicted: {_predicted(robust)}"]
    return [Section("The worst that lasts", [words], detail=True, brief=brief)]


_own_units: list[Cells] = [
    numbers("in its own unit", lambda one: "–" if one["own_unit"] is None else value(one["own_unit"])),
    numbers("scale", lambda one: value(one["scale"])),
]
"""Columns of the worst deviation as the output has it, and of what counts as 1."""


def _tasks(finding: Mapping[str, Any], parameters: Parameters) -> list[Section]:
    by_task, alone, drawn = finding["by_task"], finding["priced"] == "alone", len(shown_tasks(finding))
    figure = None
    if drawn:
        spent = "how many evaluations were spent on it" if alone else "in how many evaluations no other deviated more"
        some = ""
        if drawn < len(by_task):
            some = f" {drawn} of {count(len(by_task), 'task')} are drawn, those that deviate most."
        figure = Figure(
            lambda figure: plot_tasks(figure.subplots(1, 2), finding),
            size=(7.2, 1.0 + 0.24 * drawn),
            whole=True,
            aloud="The worst deviation found for each task, and in how many evaluations it was "
            f"{'asked about' if alone else 'the worst'}",
            caption=f"The worst deviation of each task, and {spent}; darker is the task with the worst.{some}",
        )
    columns: list[Cells] = [
        *parameters.task,
        numbers("evaluations" if alone else "worst in", lambda one: f"{one['evaluations']:,}"),
        numbers("worst deviation", lambda one: "–" if one["worst"] is None else value(one["worst"])),
        *(_own_units if "scale" in by_task[0] else ()),
        *parameters.columns,
    ]
    reveals = (
        f"An evaluation is about one task, chosen by {cell(finding['rule'])}."
        if alone
        else "An evaluation reveals all tasks."
    )
    more = left_out(_TASKS, len(by_task), "task")
    table = table_of(by_task[:_TASKS], columns, f"{reveals}{more}{parameters.left_out}")
    return [Section("By task", figure=figure, table=table, detail=True)]


def worst_rows(context: Context) -> list[dict[str, Any]]:
    """Return the worst evaluations: where, by which task, and what the model and the gold standard said there."""
    finding, question = context.finding, context.question
    own = (question.get("name"), *question.get("after", ()))
    path, tasks = finding["path"], finding["tasks"]
    answered = [entry for entry in context.records if entry["question"] in own and entry["state"] == "answered"]
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
                "model": said_of_task(said_in(entry), tasks.index(task), len(tasks)),
                "gold": said_of_task(entry["value"], tasks.index(task), len(tasks)),
            }
        )
    return rows


def said_in(entry: Mapping[str, Any]) -> Json:
    """Return what the model said in a record: where the answer was obtained, if that was set otherwise than asked."""
    told: Any = entry["value"]
    said: Json = told["said"] if isinstance(told, dict) and "set" in told and "said" in told else entry["said"]
    return said


def said_of_task(answer: Json, task: int, tasks: int) -> Json:
    """Return what was said of one task, where there is one answer per task; else all that was said."""
    said = label_of(answer)
    return said[task] if isinstance(said, list) and len(said) == tasks else said


def _evaluations(context: Context, parameters: Parameters) -> Section:
    title, found = "The worst evaluations", worst_rows(context)
    if not found:
        return Section(title, ["None, because nothing is answered yet."], detail=True)
    said = [
        numbers("model", lambda row: value(row["model"])),
        numbers("gold standard", lambda row: value(row["gold"])),
    ]
    columns: list[Cells] = [
        numbers("evaluation", lambda row: f"{row['answer']:,}"),
        *parameters.task,
        numbers("deviation", lambda row: value(row["deviation"])),
        *(said if any(row["model"] is not None for row in found) else []),
        (Column("phase"), lambda row: cell(row["phase"])),
        *parameters.columns,
    ]
    of_all = count(context.finding["answers"], "evaluation")
    caption = f"{len(found)} of {of_all} listed, those that deviate most.{parameters.left_out}"
    return Section(title, table=table_of(found, columns, caption), detail=True)


def _surrogate(finding: Mapping[str, Any], parameters: Parameters) -> list[Section]:
    test, bound = finding["surrogate"]["calibration"], finding["bound"]
    trusted = "Not yet known" if test["calibrated"] is None else "Nothing speaks against it"
    if test["calibrated"] is not None and not test["calibrated"]:
        trusted = Strong("No, and nothing is claimed from it")
    residuals = ""
    if test.get("residuals"):
        residuals = (
            f" Of {count(test['residuals'], 'residual')} at random points that it had not seen, {test['inside']:,} lie "
            f"within 1.96 of its standard deviations, where 95% should; their root mean square is {value(test['rms'])} "
            "standard deviations, and 1 would be right."
        )
    figure = None
    if scores := test.get("scores"):
        figure = Figure(
            lambda axes: plot_calibration(axes, scores),
            size=(7.2, 3.0),
            aloud="How far evaluations at random points came out from what the surrogate expected, in its standard "
            "deviations",
            caption="How far evaluations at random points, which the surrogate had not seen, came out from what it "
            "expected. Between the lines should be 95% of them.",
        )
    seen, sight, looked = sum(finding["path"].get("seen", ())), "", ""
    if seen:
        chosen = count(seen, "evaluation")
        sight = f" With the model in sight, by a Gaussian process of the gold standard itself: {chosen}."
    if bound:
        looked = f" Bound: {bound['method']}, looked at after {count(bound['looked_at'], 'evaluation')}."
    parts = (
        f"A Gaussian process with a {cell(finding['kernel'])} kernel; points were chosen by "
        f"{cell(finding['acquisition'])}. Its lengthscales, as shares of the ranges: ",
        *parameters.named(finding["surrogate"]["lengthscales"], digits=2),
        f"; the shorter, the more a parameter matters.{parameters.left_out}{sight}{looked}",
    )
    return [
        Section(
            "Whether the surrogate may be trusted",
            [(trusted, f": {test['reason']}.{residuals}")],
            figure=figure,
            detail=True,
        ),
        Section(words=[tuple(Soft(part) if type(part) is str else part for part in parts)], detail=True),
    ]
