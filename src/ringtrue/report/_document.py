"""The JSON twin: what was recorded, and every number computed from it by one function that anyone can call again."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version
from typing import Any, NamedTuple

from ringtrue.core import (
    SHOWN,
    Claim,
    Field,
    Finding,
    Json,
    Part,
    Prediction,
    Question,
    Record,
    Records,
    RingtrueError,
    Scores,
    canonical_json,
    digest,
    failures,
    field_of,
    plain,
    without_secrets,
)
from ringtrue.study import Study, agreement_of, evidence_of, make_question, second_of, split_predicted

LONGEST = 2_000
"""Characters of one item's content; longer ones, such as images, are named by their hash alone."""

_FLOAT = "$float"
"""JSON has no word for nan and infinity, which empty cells and measurements hold: they are kept under this key."""


def contents(study: Study, shown: Sequence[Mapping[str, Any]]) -> dict[str, Json]:
    """Return the first of the items to show by id, where the pool is at hand and they are short enough."""
    pool = study.things.pool
    rows = [entry["row"] for entry in shown if entry["row"] is not None][:SHOWN]
    if pool is None or not rows:
        return {}
    try:
        items = list(pool.take(rows))
    except RingtrueError:
        return {}
    return {item.id: _kept(plain(item.values)) for item in items if len(canonical_json(item.values)) <= LONGEST}


def content_digest(entry: Json) -> str:
    """Return the hash of the item that was kept as `entry`."""
    return digest(restored(entry))


def restored(entry: Json) -> Any:
    """Return the values as they were before they became JSON."""

    def number(found: dict[str, Any]) -> Any:
        return float(found[_FLOAT]) if set(found) == {_FLOAT} else found

    return json.loads(json.dumps(entry), object_hook=number)


def _kept(value: Json) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        return {_FLOAT: str(float(value))}
    if isinstance(value, dict):
        return {key: _kept(entry) for key, entry in value.items()}
    return [_kept(entry) for entry in value] if isinstance(value, list) else value


FORMAT = 3
"""Raised whenever a report of before would not give the same values: it is then told so, not called false."""

SEVERAL = 4
"""Of a report some of whose answers were corrected, or looked at again: an earlier version would miss that."""

LARGE = 5
"""Of a report on a study with so many answers that it names the study in the place of them."""

LISTED = 100_000
"""Queries that a report lists, at most: a million would make it 400 MB."""

READ = (2, FORMAT, SEVERAL, LARGE)
"""The formats that are verified. In format 2 all that stood beside an item was one value, `predicted`."""


def document(study: Study, *, claim: Claim | str | None = None, question: str | None = None) -> dict[str, Any]:
    """Return everything a report says, as JSON values."""
    chosen, records = study.question(question), study.records
    large = len(records) > LISTED
    wanted = chosen.claim if claim is None else Claim.parse(claim)
    plan = dict(study.plan)
    notes = plan.pop("notes")  # where files lay on the maker's disk concerns the maker alone
    if plan["model"] is not None:  # an address that an earlier version kept whole
        told_of = plan["model"].items()
        plan["model"] = {key: without_secrets(said) if isinstance(said, str) else said for key, said in told_of}
    opinions = {"opinions": study.second.to_json()} if study.second.share is not None or study.second.votes else {}
    made: dict[str, Any] = {
        "format": LARGE if large else SEVERAL if opinions or any(record.earlier for record in records) else FORMAT,
        "ringtrue": version("ringtrue"),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "study": plan,
        "journal": study.history._asdict(),
        "question": chosen.config(),
        "claim": None if wanted is None else str(wanted),
        "records": _whereabouts(study) if large else [_record_json(record) for record in records],
        "scores": {} if large else _scores(study, chosen.name),
        "map": study.kept.get("map"),
        **opinions,
    }
    if notes.get("log"):  # what was read of an evaluation tool's log, and what of it was left out
        made["log"] = notes["log"]
    if shown := {name: study.kept[name] for name in chosen.kept_beside if name in study.kept}:
        made["kept"] = shown
    others = [one for name, one in study.questions.items() if name != chosen.name]
    if rivals := chosen.rivals(others):
        made["compared"] = [one.config() for one in rivals]
    made["computed"] = computed(made, chosen, _whole(study, chosen, wanted) if large else told_in(made))
    made["items"] = contents(study, chosen.gallery(made["computed"]))
    made["hashes"] = hashes(made)
    return made


class Told(NamedTuple):
    """What a report is computed from: all that was asked, and what was prepared of the items, by row."""

    records: Part
    scores: Scores
    numbers: Sequence[int]
    """The numbers of the queries, as they stand there."""
    finding: Finding | None = None
    """What the records show, where that was worked out before."""


def told_in(made: Mapping[str, Any]) -> Told:
    """Return what a report has of them within itself."""
    scores = {
        name: {int(row): math.nan if value is None else value for row, value in by_row.items()}
        for name, by_row in made.get("scores", {}).items()
    }
    records = [record_of(entry) for entry in made["records"]]
    return Told(Records(records).part(), scores, [record.number for record in records])


def _whole(study: Study, question: Question, claim: Claim | None) -> Told:
    """Return all of a large study: its evidence is gone through once, also for whoever asks for the finding next."""
    records, finding = study.records, study.finding(question=question.name, claim=claim)
    return Told(records, study.scores(question.name), range(len(records)), finding)


def _whereabouts(study: Study) -> dict[str, Json]:
    """Return where the records of a large study are, and the hash that they must have there."""
    return {"study": study.place, "queries": len(study.records), **study.history._asdict()}


def computed(made: Mapping[str, Any], question: Question, told: Told) -> dict[str, Any]:
    """Return every number of a report, from its records alone: no model, no oracle, no pool."""
    records = told.records
    finding = finding_of(made, question, told) if told.finding is None else told.finding
    states = Counter(field_of(records, "state"))
    return {
        "finding": told_of(finding),
        "spending": {
            "asked": len(records),
            "answered": states["answered"],
            "given_up": states["abandoned"],
            "open": states["leased"] + states["waiting"],
            **_spent(records),
        },
        "failures": list(_failures(records, question)),
        **({"agreement": agreement(made, question, records)} if made.get("opinions") else {}),
        **({"baselines": baselines(made["compared"], records)} if made.get("compared") else {}),
    }


def _spent(records: Sequence[Record]) -> dict[str, Json]:
    """Return what was paid, how many different items were answered, and by whom."""
    fields: tuple[Field, ...] = ("state", "cost", "responder", "id", "rater")
    money, items, raters = Decimal(0), set(), Counter[str]()
    for state, cost, responder, item, rater in zip(*(field_of(records, name) for name in fields), strict=True):
        if state in ("answered", "abandoned"):
            money += cost
        if state == "answered":
            items.add((responder, item))
            if rater is not None:
                raters[rater] += 1
    return {"money": str(money), "different_items": len(items), "raters": dict(raters.most_common())}


def _failures(records: Part, question: Question) -> Iterator[dict[str, Json]]:
    """Yield the answers that are not what the model said.

    Labels alone fail: neither an output that deviates nor votes nor an old model's words.
    """
    if question.space is not None:
        return
    said = enumerate(zip(field_of(records, "said"), field_of(records, "state"), strict=True))
    labelled = records.some(
        [place for place, (one, state) in said if state == "answered" and one is not None and not isinstance(one, list)]
    )
    for place, failed in enumerate(failures(labelled)):
        if failed:
            one = labelled[place]
            yield {"number": one.number, "id": one.id, "row": one.row, "model": one.said, "truth": one.label}


def told_of(finding: Finding) -> dict[str, Json]:
    """Return a finding as JSON, with what every page needs where its question left it out."""
    return {
        "sentence": str(finding),
        "claim": None if finding.claim is None else str(finding.claim),
        "verdict": finding.verdict.value,
        "assumptions": list(finding.assumptions),
        **finding.to_json(),
    }


def hashes(made: Mapping[str, Any]) -> dict[str, Json]:
    """Return a hash of the plan, one of the answers, one of the items shown: of all that is not computed.

    What was prepared, mapped and kept with the model's help cannot be computed again without it: each has a hash, too.
    """
    beside = ("scores", "map", "kept", "opinions")
    parts = ("records", "items", "computed", "hashes", *beside)
    return {
        "plan": digest({key: value for key, value in made.items() if key not in parts}),
        "answers": digest(made["records"]),
        "items": digest(made["items"]),
        **{part: digest(made[part]) for part in beside if made.get(part)},
    }


def finding_of(made: Mapping[str, Any], question: Question, told: Told) -> Finding:
    """Return the finding that these records give."""
    pool = made["study"]["pool"]
    claim = None if made["claim"] is None else Claim.parse(made["claim"])
    size = 0 if pool is None else pool["size"]
    return evidence_of(question, told.records, size=size, claim=claim, scores=told.scores)


def agreement(made: Mapping[str, Any], question: Question, records: Sequence[Record]) -> dict[str, Json]:
    """Return what the opinions of raters show, in a sentence and in numbers."""
    claim = None if made["claim"] is None else Claim.parse(made["claim"])
    pool, second = made["study"]["pool"], second_of(made["opinions"], records)
    how: dict[str, Any] = {"labels": made["study"]["labels"], "size": 0 if pool is None else pool["size"]}
    found = agreement_of(second, records, question=question, claim=claim, **how)
    return {"sentence": str(found), **found.to_json(), "out": 0}  # who looks at an item now is not in a report


def _scores(study: Study, question: str) -> dict[str, dict[str, float | None]]:
    """Return what was prepared of the items asked about: an estimator may weigh them by it."""
    rows = sorted({record.row for record in study.records if record.row is not None})
    prepared = study.scores(question).items()
    kept = {name: by_row for name, by_row in prepared if by_row.ndim == 1}  # features are not scores

    def number(score: Any) -> float | None:  # the distance of an answer that never changes is not finite
        return float(score) if math.isfinite(score) else None

    return {name: {str(row): number(by_row[row]) for row in rows} for name, by_row in kept.items()}


def record_of(entry: Mapping[str, Any]) -> Record:
    """Return a record as it was before it became JSON."""
    fields = dict(entry)
    if "predicted" in fields:
        fields |= split_predicted(fields.pop("predicted"))._asdict()
    elif fields["prediction"] is not None:
        fields["prediction"] = Prediction(**fields["prediction"])
    fields["cost"] = Decimal(fields["cost"])
    fields["point"] = None if fields["point"] is None else tuple(fields["point"])
    fields["earlier"] = tuple(fields.get("earlier", ()))
    return Record(**fields)


def _record_json(record: Record) -> dict[str, Json]:
    entry = {name: plain(getattr(record, name)) for name in Record.__dataclass_fields__}
    if not record.earlier:
        del entry["earlier"]
    prediction = None if record.prediction is None else record.prediction._asdict()
    return {**entry, "cost": str(record.cost), "prediction": prediction}


def baselines(compared: Sequence[Mapping[str, Any]], records: Sequence[Record]) -> dict[str, Json]:
    """Return the curve of each of these questions, from its own records."""
    questions = {config["name"]: make_question(config) for config in compared}
    curves = {
        name: question.curve(evidence_of(question, records, size=0, claim=None).to_json())
        for name, question in questions.items()
    }
    return {name: curve for name, curve in curves.items() if curve is not None}
