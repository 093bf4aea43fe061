"""`ringtrue risk --map`: where the model fails, by cells, from the labels at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ringtrue.cli._terminal import Result, error_line, tell
from ringtrue.cli._verb import Asked, Told
from ringtrue.core import InvalidInput, terminal_lines

if TYPE_CHECKING:
    from ringtrue.core import Pool
    from ringtrue.risk import MapCells

MODES = ("assessed", "self-consistency", "paper")
LOOKS = ("lattice", "monte-carlo")

_CELLS = 50
_CHUNK = 20_000


def show_map(asked: Asked) -> Told:
    """Show the map and keep it in the study; with an oracle, buy labels for it first."""
    import numpy as np

    from ringtrue.pools import read_pool
    from ringtrue.risk import MapCells, points_of
    from ringtrue.risk.cells import labels_at_hand, map_pool

    study, given, pool = asked.study, asked.given, asked.study.things.need_pool()
    features: list[str] = given["map"]
    if len(set(features)) < len(features):
        raise InvalidInput(f"--map={','.join(features)!r} names a column twice: name each once")
    model = study.things.model
    if model is None or model.stored_in:
        raise InvalidInput(
            "--map asks how the model answers between the items, and its answers are stored: make the "
            "study with --model module:function"
        )
    points, profiles = points_of(pool.chunks(_CHUNK), features), given.get("profiles", ())
    if len(profiles) > 1:
        raise InvalidInput(f"--map shows one profile, {len(profiles)} are given: leave the others out")
    operation = points_of(read_pool(profiles[0]).chunks(_CHUNK), features) if profiles else points
    cells = MapCells.over(features, np.concatenate([points, operation]), given.get("cells", _CELLS))
    predict = cells.predict_by(model)
    _try_model(predict, cells)
    if asked.oracle is not None:
        _buy(asked, cells)
    labels, held_out = labels_at_hand(study.records, pool.size, _known(pool, given))
    finding = map_pool(
        cells,
        points,
        predict,
        labels,
        held_out=held_out,
        operation=operation,
        ids=[item for batch in pool.chunks(_CHUNK) for item in batch.ids],
        classes=study.plan["labels"],
        mode=given.get("mode", "assessed"),
        local=given.get("local"),
        seed=study.plan["seed"],
    )
    study.keep("map", finding.to_json())
    status = study.status()
    result = Result(
        study=str(asked.path),
        question=_name(cells),
        kind="map",
        sentence=str(finding),
        answers=status.answered,
        unanswerable=status.abandoned,
        spending=status.to_json(),
        details=finding.to_json(),
        warnings=study.notices,
    )
    return Told(0, result.to_json(), [str(finding), *terminal_lines(finding.sections()), str(status)])


def _name(cells: MapCells) -> str:
    return f"map {','.join(cells.features)} {cells.grid.cells[0]}"


def _try_model(predict: Any, cells: MapCells) -> None:
    """Ask the model about one point, before anything is bought."""
    try:
        predict(cells.grid.centres([cells.grid.size // 2]))
    except InvalidInput:
        raise
    except Exception as error:
        named = ", ".join(cells.features)
        raise InvalidInput(
            f"--map names {named} and the model fails on these alone ({error_line(error)}): name all that it needs"
        ) from None


def _buy(asked: Asked, cells: MapCells) -> None:
    """Label what the map lacks most, until the budget is spent."""
    from ringtrue.risk import Fragility, Risk

    study, given, name = asked.study, asked.given, _name(cells)
    if study.status().labels_left is None and study.status().budget_money is None:
        raise InvalidInput("--map with --oracle buys labels until the budget is spent: give --budget N")
    confidence = given.get("confidence")
    fragility = Fragility(tuple(given.get("fragility", cells.features))) if confidence is None else None
    made = Risk(method="map", confidence=confidence, fragility=fragility, cells=cells, name=name)
    if name not in study.questions:
        study.add(made)
        tell(f"added the question {name!r}: empty cells that weigh most are asked about first", err=True)
    asked.run(name)


def _known(pool: Pool, given: Mapping[str, Any]) -> list[Any]:
    """Return the cells of the column of labels at hand, if the user names one."""
    known = given.get("known")
    if known is None:
        return []
    if known not in pool.columns:
        raise InvalidInput(f"--known={known!r} is not a column of the pool: name one of {', '.join(pool.columns)}")
    return [cell for batch in pool.chunks(_CHUNK) for cell in batch.columns[known].tolist()]
