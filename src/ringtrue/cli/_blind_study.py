"""The study of `ringtrue blind`: made, added to a study that has a pool and a model, or gone on with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._asking import change_budget, check_needed, make_folder, refuse_other, settings_of
from ringtrue.cli._blind_question import classes_of, fitted_temperature, oracle_of, question_of
from ringtrue.cli._consent import Run, given_texts, note_named, would_run
from ringtrue.cli._opening import is_made, model_of, open_to_ask, read_items, study_file
from ringtrue.cli._options import Calling
from ringtrue.cli._output import tell
from ringtrue.cli._responders import import_function
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.blind import Blind
    from ringtrue.core import Pool, Question
    from ringtrue.study import Study

_OPTIONS = {"critical": "class", "inputs": "input", "slices": "slice", "plain": "no-variations"}
"""The options that Python calls otherwise."""


@dataclass(frozen=True, slots=True)
class Hunting:
    """A study that is ready to ask, and the hunt that is asked for."""

    study: Study
    path: Path
    question: Blind
    oracle: Any
    is_new: bool = False


@contextmanager
def opened(name: str, given: Mapping[str, Any], calling: Calling, *, trust: bool) -> Iterator[Hunting]:
    """Open the study of this name, made first if it is not there."""
    path = study_file(name)
    hunting = _go_on(path, name, given, calling, trust) if is_made(path) else _make(path, name, given, calling)
    with hunting.study:
        yield hunting


def _make(path: Path, name: str, given: Mapping[str, Any], calling: Calling) -> Hunting:
    """Make a new study with the hunt that the options ask for."""
    from ringtrue.blind import Blind
    from ringtrue.study import Budget, Study

    needed = {"pool": "the items, --pool FILE", "model": "the model, --model M", "budget": "--budget N"}
    check_needed(name, given, **needed)
    notes: dict[str, Any] = {"pool": os.path.relpath(given["pool"], path.parent)}
    notes |= {option: given.get(option) for option in ("id", "model", "inputs")}
    pool = read_items(Path(given["pool"]), notes)
    runs = would_run(given["model"], columns=pool.columns)
    calling.check_used(runs)
    model = model_of(notes, "--model", pool, calling)
    question = question_of(pool, model, given)  # first, because it looks at every input before the model does
    labels = given.get("labels", classes_of(pool, model, given))
    oracle = oracle_of(pool, labels, given)
    fitted = fitted_temperature(given, model, pool) if "validation" in given else None
    if fitted is not None:
        config = {**question.config(), "temperature": fitted["value"]}
        question = Blind.from_config(config, perturb=question.perturb)
    settings = {"budget": Budget(labels=given["budget"]), "labels": labels, "notes": notes, **settings_of(given)}
    make_folder(path.parent)
    study = Study.create(path, pool=pool, model=model, question=question, **settings)
    note_named(study, [*runs, *would_run(given.get("perturb"))])
    if fitted is not None:
        study.keep("temperature", fitted)
    return Hunting(study, path, question, oracle, is_new=True)


def _go_on(path: Path, name: str, given: Mapping[str, Any], calling: Calling, trust: bool) -> Hunting:
    """Go on with the hunt of a study; one that another verb made gets a hunt."""
    from ringtrue.blind import Blind

    def perturbed(study: Study) -> tuple[list[Run], Callable[[], list[Question]]]:
        """Return the functions that hunts of the study run, and what makes these hunts: the journal has their names."""
        hunts = [one for one in study.questions.values() if isinstance(one, Blind) and one.perturb_name is not None]
        named = [(hunt, str(given.get("perturb", hunt.perturb_name))) for hunt in hunts]
        return [run for _, spec in named for run in would_run(spec)], lambda: [
            Blind.from_config(hunt.config(), perturb=import_function(spec, "--perturb")) for hunt, spec in named
        ]

    study = open_to_ask(
        name,
        given.get("pool"),
        trust=trust,
        calling=calling,
        named=given_texts(given, "model", "perturb"),
        questions=perturbed,
    )
    try:
        pool, model = study.things.need_pool(), study.things.model
        oracle = oracle_of(pool, study.plan["labels"], given)
        hunts = [one for one in study.questions.values() if isinstance(one, Blind)]
        if hunts:
            question = hunts[-1]
            _check_same(str(path), study, question, given)
        else:
            _check_fits(str(path), study, pool, given)
            question = question_of(pool, model, given)
            classes_of(pool, model, given)
            study.add(question)
            note_named(study, would_run(given.get("perturb")))
            tell(f"added the question {question.name!r}: it uses every label bought so far", err=True)
        change_budget(study, given.get("budget"), None)
    except BaseException:
        study.close()
        raise
    return Hunting(study, path, question, oracle)


def _check_same(path: str, study: Study, question: Blind, given: Mapping[str, Any]) -> None:
    """Refuse an option that would make this another hunt; the budget, the oracle and the pool's place may change."""
    from ringtrue.core import label_text

    distance, notes = question.distance, study.plan["notes"]
    made: dict[str, Any] = {
        **{name: getattr(question, name) for name in ("critical", "search", "floor", "claim", "score")},
        **{name: notes.get(name) for name in ("model", "id")},
        **{name: study.plan[name] for name in ("seed", "batch")},
        "confidence": question.threshold,
        "inputs": None if question.inputs is None else list(question.inputs.columns),
        "features": list(question.features) or None,
        "slices": tuple(question.slices),
        "distance": "none" if distance is None else distance.method,
        "queries": None if distance is None else distance.queries,
        "plain": not question.variations,
    }
    asked = {**given, "critical": label_text(given["critical"])} if "critical" in given else given
    refuse_other(path, made, asked, options=_OPTIONS)
    for name in ("validation", "price", "labels"):
        if name in given:
            raise InvalidInput(f"--{name}: the study {path!r} is made already: leave it out, or name a new study")


def _check_fits(path: str, study: Study, pool: Pool, given: Mapping[str, Any]) -> None:
    """Refuse what a study that another verb made cannot take up with a hunt."""
    from ringtrue.pools import holds_image_files

    made: dict[str, Any] = {name: study.plan["notes"].get(name) for name in ("model", "id")}
    made |= {name: study.plan[name] for name in ("seed", "batch", "labels")}
    made |= {"price": study.plan["price"]["oracle"], "validation": None}
    refuse_other(path, made, given)
    for column in given.get("inputs", ()):
        if column in pool.columns and holds_image_files(pool, column):
            raise InvalidInput(
                f"--input={column}: the study {path!r} was made without images: name a new study for them"
            )
