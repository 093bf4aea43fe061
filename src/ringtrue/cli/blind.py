"""`ringtrue blind`: where is the model confidently wrong, and how common is that?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._blind_question import (
    check_images,
    check_unseen,
    classes_of,
    fitted_temperature,
    keep,
    question_of,
)
from ringtrue.cli._consent import note_named, would_run
from ringtrue.cli._door import import_function
from ringtrue.cli._options import (
    ID,
    JSON,
    LABELS,
    MANY_FILES,
    MODEL,
    MODEL_COMMAND,
    POOL,
    SHOW_MODEL,
    SPENDING,
    TRUST,
    TRUST_TYPE,
    WHO,
)
from ringtrue.cli._runner import command_of
from ringtrue.cli._scoring import SCORING
from ringtrue.cli._table import COUNTED, WHOLE, Option, Table, claim_about, names, share
from ringtrue.cli._terminal import tell
from ringtrue.cli._verb import Asked, Verb
from ringtrue.core import label_text

if TYPE_CHECKING:
    from ringtrue.cli._place import Place
    from ringtrue.core import Question
    from ringtrue.study import Study

SEARCHES = (
    "learning",
    "standardised",
    "adversarial-distance",
    "adjusted-distance",
    "bandit",
    "coverage",
    "lowest-confidence",
    "highest-confidence",
    "random",
)
DISTANCES = ("rays", "surfree", "lines", "flips", "hopskipjump", "boundary", "none")

_SHARE = share(like="0.65 or 65%")

_OPTIONS = (
    Option(
        "critical",
        "Hunt among the items that the model answers so (default: all).",
        "C",
        lambda text, _: label_text(text),
        flag="--class",
        made="question",
    ),
    Option("threshold", "Hunt above this confidence (default 0.65).", "SHARE", _SHARE, flag="--above", made="question"),
    *WHO,
    POOL,
    MODEL,
    TRUST_TYPE,
    MODEL_COMMAND,
    Option(
        "inputs",
        "What may be changed of an item: an image, or numbers.",
        "A,B,…",
        names(),
        flag="--input",
        made=lambda _, hunt: None if hunt.inputs is None else list(hunt.inputs.columns),
    ),
    Option(
        "features",
        "Columns of numbers in which items are compared (default: --input).",
        "A,B,…",
        names(),
        made=lambda _, hunt: list(hunt.features) or None,
    ),
    Option(
        "score",
        "The column of the model's confidence, if it gives none itself.",
        "COLUMN",
        flag="--confidence",
        made="question",
    ),
    Option(
        "slices", "Group the errors by this column; repeatable.", "COLUMN", flag="--slice", many=True, made="question"
    ),
    Option("search", "How to choose what to ask (default: learning).", type=click.Choice(SEARCHES), made="question"),
    Option(
        "goal",
        "What the learning search is after: most errors (default), or most beyond those admitted.",
        type=click.Choice(("errors", "excess")),
        made="question",
    ),
    Option(
        "floor",
        "The share of queries drawn at random (default: none, or what a --claim needs).",
        "SHARE",
        _SHARE,
        made="question",
    ),
    Option(
        "claim",
        'What to decide of the items hunted in, such as "error <= 5% at 95%".',
        read=claim_about("error", "failure", like='"error <= 5% at 95%"'),
    ),
    Option(
        "distance",
        "How distances are measured (default: rays).",
        type=click.Choice(DISTANCES),
        made=lambda _, hunt: "none" if hunt.distance is None else hunt.distance.method,
    ),
    Option(
        "queries",
        "Model queries for a distance at most.",
        "N",
        type=COUNTED,
        made=lambda _, hunt: None if hunt.distance is None else hunt.distance.queries,
    ),
    Option(
        "no_variations", "Do not ask the model about small variations.", "", made=lambda _, hunt: not hunt.variations
    ),
    Option("perturb", "Changes an item that is neither image nor numbers.", "module:function"),
    Option("validation", "Items with the truth, to soften the model's confidence first.", "FILE", made=lambda *_: None),
    Option("gallery", "Errors to show as pictures (default 12).", "N", type=WHOLE),
    *SCORING,
    ID,
    *MANY_FILES,
    LABELS,
    *SPENDING,
    SHOW_MODEL,
    TRUST,
    JSON,
)


class BlindVerb(Verb):
    """Find the errors that the model of STUDY makes with high confidence, and say how common they are.

    Makes STUDY if it is not there; else goes on with it, and needs no other argument. First the model is asked about
    every item and, where it can be, around those hunted in; then the oracle about the items most likely to be wrong
    (with --goal excess: beyond what the confidence admits) and, with --claim or --floor, about random ones in between.
    Stop it at any time: every answer is on the disk before the next is asked. With images, module:function is given one
    array with one image per row.

    \b
    ringtrue blind pets --pool pets.npz --model desk:predict --input image --class cat --oracle truth --budget 50
    ringtrue blind pets --pool photos.csv --model desk:predict --input file --class cat --oracle ask --budget 20
    ringtrue blind loans --class reject --above 0.8 --oracle truth --budget 100   # a study made by `init`
    ringtrue blind pets --budget 100                                              # go on
    ringtrue blind pets --sheet ann.csv --rater ann                               # for people to fill in

    Exit code: 0 done or the claim rings true, 1 it rings false, 3 not yet known.
    """

    name = "blind"
    needed = (*Verb.needed, ("budget", "--budget N"))
    runs_named = (*Verb.runs_named, "perturb")
    table = Table(
        _OPTIONS,
        former={"--score": "the column of the confidence is --confidence COLUMN, and the threshold --above SHARE"},
    )

    def notes(self, given: Mapping[str, Any], home: Path) -> dict[str, Any]:
        return super().notes(given, home) | {name: given.get(name) for name in ("inputs", "perturb")}

    def remembered(self, study: Study, given: Mapping[str, Any]) -> dict[str, Any]:
        hunts = [one.perturb_name for one in self.own_questions(study)]
        return super().remembered(study, given) | {"perturb": given.get("perturb", next(reversed(hunts), None))}

    def questions(self, given: Mapping[str, Any], source: Any, model: Any) -> Sequence[Question]:
        check_unseen(source, given)
        question = question_of(source, model, given)  # first, because it looks at every input before the model does
        if "validation" not in given:
            return [question]
        self._fitted = fitted_temperature(given, model, source)
        config = {**question.config(), "temperature": self._fitted["value"]}
        return [question.from_config(config, perturb=question.perturb)]

    def settings(self, given: Mapping[str, Any], source: Any, model: Any) -> dict[str, Any]:
        return {"labels": given.get("labels", classes_of(source, model, given))}

    _fitted: dict[str, Any] | None = None
    """How the temperature of a new hunt was fitted."""

    def made(self, asked: Asked) -> None:
        if self._fitted is not None:
            asked.study.keep("temperature", self._fitted)

    def whole(self, study: Study, notes: Mapping[str, Any]) -> Callable[[], list[Question]]:
        """Return what makes the hunts that run a function of the user's: the journal has its name alone."""
        hunts = [one for one in self.own_questions(study) if one.perturb_name is not None]
        return lambda: [
            hunt.from_config(hunt.config(), perturb=import_function(notes["perturb"], "--perturb")) for hunt in hunts
        ]

    def goes_on(self, study: Study, path: Place, given: Mapping[str, Any], source: Any) -> Question:
        """Return the hunt of a study; one that another verb made gets a hunt."""
        check_unseen(source, given)
        if self.own_questions(study):
            return super().goes_on(study, path, given, source)
        model = study.things.model
        first = next(iter(study.questions.values()))
        Table([one for one in self.table.options if one.name in _OF_STUDY]).check_same(str(path), study, first, given)
        check_images(str(path), source, given)
        question = question_of(source, model, given)
        classes_of(source, model, given)
        study.add(question)
        note_named(study, would_run(given.get("perturb")))
        tell(f"added the question {question.name!r}: it uses every label bought so far", err=True)
        return question

    def keep(self, asked: Asked) -> None:
        """Keep the pictures and the field of a report."""
        keep(asked)
        asked.details["field"] = asked.study.kept["field"]


_OF_STUDY = ("model", "model_command", "id", "seed", "batch", "labels", "price", "validation")
"""Options of a study that another verb made, and a hunt in it cannot change."""


command = command_of(BlindVerb)
