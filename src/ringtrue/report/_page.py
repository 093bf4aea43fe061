"""The page: what any finding is shown with, and its sections, in one HTML file without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import Chip, Code, Context, Question, Quoted, Section, Soft, Table, Text, count, line
from ringtrue.report._document import restored
from ringtrue.report._opinions import opinions_section
from ringtrue.report._templates import has_pictures, template
from ringtrue.study import question_class, repeats_told

_RATERS = 5  # people who answered, by name

_VERIFY = Code("ringtrue report --verify FILE.json")


def cost_section(made: Mapping[str, Any], question: type[Question]) -> Section:
    """Return what was asked, by whom it was answered, and what it cost."""
    study, spending, finding = made["study"], made["computed"]["spending"], made["computed"]["finding"]
    budget, paid, unit = study["budget"], study["price"][question.responder], question.unit
    labels = "" if budget["labels"] is None else f" of a budget of {budget['labels']:,}"
    money = "" if budget["money"] is None else f" of a budget of {budget['money']}"
    price = "" if paid is None else f", at {paid} a {unit}"
    picked = finding.get("picked")
    known = f"; {count(picked, 'item')} picked without chance, which count as known and no more" if picked else ""
    facts: list[tuple[str, Text]] = [
        _source(made),
        ("model", Quoted(line(study["model"]["name"]) if study["model"] else "none")),
        *_model_told(study["model"] or {}),
        (
            "asked",
            f"{spending['asked']:,} asked: {spending['answered']:,} answered, {spending['given_up']:,} given up, "
            f"{spending['open']:,} open",
        ),
        *_counted(made),
        (
            f"{'asked' if question.responder == 'model' else 'bought'} twice",
            f"{spending['answered'] - spending['different_items']:,}: {count(spending['answered'], 'answer')} to "
            f"{count(spending['different_items'], 'different item')}",
        ),
        *_raters(spending["raters"]),
        ("chosen by", f"{made['question']['policy']}, seed {study['seed']}, {study['batch']:,} at a time{known}"),
        (f"{unit}s", f"{spending['answered']:,}{labels}"),
        ("money", f"{spending['money']}{money}{price}"),
    ]
    return Section("What was asked and what it cost", table=Table(facts, shape="facts"))


def _model_told(model: Mapping[str, Any]) -> list[tuple[str, Text]]:
    """Return what was found out of a model when the study was made: whether it repeats itself, and its version."""
    repeats = repeats_told(model)
    versions = ", ".join(f"{name} {text}" for name, text in model.get("versions", {}).items())
    return [
        *([("repeats itself", repeats)] if repeats is not None else []),
        *([("version", (Quoted(line(versions)),))] if versions else []),
    ]


def about(made: Mapping[str, Any]) -> str:
    """Return whether the items are of a space or of a pool."""
    study = made["study"]
    return "space" if study.get("space") and (made["question"].get("space") or not study["pool"]) else "pool"


def _source(made: Mapping[str, Any]) -> tuple[str, Text]:
    study = made["study"]
    if about(made) == "space":
        drawn = made["computed"]["finding"].get("space") or {}
        parameters = f", {count(len(drawn['parameters']), 'parameter')}" if "parameters" in drawn else ""
        return "space", (Quoted(line(study["space"]["name"])), parameters)
    pool = study["pool"]
    return "pool", (Quoted(line(pool["name"])), f", {count(pool['size'], 'item')}") if pool else "none"


def _counted(made: Mapping[str, Any]) -> list[tuple[str, Text]]:
    """Return how many of the answers the finding rests on, where these are not all."""
    spending, finding = made["computed"]["spending"], made["computed"]["finding"]
    used = finding.get("calls", finding.get("answers"))
    if used is None:
        return []
    if about(made) == "space":
        others, same = "belong to other searches of this study", used == spending["answered"]
    else:
        used += finding.get("unanswerable", 0)
        others = "wait for one that was asked before them and is still open"
        same = used == spending["answered"] + spending["given_up"]
    return [] if same else [("counted", f"{used:,}; the others {others}")]


def _raters(raters: Mapping[str, int]) -> list[tuple[str, Text]]:
    named = list(raters.items())[:_RATERS]
    parts = [part for name, number in named for part in (", ", Quoted(line(name)), f" ({number:,})")]
    more = [f" and {len(raters) - _RATERS:,} more"] if len(raters) > _RATERS else []
    return [("answered by", (*parts[1:], *more))] if raters else []


def check_section(made: Mapping[str, Any], question: type[Question]) -> Section:
    """Return how to check and repeat what a page says."""
    title, hashes, kept = "How to check and repeat this", made["hashes"], ("kept beside", "kept")

    def hashed(*names: tuple[str, str]) -> list[tuple[str, Text]]:
        return [(called, (Code(hashes[name]),)) for called, name in names if hashes.get(name)]

    if not question.asks:
        counted = "The JSON file beside this page holds all that was counted. "
        again: Text = (counted, _VERIFY, " recomputes every number here from it.")
        return Section(title, [again], table=Table(hashed(("plan", "plan"), kept), shape="facts"))
    study, source = made["study"], about(made)
    where = ", on the same kind of processor" if source == "space" else ""
    listed = isinstance(made["records"], list)
    words: Text = (
        "The JSON file beside this page holds every answer. " if listed else _elsewhere(made["records"]),
        _VERIFY,
        " recomputes every number here from them, without the model and without the oracle. The same "
        f"{source}, model, seed and answers give the same questions again{where}.",
    )
    facts: list[tuple[str, Text]] = [
        *((name, (Code(line(study[name]["fingerprint"]) if study[name] else "none"),)) for name in (source, "model")),
        *hashed(("plan", "plan"), ("answers", "answers")),
        *([("journal", _journal(made["journal"]))] if made.get("journal") else []),
        *hashed(("items shown", "items"), ("scores", "scores"), ("map", "map"), ("opinions", "opinions"), kept),
    ]
    caption = f"Hashes: another one in the JSON twin means another {source}, model, plan or set of answers."
    return Section(title, [words], table=Table(facts, shape="facts", caption=Soft(caption)))


def _elsewhere(records: Mapping[str, Any]) -> str:
    """Say where the answers of a large study are."""
    held, events = count(records["queries"], "query"), count(records["events"], "event")
    named = f"names the study that holds all {held}, {line(records['study'])}, by the hash of its {events}"
    return f"The JSON file beside this page {named}: keep it beside. "


def _journal(journal: Mapping[str, Any]) -> Text:
    events = count(journal["events"], "event")
    if not journal["link"]:
        return f"{events}, not chained yet: the next answer begins the chain"
    since = "chained since the first"
    if journal["since"] > journal["events"]:
        since = "chained as they were found in an earlier format"
    elif journal["since"] > 1:
        since = f"chained since event {journal['since']:,}; those before it as they were found"
    return (f"{events}, ", Code(line(journal["link"])), f", {since}")


def context_of(made: Mapping[str, Any]) -> Context:
    """Return what the sections of a document are made of."""
    computed, question = made["computed"], question_class(made["question"]["kind"])
    kept = {**(made.get("kept") or {}), **({"map": made["map"]} if made.get("map") else {})}
    return Context(
        finding=computed["finding"],
        question=made["question"],
        study=made["study"],
        spending=computed["spending"],
        gallery=question.gallery(computed),
        items={name: restored(entry) for name, entry in made["items"].items()},
        records=made["records"] if isinstance(made["records"], list) else (),
        kept=kept,
        baselines=computed.get("baselines") or {},
    )


def sections_of(made: Mapping[str, Any]) -> list[Section]:
    """Return all that a page tells: what was found, what it cost and rests on, details, how to check it."""
    question, finding = question_class(made["question"]["kind"]), made["computed"]["finding"]
    told = question.sections(context_of(made))
    asked = made["question"].get("claim")
    other = f"This claim is another than the one the study was made to decide ({asked or 'none'})."
    return [
        *([Section(words=[other])] if finding.get("claim") and made["claim"] != asked else []),
        *(section for section in told if not section.detail),
        *opinions_section(made),
        *([cost_section(made, question)] if question.asks else []),
        Section("What this rests on", listed=[*finding["assumptions"], *_of_log(made.get("log"))]),
        *(section for section in told if section.detail),
        check_section(made, question),
    ]


def _of_log(log: Mapping[str, Any] | None) -> list[str]:
    """Say which log the items came from, what of it was left out, and that labels were not blind."""
    if log is None:
        return []
    leaning = ["labels that are given with a prediction in sight lean towards it, and flatter the model"]
    return [f"the items are those of {log['sentence']}", *(leaning if log["labels_not_blind"] else [])]


def render(made: Mapping[str, Any]) -> str:
    """Return the HTML page of a document."""
    finding, question = made["computed"]["finding"], question_class(made["question"]["kind"])
    return rendered(
        made,
        sections_of(made),
        question.chip(finding),
        about="Study" if question.asks else "About",
        name=made["study" if question.asks else "question"]["name"],
        headline=finding.get("headline", finding["sentence"]),
        sentence=finding["sentence"],
    )


def notebook_html(sentence: str, sections: Sequence[Section]) -> str:
    """Return the sentence of a finding and its sections as HTML without a page around them: every word escaped."""
    page: str = template("notebook.html").render(sentence=sentence, sections=sections)
    return page


def rendered(made: Mapping[str, Any], sections: Sequence[Section], chip: Chip, **words: str) -> str:
    """Return a page of sections, with the version and the time that `made` was made.

    `words` are the sort of thing the page is about, such as "Study", and its `name`; the `headline`, and the whole
    `sentence` below it, unless it is the same.
    """
    pictures, verdict = has_pictures(sections), {"chip": chip.words, "tone": chip.tone}
    page: str = template("page.html").render(made=made, sections=sections, pictures=pictures, **verdict, **words)
    return page
