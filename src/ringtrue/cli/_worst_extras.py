"""What is shown beside a search: the worst case of the training data, and a picture of the worst input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.cli._output import error_line
from ringtrue.cli._responders import import_function
from ringtrue.core import Batch, InvalidInput

if TYPE_CHECKING:
    from ringtrue.core import Model
    from ringtrue.study import Study
    from ringtrue.worst import Worst

_CHUNK = 1024


def keep_training(study: Study, question: Worst, file: str) -> None:
    """Find the worst case of a file of training data and keep it: inputs and outputs in columns of their names.

    A column `deviation` says it outright; else the model is asked, and each output compared with its column.
    """
    from ringtrue.pools import read_pool

    plan, model = question.plan, study.things.model
    pool = read_pool(Path(file))
    told = "deviation" in pool.columns
    needed = [*plan.space.names, *(["deviation"] if told else plan.tasks)]
    for name in needed:
        if name not in pool.columns:
            raise InvalidInput(f"--training={file!r} has no column {name!r}: give {', '.join(needed)}")
    if not told and not plan.deviation.signed:
        raise InvalidInput(f"--training={file!r} has no column 'deviation': add it, since it cannot be worked out here")
    best: dict[str, Any] | None = None
    for batch in pool.chunks(_CHUNK):
        values = {name: np.asarray(batch.columns[name]) for name in plan.space.names}
        gold = np.column_stack([_finite(batch, name, file) for name in needed[len(values) :]])
        if told:
            sizes = gold
        else:
            rows = zip(_said(model, Batch(batch.ids, values), file), gold.tolist(), strict=True)
            sizes = plan.deviation.size(np.array([plan.deviation.measure(said, truth) for said, truth in rows]))
        row, column = np.unravel_index(int(np.argmax(sizes)), sizes.shape)
        if best is None or sizes[row, column] > best["deviation"]:
            point = {
                name: cells[row].item() if hasattr(cells[row], "item") else cells[row] for name, cells in values.items()
            }
            task = None if told else plan.tasks[column]
            best = {"point": point, "task": task, "deviation": float(sizes[row, column]), "rows": pool.size}
    study.keep("training", best)


def _finite(batch: Batch, name: str, file: str) -> NDArray[np.float64]:
    """Return a column of finite numbers."""
    cells = batch.columns[name]
    found = np.asarray(cells, dtype=np.float64) if cells.dtype.kind in "fiub" else np.full(len(cells), np.nan)
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        raise InvalidInput(
            f"--training={file!r}, column {name!r}: {cells[bad].tolist()[0]!r:.80} is not a finite number: mend it"
        )
    return found


def _said(model: Model | None, batch: Batch, file: str) -> list[Any]:
    """Return what the model answers; its own error names neither the file nor the option."""
    try:
        return list(model.answer(batch).values())  # type: ignore[union-attr] # a signed deviation has one
    except InvalidInput:
        raise
    except Exception as error:
        raise InvalidInput(
            f"--training={file!r}: the model cannot answer it ({error_line(error)}): mend either"
        ) from error


def keep_picture(study: Study, question: Worst, spec: str) -> None:
    """Draw the worst input with the user's function and keep the picture."""
    finding: Any = study.finding(question=question.name)
    if finding.worst is None:
        return
    drawn = np.asarray(import_function(spec, "--picture")(dict(finding.worst.point)), dtype=np.float64)
    if drawn.ndim not in (2, 3) or not np.all(np.isfinite(drawn)):
        raise InvalidInput(f"--picture={spec!r} gave the shape {drawn.shape}: return a table of finite grey levels")
    study.keep("picture", {"rows": drawn.tolist(), "title": "the worst input"})
