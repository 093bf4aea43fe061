"""The plan of a study as its journal keeps it: pool, model and questions, and what these must fulfil."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from ringtrue.core import (
    Argument,
    Batch,
    InvalidInput,
    Json,
    Labels,
    Model,
    Pool,
    Question,
    RingtrueError,
    Space,
    Vectors,
    check_listed,
    count,
    label_text,
)
from ringtrue.models import contradicted, mark_of
from ringtrue.study._scan import why_of
from ringtrue.study._things import Things, batch_of, shown_to_model

_PROBE_ROWS = 8
"""Rows on which a model is asked twice to recognise it again: enough to tell models apart, few enough to be free."""

_SERVED_ROWS, _TWICE = 20, 10
"""The same for a model behind an address, which is known again by these rows alone; the first ten are asked twice."""


def describe_pool(pool: Pool | None) -> dict[str, Json] | None:
    """Return what must be the same when the study is opened again."""
    if pool is None:
        return None
    return {"name": pool.name, "size": pool.size, "fingerprint": pool.fingerprint, "columns": list(pool.columns)}


def describe_space(space: Space | None) -> dict[str, Json] | None:
    return None if space is None else {"name": space.name, "fingerprint": space.fingerprint}


def question_event(question: Question) -> tuple[str, dict[str, Any]]:
    """Return the event by which a question becomes part of a study."""
    asking = {"policy": question.policy.name, "responder": question.responder}
    return "question", {"name": question.name, "config": question.config(), **asking}


def listed(question: Question | Sequence[Question]) -> list[Question]:
    """Return the questions of a new study: at least one, each with a name of its own."""
    if isinstance(question, str):
        raise InvalidInput(Argument("question", question), f" is text: give a question, such as Risk({question!r})")
    questions = list(question) if isinstance(question, Sequence) else [question]
    if not questions or len({one.name for one in questions}) < len(questions):
        raise InvalidInput(f"questions {[one.name for one in questions]} must be at least one, each with its own name")
    return questions


def space_of(questions: Iterable[Question]) -> Space | None:
    """Return the space that a question brings along, where one does."""
    return next((one.space for one in questions if one.space is not None), None)


def describe_model(things: Things, *, paid: bool) -> dict[str, Json] | None:
    """Describe a model by its name and, where asking is free, by its answers on a few rows or points.

    The answers themselves are kept, because a hash of them would change with the last digit of a number; those of a
    model that contradicts itself only if it is behind an address, where no other answers are compared. Whether it did
    is kept where it did, or may do so another time; and what its server tells of its version.
    """
    model = things.model
    if model is None:
        return None
    batch = None if paid else few_items(things, served=model.remote)
    if batch is None:
        return {"name": model.name, "fingerprint": model.name, **_versions(model)}
    answers, wrong = contradicted(model, batch, twice=_TWICE if model.remote else None)
    described: dict[str, Json] = {"name": model.name, "fingerprint": mark_of(model.name, None if wrong else answers)}
    if model.remote or not wrong:
        described["answers"] = answers
    if model.remote or wrong:
        described |= {"twice": min(_TWICE, len(batch)) if model.remote else len(batch), "contradicted": wrong}
    return described | _versions(model)


def _versions(model: Model) -> dict[str, Json]:
    return {"versions": dict(model.versions)} if model.versions else {}


def repeats_told(described: Mapping[str, Any] | None) -> str | None:
    """Say of the description of a model how often it contradicted itself; None where that was not looked at.

    >>> repeats_told({"twice": 10, "contradicted": 3})
    'asked twice about 10 items, the model contradicted itself on 3'
    """
    if described is None or "twice" not in described:
        return None
    wrong, items = described["contradicted"], count(described["twice"], "item")
    return f"asked twice about {items}, the model {f'contradicted itself on {wrong}' if wrong else 'repeated itself'}"


def contradictions(described: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return what is warned of: that a model contradicted itself, in words; nothing if it did not."""
    told = repeats_told(described)
    return () if told is None or described is None or not described["contradicted"] else (told,)


def few_items(things: Things, *, served: bool) -> Batch | None:
    """Return the few items by which a model is known again, the same every time; None where there are none.

    `served` says whether it was behind an address when the study was made.
    """
    pool, space, rows = things.pool, things.space, _SERVED_ROWS if served else _PROBE_ROWS
    if pool is not None:
        return pool.take(range(min(rows, pool.size)))
    shown = () if space is None else space.probes(rows)
    return shown_to_model(batch_of(shown), space) if space is not None and shown else None


def known_labels(labels: Sequence[Any] | None, model: Model | None) -> list[str] | None:
    """Return the labels an oracle may give: those declared, in their order, else those the model knows, else any."""
    check_listed("labels", labels)
    if labels is not None:
        return list(dict.fromkeys(label_text(label) for label in labels))
    classes = None if model is None else model.classes
    return None if classes is None else sorted({label_text(label) for label in classes})


def check_given(question: Question, things: Things) -> None:
    """Refuse to ask without what the question is about or compares with: the answer would be worth nothing."""
    needs: dict[str, tuple[bool, object]] = {
        "pool": (question.asks and question.space is None, things.pool),
        "model": (question.needs_model != "no", things.model),
    }
    for argument, (needed, given) in needs.items():
        if needed and given is None:
            raise InvalidInput(f"question {question.name!r} needs a {argument}, and there is none: give {argument}=…")


def check_question(question: Question, things: Things) -> None:
    """Refuse a question that this pool, space and model cannot answer."""
    check_given(question, things)
    own = question.space
    if own is not None and things.space is not None and own.fingerprint != things.space.fingerprint:
        raise InvalidInput(
            f"question {question.name!r} searches another space than this study has: make a new study for it"
        )
    pool, model = things.pool, things.model
    labels_only = question.needs_model == "labels" and model is not None and pool is not None
    if labels_only and isinstance(_first_answer(model, pool), Vectors):  # type: ignore[arg-type]
        named = ", or name the classes of a served one with --labels A,B" if model.remote else ""  # type: ignore[union-attr]
        raise InvalidInput(
            f"question {question.name!r} compares labels, the model gives vectors: give a classifier{named}"
        )


def _first_answer(model: Model, pool: Pool) -> Labels | Vectors:
    """Return what the model answers to the first item of the pool."""
    try:
        return model.answer(pool.take([0]))
    except RingtrueError:
        raise
    except Exception as error:  # of the user's own function
        raise InvalidInput(
            f"the model failed on the first item of the pool ({why_of(error)}): mend it, and run again"
        ) from error


def whole(argument: str, value: Any, *, least: int | None = None) -> int:
    """Return a whole number, also numpy's; refuse a truth value."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or (least is not None and number < least):
        rule = "" if least is None else f" of at least {least}"
        raise InvalidInput(Argument(argument, value), f" must be a whole number{rule}")
    return number


_OWN = {kind: kind for kind in ("blind", "changed", "judges", "risk", "worst")} | {
    "panel": "judges",
    "vote": "judges",
    "watch": "changed",
}
"""The package of each kind that this one has."""

_ENTRY_POINTS = "ringtrue.questions"
"""Under which an installed package names its questions, by kind."""


def question_class(kind: str) -> type[Question]:
    """Return the question of a kind: imported already, of this package, or of another that is installed."""
    if kind not in Question.kinds and kind in _OWN:
        import_module(f"ringtrue.{_OWN[kind]}")  # here, because a study of another kind need not wait for it
    if kind not in Question.kinds:
        for found in entry_points(group=_ENTRY_POINTS, name=kind):
            try:
                found.load()
            except Exception as error:
                package = found.value if found.dist is None else found.dist.name
                why = " ".join(f"{type(error).__name__}: {error}".split())
                raise InvalidInput(
                    f"question kind={kind!r} of the package {package} cannot be loaded ({why}): update the package, "
                    "or install what it needs"
                ) from error
    if kind not in Question.kinds:
        raise InvalidInput(
            f"question kind={kind!r} is none of {sorted({*_OWN, *Question.kinds})}: install the package that has it, "
            "or give the question object to Study.open(questions=[…])"
        )
    return Question.kinds[kind]


def make_question(config: Mapping[str, Any]) -> Question:
    """Return the question that wrote this configuration."""
    return question_class(str(config.get("kind"))).from_config(config)


def as_written_now(config: Mapping[str, Any]) -> dict[str, Json]:
    """Return a configuration as the present version writes it; that of an unknown kind as it is."""
    try:
        return make_question(config).config()
    except InvalidInput:
        return dict(config)
