"""Several people who answer one study, an item at a time each: what is offered to whom, and what each may say of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from ringtrue.core import Claim, InvalidInput, Json, Query, Reply, count, label_of, plain
from ringtrue.study._book import Events
from ringtrue.study._budget import price_of
from ringtrue.study._leases import is_run
from ringtrue.study._ledger import Ledger
from ringtrue.study._people import Tally
from ringtrue.study._plan import whole
from ringtrue.study._second import Lease
from ringtrue.study._study import Study
from ringtrue.study._telling import abandon_events, amend_events, checked_reply, number_of, tell_events
from ringtrue.study._things import without

LEASE = 600.0
"""Seconds for which an item is with a rater, unless the page renews it: whoever leaves blocks it no longer."""


class Held(NamedTuple):
    """A query that is with a rater, and until when, in seconds since 1970."""

    query: Query
    until: float


class Empty(NamedTuple):
    """Why there is no item for a rater, and until when at the latest; None if that is not known."""

    why: str
    until: float | None = None


class Raters:
    """The people who answer a question of a study, by name.

    What one says of an item that another has answered is an opinion. Its owner asks for such opinions, see `Owner`;
    raters are never told whether an item has an answer already.

    Parameters
    ----------
    study, question
        The study, with its pool and its model, and the name of the question where there are several.
    claim
        What to decide in place of the question's own claim: once it is decided, nothing new is offered.
    lease
        How many seconds an item is with a rater.
    hidden
        Columns that raters are not shown, beside those that hold what the model says.
    """

    def __init__(
        self,
        study: Study,
        *,
        question: str | None = None,
        claim: Claim | str | None = None,
        lease: float = LEASE,
        hidden: Iterable[str] = (),
    ) -> None:
        self.study, self.question, self._lease = study, study.question(question), lease
        self._book, self._claim = study._book, self.question.claim if claim is None else Claim.parse(claim)
        if self.question.responder != "oracle":
            raise InvalidInput(f"question {self.question.name!r} is answered by the model: there is nothing to rate")
        self._hidden = study._hidden(show_model=False) | frozenset(hidden)

    @property
    def _ledger(self) -> Ledger:
        return self._book.ledger

    def ask(self, rater: str, n: int = 1) -> list[Held]:
        """Return up to `n` queries for a rater: those that are with this one already, then second looks, then new."""
        n = whole("n", n, least=1)
        self.study.refresh()
        self.study.prepare(question=self.question.name)
        paused, decided = self._ledger.people.paused, self.is_decided
        queries = self._book.commit(lambda: self._offer(rater, n, new=not (paused or decided), looks=not paused))
        held = {**self._ledger.leases, **self._ledger.second.lent}
        return [
            Held(without(query, self._hidden, self.study.things.id_column), held[_number(query)].until)
            for query in queries
        ]

    def _offer(self, rater: str, n: int, *, new: bool, looks: bool) -> tuple[Events, list[Query]]:
        """Return the events that give a rater up to `n` queries, and these."""
        ledger, now = self._ledger, self._book.clock()
        lease = Lease(rater, round(now + self._lease, 3))
        gone = [number for number, held in ledger.second.lent.items() if held.until <= now]
        events: Events = [("returned", {"numbers": gone})] if gone else []
        own = sorted(self._held_by(rater, since=now))
        room = max(0, n - len(own)) if looks else 0
        price = price_of(ledger.created, "oracle")
        afforded = ledger.budget.affords(labels=0, spent=ledger.used_money, price=price) if price else None
        most = room if afforded is None else min(room, afforded)
        free = (number for number in ledger.second.offered_to(rater) if not self._is_put_off(number, rater))
        looked = list(islice(free, most))
        if looked:
            events.append(("lent", {"numbers": looked, **lease._asdict()}))
        queries = self.study._asker.queries([*own[:n], *looked])
        if new and room > len(looked):
            last = lambda number: self._is_put_off(number, rater)  # noqa: E731
            asked, fresh = self.study._asker(
                self.question, room - len(looked), rater, self._lease, fill=True, last=last
            )
            return [*events, *asked], [*queries, *fresh]
        return events, queries

    def _held_by(self, rater: str, since: float = 0.0) -> list[int]:
        """Return the queries that are with a rater, and whose lease did not run out before a moment."""
        held = (*self._ledger.leases.items(), *self._ledger.second.lent.items())
        return [number for number, lease in held if lease.holder == rater and lease.until > since]

    def _is_put_off(self, number: int, rater: str) -> bool:
        return rater in self._ledger.people.put_off.get(number, ())

    @property
    def is_decided(self) -> bool:
        """Whether the claim is decided, so that nothing new need be asked."""
        with self._book.lock:
            return self.study._taken_in(self.question, self._claim).done

    def empty(self, rater: str) -> Empty:
        """Return why there is no item for a rater."""
        with self._book.lock:
            ledger = self._ledger
            if ledger.people.paused:
                return Empty("The owner has paused the desk")
            others: dict[str, list[float]] = {}
            for lease in (*ledger.leases.values(), *ledger.second.lent.values()):
                if lease.holder != rater:
                    name = "a program" if is_run(lease.holder) else lease.holder
                    others.setdefault(name, []).append(lease.until)
            if others:
                first = min(others, key=lambda name: max(others[name]))
                many, until = others[first], max(others[first])
                return Empty(f"{count(len(many), 'item')} {'is' if len(many) == 1 else 'are'} with {first}", until)
            if self.is_decided:
                return Empty("The study has what it needs")
            price = price_of(ledger.created, "oracle")
            if ledger.budget.affords(labels=ledger.used_labels, spent=ledger.used_money, price=price) == 0:
                return Empty("The budget is spent: the owner can raise it")
            return Empty("Every item is answered")

    def tell(self, query: str, answer: Json, *, rater: str, seconds: float | None = None) -> None:
        """Record what a rater says of an item; None if this one cannot tell. The same said again changes nothing.

        Parameters
        ----------
        query, answer
            The query's id, and the answer.
        rater
            Who says so. What another has answered before stays as it is, and this is an opinion beside it.
        seconds
            How long the item was looked at.
        """
        number, reply = number_of(self._book, query), Reply(plain(answer), None, rater)

        def build() -> tuple[Events, None]:
            events = self._told(number, reply, rater)
            if events and seconds is not None:
                events.append(("seen", {"number": number, "rater": rater, "seconds": round(float(seconds), 1)}))
            return events, None

        self._book.commit(build)
        self.study._spelling.look(self._book)

    def _told(self, number: int, reply: Reply, rater: str) -> Events:
        ledger, record = self._ledger, self._ledger.records[number]
        if record.state not in ("answered", "abandoned"):
            if reply.value is None:
                return abandon_events(ledger, number, "the rater cannot tell", rater)
            return tell_events(ledger, number, reply)[0]
        votes = ledger.second.votes.get(number, {})
        if record.rater == rater or rater in votes:
            _check_same(reply.value, [*record.earlier, record.value] if record.rater == rater else [votes[rater]])
            return []
        held = ledger.second.lent.get(number)
        asked = held is not None and held.holder == rater
        if record.state == "abandoned" and not asked:
            return tell_events(ledger, number, reply)[0] if reply.value is not None else []
        cost = {"cost": str(price_of(ledger.created, "oracle"))} if asked else {}
        value = checked_reply(ledger, record, reply).value
        return [("opinion", {"number": number, "value": value, "rater": rater, **cost})]

    def amend(self, query: str, answer: Json, *, rater: str) -> None:
        """Correct what a rater said of an item; what it was stays in the journal."""
        number, reply = number_of(self._book, query), Reply(plain(answer), None, rater)

        def build() -> tuple[Events, None]:
            ledger, record = self._ledger, self._ledger.records[number]
            said = ledger.second.votes.get(number, {})
            if record.rater == rater or rater not in said:
                return amend_events(ledger, number, reply, "undo"), None
            value = checked_reply(ledger, record, reply).value
            told = {"number": number, "value": value, "was": said[rater], "rater": rater}
            return [("opinion", told)] if value != said[rater] else [], None

        self._book.commit(build)

    def last(self, rater: str) -> tuple[Query, Json] | None:
        """Return the query that a rater answered last, with the answer; None if there is none."""
        self.study.refresh()
        with self._book.lock:
            tally = self._ledger.people.raters.get(rater)
            if tally is None or tally.last is None:
                return None
            record = self._ledger.records[tally.last]
            answer = record.label if record.rater == rater else self._ledger.second.votes[record.number].get(rater)
            return self.shown(record.number), answer

    def shown(self, number: int) -> Query:
        """Return a query as raters see it."""
        with self._book.lock:
            return without(self.study._asker.queries([number])[0], self._hidden, self.study.things.id_column)

    def tally(self, rater: str) -> Tally:
        """Return what a rater did."""
        return self._ledger.people.raters.get(rater) or Tally()

    def knows(self, rater: str, number: int) -> bool:
        """Return whether a query is or was with a rater, as far as the journal has it."""
        with self._book.lock:
            return number in self._held_by(rater) or number in self.tally(rater).moments

    def later(self, query: str, *, rater: str) -> None:
        """Give an item back that a rater would rather see later: it is offered to others first."""
        self._give_back([number_of(self._book, query)], rater, {"reason": "later", "rater": rater})

    def release(self, queries: Iterable[str], *, rater: str) -> None:
        """Give items back that a rater has not looked at."""
        self._give_back([number_of(self._book, query) for query in queries], rater, {"reason": "left"})

    def _give_back(self, numbers: list[int], rater: str, why: dict[str, str]) -> None:
        def build() -> tuple[Events, None]:
            held = set(numbers) & set(self._held_by(rater))
            parts = {"released": held & set(self._ledger.leases), "returned": held & set(self._ledger.second.lent)}
            return [(kind, {"numbers": sorted(part), **why}) for kind, part in parts.items() if part], None

        self._book.commit(build)

    def renew(self, queries: Iterable[str], *, rater: str) -> None:
        """Keep items with a rater who is still at them."""
        numbers = {number_of(self._book, query) for query in queries}
        lease = Lease(rater, round(self._book.clock() + self._lease, 3))

        def build() -> tuple[Events, None]:
            held = numbers & set(self._held_by(rater))
            parts = {"leased": held & set(self._ledger.leases), "lent": held & set(self._ledger.second.lent)}
            return [(kind, {"numbers": sorted(part), **lease._asdict()}) for kind, part in parts.items() if part], None

        self._book.commit(build)


def _check_same(value: Json, told: Sequence[Json]) -> None:
    """Refuse another answer than those that the rater gave before: sent twice, an answer changes nothing."""
    if not any(plain(value) == label_of(before) for before in told):
        was = "cannot tell" if told[-1] is None else repr(label_of(told[-1]))
        raise InvalidInput(f"answer={value!r}: you answered this item before ({was}): correct it with undo")


def _number(query: Query) -> int:
    return int(query.id.rpartition(":")[2])
