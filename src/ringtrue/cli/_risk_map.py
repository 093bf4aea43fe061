"""`ringtrue risk --map`: where the model fails, by cells, from the labels at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ringtrue.cli._options import names_in
from ringtrue.cli._output import error_line, say, tell
from ringtrue.core import Batch, InvalidInput, Labels, is_missing, label_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ringtrue.core import Pool
    from ringtrue.risk import MapCells
    from ringtrue.study import Study

MODES = ("assessed", "self-consistency", "paper")
LOOKS = ("lattice", "monte-carlo")

_CELLS = 50
_CHUNK = 20_000
_PROFILE = 20_000
"""Inputs that the operational profile is made from, at most: beyond, it would take minutes and look the same."""
_MOST_CELLS = 10_000_000


def show_map(
    study: Study, columns: str, oracle: Any, given: Mapping[str, Any], *, show_model: bool, as_json: bool
) -> int:
    """Show the map and keep it in the study; with an oracle, buy labels for it first.

    Parameters
    ----------
    study
        The study, with its pool and model.
    columns
        The text of --map.
    oracle
        Who knows the truth; None buys nothing.
    given
        The other options.
    show_model
        Whether the oracle sees what the model says.
    as_json
        Whether the result is one JSON object.
    """
    features = names_in(columns, "--map")
    if len(set(features)) < len(features):
        raise InvalidInput(f"--map={columns!r} names a column twice: name each once")
    if study.things.model is not None and study.things.model.stored_in:
        raise InvalidInput(
            "--map asks how the model answers between the items, and its answers are stored: make the "
            "study with --model module:function"
        )
    operation = _operation(study, features, given["profiles"])
    cells = _cells(study, features, given["cells"] or _CELLS, operation)
    _try_model(study, cells)
    if oracle is not None:
        _buy(study, cells, oracle, given, show_model)
    finding = _assessed(study, cells, operation, given)
    study.keep("map", finding.to_json())
    status = study.status()
    result = {"study": study.name, **finding.to_json(), "status": status.to_json(), "warnings": study.notices}
    refusals = [f"refused: {why}" for why in finding.refused]
    say(as_json, result, str(finding), *refusals, *_worst(finding.ranked), str(status))
    return 0


def _try_model(study: Study, cells: MapCells) -> None:
    """Ask the model about one point, before anything is bought."""
    middle = cells.grid.centres([cells.grid.size // 2])
    try:
        _predict(study, cells.features)(middle)
    except InvalidInput:
        raise
    except Exception as error:
        named = ", ".join(cells.features)
        raise InvalidInput(
            f"--map names {named} and the model fails on these alone ({error_line(error)}): name all that it needs"
        ) from None


def _cells(study: Study, features: list[str], per_axis: int, operation: NDArray[np.float64]) -> MapCells:
    """Return cells over the box that the pool and operation span."""
    import numpy as np

    from ringtrue.risk import MapCells
    from ringtrue.risk.cells import Grid

    points = np.concatenate([_points(study.things.need_pool(), features), operation])
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    for name, least, most in zip(features, low, high, strict=True):
        if least == most:
            raise InvalidInput(f"--map: column {name!r} is {least:g} for every item: leave it out")
    grid = Grid.over(low, high, per_axis)
    if grid.size > _MOST_CELLS:
        raise InvalidInput(f"--cells={per_axis} over {len(features)} columns are {grid.size:,} cells: give fewer")
    return MapCells(tuple(features), grid)


def _buy(study: Study, cells: MapCells, oracle: Any, given: Mapping[str, Any], show_model: bool) -> None:
    """Label what the map lacks most, until the budget is spent."""
    from ringtrue.cli._progress import Progress
    from ringtrue.risk import Fragility, Risk

    if study.status().labels_left is None and study.status().budget_money is None:
        raise InvalidInput("--map with --oracle buys labels until the budget is spent: give --budget N")
    shaken = tuple(names_in(given["shake"], "--shake")) if given["shake"] else cells.features
    fragility = None if given["confidence"] else Fragility(shaken)
    name = f"map {','.join(cells.features)} {cells.grid.cells[0]}"
    made = Risk(method="map", confidence=given["confidence"], fragility=fragility, cells=cells, name=name)
    if name not in study.questions:
        study.add(made)
        tell(f"added the question {name!r}: empty cells that weigh most are asked about first", err=True)
    with Progress(None, name) as progress:
        study.run(oracle, question=name, progress=progress, show_model=show_model)


def _assessed(study: Study, cells: MapCells, operation: NDArray[np.float64], given: Mapping[str, Any]) -> Any:
    """Return the map from all labels at hand: those bought, and those in the column of known ones."""
    from ringtrue.risk.cells import KernelProfile, assess, choose_bandwidth

    labels = _labels(study, given["known"])
    if not labels:
        raise InvalidInput("--map needs labels: buy some with --oracle O --budget N, or give --known COLUMN")
    points, ids = _points(study.things.need_pool(), list(cells.features)), _ids(study)
    rows = sorted(labels)
    told = [labels[row] for row in rows]
    if len(set(told)) == 1:
        raise InvalidInput(
            f"--map: all labels at hand are {told[0]!r}: label more with --oracle O --budget N, or give --known COLUMN"
        )
    options: dict[str, Any] = {}
    if given["mode"] != "paper":
        shortest = min(high - low for low, high in zip(cells.grid.low, cells.grid.high, strict=True))
        some = operation[:: max(1, len(operation) // 5_000)]
        operation = operation[:: max(1, len(operation) // _PROFILE)]
        best = choose_bandwidth(some, [shortest * share for share in (0.01, 0.02, 0.04, 0.08, 0.15, 0.3)]).best
        options = {"profile": KernelProfile(operation, best, at="integral", reflect=True), "local": given["look"]}
    return assess(
        points[rows],
        told,
        _predict(study, cells.features),
        grid=cells.grid,
        mode=given["mode"] or "assessed",
        classes=study.plan["labels"] or _classes(study, told),
        features=cells.features,
        ids=[ids[row] for row in rows],
        seed=study.plan["seed"],
        held_out=_held_against(study, points, labels),
        **options,
    )


def _held_against(
    study: Study, points: NDArray[np.float64], labels: Mapping[int, str]
) -> tuple[NDArray[np.float64], list[str]]:
    """Return the labels that the map is held against: those drawn evenly, else those that were known.

    Labels that were picked, or drawn by doubt, fail more often than operation does: with these alone nothing is tested.
    """
    rows = _drawn_evenly(study)
    bought = {record.row for record in study.records}
    rows = rows or [row for row in labels if row not in bought]
    return points[rows], [labels[row] for row in rows]


def _drawn_evenly(study: Study) -> list[int]:
    """Return the rows drawn in turns in which every item left had the same chance."""
    found, size = [], len(study.records) and study.plan["pool"]["size"]
    asked = [record for record in study.records if record.responder == "oracle" and record.row is not None]
    for place, record in enumerate(asked):
        chances = (record.probability or 0.0, record.floor or 0.0)
        even = all(abs(chance * (size - place) - 1) < 1e-9 for chance in chances)
        if even and record.state == "answered" and record.row is not None:
            found.append(record.row)
    return found


def _classes(study: Study, told: list[str]) -> list[str]:
    """Return the labels there are: those told, and those that the model gives to the pool."""
    model, found = study.things.model, set(told)
    for batch in study.things.need_pool().chunks(_CHUNK):
        answers = model.answer(batch) if model is not None else None
        found |= {label_text(label) for label in answers.labels} if isinstance(answers, Labels) else set()
    return sorted(found)


def _operation(study: Study, features: list[str], profiles: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the inputs of operation as points: those of the profile, else those of the pool."""
    from ringtrue.pools import read_pool

    if len(profiles) > 1:
        raise InvalidInput(f"--map shows one profile, {len(profiles)} are given: leave the others out")
    return _points(read_pool(profiles[0]) if profiles else study.things.need_pool(), features)


def _points(pool: Pool, features: list[str]) -> NDArray[np.float64]:
    """Return all items of a pool as points."""
    import numpy as np

    from ringtrue.risk import numeric

    rows = (np.stack([numeric(batch, name, "--map") for name in features], axis=1) for batch in pool.chunks(_CHUNK))
    return np.concatenate(list(rows))


def _ids(study: Study) -> list[str]:
    """Return the ids of all items, by row."""
    return [item for batch in study.things.need_pool().chunks(_CHUNK) for item in batch.ids]


def _labels(study: Study, known: str | None) -> dict[int, str]:
    """Return the label of each row at hand; one that was bought counts before one that was known."""
    found: dict[int, str] = {}
    if known is not None:
        pool = study.things.need_pool()
        if known not in pool.columns:
            raise InvalidInput(f"--known={known!r} is not a column of the pool: name one of {', '.join(pool.columns)}")
        cells = (cell for batch in pool.chunks(_CHUNK) for cell in batch.columns[known].tolist())
        found = {row: label_text(cell) for row, cell in enumerate(cells) if not is_missing(cell)}
    bought = {record.row: label_text(record.label) for record in study.records if record.state == "answered"}
    return found | {row: label for row, label in bought.items() if row is not None}


def _predict(study: Study, features: tuple[str, ...]) -> Any:
    """Return the model as a function of points."""
    model = study.things.model

    def predict(points: NDArray[np.float64]) -> list[str]:
        batch = Batch([str(place) for place in range(len(points))], dict(zip(features, points.T, strict=True)))
        answers = model.answer(batch) if model is not None else None
        if not isinstance(answers, Labels):
            raise InvalidInput("--map needs a model that gives labels: this one gives vectors")
        return [label_text(label) for label in answers.labels]

    return predict


def _worst(ranked: Any) -> list[str]:
    """Say which cells carry most of the risk, in words."""
    from ringtrue.core import percent

    return [
        f"cell at {', '.join(f'{place:.3g}' for place in one['centre'])}: {percent(one['share'])} of the risk "
        f"({one['kind']}, {percent(one['mass'])} of operation)"
        for one in ranked[:5]
        if one["risk"] > 0
    ]
