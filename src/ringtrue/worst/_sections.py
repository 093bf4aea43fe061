"""What is told of a search: the worst deviation, where it is, and what bounds the rest of the space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import (
    Column,
    Context,
    Figure,
    Quoted,
    Section,
    Strong,
    StrongQuoted,
    Table,
    Text,
    Verdict,
    cell,
    count,
    number,
    percent,
)
from ringtrue.worst._detail_sections import detail_sections, said_of_task
from ringtrue.worst._figures import MOST_BASELINES, plot_path
from ringtrue.worst._space_figures import (
    MOST_PARAMETERS,
    plot_parallel,
    plot_picture,
    plot_slices,
    shown_slices,
    upright,
)
from ringtrue.worst._wording import Cells, left_out, listed, numbers, table_of, value

_PARAMETERS = 50
"""Parameters of the worst point listed in words."""

_ABREAST = 4
"""Slices side by side."""


def worst_sections(context: Context) -> list[Section]:
    """Return what is told of a search."""
    finding = context.finding
    tiles = Section(table=Table(_tiles(context), shape="tiles"))
    if not finding["worst"]:
        return [
            tiles,
            Section(words=["Nothing is answered yet, so there is nothing to draw."]),
            *detail_sections(context),
        ]
    return [
        tiles,
        Section(words=_bounds(finding), figure=_path(context), brief=_above_brief(finding)),
        _where(context),
        *_drawn(context),
        *detail_sections(context),
    ]


def _tiles(context: Context) -> list[tuple[Text, Text, Text]]:
    finding = context.finding
    worst, region, bound = finding["worst"], finding["region"], finding["bound"]
    found: Text = "nothing is answered"
    if worst:
        of_task = ("of ", Quoted(cell(worst["task"])), ", ") if len(finding["tasks"]) > 1 else ()
        without = ""
        if worst["low"] != worst["high"]:
            without = f"; {value(worst['low'])} to {value(worst['high'])} without the noise"
        found = (*of_task, f"in evaluation {worst['answer']:,}{without}")
    measured = f"worst deviation found ({cell(finding['deviation'])})"
    tiles: list[tuple[Text, Text, Text]] = [(measured, value(worst["deviation"]) if worst else "none yet", found)]
    if region:
        confirmed = f"{region['confirmed']:,} of {count(region['tried'], 'evaluation')} there confirmed it"
        expected = f"of the space, where {value(region['threshold'])} or more is expected; {confirmed}"
        tiles.append(("region around it", percent(region["volume"]), expected))
    if finding["limit"] is not None:
        level = f", {percent(bound['level'])} bound" if bound else ""
        most = "not yet known" if not bound else "refused"
        if bound and bound["upper"] is not None:
            most = f"at most {value(bound['upper'])}"
        tiles.append((f"largest deviation anywhere{level}", most, f"claimed: at most {value(finding['limit'])}"))
    spent = ""
    if context.spending and context.study["price"]["oracle"] is not None:
        spent = f"; {context.spending['money']} spent"
    planned = f"of {finding['evaluations']:,} planned, the first {finding['initial']:,} to spread{spent}"
    return [*tiles, ("evaluations", f"{finding['answers']:,}", planned)]


def _bounds(finding: Mapping[str, Any]) -> list[Text]:
    bound, above = finding["bound"], finding["above"]
    words: list[Text] = []
    if bound and bound["refused"]:
        words.append((Strong("No bound on the largest deviation:"), f" {bound['refused']}."))
    if above:
        least = f", and at least {percent(above['low'], toward='below')}" if above["low"] > 0 else ""
        words.append(
            f"At most {percent(above['high'], toward='above')} of the space deviates by more than "
            f"{value(above['threshold'])}{least} ({percent(above['level'])}; {above['method']}, from "
            f"{count(above['n'], 'evaluation')} at uniformly random points)."
        )
    return words


def _above_brief(finding: Mapping[str, Any]) -> list[Text]:
    above = finding["above"]
    if above is None or finding["verdict"] != Verdict.RINGS_FALSE.value:  # else the sentence ends with it
        return []
    return [
        f"without any surrogate: at most {percent(above['high'], toward='above')} of the space deviates more than "
        f"{number(above['threshold'])} ({percent(above['level'])}, {count(above['n'], 'random evaluation')})"
    ]


def _path(context: Context) -> Figure:
    finding, baselines, claimed = context.finding, context.baselines, context.finding["limit"] is not None
    together = len(finding["tasks"]) > 1 and finding["priced"] == "together"
    beside = ""
    if baselines:
        some = f", the first {MOST_BASELINES} of {len(baselines):,}" if len(baselines) > MOST_BASELINES else ""
        beside = f" Beside it other searches of this study{some}."
    return Figure(
        lambda axes: plot_path(axes, finding, baselines),
        size=(5.0, 4.0),
        aloud=f"The largest deviation found after each evaluation{', with other searches' if baselines else ''}"
        f"{', and the claim drawn in' if claimed else ''}",
        caption="The worst deviation so far, evaluation by evaluation; each mark is what one evaluation deviated"
        f"{', by its worst output' if together else ''}.{beside}{' The black line is the claim.' if claimed else ''}",
        claim=True,
    )


def _where(context: Context) -> Section:
    finding, training = context.finding, context.kept.get("training")
    worst, region, parameters = finding["worst"], finding["region"], finding["space"]["parameters"]
    columns: list[Cells] = [
        (Column("parameter"), lambda one: Quoted(cell(one["name"]))),
        numbers("worst point", lambda one: StrongQuoted(value(worst["point"][one["name"]]))),
    ]
    if asked := worst.get("asked"):
        columns[1:] = [
            numbers("worst point, as it was set", columns[1][1]),
            numbers("as it was asked", lambda one: value(asked[one["name"]])),
        ]
    if region:
        columns.append(numbers("region", lambda one: _extent(region["extent"].get(one["name"]), "options" in one)))
    if training:
        columns.append(numbers("worst of the training set", lambda one: value(training["point"].get(one["name"]))))
    columns.append(numbers("searched", _searched))
    table = table_of(parameters[:_PARAMETERS], columns, _about_worst(finding, training))
    return Section("Where it is worst", table=table, brief=_region_brief(region) if region else ())


def _searched(parameter: Mapping[str, Any]) -> str:
    if "options" in parameter:
        return count(len(parameter["options"]), "option")
    steps = f" in steps of {value(parameter['step'])}" if "step" in parameter else ""
    return f"{value(parameter['low'])} to {value(parameter['high'])}{steps}"


def _extent(ends: list[Any] | None, options: bool) -> Text:
    if ends is None:
        return "–"
    if options:
        return listed([(Quoted(cell(one)),) for one in ends])
    return f"{value(ends[0])} to {value(ends[1])}"


def _region_brief(region: Mapping[str, Any]) -> list[Text]:
    share = percent(region["volume"]) if region["volume"] >= 1e-6 else "less than 0.0001%"
    tried = f"; {region['confirmed']} of {count(region['tried'], 'point')} tried in it are" if region["tried"] else ""
    spans = ", ".join(f"{name} {_span(ends)}" for name, ends in region["extent"].items())
    return [
        f"around it, {share} of the space is at {number(region['threshold'])} or more by the surrogate{tried}; "
        f"each by itself: {spans}"
    ]


def _span(ends: list[Any]) -> str:
    if len(ends) == 2 and not any(isinstance(end, str) for end in ends):
        return f"{number(ends[0])} to {number(ends[1])}"
    return "/".join(map(str, ends))


def _about_worst(finding: Mapping[str, Any], training: Mapping[str, Any] | None) -> Text:
    """Return what was said at the worst point, what the region is, and how bad the training set is."""
    worst, region, tasks = finding["worst"], finding["region"], finding["tasks"]
    parts: list[str] = []
    if worst["model"] is not None:
        said = {side: said_of_task(worst[side], tasks.index(worst["task"]), len(tasks)) for side in ("model", "gold")}
        parts += ["The model said ", value(said["model"]), ", the gold standard ", value(said["gold"]), ". "]
    own: Mapping[str, Any] = finding["by_task"][tasks.index(worst["task"])]
    if "scale" in own:
        parts.append(f"In its own unit it is {value(own['own_unit'])}, of which {value(own['scale'])} counts as 1. ")
    if region:
        parts.append(
            f"The region: where, around the worst point, the surrogate expects {value(region['threshold'])} or more; "
            "listed is what it takes along each parameter if the others stay."
        )
        if region["tried"]:
            low, high = percent(region["low"], toward="below"), percent(region["high"], toward="above")
            parts.append(
                f" Of its {count(region['tried'], 'random point')} that were evaluated {region['confirmed']:,} "
                f"deviated so much, so that {low} to {high} of the region do (95%)."
            )
    if training:
        rows = count(training["rows"], "row")
        parts.append(f" The worst of the training set deviates by {value(training['deviation'])}, among {rows}")
        if "outside" in training:
            parts.append(f", of which {training['outside']:,} outside the space, which the search does not go by")
        parts.append(".")
    parts.append(left_out(_PARAMETERS, len(finding["space"]["parameters"]), "parameter"))
    return tuple(parts)


def _drawn(context: Context) -> list[Section]:
    finding, training, picture = context.finding, context.kept.get("training"), context.kept.get("picture")
    names, figures = len(finding["space"]["parameters"]), []
    if picture:
        figures.append(
            Figure(
                lambda axes: plot_picture(axes, picture),
                size=(7.2, 3.2),
                aloud="The input at the worst point as a picture",
                caption="What the model was shown at the worst point.",
            )
        )
    drawn = left_out(MOST_PARAMETERS, names, "parameter", "drawn")
    figures.append(
        Figure(
            lambda axes: plot_parallel(axes, finding, training),
            size=(7.2, 3.4 if upright(finding) else 4.8),
            aloud="Parallel coordinates: the inputs of the worst evaluations, one axis for each parameter"
            f"{', and the worst of the training set' if training else ''}",
            caption="The inputs of the worst evaluations, the worst of all bold"
            f"{', against the worst of the training set (dashed)' if training else ''}. Shaded is what was searched"
            f"{', darker the region around the worst' if finding['region'] else ''}.{drawn}",
        )
    )
    if slices := shown_slices(finding):
        figures.append(_slices(finding, len(slices)))
    return [Section(figure=figure) for figure in figures]


def _slices(finding: Mapping[str, Any], number: int) -> Figure:
    across = min(number, _ABREAST)
    down = -(-number // across)

    def draw(figure: Any) -> None:
        plot_slices(list(figure.subplots(down, across, squeeze=False).flat), finding)

    task = (" of ", Quoted(cell(finding["slices"][0]["task"]))) if len(finding["tasks"]) > 1 else ()
    return Figure(
        draw,
        size=(7.2, 0.4 + (2.2 if down == 1 else 1.55) * down),
        whole=True,
        aloud="For each parameter, the deviation that the surrogate expects if it alone moves away from the worst "
        "point, with a band",
        caption=(
            "What the surrogate expects",
            *task,
            " when one parameter leaves the worst point (dotted) and the others stay; dots are evaluations nearby. The "
            "band is the surrogate's own, and holds if it may be trusted: see below.",
        ),
    )
