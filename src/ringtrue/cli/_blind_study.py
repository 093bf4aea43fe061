"""The study of `ringtrue blind`: made, added to a study that has a pool and a model, or gone on with."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._asking import change_budget, make_folder
from ringtrue.cli._blind_same import check_fits, check_same
from ringtrue.cli._calling import Calling
from ringtrue.cli._common import tell
from ringtrue.cli._consent import given_texts, note_named, would_run
from ringtrue.cli._model_and_pool import model_of, read_items
from ringtrue.cli._opening import is_made, open_to_ask, study_file
from ringtrue.cli._responders import import_function, responder
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.blind import Blind
    from ringtrue.core import Pool
    from ringtrue.study import Study

ASK = "ask"
"""The oracle who is a person at the terminal."""

_FEW = 1_000
"""Items whose labels are looked at, to say which classes there are."""


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
    """The study of this name, made first if it is not there."""
    path = study_file(name)
    hunting = _go_on(path, name, given, calling, trust) if is_made(path) else _make(path, name, given, calling)
    with hunting.study:
        yield hunting


def _make(path: Path, name: str, given: Mapping[str, Any], calling: Calling) -> Hunting:
    from ringtrue.blind import Blind
    from ringtrue.cli._blind_temperature import fitted_temperature
    from ringtrue.study import Budget, Study
    from ringtrue.study import money as amount

    needed = (("pool", "the items, --pool FILE"), ("model", "the model, --model M"), ("budget", "--budget N"))
    for option, what in needed:
        if option not in given:
            raise InvalidInput(f"STUDY={name!r} is not there yet: to make it, give {what}")
    inputs = given.get("inputs")
    notes = {
        "pool": os.path.relpath(given["pool"], path.parent), "id": given.get("id"), "model": given["model"],
        "inputs": inputs,
    }  # fmt: skip
    pool = read_items(Path(given["pool"]), notes)
    runs = would_run(given["model"], columns=pool.columns)
    calling.check_used(runs)
    model = model_of(notes, "--model", pool, calling)
    question = _question(pool, model, given)  # first, because it looks at every input before the model does
    labels = given.get("labels", _classes(pool, model, given))
    oracle = _oracle(pool, labels, given)
    fitted = fitted_temperature(given, model, pool) if "validation" in given else None
    if fitted is not None:
        config = {**question.config(), "temperature": fitted["value"]}
        question = Blind.from_config(config, perturb=question.perturb)
    price = amount(given["price"], "--price") if "price" in given else None
    make_folder(path.parent)
    study = Study.create(
        path, pool=pool, model=model, question=question, budget=Budget(labels=given["budget"]), price=price,
        labels=labels, seed=given.get("seed", 0), batch=given.get("batch", 1), notes=notes,
    )  # fmt: skip
    note_named(study, [*runs, *would_run(given.get("perturb"))])
    if fitted is not None:
        study.keep("temperature", fitted)
    return Hunting(study, path, question, oracle, is_new=True)


def _go_on(path: Path, name: str, given: Mapping[str, Any], calling: Calling, trust: bool) -> Hunting:
    from ringtrue.blind import Blind

    perturbed = _perturbed(name, given)
    study = open_to_ask(
        name, given.get("pool"), trust=trust, calling=calling, named=given_texts(given, "model", "perturb"),
        runs=[run for _, spec in perturbed for run in would_run(spec)],
        questions=lambda: [
            Blind.from_config(hunt.config(), perturb=import_function(spec, "--perturb")) for hunt, spec in perturbed
        ],
    )  # fmt: skip
    try:
        oracle = _oracle(study.things.need_pool(), study.plan["labels"], given)
        hunts = [one for one in study.questions.values() if isinstance(one, Blind)]
        if hunts:
            question = hunts[-1]
            check_same(str(path), study, question, study.plan["notes"], given)
        else:
            pool, model = study.things.need_pool(), study.things.model
            check_fits(str(path), study, pool, study.plan["notes"], given)
            question = _question(pool, model, given)
            _classes(pool, model, given)
            study.add(question)
            note_named(study, would_run(given.get("perturb")))
            tell(f"added the question {question.name!r}: it uses every label bought so far", err=True)
        change_budget(study, given.get("budget"), None)
    except BaseException:
        study.close()
        raise
    return Hunting(study, path, question, oracle)


def _oracle(pool: Pool, labels: Any, given: Mapping[str, Any]) -> Any:
    """Who knows the truth: a column, a function, or a person."""
    from ringtrue.pools import check_column

    spec = given.get("oracle")
    if spec is None:
        raise InvalidInput(f'--oracle is missing: name who knows the truth, a column, module:function, or "{ASK}"')
    if spec == ASK and spec not in pool.columns:
        return ASK
    found = responder(spec, "--oracle", pool.columns)
    if isinstance(found, str):
        check_column(pool, found, labels=labels)
        for name, option in (("slices", "slice"), ("features", "features"), ("inputs", "input"), ("score", "score")):
            named = given.get(name, ())
            if found in ([named] if isinstance(named, str) else named):
                raise InvalidInput(f"--{option}={found} is the truth, which nobody knows before the hunt: leave it out")
    return found


def _perturbed(name: str, given: Mapping[str, Any]) -> list[tuple[Blind, str]]:
    """The hunts whose perturbation is a function, each with its name: the journal has no more of it."""
    from ringtrue.blind import Blind
    from ringtrue.cli._opening import open_to_read

    with open_to_read(name) as glance:
        hunts = [one for one in glance.questions.values() if isinstance(one, Blind)]
    return [(hunt, given.get("perturb", hunt.perturb_name)) for hunt in hunts if hunt.perturb_name is not None]


def _question(pool: Pool, model: Any, given: Mapping[str, Any]) -> Blind:
    from ringtrue.blind import Blind, Distance

    settings: dict[str, Any] = {
        key: given[name]
        for key, name in (
            ("threshold", "confidence"), ("search", "search"), ("floor", "floor"), ("claim", "claim"),
            ("inputs", "inputs"), ("features", "features"), ("slices", "slices"), ("score", "score"), ("seed", "seed"),

        )
        if name in given
    }  # fmt: skip
    if "perturb" in given and "queries" in given:
        raise InvalidInput(
            f"--queries={given['queries']} is for --distance: --perturb has its own number, leave it out"
        )
    if not {"inputs", "features", "perturb"} & set(given):
        tell("going by the confidence and the answers alone: --input or --features would tell items apart", err=True)
    if "perturb" in given:
        settings["perturb"] = import_function(given["perturb"], "--perturb")
    if "distance" in given or "queries" in given:
        method = given.get("distance", "rays")
        if method == "none" and "queries" in given:
            raise InvalidInput(f"--queries={given['queries']} with --distance none: leave one out")
        settings["distance"] = None if method == "none" else Distance(method, given.get("queries"))
    if given.get("plain"):
        settings["variations"] = False
    return Blind.of(pool, given.get("critical"), model=model, **settings)


def _classes(pool: Pool, model: Any, given: Mapping[str, Any]) -> list[str] | None:
    """The classes that the model names, if it does. Refuses a --class that it never gives, with those that it does."""
    from ringtrue.core import label_text

    said = model.answer(pool.take(range(min(_FEW, pool.size))))
    named = [label_text(name) for name in getattr(said, "classes", ()) or ()]
    known = {*named, *map(label_text, getattr(said, "labels", ()))}
    if "critical" in given and label_text(given["critical"]) not in known and (named or pool.size <= _FEW):
        shown = ", ".join(sorted(known)[:20])
        raise InvalidInput(f"--class={given['critical']!r}: the model gives it to no item: name one of {shown}")
    return named or None
