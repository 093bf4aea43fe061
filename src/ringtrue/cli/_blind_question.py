"""What the options of `ringtrue blind` ask for: question, classes, temperature, and what a report shows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._door import import_function
from ringtrue.cli._opening import read_items
from ringtrue.cli._progress import Preparing
from ringtrue.cli._terminal import error_line, tell
from ringtrue.cli._verb import Asked
from ringtrue.core import Claim, InvalidInput, Labels, count, label_text, percent

if TYPE_CHECKING:
    from ringtrue.blind import Blind
    from ringtrue.core import Pool

_FEW = 1_000
"""Items whose labels are looked at, to say which classes there are."""

_CHUNK = 1_000
_TRUTHS = ("truth", "label", "gold", "y")
"""Where the truth usually stands in the file of `--validation`."""

_SETTINGS = ("threshold", "search", "goal", "floor", "claim", "inputs", "features", "slices", "score", "seed")
"""Options that are settings of the question by the same name."""


def question_of(pool: Pool, model: Any, given: Mapping[str, Any]) -> Blind:
    """Return the hunt that the options ask for."""
    from ringtrue.blind import Blind, Distance, floor_for

    settings: dict[str, Any] = {name: given[name] for name in _SETTINGS if name in given}
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
    if "floor" not in given and "claim" in given:
        settings["floor"] = floor_for(Claim.parse(given["claim"]), given.get("budget"))
    if given.get("no_variations"):
        settings["variations"] = False
    return Blind.of(pool, given.get("critical"), model=model, **settings)


def classes_of(pool: Pool, model: Any, given: Mapping[str, Any]) -> list[str] | None:
    """Return the classes that the model names, if it does; refuse a --class that it never gives."""
    said = model.answer(pool.take(range(min(_FEW, pool.size))))
    named = [label_text(name) for name in getattr(said, "classes", ()) or ()]
    known = {*named, *map(label_text, getattr(said, "labels", ()))}
    if "critical" in given and label_text(given["critical"]) not in known and (named or pool.size <= _FEW):
        shown = ", ".join(sorted(known)[:20])
        raise InvalidInput(f"--class={given['critical']!r}: the model gives it to no item: name one of {shown}")
    return named or None


def fitted_temperature(given: Mapping[str, Any], model: Any, pool: Pool) -> dict[str, Any]:
    """Fit the temperature on the items of --validation and say how.

    Their truth stands in the column that --oracle names, or in a usual one.
    """
    import numpy as np

    from ringtrue.blind import fit_temperature

    validation = read_items(Path(given["validation"]), {"inputs": given.get("inputs"), "id": given.get("id")})
    truth = next((name for name in (given.get("oracle"), *_TRUTHS) if name in validation.columns), None)
    if truth is None:
        raise InvalidInput(
            f"--validation={given['validation']} needs the truth, in a column that --oracle names or in one of "
            f"{', '.join(_TRUTHS)}: it has {', '.join(validation.columns)}"
        )
    if validation.fingerprint == pool.fingerprint:
        raise InvalidInput(f"--validation={given['validation']} is the pool itself: give other items with their truth")
    tables, codes, classes = [], [], None
    for batch in validation.chunks(_CHUNK):
        said = model.answer(batch)
        if not isinstance(said, Labels) or said.probabilities is None:
            raise InvalidInput("--validation needs probabilities, and the model gives none: leave it out")
        classes = classes or [label_text(name) for name in said.classes]
        for item, cell in zip(batch.ids, batch.columns[truth].tolist(), strict=True):
            name = label_text(cell)
            if name not in classes:
                raise InvalidInput(f"--validation: item {item!r} is {name!r}, none of the model's {', '.join(classes)}")
            codes.append(classes.index(name))
        tables.append(said.probabilities)
    found = fit_temperature(np.concatenate(tables), np.array(codes))
    end = ", the end of its range: these items cannot tell" if found.at_limit else ""
    tell(
        f"temperature {found.value:.3g}{end}, from {count(len(codes), 'item')}: expected calibration error "
        f"{percent(found.ece_before)} before, {percent(found.ece_after)} after",
        err=True,
    )
    return {**found.to_json(), "items": len(codes)}


def check_unseen(pool: Pool, given: Mapping[str, Any]) -> None:
    """Refuse the truth, a column, among what is known before the hunt."""
    score = given.get("score")
    if score is not None and score not in pool.columns and score.rstrip("%").replace(".", "", 1).isdigit():
        raise InvalidInput(f"--confidence={score!r} is not a column: the confidence to hunt above is --above {score}")
    truth = given.get("oracle")
    for name, option in (("slices", "slice"), ("features", "features"), ("inputs", "input"), ("score", "confidence")):
        named = given.get(name, ())
        if truth in pool.columns and truth in ([named] if isinstance(named, str) else named):
            raise InvalidInput(f"--{option}={truth} is the truth, which is not known before the hunt: leave it out")


def check_images(path: str, pool: Pool, given: Mapping[str, Any]) -> None:
    """Refuse images in a study that another verb made without them."""
    from ringtrue.pools import holds_image_files

    for column in given.get("inputs", ()):
        if column in pool.columns and holds_image_files(pool, column):
            raise InvalidInput(
                f"--input={column}: the study {path!r} was made without images: name a new study for them"
            )


def keep(asked: Asked) -> None:
    """Keep what a report shows. What has been paid for is told even where the model fails on a picture."""
    from ringtrue.report import keep_shown

    try:
        with Preparing() as advance:
            keep_shown(asked.study, question=asked.question.name, most=asked.given.get("gallery", 12), advance=advance)
    except Exception as error:
        if "field" not in asked.study.kept:
            raise
        tell(f"the report will lack its gallery ({error_line(error)})", err=True)
