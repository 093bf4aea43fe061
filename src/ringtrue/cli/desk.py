"""`ringtrue desk`: people label in the browser, and the owner of the study watches the claim being decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._asked import Asked
from ringtrue.cli._consent import Calling, calling_options
from ringtrue.cli._desk_links import make_links, tell_links
from ringtrue.cli._door import ASK
from ringtrue.cli._opening import latest_question, open_to_read
from ringtrue.cli._options import JSON, RATER, TRUST
from ringtrue.cli._place import Place
from ringtrue.cli._runner import go_on
from ringtrue.cli._scoring import SCORING
from ringtrue.cli._table import COUNTED, Option, Table, names
from ringtrue.cli._terminal import tell
from ringtrue.cli._verb import Verb
from ringtrue.core import InvalidInput, parse_share

if TYPE_CHECKING:
    from ringtrue.desk import Fields
    from ringtrue.study import Raters, Study

_SHARE = 0.1
"""Of the answers that show no failure, the share that another rater looks at, where there are two raters."""


def _kinds(texts: Sequence[str], option: str) -> dict[str, str]:
    """Read how fields are shown."""
    pairs = [text.partition("=") for text in texts]
    wrong = next((text for text, pair in zip(texts, pairs, strict=True) if not (pair[0] and pair[2])), None)
    if wrong is not None:
        raise InvalidInput(f"{option}={wrong!r} must be FIELD=KIND: write it like photo=image")
    return {name.strip(): kind.strip() for name, _, kind in pairs}


def _second(text: str, option: str) -> float:
    """Read a share that may be nothing at all."""
    return 0.0 if text.strip() in ("0", "0%") else parse_share(text, option)


def _names(texts: Sequence[str], option: str) -> tuple[str, ...]:
    """Read the names of raters, each once."""
    read: Any = RATER.read
    return tuple(dict.fromkeys(read(text, option) for text in texts))


TABLE = Table(
    (
        Option("rater", "Makes a link for this rater; give it once for each.", "NAME", _names, many=True),
        Option("open_page", "Open the owner's page in your browser.", "", flag="--open"),
        Option("demo", "Make a small study of handwritten digits, and open its desk.", ""),
        Option("second", "Share of passes that another rater looks at (default 10%; 0 for none).", "SHARE", _second),
        Option("show", "Show a field as text, short, number, json, chat, image, side or hide.", "FIELD=KIND", _kinds,
               many=True),
        Option("labels", "What raters choose from, where the study takes any label.", "A,B,…", names("cat,dog")),
        Option("hide", "Columns that raters must not see, beside what the model says.", "A,B,…", names("truth")),
        Option("files", "The folder of image files that items name (default: where the pool lies).", "FOLDER"),
        Option("question", "Which question of the study, where there are several.", "NAME"),
        Option("minutes", "How long an item stays with a rater who went away (default 10).", "N", type=COUNTED),
        Option("port", "The port (default: one that belongs to the study).", "N", type=click.IntRange(0, 65_535)),
        Option("host", "The address to listen at (default 127.0.0.1: this machine alone).", "HOST"),
        Option("allow_remote", "Let other machines in; put TLS in front of it.", ""),
        Option("public_url", "The address under which raters reach the desk, behind a proxy.", "URL"),
        Option("new_links", "End all links that were made before.", ""),
        Option("pool", "Where the items lie now.", "FILE"),
        *SCORING,
        TRUST,
        JSON,
    )
)  # fmt: skip


@click.command("desk")
@click.argument("study", metavar="[STUDY]", required=False)
@TABLE.add
@calling_options
def command(study: str | None, calling: Calling, **typed: Any) -> int:
    """Let people answer STUDY in the browser, several at once, and watch the claim being decided.

    Prints a link for each rater and one for you, the owner. Each is for one person. A key press is an answer, and it is
    on the disk when the page says "saved". Raters see neither the model's answers nor each other's. Ctrl-C ends the
    desk; the same command goes on.

    \b
    ringtrue desk --demo                                   # try it: label digits
    ringtrue desk loans --rater ann --rater bob --open
    ringtrue desk loans --rater ann --show photo=image --files photos --hide truth
    """
    with TABLE.in_words(), ExitStack() as ending:
        given = TABLE.given(typed)
        _check_installed()
        if given.get("demo"):
            if study is not None:
                raise InvalidInput(f"STUDY={study!r} and --demo: the demo makes a study of its own, leave one out")
            from ringtrue.cli._desk_demo import make_demo

            study = make_demo(calling)
            given = {"rater": ("you",), "open_rater": True, **given}
        if study is None:
            raise InvalidInput("STUDY is missing: name one that `ringtrue init` made, or try --demo")
        asked, verb = _opened(study, given, calling)
        ending.enter_context(asked.study)
        return _run(asked, verb, given, ending)


def _check_installed() -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise InvalidInput("the desk needs starlette and uvicorn: pip install 'ringtrue[desk]'") from None


def _opened(study: str, given: Mapping[str, Any], calling: Calling) -> tuple[Asked, Verb]:
    """Open a study by the verb that asks its question."""
    path = Place.of(study, calling.journal)
    with open_to_read(path) as found:
        question = found.question(latest_question(found, given.get("question")))
        verb = _verb_of(question.kind, found.plan["notes"], path.home)
    for_verb = {name: given[name] for name in ("pool", "trust", "processes", "cluster") if name in given}
    asked = go_on(verb, path, {**for_verb, "desk": True}, replace(calling, home=path.home))
    asked.question = asked.study.question(question.name)
    if asked.question.responder != "oracle":
        asked.study.close()
        raise InvalidInput(f"study {study!r} is answered by the model: no one need label anything")
    if asked.notes.get("own") is not None:
        asked.study.close()
        raise InvalidInput(
            f"study {study!r} makes deviations by a function of yours, which a desk cannot: use --oracle {ASK}"
        )
    return asked, verb


def _verb_of(kind: str, notes: Mapping[str, Any], home: Path) -> Verb:
    from ringtrue.cli.blind import BlindVerb
    from ringtrue.cli.judges import JudgesVerb
    from ringtrue.cli.risk import RiskVerb
    from ringtrue.cli.worst import WorstVerb

    if notes.get("verb") == "judges":
        return JudgesVerb(str(home / notes["pool"]))
    verbs: dict[str, type[Verb]] = {"risk": RiskVerb, "blind": BlindVerb, "worst": WorstVerb}
    if kind not in verbs:
        raise InvalidInput(f"the question {kind!r} has no desk: it has for {', '.join(verbs)} and judges")
    return verbs[kind]()


def _run(asked: Asked, verb: Verb, given: Mapping[str, Any], ending: ExitStack) -> int:
    """Serve the desk until it is ended, and say what the study shows then."""
    from ringtrue.desk import bind, default_port, serve_desk
    from ringtrue.study import Raters

    verb.prepare(asked)
    study = asked.study
    hidden = [*given.get("hide", ()), *_known_truth(study)]
    raters = Raters(
        study,
        question=asked.question.name,
        lease=60.0 * given.get("minutes", 10),
        hidden=hidden,
    )
    fields, outputs = _fields(asked, verb, given), _outputs(asked, verb)
    people = list(given.get("rater", ())) or ["rater"]
    if not outputs:
        _keep_labels(study, given)
    _ask_for_opinions(raters, given, people)
    study.prepare(question=asked.question.name)
    pool = study.things.pool
    watched = ending.enter_context(asked.path.open(pool=pool, questions=list(study.questions.values())))
    port = given.get("port", default_port(study.identity))
    options = {name: given[name] for name in ("host", "allow_remote", "public_url") if name in given}
    with bind(port=port, **options) as bound:
        links = make_links(raters, people, bound.place, new=bool(given.get("new_links")))

        def ready(_: str) -> None:
            tell_links(asked, links, given)
            if not outputs and study.plan["labels"] is None and study.people.labels is None:
                tell("raters type their labels: with --labels A,B,… they choose by keys", err=True)

        serve_desk(raters, watched, bound, fields=fields, outputs=outputs, ready=ready)
    verb.keep(asked)
    told = verb.told(asked)
    if not given.get("as_json"):
        for line in told.lines:
            tell(line)
    return told.code


def _known_truth(study: Study) -> list[str]:
    """Return the column that was the oracle of earlier runs: raters must not see it."""
    oracle, pool = study.plan["notes"].get("oracle"), study.things.pool
    return [oracle] if oracle is not None and pool is not None and oracle in pool.columns else []


def _fields(asked: Asked, verb: Verb, given: Mapping[str, Any]) -> Fields:
    from ringtrue.desk import Fields
    from ringtrue.pools import find_place

    pool = asked.notes.get("pool")
    home = Path(find_place(asked.path.home / pool).folder) if pool else asked.path.home
    files = Path(given.get("files", home))
    if "files" in given and not files.is_dir():
        raise InvalidInput(f"--files={given['files']!r} is not a folder: name the one that holds the image files")
    fields = Fields(given.get("show"), files)
    fields.check_columns(list(verb.columns(asked.source)))
    return fields


def _outputs(asked: Asked, verb: Verb) -> list[str]:
    """Return the names of the numbers that are asked for; nothing where labels are."""
    from ringtrue.cli._sheet_forms import Numbers

    form = verb.form(asked)
    return list(form.outputs) if isinstance(form, Numbers) else []


def _keep_labels(study: Study, given: Mapping[str, Any]) -> None:
    """Keep what raters choose from: the keys of labels stay as they are for the life of a study."""
    from ringtrue.study import Owner

    known, wanted = study.plan["labels"] or study.people.labels, given.get("labels")
    if wanted is None:
        return
    if known is not None and list(known) != list(wanted):
        raise InvalidInput(f"--labels={','.join(wanted)}: the study has {','.join(known)} already: leave it out")
    if known is None:
        Owner(study).set_desk(labels=list(wanted))


def _ask_for_opinions(raters: Raters, given: Mapping[str, Any], people: Sequence[str]) -> None:
    """Ask for second opinions, where there are two who could give them or the user says so."""
    from ringtrue.study import Owner

    wanted = given.get("second", _SHARE if len(people) > 1 else 0.0)
    if raters.question.space is not None:
        if given.get("second"):
            raise InvalidInput("--second: measurements have no second opinion: leave it out")
        return
    if not 0 <= wanted <= 1:
        raise InvalidInput(f"--second={wanted:g} must be a share from 0 to 1: write 10% for one in ten")
    known = raters.study.second.share
    if wanted and (known is None or "second" in given):
        Owner(raters.study).second(wanted)
