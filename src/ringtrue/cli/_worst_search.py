"""The searches of `ringtrue worst`: made, gone on with by a larger budget or another claim, and shown beside others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._door import import_function
from ringtrue.cli._terminal import error_line
from ringtrue.core import Batch, InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.core import Model
    from ringtrue.study import Study
    from ringtrue.worst import Training, Worst
    from ringtrue.worst._plan import Plan

BASELINES = ("random", "sobol")
"""Searches that learn nothing, beside the one that was asked for; each is a question of its rule's name."""


def search_of(given: Mapping[str, Any], source: Any, **changed: Any) -> Worst:
    """Return the search that the options and the space file ask for, with some settings changed."""
    from ringtrue.worst import Worst

    space, rest = source
    deviation = given.get("deviation", "absolute")
    settings: dict[str, Any] = {
        "evaluations": given["budget"],
        "deviation": "given" if ":" in deviation else deviation,
        "priced": "alone" if given.get("priced") else "together",
    }
    settings |= {
        key: given[key] for key in ("rule", "acquisition", "kernel", "claim", "noise", "model_queries") if key in given
    }
    for name in ("tasks", "scales"):
        if (told := given.get(name, rest.get(name))) is not None:
            settings[name] = told
    return Worst(space, input_noise=rest.get("input_noise"), **(settings | changed))


def check_budget(study: Study, path: str, search: Worst, given: Mapping[str, Any]) -> None:
    """Refuse fewer evaluations than were made already, baselines aside, which come on top, or than are planned."""
    budget, planned = given.get("budget"), search.plan.evaluations
    made = sum(record.state == "answered" and record.question not in BASELINES for record in study.records)
    if budget is not None and budget < made:
        raise InvalidInput(
            f"--budget={budget} is less than the {count(made, 'evaluation')} made: give {planned} or more, or name a "
            "new study"
        )
    if budget is not None and budget < planned:
        raise InvalidInput(
            f"--budget={budget}: the study {path!r} plans {count(planned, 'evaluation')}: stop it with Ctrl-C, or name "
            "a new study"
        )


def extended(study: Study, search: Worst, given: Mapping[str, Any]) -> Worst:
    """Add a search that goes on from this one, with a larger budget or another claim."""
    from ringtrue.study import Budget

    name = f"worst-{len(study.questions)}"
    evaluations = max(given.get("budget", 0), search.plan.evaluations)
    config = search.config() | {"name": name, "evaluations": evaluations, "after": [*search.after, search.name]}
    if "claim" in given:
        config["claim"] = given["claim"]
    further = search.from_config(config)
    asked: list[Any] = list(study.questions.values())
    beside = sum(one.plan.evaluations for one in asked if one.name in BASELINES)
    # Room first: a run that dies in between finds a budget that is too large for the old search, which does no harm.
    study.set_budget(Budget(evaluations + beside, study.status().budget_money))
    study.add(further)
    return further


def read_training(plan: Plan, model: Model | None, file: str) -> Training | None:
    """Read a file of training data, and ask the model about it: inputs and outputs in columns of their names."""
    from ringtrue.pools import read_pool
    from ringtrue.worst._training import training_of

    def answer(batch: Batch) -> list[Any]:
        """Return what the model answers; its own error names neither the file nor the option."""
        try:
            return list(model.answer(batch).values())  # type: ignore[union-attr] # asked only if there is one
        except InvalidInput:
            raise
        except Exception as error:
            raise InvalidInput(
                f"--training={file!r}: the model cannot answer it ({error_line(error)}): mend either"
            ) from error

    return training_of(plan, read_pool(Path(file), commas=True).chunks(1024), answer, file)


def keep_picture(study: Study, question: Any, spec: str) -> None:
    """Draw the worst input with the user's function and keep the picture."""
    import numpy as np

    finding: Any = study.finding(question=question.name)
    if finding.worst is None:
        return
    drawn = np.asarray(import_function(spec, "--picture")(dict(finding.worst.point)), dtype=np.float64)
    if drawn.ndim not in (2, 3) or not np.all(np.isfinite(drawn)):
        raise InvalidInput(f"--picture={spec!r} gave the shape {drawn.shape}: return a table of finite grey levels")
    study.keep("picture", {"rows": drawn.tolist(), "title": "the worst input"})
