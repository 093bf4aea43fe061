"""`ringtrue vote`: language models vote on the items of a pool, each call paid once and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ringtrue.cli._opening import read_toml
from ringtrue.cli._options import BATCH, BUDGET, ID, JSON, MONEY, POOL, SEED, WORKERS
from ringtrue.cli._runner import command_of
from ringtrue.cli._table import COUNTED, Option, Table
from ringtrue.cli._terminal import tell
from ringtrue.cli._verb import Asked, Told, Verb
from ringtrue.core import InvalidInput, PlanChanged, count

if TYPE_CHECKING:
    from ringtrue.cli._place import Place
    from ringtrue.core import Finding, Oracle, Pool, Query, Question
    from ringtrue.models.chat import JudgesFile, Price
    from ringtrue.study import Study

_CHUNK = 2_000
"""Rows of the pool of which prompts are made at a time, to see what the dearest may cost."""

_JUDGES = Option("judges", "The rubric and its judges, a TOML file: each time, since it names who is called.", "FILE")
_PRICES = Option("prices", "What a million tokens of each model cost, a TOML file; --money needs it.", "FILE")
_ITEMS = Option("items", "Vote on so many items, drawn at random (default: all).", "N", type=COUNTED, made="question")
_CALLS = Option("calls", "Where paid calls are kept (default: STUDY-calls.jsonl); studies may share one.", "FILE")
_OUT = Option("out", "Also write the items with what the judges make of them, for `ringtrue risk`.", "FILE.jsonl")
_VOTES = Option("votes", "Also write the votes, a column per judge, for `ringtrue judges`.", "FILE.jsonl")


class Panel(NamedTuple):
    """The items, what is asked of them, who is asked, and what that costs."""

    pool: Pool
    file: JudgesFile
    prices: Mapping[str, Price] | None
    currency: str


class VoteVerb(Verb):
    """Have language models vote on the items of a pool, by a rubric with closed choices.

    Makes STUDY if it is not there; else goes on with it. Each judge chooses one option for each item, in an order that
    is shuffled for each; ten items are asked about twice, to see whether a judge contradicts itself. What is cut off,
    refused or not of the agreed form is no vote. Stop it at any time: the same command goes on, and no call is paid
    twice. With --prices, the most that a call can cost is reserved before it, and --money is never exceeded.

    \b
    ringtrue vote answers --pool answers.jsonl --judges judges.toml
    ringtrue vote answers --judges judges.toml --prices prices.toml --money 5
    ringtrue vote answers --judges judges.toml --out judged.jsonl
    ringtrue judges answers.ringtrue                              # how good are these judges?
    ringtrue risk claim --pool judged.jsonl --model claimed --confidence confidence --oracle ask --claim "error <= 10%"
    """

    name = kind = "vote"
    own = True
    batch = workers = 8
    needed = (("pool", "the items, --pool FILE"), ("judges", "the rubric and its judges, --judges FILE.toml"))
    runs_named = ()
    table = Table((POOL, _JUDGES, _PRICES, _ITEMS, BUDGET, MONEY, SEED, BATCH, WORKERS, ID, _CALLS, _OUT, _VOTES, JSON))

    def read(self, notes: Mapping[str, Any], given: Mapping[str, Any], home: Path) -> Panel:
        """Read the pool, the rubric with its judges, and the prices."""
        from ringtrue.models.chat import FORM, read_judges, read_prices

        if "judges" not in given:
            raise InvalidInput("--judges is missing: name the file of the rubric each time, for it says who is called")
        where = f"judges file {given['judges']!r}"
        file = read_judges(read_toml(Path(given["judges"]), where, f"write {FORM}"), where)
        prices, currency = None, ""
        if "prices" in given:
            where = f"prices file {given['prices']!r}"
            table = read_toml(Path(given["prices"]), where, "write [models.NAME]", parse_float=Decimal)
            prices, currency = read_prices(table, where)
        return Panel(super().read(notes, given, home), file, prices, currency)

    def pool(self, source: Panel) -> Pool:
        """Return the items."""
        return source.pool

    def model(self, *_: Any) -> None:
        """Return no model: judges are not under test here."""

    def runs(self, *_: Any) -> list[Any]:
        """Return nothing: whom it calls is named by a file that the user names each time."""
        return []

    def check_money(self, given: Mapping[str, Any]) -> None:
        """Refuse a budget in money where a call could cost anything."""
        if "money" in given and "prices" not in given:
            raise InvalidInput(f"--money={given['money']} needs the prices of the judges: give --prices FILE.toml")

    def questions(self, given: Mapping[str, Any], source: Panel, model: Any) -> Sequence[Question]:
        from ringtrue.judges import Vote

        rubric, judges = source.file
        told = {judge.name: judge.to_json() for judge in judges}
        return [Vote(told, rubric.to_json(), items=given.get("items"))]

    def settings(self, given: Mapping[str, Any], source: Panel, model: Any) -> dict[str, Any]:
        """Return the price of an item: the most that the votes on the dearest one can cost."""
        from ringtrue.models.chat import Tariff

        rubric, judges = source.file
        tariff = Tariff(judges, source.prices)
        rows = (item.values for batch in source.pool.chunks(_CHUNK) for item in batch)
        costs = (tariff.most_of(rubric.prompt(values, seed=given.get("seed", 0))) for values in rows)
        # Of the first item in any case, so that a column which the pool has not is told before there is a file.
        dearest = next(costs, Decimal(0))
        return {} if source.prices is None else {"price": max(dearest, max(costs, default=dearest))}

    def made(self, asked: Asked) -> None:
        """Seat the panel, which keeps its calls in the name of the study."""
        asked.oracle = self.oracle(asked)

    def oracle(self, asked: Asked) -> Oracle | None:
        """Return the panel; before there is a study, none."""
        if not hasattr(asked, "study"):
            return None
        from ringtrue.judges import REPEAT
        from ringtrue.models.chat import Calls, Tariff, VotingPanel

        study, (rubric, judges) = asked.study, asked.source.file

        def repeat(query: Query) -> int:
            return int(study.records[int(query.id.rpartition(":")[2])].note.get(REPEAT, 0))

        place = asked.given.get("calls")
        calls = Calls(Path(place) if place else asked.path.beside("-calls.jsonl"), study.identity)
        tariff = Tariff(judges, asked.source.prices)
        return VotingPanel(rubric, judges, seed=study.plan["seed"], tariff=tariff, calls=calls, repeat=repeat)

    def goes_on(self, study: Study, path: Place, given: Mapping[str, Any], source: Any) -> Question:
        """Return the question, if the file asks the same of the same judges; and refuse prices that a study has not."""
        question = super().goes_on(study, path, given, source)
        [made] = self.questions({**given, "items": question.argument("items")}, source, None)
        for what in ("rubric", "judges"):
            now, was = (dict(one.argument(what)) for one in (made, question))
            other = sorted(name for name in {*now, *was} if now.get(name) != was.get(name))
            if other:
                raise PlanChanged(
                    f"--judges={given['judges']!r} has other {what} than the study was made with ({', '.join(other)}): "
                    "give the original file, or make a new study"
                )
        if source.prices is None and study.plan["price"]["oracle"] is not None:
            raise InvalidInput(f"study {str(path)!r} was made with prices: give --prices FILE")
        if source.prices is not None and study.plan["price"]["oracle"] is None:
            raise InvalidInput(f"study {str(path)!r} was made without prices: leave out --prices")
        return question

    def prepare(self, asked: Asked) -> None:
        """Say who is called, and what of each item they are shown."""
        from ringtrue.models.chat import shared_models

        rubric, judges = asked.source.file
        for judge in judges:
            key = f", with the key in {judge.key}" if judge.key is not None else ""
            tell(f"judge {judge.name}: {judge.model} at {judge.post().where}{key}", err=True)
        tell(f"they are shown: {', '.join([*rubric.show, *rubric.pair])}", err=True)
        price = asked.study.plan["price"]["oracle"]
        if price is not None:
            tell(f"the votes on an item cost at most {Decimal(price):f} {asked.source.currency}".rstrip(), err=True)
        for names in shared_models(judges):
            tell(f"warning: {', '.join(names)} ask one model and err together: they are not independent", err=True)

    def told(self, asked: Asked) -> Told:
        """Return what is said of the votes; tables are written first."""
        from ringtrue.cli._vote_tables import write_judged, write_votes

        said = super().told(asked)
        study, question, given = asked.study, asked.question, asked.given
        written = [write_votes(study, question, Path(given["votes"]))] if "votes" in given else []
        if "out" in given:
            panel: Panel = asked.source
            fine = panel.file.rubric.fine
            written.append(write_judged(study, question, Path(given["out"]), pool=panel.pool, fine=fine))
        changed = [
            f"warning: {judge} answered in {count(len(versions), 'version')}: {', '.join(sorted(versions))}"
            for judge, versions in asked.oracle.calls.versions.items()
            if len(versions) > 1
        ]
        *lines, following = said.lines
        if following.startswith("next: "):
            following = f"next: ringtrue judges {asked.path.typed}"
        return said._replace(lines=[*lines, *changed, *written, following])

    def waits(self, asked: Asked, finding: Finding) -> bool:
        """Return whether items are left."""
        return finding.answers + finding.unanswerable < finding.to_json()["population"]  # type: ignore[operator]


command = command_of(VoteVerb)
