"""Files that are neither tables nor studies: logs, reports, claims, spaces and models, each known by what it holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._diagnosis import CLAIM, Ask, Diagnosis, can_be_typed, cost_of, study_name, typed
from ringtrue.cli._opening import read_space, read_toml
from ringtrue.cli._place import Place
from ringtrue.core import InvalidInput, count, line, without_secrets

if TYPE_CHECKING:
    from ringtrue.logs import Log

MOST_TOML = 4 * 2**20
"""Bytes of a file of claims or of a space: people write them by hand."""

_JUDGES = "how good are these judges?"


def look_at_model_file(target: str) -> Diagnosis | None:
    """Return what can be said of a model file or folder, by its first bytes; None if it is none. Nothing is loaded."""
    from ringtrue.models import format_of, is_model_file

    if not is_model_file(target):
        return None
    try:
        what = format_of(Path(target)).name
    except InvalidInput:
        if os.path.splitext(target)[1].lower() in (".json", ".txt"):  # other files end so, too
            return None
        raise
    name = study_name(target)
    pool = ["--pool", "POOL.csv", "--model", target, "--oracle", "ask", "--claim", CLAIM]
    asks = [Ask("how often does it fail? (POOL.csv stands for your items)", typed("risk", name, *pool))]
    sentence = f"{target} is a model in the format of {what}: --model {target} takes it"
    return Diagnosis("model", sentence, asks=asks if can_be_typed(target) else ())


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
    return look_at_model_file(target)


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


def _rubric(target: str, table: dict[str, Any]) -> Diagnosis:
    from ringtrue.models.chat import read_judges, shared_models

    rubric, judges = read_judges(table, target)
    facts = [f"question: {line(rubric.question)}", f"choices: {', '.join(map(line, rubric.decided))}"]
    facts += [f"judge {line(judge.name)}: {line(judge.model)} at {judge.post().where}" for judge in judges]
    wrong = [f"{', '.join(names)} ask one model and err together: ask others" for names in shared_models(judges)]
    pool, name = ["--pool", "POOL.jsonl"], study_name(target)
    asks = [
        Ask("what do these judges say? (POOL.jsonl stands for your items)",
            typed("vote", name, *pool, "--judges", target)),
        Ask("how often does such a model fail?",
            typed("risk", f"{name}-risk", *pool, "--model", f"{target}#{judges[0].name}", "--oracle", "ask")),
    ]  # fmt: skip
    asks = asks if can_be_typed(target, judges[0].name) else []
    return Diagnosis("rubric", f"{target} is a rubric for {count(len(judges), 'judge')}", facts, wrong=wrong, asks=asks)


def _prices(target: str) -> Diagnosis:
    from ringtrue.models.chat import read_prices

    prices, currency = read_prices(read_toml(Path(target), target, "", parse_float=Decimal), target)
    unit = f"{line(currency)} " if currency else ""
    facts = [f"{line(name)}: {unit}{one.input} read, {one.output} written" for name, one in prices.items()]
    return Diagnosis("prices", f"{target} has the prices of {count(len(prices), 'model')}, per million tokens", facts)


def look_at_toml(target: str) -> Diagnosis:
    """Return what can be said of a file of claims, of a space to search, of a rubric with its judges, or of prices."""
    from ringtrue.cli.check import read_claims
    from ringtrue.journal import is_address

    path = Path(target)
    if path.stat().st_size > MOST_TOML:
        raise InvalidInput(f"{target}: is larger than {MOST_TOML >> 20} MB: claims and spaces are written by hand")
    table = read_toml(path, target, "give a file of claims, of a space, of a rubric or of prices")
    if "judges" in table:
        return _rubric(target, table)
    if "models" in table:
        return _prices(target)
    if "parameters" in table:
        space, _ = read_space(path)
        searched = ["--space", target, "--model", "module:function", "--oracle", "module:function", "--budget", "40"]
        return Diagnosis(
            "space",
            f"{target} is a space of {count(len(space.parameters), 'parameter')} to search",
            asks=[Ask("where does the model deviate worst?", typed("worst", study_name(target), *searched))],
        )
    entries = read_claims(path)
    apart = [entry.study for entry in entries if is_address(entry.study)]  # a file's word calls no database
    studies = [entry.study for entry in entries if entry.study not in apart]
    gone = [study for study in studies if not Place.of(str(path.parent / study)).is_made()]
    return Diagnosis(
        "claims",
        f"{target} holds {count(len(entries), 'claim')}",
        [
            *(f"{line(without_secrets(entry.study))}: {entry.claim}" for entry in entries),
            *(["a study in a database was not looked for: give it to doctor by its address"] if apart else []),
        ],
        wrong=[f"study {name!r} is not there: make it, or take the claim out" for name in dict.fromkeys(gone)],
        asks=[Ask("do the claims ring true?", typed("check", target, *(["--journal", "ADDRESS"] if apart else [])))],
        usable=not gone,
    )
