"""What is shown beside a search: the worst case of the training data, and a picture of the worst input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.cli._door import import_function
from ringtrue.cli._output import error_line
from ringtrue.core import Batch, InvalidInput

if TYPE_CHECKING:
    from ringtrue.study import Study

_CHUNK = 1024


def keep_training(study: Study, question: Any, file: str) -> None:
    """Find the worst case of a file of training data and keep it: inputs and outputs in columns of their names."""
    from ringtrue.pools import read_pool
    from ringtrue.worst._training import worst_of_training

    def answer(batch: Batch) -> list[Any]:
        """Return what the model answers; its own error names neither the file nor the option."""
        try:
            return list(study.things.model.answer(batch).values())  # type: ignore[union-attr] # asked only if there is one
        except InvalidInput:
            raise
        except Exception as error:
            raise InvalidInput(
                f"--training={file!r}: the model cannot answer it ({error_line(error)}): mend either"
            ) from error

    found = worst_of_training(question.plan, read_pool(Path(file)).chunks(_CHUNK), answer, file)
    study.keep("training", found)


def keep_picture(study: Study, question: Any, spec: str) -> None:
    """Draw the worst input with the user's function and keep the picture."""
    finding: Any = study.finding(question=question.name)
    if finding.worst is None:
        return
    drawn = np.asarray(import_function(spec, "--picture")(dict(finding.worst.point)), dtype=np.float64)
    if drawn.ndim not in (2, 3) or not np.all(np.isfinite(drawn)):
        raise InvalidInput(f"--picture={spec!r} gave the shape {drawn.shape}: return a table of finite grey levels")
    study.keep("picture", {"rows": drawn.tolist(), "title": "the worst input"})
