"""Files that are neither tables nor studies: logs, reports, claims, spaces and models, each known by what it holds."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._diagnosis import CLAIM, Ask, Diagnosis, can_be_typed, cost_of, study_name, typed
from ringtrue.cli._opening import is_made, read_space, read_toml, study_file
from ringtrue.core import InvalidInput, count, line

if TYPE_CHECKING:
    from ringtrue.logs import Log

MOST_TOML = 4 * 2**20
"""Bytes of a file of claims or of a space: people write them by hand."""

_JUDGES = "how good are these judges?"
_PICKLES = (".pkl", ".pickle", ".joblib", ".pt", ".pth")
_NO_PICKLE = "a pickle runs code when it is opened, and is refused: export the model, as to ONNX or safetensors"
_BEGINS = {b"GGUF": "a GGUF model", b"tree\nversion=": "a LightGBM model", b"{L": "an XGBoost model (UBJSON)"}
_ENDS = {".onnx": "an ONNX model", ".safetensors": "a safetensors model", ".ubj": "an XGBoost model (UBJSON)"}
_INSIDE = {
    "schema.json": "a skops model",
    "archive_format": "a torch.export program",
    "data.pkl": "",
    "models/model.json": "a torch.export program",
}
_IN_FOLDER = {
    "MLmodel": "an MLflow model",
    "config.json": "a Hugging Face model",
}


def look_at_model_file(target: str) -> Diagnosis | None:
    """Return what can be said of a model file or folder, by its first bytes; None if it is not one. Nothing is loaded.

    This is the one place that knows model files here: whatever opens them may take it over.
    """
    what = _model_in_folder(target) if os.path.isdir(target) else _model_in_file(target)
    if what is None:
        return None
    name = study_name(target)
    pool = ["--pool", "POOL.csv", "--model", target, "--oracle", "ask", "--claim", CLAIM]
    asks = [Ask("how often does it fail? (POOL.csv stands for your items)", typed("risk", name, *pool))]
    return Diagnosis(
        "model", f"{target} is {what}: --model {target} takes it", asks=asks if can_be_typed(target) else ()
    )


def _model_in_folder(target: str) -> str | None:
    return next((what for name, what in _IN_FOLDER.items() if os.path.isfile(os.path.join(target, name))), None)


def _model_in_file(target: str) -> str | None:
    ending = os.path.splitext(target)[1].lower()
    with open(target, "rb") as file:
        first = file.read(64)
    if first.startswith(b"PK\x03\x04"):
        found = _model_in_zip(target)
        if found is None and ending in _PICKLES:
            raise InvalidInput(f"{target}: {_NO_PICKLE}")
        return found
    if ending in _PICKLES or (first[:1] == b"\x80" and first[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")):
        raise InvalidInput(f"{target}: {_NO_PICKLE}")
    begins = next((what for mark, what in _BEGINS.items() if first.startswith(mark)), None)
    return begins or (_ENDS.get(ending) if first else None)


def _model_in_zip(target: str) -> str | None:
    try:
        with zipfile.ZipFile(target) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return None
    for member in (*names, *(name.partition("/")[2] for name in names)):
        if member in _INSIDE:
            if not _INSIDE[member]:
                raise InvalidInput(f"{target}: {_NO_PICKLE}")
            return _INSIDE[member]
    return None


def look_at_json(target: str, price: Decimal | None) -> Diagnosis | None:
    """Return what can be said of a file of JSON or JSON Lines, or of a log in a zip; None if none of these is known."""
    from ringtrue.logs import IMPORTERS, read_log
    from ringtrue.logs._bounded import open_content

    content = open_content(target)
    if any(one.knows(content) for one in IMPORTERS):
        return _log(target, read_log(target), price)
    value = content.value
    if content.form == "json" and isinstance(value, dict) and {"ringtrue", "format"} <= set(value):
        return _report(target, value)
    if content.form == "json" and isinstance(value, dict) and "learner" in value:
        return Diagnosis("model", f"{target} is an XGBoost model (JSON): --model {target} takes it")
    return None


def _log(target: str, log: Log, price: Decimal | None) -> Diagnosis:
    from ringtrue.logs import votes_table

    by_role = {role: log.named(role) for role in ("judge", "rule", "model", "truth")}
    facts = [f"{role}s: {', '.join(map(line, names))}" for role, names in by_role.items() if names]
    facts += [f"models: {', '.join(map(line, log.models))}"] if len(log.models) > 1 else []
    wrong = [f"{count(number, what)} left out" for what, number in log.left_out.items()]
    wrong += [f"{count(log.missing, 'vote')} missing"] if log.missing else []
    if log.sighted:
        wrong.append(f"{count(log.sighted, 'label')} given with a prediction in sight: they flatter the model")
    asks = list(_asks_of_log(target, log, price)) if can_be_typed(target, *log.models) else []
    try:
        votes_table(_chosen(log))
    except InvalidInput as error:
        facts.append(error.in_words(lambda one: f"--{one.name.replace('_', '-')}"))
        asks = [ask for ask in asks if ask.about != _JUDGES]
    return Diagnosis("log", str(log), facts, wrong=wrong, asks=asks, details=log.to_json())


def _chosen(log: Log) -> Log:
    """Return the part of a log about its first model, which the commands name where it has several."""
    return log.of_model(log.models[0]) if len(log.models) > 1 else log


def _asks_of_log(target: str, log: Log, price: Decimal | None) -> Iterator[Ask]:
    """Yield what the items, answers and votes of a log can be asked."""
    of, name = ["--of", log.models[0]] if len(log.models) > 1 else [], study_name(target)
    if log.judged or len(log.named("model")) == 1:
        asked = ["--from", target, *of, "--oracle", "ask", "--claim", CLAIM]
        yield Ask(
            "how often does the model fail?", typed("risk", name, *asked), cost_of(len(_chosen(log).items), price)
        )
    voters = log.named("judge", "rule") if log.judged else log.named("model")
    if voters and can_be_typed(voters[0]):
        compared = ["--answer", voters[0]] if len(voters) > 1 else []
        yield Ask(
            "did it change since? (LATER.json stands for the log of another run)",
            typed("changed", f"{name}-changed", "--from", target, "--to", "LATER.json", *of, *compared),
        )
    yield Ask(_JUDGES, typed("judges", "--from", target, *of))


def _report(target: str, value: dict[str, Any]) -> Diagnosis:
    from ringtrue.report._document import READ

    version, form = line(value["ringtrue"]), value["format"]
    known = form in READ
    wrong = [] if known else [f"its format {line(form)} is not one that is verified here ({', '.join(map(str, READ))})"]
    return Diagnosis(
        "report",
        f"{target} is the JSON twin of a report, written by ringtrue {version}",
        wrong=wrong,
        asks=[Ask("do its numbers follow from its answers?", typed("report", "--verify", target))] if known else (),
    )


def look_at_toml(target: str) -> Diagnosis:
    """Return what can be said of a file of claims, or of a space to search."""
    from ringtrue.cli.check import read_claims

    path = Path(target)
    if path.stat().st_size > MOST_TOML:
        raise InvalidInput(f"{target}: is larger than {MOST_TOML >> 20} MB: claims and spaces are written by hand")
    if "parameters" in read_toml(path, target, "give a file of claims or of a space"):
        space, _ = read_space(path)
        searched = ["--space", target, "--model", "module:function", "--oracle", "module:function", "--budget", "40"]
        return Diagnosis(
            "space",
            f"{target} is a space of {count(len(space.parameters), 'parameter')} to search",
            asks=[Ask("where does the model deviate worst?", typed("worst", study_name(target), *searched))],
        )
    entries = read_claims(path)
    gone = [entry.study for entry in entries if not is_made(study_file(str(path.parent / entry.study)))]
    return Diagnosis(
        "claims",
        f"{target} holds {count(len(entries), 'claim')}",
        [f"{line(entry.study)}: {entry.claim}" for entry in entries],
        wrong=[f"study {name!r} is not there: make it, or take the claim out" for name in dict.fromkeys(gone)],
        asks=[Ask("do the claims ring true?", typed("check", target))],
        usable=not gone,
    )
